"""All mutants."""

from __future__ import annotations

from mutants import engine, sources, store

MUTANTS = (*engine.MUTANTS, *store.MUTANTS, *sources.MUTANTS)

WANTED = 38
"""So many of the 40 have to be killed."""

WIDER = ("engine", "store", "sources", "conformance", "crash", "stateful")
"""Tests for a mutant that its own list does not kill."""
