from __future__ import annotations

import os
import time

from takeback.tui.rowwords import brief, path_end, verb, what, who
from takeback.views.rows import Row
from tui.test_drawing import NOW, ROWS


def test_who_and_what_are_never_empty() -> None:
    assert [who(row) for row in ROWS.values()][:6] == ["you", "codex", "turn", "takeback", "session s1", "codex"]
    assert what(ROWS["undo"]) == "undo: a bad idea"
    restored = Row("move", 1, 6, "c" * 64, "b" * 64, NOW, "d" * 64, "takeback", "restore", title="restore 4b938188")
    assert what(restored) == "restore 4b938188"
    promoted = restored._replace(title="promote attempt-1")
    assert (verb(promoted), what(promoted)) == ("promote", "promote attempt-1")
    run = Row("move", 1, 6, "c" * 64, "b" * 64, NOW, "d" * 64, "run", title="./agent.sh", session="run-8c7aa9f5")
    assert who(run) == "run"
    assert what(ROWS["marked"]).startswith("snapshot cccc")
    assert what(ROWS["original"]) == "<original>"


def test_when_takes_eight_columns() -> None:
    assert [brief(NOW - seconds * 10**9, NOW) for seconds in (0, 59, 61, 7300, 13 * 86400)] == [
        "now", "59 s", "1 min", "2 h", "13 d",
    ]  # fmt: skip
    for days in range(14, 900, 50):
        assert len(brief(NOW - days * 86400 * 10**9, NOW)) <= 8
    assert brief(time.time_ns()) == "now"


def test_a_path_in_little_room_is_its_end_and_home_is_a_tilde() -> None:
    assert path_end(os.path.expanduser("~/work/shop"), 30) == "~/work/shop"
    assert path_end("/srv/data/projects/shop", 14) == "…projects/shop"
    assert path_end("/a\x1b/b", 30) == "/a\\x1b/b"
