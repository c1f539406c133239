"""Reading JSON in pieces finds what Python's own reader finds in the whole, whatever the window and the pieces are."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from takeback.adapters.persist import encoding, reading
from takeback.adapters.persist.errors import PersistIntegrityError

DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


def cut(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


@pytest.fixture
def small_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "WINDOW", 64)


def read(text: str, size: int, *, keep: bool = True) -> tuple[Any, str]:
    """The one member ``x`` of an object, and its hash."""
    cursor = reading.JsonText(cut(text, size), "file", 1 << 20)
    found: tuple[Any, str] = (None, "")
    for name in cursor.members():
        assert name == "x"
        found = cursor.hashed(keep=keep)
    return found


@given(DATA, st.integers(1, 50), st.sampled_from([None, 1]))
@settings(max_examples=300, deadline=None)
@pytest.mark.usefixtures("small_window")
def test_a_value_and_its_hash_are_those_of_the_whole(value: Any, size: int, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert read(f' {{ "x" : {text} }} ', size) == (value, digest)
    assert read(f'{{"x":{text}}}', size, keep=False)[1] == digest


@given(DATA, st.data(), st.integers(1, 50))
@settings(max_examples=200, deadline=None)
@pytest.mark.usefixtures("small_window")
def test_damaged_text_is_refused_where_python_refuses_it(value: Any, data: st.DataObject, size: int) -> None:
    text = f'{{"x":{json.dumps(value)}}}'
    at = data.draw(st.integers(5, len(text) - 1))
    text = (
        text[:at]
        + data.draw(st.sampled_from(["", "}", "]", ",", '"', "0", "\\", ":", " ", "[", "{", "-"]))
        + text[at + 1 :]
    )
    try:
        expected = json.loads(text, parse_constant=no_constant)
    except ValueError:
        with pytest.raises(PersistIntegrityError):
            read(text, size)
        return
    if list(expected) == ["x"]:
        assert read(text, size)[0] == json.loads(text)["x"]


def no_constant(name: str) -> Any:
    raise ValueError(name)


@given(DATA, st.booleans(), st.integers(1, 40))
@settings(max_examples=300, deadline=None)
def test_text_written_in_pieces_is_the_text_of_the_whole(value: Any, sort: bool, small: int) -> None:
    try:
        whole = "".join(encoding._texts(value, sort)).encode()
    except UnicodeEncodeError:
        return  # lone surrogates, which `plain` refuses
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "_SMALL", small)
        patch.setattr(encoding, "_PIECE", 7)
        pieces = list(encoding.pieces(value, sort=sort))
    assert b"".join(pieces) == whole
    assert json.loads(whole) == value
    if sort:
        assert whole == b"".join(encoding.pieces(json.loads(whole), sort=False))
