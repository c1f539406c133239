from __future__ import annotations

import re
from typing import Any

from textual.app import App, ComposeResult
from textual.content import Content
from textual.pilot import Pilot

from support.tui import play, screen
from takeback.tui.roll import Roll


class Numbers(Roll):
    """A hundred thousand lines, and which of them were drawn."""

    def __init__(self, many: int) -> None:
        super().__init__()
        self.many = many
        self.drawn: set[int] = set()

    def size_now(self) -> int:
        return self.many

    def draw(self, index: int, width: int, *, selected: bool) -> Content:
        self.drawn.add(index)
        return Content(f"{'>' if selected else ' '} line {index}")


class One(App[None]):
    def __init__(self, many: int = 100_000) -> None:
        super().__init__()
        self.roll = Numbers(many)
        self.chosen: list[int] = []

    def compose(self) -> ComposeResult:
        yield self.roll

    def on_mount(self) -> None:
        self.roll.focus()

    def on_roll_chosen(self, message: Roll.Chosen) -> None:
        self.chosen.append(message.roll.cursor)


def test_only_what_is_seen_is_drawn() -> None:
    app = One()

    async def scene(pilot: Pilot[Any]) -> None:
        await pilot.press("end")
        await pilot.pause()
        assert app.roll.cursor == 99_999
        assert "> line 99999" in screen(pilot)
        assert len(app.roll.drawn) < 200

    play(app, scene, size=(40, 20))


def test_every_key_moves_the_cursor_and_it_stays_in_view() -> None:
    app = One(500)

    async def scene(pilot: Pilot[Any]) -> None:
        for key, stands in [
            ("down", 1), ("j", 2), ("up", 1), ("k", 0), ("k", 0), ("pagedown", 19), ("pageup", 0), ("G", 499),
            ("down", 499), ("g", 0), ("end", 499), ("home", 0), ("space", 19),
        ]:  # fmt: skip
            await pilot.press(key)
            assert app.roll.cursor == stands, key
            await pilot.pause()
            assert f"> line {stands}" in screen(pilot), key
        await pilot.press("enter")
        await pilot.pause()
        assert app.chosen == [19]

    play(app, scene, size=(40, 20))


def test_what_comes_in_above_moves_nothing_that_is_looked_at() -> None:
    app = One(500)

    async def scene(pilot: Pilot[Any]) -> None:
        await pilot.press("pagedown", "pagedown", "pagedown")
        await pilot.pause()
        before = _numbers(pilot)
        app.roll.many += 7
        app.roll.shift(7)
        await pilot.pause()
        assert _numbers(pilot) == [number + 7 for number in before]
        assert app.roll.cursor == 57 + 7

    play(app, scene, size=(40, 20))


def test_the_mouse_selects_with_one_click_and_opens_with_two() -> None:
    app = One(500)

    async def scene(pilot: Pilot[Any]) -> None:
        await pilot.click(offset=(4, 6))
        assert app.roll.cursor == 6
        assert app.chosen == []
        await pilot.click(offset=(4, 9), times=2)
        await pilot.pause()
        assert app.roll.cursor == 9
        assert app.chosen == [9]

    play(app, scene, size=(40, 20))


def test_a_list_of_nothing_is_no_trouble() -> None:
    app = One(0)

    async def scene(pilot: Pilot[Any]) -> None:
        await pilot.press("down", "G", "g", "pagedown", "enter")
        await pilot.click(offset=(4, 6))
        await pilot.pause()
        assert app.roll.cursor == 0
        assert app.chosen == []

    play(app, scene, size=(40, 20))


def _numbers(pilot: Pilot[Any]) -> list[int]:
    return [int(number) for number in re.findall(r"line (\d+)", screen(pilot))]
