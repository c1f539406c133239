from __future__ import annotations

import pytest

from takeback.views.lines import plain, table
from takeback.views.text import age, clip, columns, visible

SECOND = 1_000_000_000


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("café 漢字", "café 漢字"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\x7f\x9b", "\\x7f\\x9b"),
        ("\udce9", "\\xe9"),
        ("\u202e\u2028", "\\u202e\\u2028"),
        ("\U000e0001", "\\U000e0001"),
    ],
)
def test_what_a_terminal_could_obey_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert plain([text]) == shown


def test_texts_are_cut_to_columns_not_characters() -> None:
    assert clip("short", 10) == "short"
    assert clip("a\nb   c", 10) == "a b c"
    assert columns(clip("漢字" * 20, 11)) <= 11
    assert clip("x" * 20, 5) == "xxxx…"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "just now"), (12, "12 s ago"), (90, "1 min ago"), (7200, "2 h ago"), (86400 * 3, "3 d ago")],
)
def test_ages(seconds: int, words: str) -> None:
    now = 1_800_000_000 * SECOND
    assert age(now - seconds * SECOND, now) == words


def test_old_and_future_times_are_dates() -> None:
    now = 1_800_000_000 * SECOND
    assert age(now - 86400 * 400 * SECOND, now).startswith("2025-")
    assert age(now + 86400 * 400 * SECOND, now).startswith("2028-")


def test_tables_align() -> None:
    assert [plain(row) for row in table([["a", "b"], ["long", "c"]])] == ["a     b", "long  c"]
