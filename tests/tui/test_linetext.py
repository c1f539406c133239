from __future__ import annotations

from typing import Any

import pytest
from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.screen import Screen

from support.tui import Alone, play, screen, until, until_seen
from takeback.tui.linetext import LineText
from takeback.tui.wrapping import fitted


class _Page(Screen[None]):
    def compose(self) -> ComposeResult:
        yield LineText()

    def on_mount(self) -> None:
        text = self.query_one(LineText)
        text.show(lambda width: fitted([["word" * (width // 4)]] * 30, width))


def test_lines_fit_beside_a_scrollbar_too() -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        text = pilot.app.screen.query_one(LineText)
        await until(pilot, lambda: text.show_vertical_scrollbar and "word" in screen(pilot))
        await until(pilot, lambda: text.virtual_size.width == text.scrollable_content_region.width)
        assert not text.show_horizontal_scrollbar

    play(Alone(_Page()), scene, size=(40, 10))


class _Low(Screen[None]):
    CSS = "LineText { height: auto; border: solid red; }"

    def compose(self) -> ComposeResult:
        yield LineText()


def test_lines_that_come_while_it_is_hidden_are_shown_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        text = pilot.app.screen.query_one(LineText)
        await until(pilot, lambda: text.region.height == 2)
        text.display = False
        await until(pilot, lambda: not text.region)
        # On a busy machine what is to be done after the next refresh may be done before the layout.
        monkeypatch.setattr(text, "call_after_refresh", lambda call: call())
        text.display = True
        text.show(lambda width: fitted([["a word"]], width))
        await until_seen(pilot, "a word")

    play(Alone(_Low()), scene, size=(40, 10))


def test_lines_that_come_while_a_layout_is_due_are_given_room() -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        text = pilot.app.screen.query_one(LineText)
        await until(pilot, lambda: text.region.height == 2)
        text.refresh(layout=True)
        pilot.app.screen._clear_arrangement_cache()  # another widget has asked for a layout, and this one has not yet
        pilot.app.screen._refresh_layout()
        text.show(lambda width: fitted([["a word"]], width))
        await until_seen(pilot, "a word")

    play(Alone(_Low()), scene, size=(40, 10))
