from __future__ import annotations

from collections.abc import Sequence

import pytest

from support.agent import World
from takeback.errors import InvalidInput, NotFound
from takeback.views.desk import Desk
from takeback.views.rows import ALL, MOST, Filter, Row, named, page, present, sessions


def turn(world: World, title: str, content: str, session: str = "s", agent: str = "codex") -> None:
    line = world.line
    line.save(trigger="turn_start", title=title, session=session, context={"agent": agent})
    line.save(trigger="before_action", session=session, title="Edit a.txt", key="1")
    world.write("a.txt", content)
    line.save(trigger="after_action", session=session, key="1")
    line.save(trigger="turn_end", session=session, context={"agent": agent})


def everything(desk: Desk, lanes: Sequence[int], limit: int, wanted: Filter = ALL) -> list[Row]:
    rows: list[Row] = []
    cursor = None
    while True:
        found = page(desk, lanes, cursor=cursor, limit=limit, wanted=wanted)
        rows += found.rows
        if found.next is None:
            return rows
        cursor = found.next


def titles(rows: Sequence[Row]) -> list[str]:
    return [named(row) for row in rows]


def test_moves_stand_newest_first_and_the_original_last(world: World, desk: Desk) -> None:
    turn(world, "first", "1\n")
    turn(world, "second", "2\n")
    rows = page(desk, [desk.here]).rows
    assert [(row.kind, row.title) for row in rows] == [("move", "second"), ("move", "first"), ("original", "")]
    assert (rows[0].agent, rows[0].session, rows[0].level) == ("codex", "s", "turn")
    assert rows[0].before == rows[1].snapshot
    assert rows[-1].labels == ("start",)


def test_an_undo_says_what_it_took_and_that_says_so(world: World, desk: Desk) -> None:
    turn(world, "bad", "1\n")
    world.line.undo()
    undo, bad, _ = page(desk, [desk.here]).rows
    assert (undo.level, undo.verb, undo.takes) == ("takeback", "undo", (bad.move,))
    assert bad.undone_by == undo.move


def test_actions_are_listed_only_if_they_are_asked_for(world: World, desk: Desk) -> None:
    turn(world, "edit", "1\n")
    assert [row.level for row in page(desk, [desk.here]).rows] == ["turn", ""]
    rows = page(desk, [desk.here], wanted=Filter(actions=True)).rows
    assert [row.level for row in rows] == ["turn", "action", ""]
    assert all(row.agent == "codex" for row in rows if row.level == "action")


def test_what_a_person_saved_or_an_open_turn_began_with_is_listed(world: World, desk: Desk) -> None:
    world.write("mine.txt", "mine\n")
    world.line.save(trigger="turn_start", title="going on", session="s", context={"agent": "codex"})
    rows = page(desk, [desk.here]).rows
    assert [(row.kind, row.open, row.trigger) for row in rows[:2]] == [
        ("move", True, ""),
        ("move", False, "turn_start"),
    ]
    assert rows[0].title == "going on" and rows[0].snapshot is None


def test_pages_of_any_size_give_the_same_rows(world: World, desk: Desk) -> None:
    for number in range(7):
        turn(world, f"turn {number}", f"{number}\n")
    world.line.undo()
    world.line.save(trigger="turn_start", title="open", session="s")
    whole = everything(desk, [desk.here], 500, Filter(actions=True))
    assert len(whole) == 7 * 2 + 1 + 1 + 1
    for limit in (1, 2, 3, 5):
        assert everything(desk, [desk.here], limit, Filter(actions=True)) == whole


def test_several_timelines_come_together_by_time_with_their_forks(world: World, desk: Desk) -> None:
    turn(world, "before", "1\n")
    fork = world.line.fork("@", "attempt", str(world.base / "attempt"))
    turn(world, "after", "2\n")
    lanes = [lane.number for lane in desk.lanes()]
    assert [(lane.name, lane.is_own, lane.is_here) for lane in desk.lanes()] == [
        ("main", True, True),
        ("attempt", True, False),
    ]
    rows = everything(desk, lanes, 2)
    assert [row.time_ns for row in rows] == sorted((row.time_ns for row in rows), reverse=True)
    assert {row.lane for row in rows} == set(lanes)
    begins = next(row for row in rows if row.forks)
    assert (begins.title, begins.forks) == ("before", ((lanes[1], "attempt"),))
    with desk.act(lanes[1]) as line:
        assert line.root == fork.root and "workspace" in line.sources


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (Filter(text="SECOND"), ["second"]),
        (Filter(text="second turn"), ["second"]),
        (Filter(text="second first"), []),
        (Filter(session="t"), ["second"]),
        (Filter(agent="codex"), ["first"]),
        (Filter(agent="claude", session="s"), []),
        (Filter(part="workspace"), ["second", "first", "start"]),
        (Filter(part="memory"), []),
    ],
)
def test_a_filter_finds(world: World, desk: Desk, wanted: Filter, found: list[str]) -> None:
    turn(world, "first", "1\n")
    turn(world, "second", "2\n", session="t", agent="claude")
    assert titles(everything(desk, [desk.here], 50, wanted)) == found


def test_a_row_is_found_by_the_beginning_of_an_id(world: World, desk: Desk) -> None:
    turn(world, "first", "1\n")
    row = page(desk, [desk.here]).rows[0]
    for id in (row.move, row.snapshot):
        assert id is not None
        assert titles(page(desk, [desk.here], wanted=Filter(text=id[:8])).rows) == ["first"]


def test_what_is_rare_is_searched_for_page_by_page(world: World, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("takeback.views.rows._SCANNED", 3)
    turn(world, "needle", "0\n")
    for number in range(8):
        turn(world, "hay", f"{number}\n")
    first = page(desk, [desk.here], wanted=Filter(text="needle"))
    assert (first.rows, first.scanned) == ((), 3) and first.next is not None
    assert titles(everything(desk, [desk.here], 50, Filter(text="needle"))) == ["needle"]


@pytest.mark.parametrize("cursor", ["", "x", "1", "1:x", "1:2,", "1:2:3", "9" * 5000])
def test_a_cursor_that_is_none_is_refused(desk: Desk, cursor: str) -> None:
    with pytest.raises(InvalidInput, match="not where a page"):
        page(desk, [desk.here], cursor=cursor)


@pytest.mark.parametrize("limit", [0, -1, MOST + 1])
def test_so_many_rows_are_no_page(desk: Desk, limit: int) -> None:
    with pytest.raises(InvalidInput, match="number of rows"):
        page(desk, [desk.here], limit=limit)


def test_a_timeline_that_is_not_there_has_no_rows(desk: Desk) -> None:
    assert page(desk, [77]).rows == ()
    with pytest.raises(NotFound, match="no timeline 77"):
        present(desk, 77)


def test_the_present_begins_with_the_latest_snapshot(world: World, desk: Desk) -> None:
    row = present(desk)
    assert (row.kind, row.snapshot, row.before) == ("present", None, world.line.head)


def test_sessions_are_known_with_their_agents(world: World, desk: Desk) -> None:
    turn(world, "first", "1\n")
    turn(world, "second", "2\n", session="t", agent="claude")
    assert sessions(desk) == [("t", "claude"), ("s", "codex")]
