"""Real containers for tests: `daemon` runs an engine, `image` is what containers are made from, `boxes` makes and inspects
them, `fixtures` hands all that to tests."""
