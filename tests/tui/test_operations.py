from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from support.agent import World
from support.tui import play, screen, until, until_said, until_seen
from takeback.tui.app import TakebackApp
from takeback.tui.operations import OperationList, told
from takeback.tui.timeline import TimelineScreen


def test_everything_that_takeback_did_is_listed_newest_first(app: TakebackApp, world: World) -> None:
    world.line.undo()

    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, "third turn")
        await pilot.press("o")
        await until_seen(pilot, "Operations", "undone", "saved", "“start”")
        lines = screen(pilot).splitlines()
        assert lines[1].startswith("▌") and "undone" in lines[1] and lines[1].endswith("third turn")
        assert any("after action" in line and line.endswith("Edit for first turn") for line in lines)
        listed = app.screen.query_one(OperationList)
        assert listed.complete
        await pilot.press("G")
        assert listed.cursor == len(listed.rows) - 1
        await pilot.press("d")
        await until_said(pilot, "this is the first snapshot")
        await pilot.press("k", "j", "g")
        assert listed.cursor == 0
        await pilot.press("enter")
        await until_seen(pilot, "Diff", "undone", "a.txt")
        await pilot.press("escape")
        await until(pilot, lambda: bool(app.screen.query(OperationList)))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TimelineScreen))

    play(app, scene)


def test_a_long_log_is_read_a_page_at_a_time_and_to_its_end_if_asked(app: TakebackApp, world: World) -> None:
    for number in range(130):
        world.line.label("@", f"l{number}")
        world.write("n.txt", f"{number}")
        world.line.save(trigger="interval")

    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, "the present")
        await pilot.press("o")
        await until(
            pilot,
            lambda: bool(app.screen.query(OperationList)) and len(app.screen.query_one(OperationList).rows) == 100,
        )
        listed = app.screen.query_one(OperationList)
        assert not listed.complete
        await pilot.press("end")
        await until(pilot, lambda: listed.complete and listed.cursor == len(listed.rows) - 1)
        assert len(listed.rows) > 130

    play(app, scene)


def test_what_an_operation_was_about_is_one_line() -> None:
    assert told({"snapshot": "a" * 64, "seq": 3, "labels": ["x"]}) == "a" * 8
    assert told({"path": "x", "snapshots": 3, "empty": None}) == "path: x  snapshots: 3"
    assert told({"gone": ["b" * 64, "c", "d", "e", "f"]}) == f"gone: {'b' * 8}, c, d, e …"
