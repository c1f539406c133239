"""Four real parts of one timeline, files, container, memory and team, and what can go wrong with any of them."""
