"""The values of the engine: frozen, comparable, without any input or output."""
