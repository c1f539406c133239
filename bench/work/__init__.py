"""One module a kind of work; each does it with takeback and its peers in turns and gives rows."""
