from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from support.agent import World
from support.tui import play, screen, until, until_said, until_seen
from takeback.tui.app import TakebackApp
from takeback.tui.asking import Asking, Choosing
from takeback.tui.preview import PreviewScreen
from takeback.tui.timeline import TimelineScreen

ALL = ("third turn", "second turn", "first turn", "<original>")
WIDE = (160, 32)


def on_timeline(app: TakebackApp) -> bool:
    return isinstance(app.screen, TimelineScreen)


@pytest.fixture
def fork(world: World, app: TakebackApp) -> World:
    """What began at the second turn; there is a file in it that nobody else has."""
    made = world.fork("@-1", "attempt")
    made.write("better.py", "better = True\n")
    made.line.save("better")
    return made


def test_f_forks_into_a_directory_of_its_own(app: TakebackApp, world: World) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        await pilot.press("down", "down", "f")
        await until_seen(pilot, "Fork second turn", "attempt-1")
        place = app.screen.query_one("#to", Input)
        assert place.value == f"{world.root}-attempt-1"
        await pilot.press("ctrl+u", *"try two")
        await until(pilot, lambda: place.value == f"{world.root}-try-two")
        await pilot.press("enter", "enter")
        await until_seen(pilot, "⑂ try two", "│ try two")
        await until_said(pilot, "it is in ")
        assert (world.base / "project-try-two" / "1.py").exists()
        assert not (world.base / "project-try-two" / "2.py").exists()

    play(app, scene, size=(160, 32))


def test_a_fork_into_a_directory_that_is_not_empty_is_refused_before_it_begins(app: TakebackApp, world: World) -> None:
    (world.base / "project-attempt-1").mkdir()
    (world.base / "project-attempt-1" / "x").write_text("x")

    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        await pilot.press("down", "f", "enter", "enter")
        await until_seen(pilot, "that directory is not empty")
        assert isinstance(app.screen, Asking)
        await pilot.press("escape")
        assert on_timeline(app)
        assert len(app.desk.lanes()) == 1

    play(app, scene)


async def agree(pilot: Pilot[Any]) -> None:
    """Say yes to what the preview shows, and close it."""
    await until(pilot, lambda: isinstance(pilot.app.screen, PreviewScreen) and pilot.app.screen.phase == "ready")
    await pilot.press("enter")
    await until_seen(pilot, "Yes, do it")
    await pilot.press("y")
    await until(pilot, lambda: isinstance(pilot.app.screen, PreviewScreen) and pilot.app.screen.phase == "done")
    await pilot.press("escape")
    await until(pilot, lambda: isinstance(pilot.app.screen, TimelineScreen))


def test_capital_p_on_a_fork_does_where_it_began_what_it_did(app: TakebackApp, world: World, fork: World) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL, "⑂ attempt", "│ attempt")
        await pilot.press("right")
        await until_seen(pilot, " better ", "P promote")
        await pilot.press("down", "P")
        await until_seen(pilot, "promote attempt into main", "create   better.py")
        assert not world.exists("better.py")
        await agree(pilot)
        assert world.read("better.py") == b"better = True\n"
        await until_seen(pilot, "⤴", "promote attempt", "third turn")  # the timeline where it was done
        await pilot.press("down", "z")
        await agree(pilot)
        assert not world.exists("better.py") and fork.exists("better.py")

    play(app, scene, WIDE)


def test_capital_p_where_a_fork_begins_and_on_the_present_knows_which_is_meant(
    app: TakebackApp, world: World, fork: World
) -> None:
    world.fork("start", "other")

    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL, "⑂ attempt", "⑂ other", "P promote")
        await pilot.press("down", "P")
        await until_said(pilot, "this is no fork, and none begins here")
        assert "P promote" not in screen(pilot)
        await pilot.press("down")
        await until_seen(pilot, "P promote")
        await pilot.press("P")
        await until_seen(pilot, "promote attempt into main")
        await pilot.press("escape")
        await until(pilot, lambda: on_timeline(app))
        await pilot.press("home", "P")
        await until_seen(pilot, "Promote which fork?", "attempt into main", "other into main")
        assert isinstance(app.screen, Choosing)
        await pilot.press("down", "enter")
        await until_said(pilot, "nothing")
        await until(pilot, lambda: on_timeline(app) or "nothing" in screen(pilot))

    play(app, scene, WIDE)
