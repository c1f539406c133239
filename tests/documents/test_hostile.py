"""Documents that takeback never wrote: words, little memory and time, and no code run."""

from __future__ import annotations

import pytest

from support.hostile_documents import HARMLESS, INTEGRITY, REFUSED, run_confined


@pytest.fixture(scope="module")
def ended() -> dict[str, list[str]]:
    return run_confined([*INTEGRITY, *REFUSED, *HARMLESS])


@pytest.mark.parametrize("name", INTEGRITY)
def test_what_was_never_written_is_refused(name: str, ended: dict[str, list[str]]) -> None:
    *how, loaded = ended[name]
    assert all(each.startswith(("Integrity: ", "InvalidInput: ")) for each in how), how
    assert not loaded


@pytest.mark.parametrize("name", REFUSED)
def test_a_class_that_nobody_allowed_is_neither_imported_nor_made(name: str, ended: dict[str, list[str]]) -> None:
    refused, _, recorded, differences, loaded = ended[name]
    assert refused.startswith("InvalidInput: the state holds a ") and "may not come back" in refused
    assert (recorded, differences) == ("value", "1 differences")
    assert not loaded


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_odd_costs_little(name: str, ended: dict[str, list[str]]) -> None:
    assert ended[name] == ["value", "1 differences", "value", "1 differences", ""]
