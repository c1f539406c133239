"""Documents that takeback never wrote: words, little memory and time, and no code run."""

from __future__ import annotations

import pytest

from support.hostile_documents import HARMLESS, INTEGRITY, REFUSED, run_confined


@pytest.mark.parametrize("name", INTEGRITY)
def test_what_was_never_written_is_refused(name: str) -> None:
    *how, loaded = run_confined(name)
    assert all(each.startswith(("Integrity: ", "InvalidInput: ")) for each in how), how
    assert not loaded


@pytest.mark.parametrize("name", REFUSED)
def test_a_class_that_nobody_allowed_is_neither_imported_nor_made(name: str) -> None:
    refused, _, recorded, differences, loaded = run_confined(name)
    assert refused.startswith("InvalidInput: the state holds a ") and "may not come back" in refused
    assert (recorded, differences) == ("value", "1 differences")
    assert not loaded


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_odd_costs_little(name: str) -> None:
    assert run_confined(name) == ["value", "1 differences", "value", "1 differences", ""]
