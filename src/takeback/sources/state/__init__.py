"""State: any Python object, captured as a document and restored in place."""
