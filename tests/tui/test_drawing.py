from __future__ import annotations

import pytest

from takeback.tui.drawing import Around, row_line
from takeback.views.counts import Counts
from takeback.views.rows import Row
from takeback.views.text import columns

NOW = 1_800_000_000 * 10**9
MINUTE = 60 * 10**9

ROWS = {
    "present": Row("present", 1, 9, None, "b" * 64, NOW, title="present"),
    "turn": Row("move", 1, 8, "c" * 64, "b" * 64, NOW - 3 * MINUTE, "d" * 64, "turn", title="fix the test", agent="codex"),
    "undone": Row("move", 1, 7, "c" * 64, "b" * 64, NOW, "d" * 64, "turn", title="a bad idea", undone_by="e" * 64),
    "undo": Row("move", 1, 6, "c" * 64, "b" * 64, NOW, "d" * 64, "takeback", "undo", title="a bad idea"),
    "action": Row("move", 1, 5, "c" * 64, "b" * 64, NOW, "d" * 64, "action", title="Edit a.py", session="s1"),
    "open": Row("move", 1, 4, None, "b" * 64, NOW, "d" * 64, "turn", title="thinking", agent="codex", open=True),
    "marked": Row(
        "snapshot", 1, 3, "c" * 64, "b" * 64, NOW, labels=("good", "x" * 70), pinned=True, forks=((2, "attempt"),)
    ),
    "hostile": Row(
        "move", 1, 2, "c" * 64, "b" * 64, NOW, "d" * 64, "turn",
        title="[red]x[/] [@click=app.quit]y[/] \x1b[31m\n日本語 " * 9, agent="[b]e[/b]\x07", labels=("[i]l[/i]",),
    ),
    "original": Row("original", 1, 1, "c" * 64, None, NOW - 90 * 24 * 60 * MINUTE),
}  # fmt: skip
AROUND = Around(
    Counts(3, 12, 4, {"workspace": 3, "memory": 1}), {"workspace": "workspace", "memory": "state"}, now_ns=NOW
)


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("around", [AROUND, Around(), Around(lane="attempt-2", problem="Docker is not running")])
def test_a_row_is_as_wide_as_the_screen(name: str, around: Around) -> None:
    for width in (20, 30, 43, 44, 60, 63, 64, 77, 78, 100, 140, 250):
        for selected in (False, True):
            assert columns(row_line(ROWS[name], width, selected=selected, around=around).plain) == width, width


def test_markup_and_what_a_terminal_obeys_is_shown_as_text() -> None:
    line = row_line(ROWS["hostile"], 250, selected=False, around=AROUND)
    assert "[red]x[/] [@click=app.quit]y[/] \\x1b[31m 日本語" in line.plain
    assert "[b]e[/b]\\x07" in line.plain
    assert " [i]l[/i] " in line.plain
    assert not any(str(span.style).startswith("@") or "red" in str(span.style) for span in line.spans)


def test_each_kind_of_row_has_a_mark_of_its_own() -> None:
    marks = {name: row_line(row, 100, selected=False, around=AROUND).plain[1] for name, row in ROWS.items()}
    assert marks == {
        "present": "●", "turn": "○", "undone": "⊘", "undo": "↶", "action": "╰", "open": "◌", "marked": "·", "hostile": "○",
        "original": "◆",
    }  # fmt: skip


def test_what_was_taken_back_is_struck_through_and_says_so() -> None:
    line = row_line(ROWS["undone"], 100, selected=False, around=AROUND)
    assert "a bad idea  taken back" in line.plain
    struck = [line.plain[span.start : span.end] for span in line.spans if "strike" in str(span.style)]
    assert struck == ["a bad idea"]


def test_labels_pins_and_forks_are_seen() -> None:
    line = row_line(ROWS["marked"], 140, selected=False, around=AROUND).plain
    assert "⚑" in line and " good " in line and "⑂ attempt" in line


def test_how_much_changed_is_lines_and_a_letter_for_each_kind_of_part() -> None:
    assert row_line(ROWS["turn"], 100, selected=False, around=AROUND).plain.endswith("FM··   +12    −4 ")
    many = Around(Counts(4000, None, None, {"workspace": 4000}), {"workspace": "workspace"}, now_ns=NOW)
    assert row_line(ROWS["turn"], 100, selected=False, around=many).plain.endswith("4,000 files ")
    assert row_line(ROWS["turn"], 60, selected=False, around=many).plain.endswith("4,000 ")


def test_the_present_says_what_changed_since_the_latest_snapshot() -> None:
    assert (
        "3 files, memory changed since the latest" in row_line(ROWS["present"], 120, selected=True, around=AROUND).plain
    )
    assert "looking" in row_line(ROWS["present"], 120, selected=True, around=Around()).plain
    same = Around(Counts(), {})
    assert "as in the latest snapshot" in row_line(ROWS["present"], 120, selected=True, around=same).plain


def test_in_eighty_columns_the_present_says_it_in_words_that_are_whole() -> None:
    changed = Around(Counts(1, 1, 0, {"workspace": 1}), {"workspace": "workspace"}, now_ns=NOW)
    for around, words in (
        (changed, "the present  1 file changed "),
        (Around(Counts(), {}), "the present  as last saved "),
    ):
        line = row_line(ROWS["present"], 80, selected=True, around=around).plain
        assert words in line and "…" not in line
