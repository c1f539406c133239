"""The strategy ``stream``: everything through the Engine's API. Needs no root, and works with an engine anywhere."""
