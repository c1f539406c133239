from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from bench.long_history import lengthen
from support.agent import World
from support.tui import play, screen, turn, until, until_seen
from takeback import locate
from takeback.tui.app import TakebackApp
from takeback.tui.listing import PAGE
from takeback.tui.rowlist import RowList
from takeback.views import rows as views
from takeback.views.desk import Desk

LONG = 3000
_PATIENCE = 60.0


@pytest.fixture
def world(tmp_path: Path) -> World:
    """One whose history is partly made up, and so would not verify."""
    return World(tmp_path)


@pytest.fixture
def long(world: World) -> Iterator[TakebackApp]:
    """An app on a history of thousands of turns."""
    world.write("a.txt", "one\n")
    world.line.save(trigger="interval")
    lengthen(world.line, LONG, labels=False)
    with Desk(locate.place(str(world.root), store=str(world.store_path))) as desk:
        yield TakebackApp(desk)


def rows(app: TakebackApp) -> RowList:
    return app.screen.query_one(RowList)


class Held:
    """Large pages come only when they are let through."""

    def __init__(self) -> None:
        self.asked = 0
        self.through = threading.Event()

    def page(self, desk: Desk, lanes: Sequence[int], *, limit: int, **more: Any) -> views.Page:
        if limit > PAGE:
            self.asked += 1
            assert self.through.wait(_PATIENCE)
        return self._given(desk, lanes, limit=limit, **more)

    _given = staticmethod(views.page)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    held = Held()
    monkeypatch.setattr(views, "page", held.page)
    yield held
    held.through.set()


def test_only_what_is_near_the_screen_is_loaded_until_somebody_wants_the_end(long: TakebackApp, held: Held) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, f"turn {LONG - 1}")
        await pilot.pause()
        assert PAGE <= len(rows(long).listing) <= 2 * PAGE
        for _ in range(6):
            await pilot.press("pagedown")
        await until(pilot, lambda: rows(long).cursor > PAGE and len(rows(long).listing) > rows(long).cursor)
        assert len(rows(long).listing) < LONG
        held.through.set()
        await pilot.press("G")
        await until(pilot, lambda: rows(long).listing.complete and rows(long).cursor == len(rows(long).listing) - 1)
        await until_seen(pilot, "<original>")
        assert len(rows(long).listing) > LONG
        assert held.asked == 1, "then it comes in large pages"
        await pilot.press("g")
        await until_seen(pilot, "the present")

    play(long, scene)


def test_news_and_marks_deep_in_the_past_leave_the_view_where_it_is(long: TakebackApp, world: World) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, f"turn {LONG - 1}")
        await pilot.press("G")
        await until_seen(pilot, "<original>")
        await pilot.press("pageup", "pageup", "up")
        row = rows(long).selected
        assert row is not None and row.snapshot is not None
        line = rows(long).cursor - rows(long).scroll_offset.y
        turn(world, "a turn that arrives", {"c.txt": "c"})
        await until(pilot, lambda: rows(long).listing[1].title == "a turn that arrives")
        assert rows(long).selected == row
        assert rows(long).cursor - rows(long).scroll_offset.y == line
        world.line.label(row.snapshot, "found it")
        await until_seen(pilot, " found it ")
        selected = rows(long).selected
        assert selected is not None and selected.labels == ("found it",)

    play(long, scene)


@pytest.mark.parametrize("key", ["j", "escape"])
def test_who_presses_another_key_while_all_is_loaded_is_not_taken_to_the_end(
    long: TakebackApp, held: Held, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setattr(views, "MOST", 2 * PAGE)

    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, f"turn {LONG - 1}")
        await pilot.press("G")
        await until_seen(pilot, "loading")
        await until(pilot, lambda: held.asked)
        await pilot.press(key)
        await until(pilot, lambda: "loading" not in screen(pilot))
        held.through.set()
        await until(pilot, lambda: len(rows(long).listing) > 2 * PAGE)
        await pilot.pause()
        assert rows(long).cursor == (key == "j")
        assert held.asked == 1 and not rows(long).listing.complete
        assert rows(long).virtual_size.height == len(rows(long).listing)

    play(long, scene)
    assert long.return_code in (0, None)


def test_what_arrives_while_all_is_loaded_is_there_when_the_end_is_reached(
    long: TakebackApp, held: Held, world: World
) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, f"turn {LONG - 1}")
        await pilot.press("G")
        await until(pilot, lambda: held.asked)
        turn(world, "a turn that arrives", {"c.txt": "c"})
        await until(pilot, lambda: rows(long)._again)
        held.through.set()
        await until_seen(pilot, "<original>")
        await until(pilot, lambda: rows(long).listing[1].title == "a turn that arrives")
        selected = rows(long).selected
        assert selected is not None and selected.kind == "original"

    play(long, scene)


def test_what_is_rare_is_found_at_the_far_end(long: TakebackApp) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, f"turn {LONG - 1}")
        await pilot.press("slash", *"session:session-0", "enter")
        await until_seen(pilot, "turn 49", "turn 30")

    play(long, scene)


def test_the_end_is_reached_though_it_was_wanted_while_something_arrived(long: TakebackApp) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: rows(long).listing.begun and not rows(long)._loading)
        rows(long).renew()
        rows(long).action_last()
        await until_seen(pilot, "<original>")
        assert rows(long).cursor == len(rows(long).listing) - 1 > LONG

    play(long, scene)
