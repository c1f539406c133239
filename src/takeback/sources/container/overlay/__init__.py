"""The strategy ``overlay``: a container's directories, read and written where they lie. Needs root on the engine's machine."""
