from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from takeback.documents.holes import Hole, Record
from takeback.documents.showing import as_json, lines


def test_a_value_is_an_outline() -> None:
    value = Record(
        "app:Agent", {"name": "x", "messages": [{"a": 1}, (2, b"y" * 100)], "none": set(), "client": Hole("Lock")}
    )
    assert list(lines(value)) == [
        "app:Agent",
        "  name: 'x'",
        "  messages: list of 2",
        "    - dict of 1",
        "      'a': 1",
        "    - tuple of 2",
        "      - 2",
        f"      - {b'y' * 60!r}… (100 bytes)",
        "  none: empty set",
        "  client: <not captured: Lock>",
    ]


def test_what_holds_itself_is_shown_once() -> None:
    value: list[Any] = [1]
    value.append({"again": value})
    assert list(lines(value))[-1] == "    'again': … (the same as above)"
    assert as_json(value) == [1, {"again": "…"}]


def test_what_is_too_deep_to_read_ends() -> None:
    value: Any = []
    for _ in range(5000):
        value = [value]
    assert list(lines(value))[-1].endswith("… (and deeper)")
    assert json.dumps(as_json(value))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (float("nan"), "nan"),
        (-0.0, -0.0),
        (1 << 100, 1 << 100),
        (b"\xff", {"bytes": "/w=="}),
        ({1: "a", "b": 2}, {"1": "a", "b": 2}),
        (Hole("Lock"), {"not captured": "Lock"}),
        (Record("m:C", {"x": (1,)}, [2]), {"type": "m:C", "fields": {"x": [1]}, "content": [2]}),
        (datetime(2024, 1, 2, tzinfo=UTC), "datetime.datetime(2024, 1, 2, 0, 0, tzinfo=datetime.timezone.utc)"),
        ("\ud800", "\ud800"),
    ],
)
def test_what_json_cannot_hold_is_said_in_words(value: Any, shown: Any) -> None:
    assert as_json(value) == shown
    json.dumps(as_json(value), allow_nan=False)
