"""How much a tool says, and that every client can read it."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from takeback.adapters.mcp.bounds import LIST_CHARACTERS, MOST, bounded, readable, text_of


def test_what_is_short_stays_as_it_is() -> None:
    shape = {"id": "a", "files": [{"path": "x"}], "context": {"by": "mcp"}, "more": False, "b": None}
    assert bounded(shape) == shape


def test_long_lists_and_mappings_are_cut_and_the_rest_is_counted() -> None:
    made = bounded({"files": list(range(1000)), "reasons": {f"p{n}": "r" for n in range(300)}, "few": [1]})
    assert len(made["files"]) == len(made["reasons"]) == MOST
    assert made["left_out"] == {"files": 800, "reasons": 100}
    assert made["few"] == [1]


def test_few_items_that_are_long_are_cut_too() -> None:
    made = bounded({"files": ["x" * 1000] * 100})
    assert len(json.dumps(made)) < LIST_CHARACTERS + 1000
    assert len(made["files"]) + made["left_out"]["files"] == 100


@given(st.binary(max_size=50))
def test_any_name_becomes_text_that_can_be_sent(name: bytes) -> None:
    readable({"path": [name.decode("utf-8", "surrogateescape")]})["path"][0].encode("utf-8")


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), st.integers(0, 200))
def test_a_cut_never_makes_another_text(text: str, at: int) -> None:
    data = text.encode()[:at]
    found = text_of(data, whole=False)
    assert found is not None
    assert text.startswith(found)
    assert len(data) - len(found.encode()) < 4


def test_what_is_no_text_is_not_taken_for_one() -> None:
    assert text_of(b"\xff\xfe\x00", whole=True) is None
    assert text_of(b"a\0b", whole=True) is None
    assert text_of("é".encode()[:1], whole=True) is None
