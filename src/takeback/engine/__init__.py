"""The only place that joins sources, the store and history."""
