"""Mutation check of the test-suite: 40 known faults, each planted into a copy of the source, and the tests that find it.

`make mutants` shows that `make test` notices when the source breaks one of its promises. The faults are written down in
``engine.py``, ``store.py`` and ``sources.py``; tests/mutants/test_catalogue.py keeps them fitting to the source.
"""
