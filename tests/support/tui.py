"""Running the terminal face in a test: no terminal, no sleeping; a test waits for what it wants to see."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

import takeback.tui
from support.agent import Content, World
from takeback.tui.themes import THEMES

_PATIENCE = 60.0

Scene = Callable[[Pilot[Any]], Awaitable[None]]


def play(app: App[Any], scene: Scene, size: tuple[int, int] = (120, 32)) -> None:
    """Run an app and act on it."""

    async def run() -> None:
        async with app.run_test(size=size, notifications=True) as pilot:
            await scene(pilot)

    asyncio.run(run())


async def until(pilot: Pilot[Any], condition: Callable[[], object]) -> None:
    """Let the app work until something holds; a failure, with what is to be seen, if it never does."""
    try:
        async with asyncio.timeout(_PATIENCE):
            while not condition():
                await pilot.pause(0.005)
    except TimeoutError:
        raise AssertionError(f"it never came to that:\n{screen(pilot)}") from None


async def until_seen(pilot: Pilot[Any], *texts: str) -> None:
    """Wait until all of these are on the screen."""
    await until(pilot, lambda: (now := screen(pilot)) and all(text in now for text in texts))


async def until_said(pilot: Pilot[Any], text: str) -> None:
    """Wait until the app says something with this in it."""
    await until(pilot, lambda: text in said(pilot))


def screen(pilot: Pilot[Any]) -> str:
    """What is to be seen, as lines of text."""
    lines = pilot.app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in lines)


def said(pilot: Pilot[Any]) -> str:
    """What is being said in a corner."""
    return "\n".join(note.message for note in pilot.app._notifications)


class Alone(App[None]):
    """Shows one screen, and keeps what it dismisses with."""

    CSS_PATH = Path(takeback.tui.__file__).parent / "style.tcss"
    AUTO_FOCUS = None

    def __init__(self, shown: Screen[Any]) -> None:
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name
        self.shown = shown
        self.results: list[Any] = []

    def on_mount(self) -> None:
        self.push_screen(self.shown, self.results.append)


def turn(world: World, title: str, edits: Mapping[str, Content], session: str = "s1", agent: str = "codex") -> None:
    """A turn with one action, as hooks record it."""
    line = world.line
    line.save(trigger="turn_start", title=title, session=session, context={"agent": agent})
    line.save(trigger="before_action", session=session, title=f"Edit for {title}", key="1")
    world.edit(edits)
    line.save(trigger="after_action", session=session, key="1")
    line.save(trigger="turn_end", session=session, context={"agent": agent})
