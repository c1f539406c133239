"""The first line: which project, which timelines, what is searched for, and whether news arrive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from takeback.tui.rowwords import path_end
from takeback.views.text import clip, columns


@dataclass(frozen=True, slots=True)
class Tab:
    """A timeline that can be chosen by its name; number 0 stands for all of them together."""

    number: int
    name: str


class Heading(Widget):
    """The project at the left, its timelines, and what else is to be known at the right."""

    ALLOW_SELECT = False

    class Picked(Message):
        """A timeline's name was clicked."""

        def __init__(self, number: int) -> None:
            self.number = number
            super().__init__()

    def __init__(self, place: str = "", title: str = "") -> None:
        super().__init__()
        self._place, self._title = place, title
        self._tabs: tuple[Tab, ...] = ()
        self._shown = 0
        self._note = ""
        self._live: bool | None = None
        self._at: list[tuple[int, int, int]] = []

    def show(
        self,
        *,
        tabs: Sequence[Tab] | None = None,
        shown: int | None = None,
        note: str | None = None,
        live: bool | None = None,
        place: str | None = None,
    ) -> None:
        """What is given is shown from now on."""
        self._tabs = self._tabs if tabs is None else tuple(tabs)
        self._shown = self._shown if shown is None else shown
        self._note = self._note if note is None else note
        self._live = self._live if live is None else live
        self._place = self._place if place is None else place
        self.refresh()

    def render(self) -> Content:
        width = self.size.width
        right = [(f" {self._note} ", "$warning")] if self._note else []
        if self._live is not None:
            right.append(("● live ", "$success") if self._live else ("○ not live ", "$quiet"))
        left = [(" ⟲ takeback ", "bold $background on $accent"), (" ", "")]
        room = width - sum(columns(text) for text, _ in (*left, *right)) - 1
        name = clip(self._title, room) if self._title else path_end(self._place, max(10, min(room, width // 3)))
        left.append((f"{name} ", "bold"))
        at = sum(columns(text) for text, _ in left)
        self._at = []
        for tab in self._tabs:
            text = f" {clip(tab.name, 20)} "
            if at + columns(text) + 2 + sum(columns(each) for each, _ in right) > width:
                left.append((" …", "$quiet"))
                break
            chosen = tab.number == self._shown
            left += [("│", "$rule"), (text, "bold $accent" if chosen else "$quiet")]
            self._at.append((at + 1, at + 1 + columns(text), tab.number))
            at += columns(text) + 1
        filled = sum(columns(text) for text, _ in (*left, *right))
        return Content.assemble(*left, (" " * max(0, width - filled), ""), *right)

    def on_click(self, event: events.Click) -> None:
        for start, end, number in self._at:
            if start <= event.x < end:
                self.post_message(self.Picked(number))
