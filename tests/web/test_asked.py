"""What a request asks for is checked before anybody uses it."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from takeback.errors import InvalidInput
from takeback.web.asked import Asked


def test_a_query_is_decoded_as_bytes_of_names() -> None:
    asked = Asked.of_query(b"path=caf%C3%A9%20%FF+x&lane=3&empty=&flag=1")
    assert asked.text("path") == "café \udcff x"
    assert (asked.lane, asked.flag("flag"), asked.maybe("empty"), asked.has("empty")) == (3, True, None, False)
    assert (asked.text("nothing", "else"), asked.number("nothing", 7), asked.numbers("nothing")) == ("else", 7, None)


@given(st.binary(min_size=1, max_size=20).filter(lambda raw: b"\0" not in raw))
def test_any_name_of_a_file_comes_back_as_it_was(raw: bytes) -> None:
    from urllib.parse import quote_from_bytes

    assert Asked.of_query(b"path=" + quote_from_bytes(raw).encode()).text("path") == os.fsdecode(raw)
    sent = json.dumps({"path": os.fsdecode(raw)}).encode()
    assert Asked.of_body(sent).text("path") == os.fsdecode(raw)


@pytest.mark.parametrize(
    "number", ["-1", "+1", "1.0", "1e3", "٣", " 1", "1_0", "9" * 17, "9007199254740992", "x", 1.0, True, [], -1, 2**53]
)
def test_what_is_no_number_is_refused(number: object) -> None:
    with pytest.raises(InvalidInput):
        Asked({"limit": number}).number("limit", 1)
    with pytest.raises(InvalidInput):
        Asked({"lane": number}).maybe_number("lane")


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "x" * 9000, 3, ["x"], {}])
def test_what_is_no_text_is_refused(text: object) -> None:
    with pytest.raises(InvalidInput):
        Asked({"name": text}).must("name")


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b"1",
        b"null",
        b"{",
        b"\xff",
        b'{"a":1,"a":2}',
        b'{"a":NaN}',
        b"[" * 100_000,
        b'{"a":' * 2000 + b"1" + b"}" * 2000,
        b'{"a":' + b"9" * 5000 + b"}",
        b'{"a":' * 13 + b"1" + b"}" * 13,
    ],
)
def test_what_is_no_object_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidInput):
        Asked.of_body(body)


def test_a_body_may_be_empty() -> None:
    assert not Asked.of_body(b"").has("x")


@pytest.mark.parametrize("query", [b"a=1&a=2", b"&".join(b"a%d=1" % number for number in range(60))])
def test_what_is_said_twice_or_too_much_is_refused(query: bytes) -> None:
    with pytest.raises(InvalidInput):
        Asked.of_query(query)


def test_lists_are_lists_of_texts() -> None:
    asked = Asked({"only": ["a", "b"], "paths": {"workspace": ["x"], "other": []}, "bad": [1], "worse": {"a": "b"}})
    assert asked.texts("only") == ("a", "b") and asked.texts("none") is None
    assert asked.texts_by_name("paths") == {"workspace": ("x",), "other": ()}
    for name in ("bad", "worse"):
        with pytest.raises(InvalidInput):
            asked.texts(name) if name == "bad" else asked.texts_by_name(name)
    assert Asked({"lanes": "3,1,3"}).numbers("lanes") == [3, 1]
    with pytest.raises(InvalidInput):
        Asked({"lanes": ",".join(map(str, range(65)))}).numbers("lanes")
