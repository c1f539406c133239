"""The protocols that agents speak with models, as far as a script needs them: one module each, with one function `answer`."""
