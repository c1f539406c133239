"""A directory of files: captured byte for byte, put back path by path."""
