from __future__ import annotations

from typing import Any

from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.screen import Screen

from support.tui import Alone, play, screen, until
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
