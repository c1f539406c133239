"""The last line: the keys that do something now. Each can be clicked, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.widget import Widget

from takeback.views.text import columns


@dataclass(frozen=True, slots=True)
class Key:
    """A key, what it does in a word, and the screen's action behind it."""

    key: str
    word: str
    action: str


class KeyBar(Widget):
    """Keys in a row; those that do not fit are left out before the last one, which is for help."""

    ALLOW_SELECT = False

    def __init__(self, keys: Sequence[Key] = ()) -> None:
        super().__init__()
        self._keys = tuple(keys)

    def show(self, keys: Sequence[Key]) -> None:
        if self._keys != (given := tuple(keys)):
            self._keys = given
            self.refresh()

    @property
    def shown(self) -> tuple[Key, ...]:
        """Those that fit."""
        if not self._keys:
            return ()
        *others, last = self._keys
        room = self.size.width - _width(last)
        fitting: list[Key] = []
        for key in others:
            room -= _width(key)
            if room < 0:
                break
            fitting.append(key)
        return (*fitting, last)

    def render(self) -> Content:
        every = [
            piece for key in self.shown for piece in ((f" {key.key}", "bold $accent"), (f" {key.word} ", "$quiet"))
        ]
        return Content.assemble(*every)

    async def on_click(self, event: events.Click) -> None:
        at = event.x
        for key in self.shown:
            if at < _width(key):
                await self.screen.run_action(key.action)
                return
            at -= _width(key)


def _width(key: Key) -> int:
    return columns(key.key) + columns(key.word) + 3
