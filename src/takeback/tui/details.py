"""The pane beside the list: all there is to know of the row under the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from takeback.errors import TakebackError
from takeback.model.progress import Progress
from takeback.tui.behind import behind, listener
from takeback.tui.describing import described
from takeback.tui.listing import Key, key
from takeback.tui.showing import paragraphs
from takeback.views.desk import Desk
from takeback.views.lines import Line
from takeback.views.progressing import progress_words
from takeback.views.rows import Row

_PATIENCE = 0.06
"""Seconds that the cursor rests before a row is read: who runs through the list wants none of them."""


class Details(VerticalScroll, can_focus=True):
    """Filled a moment after `show`, in a thread."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "down", show=False),
        Binding("k", "scroll_up", "up", show=False),
        Binding("g", "scroll_home", "first", show=False),
        Binding("G", "scroll_end", "last", show=False),
    ]

    def __init__(self, desk: Desk, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._desk = desk
        self._row: Row | None = None
        self._shown: tuple[Key, int] | None = None

    def compose(self) -> ComposeResult:
        yield Static("", markup=False)

    @property
    def text(self) -> str:
        """What it says."""
        return str(self.query_one(Static).content)

    def show(self, row: Row | None) -> None:
        """Describe this row; at once if there is nothing to describe."""
        self._row = row
        if row is None:
            self.query_one(Static).update("")
        elif self.display:
            self.set_timer(_PATIENCE, lambda: self._read(row))

    def _read(self, row: Row) -> None:
        if row is not self._row:
            return
        width = max(24, self.scrollable_content_region.width or self.size.width)
        behind(
            self,
            lambda: described(self._desk, row, width, listener(self, lambda progress: self._heard(row, progress))),
            lambda lines: self._fill(row, lines),
            group="details",
            failed=self._failed,
        )

    def _heard(self, row: Row, progress: Progress) -> None:
        """What is shown of another row must not stand there while this one waits for somebody."""
        if row is self._row and progress.phase == "wait":
            self.query_one(Static).update(paragraphs([[(f"{progress_words(progress)} …", "quiet")]]))

    def _fill(self, row: Row, lines: Sequence[Line]) -> None:
        self.query_one(Static).update(paragraphs(lines))
        if self._shown != (now := (key(row), row.seq)):
            self._shown = now
            self.scroll_home(animate=False)

    def _failed(self, error: TakebackError) -> None:
        self.query_one(Static).update(paragraphs([error.message, *error.hints]))

    def on_resize(self) -> None:
        self.show(self._row)

    def on_show(self) -> None:
        self.show(self._row)
