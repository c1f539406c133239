"""Keys faster than screens: what was pressed before something was on the screen does not act on it."""

from __future__ import annotations

from typing import Any

import pytest
from textual.events import Key
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from support.agent import World
from support.tui import play, said, screen, until, until_said, until_seen
from takeback.tui.app import TakebackApp
from takeback.tui.confirming import ConfirmScreen
from takeback.tui.preview import PreviewScreen
from takeback.tui.timeline import TimelineScreen

ALL = ("third turn", "second turn", "first turn", "<original>")


def rush(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys all at once, before the first of them does anything."""
    for key in keys:
        pilot.app.post_message(Key(key, key if len(key) == 1 else None))


async def at_rest(pilot: Pilot[Any]) -> None:
    """Until everything that was pressed has done what it does."""
    app = pilot.app
    await until(pilot, lambda: app._last is None and app.screen.is_mounted and app._drawn is app.screen)  # type: ignore[attr-defined]
    await pilot.pause()


def stack(app: TakebackApp) -> list[type[Screen[Any]]]:
    return [type(each) for each in app.screen_stack[1:]]


@pytest.mark.parametrize("keys", ["y y y", "enter enter enter", "enter y", "y enter y enter"])
def test_a_question_is_not_answered_by_keys_from_before_it_was_there(app: TakebackApp, world: World, keys: str) -> None:
    before = world.tree()

    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        await pilot.press("z")
        await until(pilot, lambda: isinstance(app.screen, PreviewScreen) and app.screen.phase == "ready")
        rush(pilot, *keys.split())
        await until_seen(pilot, "Yes, do it")
        await at_rest(pilot)
        assert stack(app) == [TimelineScreen, PreviewScreen, ConfirmScreen]
        assert world.tree() == before
        rush(pilot, "enter", "enter", "enter")  # now it is there; one of them is the answer
        await until(pilot, lambda: isinstance(app.screen, PreviewScreen) and app.screen.phase == "done")

    play(app, scene)
    assert world.read("a.txt") == b"1\n"


def test_keys_that_are_all_pressed_on_the_timeline_undo_nothing(app: TakebackApp, world: World) -> None:
    before = world.tree()

    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        rush(pilot, "z", *["enter", "y"] * 20)
        await until(pilot, lambda: stack(app)[1:2] == [PreviewScreen])
        await at_rest(pilot)
        await until(pilot, lambda: app.screen_stack[2].phase == "ready")  # type: ignore[attr-defined]
        assert world.tree() == before

    play(app, scene)


def test_a_box_that_is_changed_and_a_yes_at_once_wait_for_the_plan(app: TakebackApp, world: World) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        await pilot.press("z")
        await until(pilot, lambda: isinstance(app.screen, PreviewScreen) and app.screen.phase == "ready")
        rush(pilot, "space", "y")
        await until_said(pilot, "not worked out yet")
        assert stack(app) == [TimelineScreen, PreviewScreen]

    play(app, scene)


def test_what_is_pressed_twice_opens_once(app: TakebackApp) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        for keys in (("enter", "enter"), ("enter", "d"), ("o", "o", "o")):
            rush(pilot, *keys)
            await until(pilot, lambda: len(app.screen_stack) == 3)
            await at_rest(pilot)
            assert len(app.screen_stack) == 3
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, TimelineScreen))

    play(app, scene)


def test_a_choice_is_made_once(app: TakebackApp) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        rush(pilot, "down", "down", "r", "s", "s", "s")
        await until(pilot, lambda: isinstance(app.screen, PreviewScreen))
        await at_rest(pilot)
        assert stack(app) == [TimelineScreen, PreviewScreen]

    play(app, scene)


def test_letters_behind_m_are_the_label_in_their_order(app: TakebackApp, world: World) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        rush(pilot, "down", "m", *"zapx", "backspace", *" of dots", "enter", "j", "k")
        await until(pilot, lambda: world.line.show("@").labels)
        assert world.line.show("@").labels == ("zap of dots",)
        assert not world.line.show("@").pinned

    play(app, scene)


def test_letters_behind_f_go_from_line_to_line(app: TakebackApp, world: World) -> None:
    there = world.base / "there"

    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        rush(pilot, "down", "f", "ctrl+u", *"mine", "enter", "ctrl+u", *str(there), "enter")
        await until_said(pilot, "mine begins at")

    play(app, scene)
    assert (there / "2.py").exists()


def test_letters_behind_a_slash_are_looked_for_and_do_nothing_else(app: TakebackApp) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        rush(pilot, "slash", *"first", "enter", "down", "up", "d")
        await until(pilot, lambda: len(app.screen_stack) == 3)
        await at_rest(pilot)
        assert app.screen_stack[1].query_one("#filter", Input).value == "first"
        assert not said(pilot)

    play(app, scene)


def test_letters_behind_a_slash_in_a_diff_are_looked_for_and_do_nothing_else(app: TakebackApp) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        await pilot.press("down", "d")
        await until_seen(pilot, "2.py")
        rush(pilot, "slash", *"rn2upy", *["left"] * 4, "backspace", "delete", "enter", "u")
        await at_rest(pilot)
        await until(pilot, lambda: "no path is like that" in screen(pilot))
        assert app.screen.query(Input).first().value == "rupy"
        assert len(app.screen_stack) == 3

    play(app, scene)
