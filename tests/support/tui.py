"""Running the terminal face in a test: no terminal, no sleeping; a test waits for what it wants to see.

Two things are done once that an app without a terminal would do again and again. A style sheet is parsed once per process. A frame is
drawn when a test looks, because nobody sees the others; ``every_frame`` draws them all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any
from unittest import mock

from textual._compositor import Compositor, LayoutUpdate
from textual._context import visible_screen_stack
from textual.app import App
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot
from textual.screen import Screen

import takeback.tui
from support.agent import Content, World
from takeback.tui.pressing import Pressing
from takeback.tui.themes import THEMES

_PATIENCE = 60.0

Scene = Callable[[Pilot[Any]], Awaitable[None]]


def play(app: App[Any], scene: Scene, size: tuple[int, int] = (120, 32), *, every_frame: bool = False) -> None:
    """Run an app and act on it."""

    async def run() -> None:
        async with app.run_test(size=size, notifications=True) as pilot:
            await scene(pilot)
            if app.is_running:
                screen(pilot)

    with _parsed_once(), nullcontext() if every_frame else _drawn_when_looked_at():
        asyncio.run(run())


async def until(pilot: Pilot[Any], condition: Callable[[], object]) -> None:
    """Let the app work until something holds, and still does when every widget has done what it was told and the screen has
    been drawn: a key that is pressed earlier counts as one for the screen before. A failure, with what is to be seen, if that
    never comes."""
    try:
        async with asyncio.timeout(_PATIENCE):
            while True:
                if condition():
                    await pilot.pause(0)
                    if _is_drawn(pilot.app) and condition():
                        return
                await asyncio.sleep(0.01)
                pilot.app.screen._on_timer_update()
    except TimeoutError:
        raise AssertionError(f"it never came to that:\n{screen(pilot)}") from None


def _is_drawn(app: App[Any]) -> bool:
    return not isinstance(app, Pressing) or not app.is_running or app._drawn is app.screen


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


_RULES: dict[tuple[object, ...], list[RuleSet]] = {}


@contextmanager
def _parsed_once() -> Iterator[None]:
    """Textual keeps the rules that it has parsed for one app; this keeps them for all."""
    parse = Stylesheet._parse_rules

    def parsed(self: Stylesheet, css: str, *arguments: Any, **named: Any) -> list[RuleSet]:
        key = (css, frozenset(self._variables.items()), arguments, tuple(sorted(named.items())))
        if key not in _RULES:
            _RULES[key] = parse(self, css, *arguments, **named)
        return _RULES[key]

    with mock.patch.object(Stylesheet, "_parse_rules", parsed):
        yield


@contextmanager
def _drawn_when_looked_at() -> Iterator[None]:
    """`screen` draws; what the app would draw for a terminal is thrown away without one."""
    update = Compositor.render_update

    def updated(
        self: Compositor, full: bool = False, screen_stack: list[Screen[Any]] | None = None, simplify: bool = False
    ) -> object:
        if full:
            return update(self, full, screen_stack, simplify)
        visible_screen_stack.set(screen_stack or [])
        is_drawn = bool(self._dirty_regions)
        self._dirty_regions.clear()
        return LayoutUpdate([], self.size.region) if is_drawn else None

    with mock.patch.object(Compositor, "render_update", updated):
        yield


class Alone(Pressing):
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
