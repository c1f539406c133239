"""Everything that is known of a snapshot can be said in JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from takeback.web.encoding import encoded


@dataclass(frozen=True)
class Value:
    time_ns: int | None
    inner: Any = None


@dataclass(frozen=True)
class Nothing:
    pass


class Pair(NamedTuple):
    opened_ns: int
    name: str


class Kind(IntEnum):
    ONE = 1


def test_times_are_said_twice() -> None:
    assert json.loads(encoded(Value(1_700_000_000_000_000_001))) == {
        "time_ns": "1700000000000000001",
        "time": "2023-11-14T22:13:20+00:00",
        "inner": None,
    }
    assert json.loads(encoded(Pair(0, "x"))) == {"opened_ns": "0", "opened": "1970-01-01T00:00:00+00:00", "name": "x"}
    assert json.loads(encoded(Value(None)))["time"] is None
    assert json.loads(encoded(Value(10**40)))["time"] is None, "no calendar has it"


def test_what_has_no_fields_and_what_is_empty_stay_what_they_are() -> None:
    assert json.loads(encoded([Nothing(), (), [], {}, Value(None, ())])) == [
        {},
        [],
        [],
        {},
        {"time_ns": None, "time": None, "inner": []},
    ]


def test_what_json_cannot_say_is_said_in_words() -> None:
    nested: Any = []
    for _ in range(5000):
        nested = [nested]
    made = {
        "nan": float("nan"),
        "inf": float("-inf"),
        "large": 10**400,
        "bytes": b"\xff\0",
        "set": frozenset({"x"}),
        "mapping": MappingProxyType({1: "one", None: "none"}),
        "half": "\udcff\ud800",
        "kind": Kind.ONE,
        "deep": nested,
        "object": Value(1, object),
    }
    said = json.loads(encoded(made))
    assert said["half"] == "\udcff\ud800" and said["bytes"] == "ff00" and said["nan"] == "nan" and said["kind"] == 1
    assert said["mapping"] == {"1": "one", "None": "none"} and said["set"] == ["x"]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a busy machine it is
@given(
    st.recursive(
        st.one_of(
            st.none(),
            st.booleans(),
            st.integers(-(2**63), 2**63 - 1),
            st.floats(allow_nan=False, allow_infinity=False),
            st.text(st.characters(), max_size=8),
        ),
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
        max_leaves=10,
    )
)
def test_plain_values_come_through_as_they_are(value: Any) -> None:
    text = encoded(value)
    assert text.isascii() and json.loads(text) == value


@pytest.mark.parametrize("text", ["</script><script>", "\u2028", "\x00\x1f\x7f", "😀"])
def test_text_is_ascii_on_the_way(text: str) -> None:
    assert json.loads(encoded(text)) == text and encoded(text).isascii()
