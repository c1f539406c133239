"""Lines of styled pieces that scroll however many there are, and are made anew when the width changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from takeback.tui.showing import shown
from takeback.views.lines import Line

Maker = Callable[[int], Sequence[Line]]
"""Makes the lines for a width."""


class LineText(ScrollView, can_focus=True):
    """Shows lines; only those on the screen are drawn."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "scroll_down", "down", show=False),
        Binding("up,k", "scroll_up", "up", show=False),
        Binding("g,home", "edge(-1)", "first", show=False),
        Binding("G,end", "edge(1)", "last", show=False),
        Binding("pagedown,ctrl+f,space", "page_down", "page down", show=False),
        Binding("pageup,ctrl+b", "page_up", "page up", show=False),
    ]
    DEFAULT_CSS = """
    LineText {
        overflow-x: hidden;
    }
    """
    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._maker: Maker = lambda width: ()
        self._lines: Sequence[Line] = ()
        self._width = 0

    @property
    def lines(self) -> Sequence[Line]:
        """What is shown, as it was made for the width of today."""
        return self._lines

    def show(self, maker: Maker) -> None:
        """Show other lines, from the top."""
        self._maker = maker
        self._make()
        self.scroll_to(0, 0, animate=False, immediate=True)

    def action_edge(self, direction: int) -> None:
        self.scroll_to(y=0 if direction < 0 else self.max_scroll_y, animate=False, immediate=True)

    def on_resize(self, event: events.Resize) -> None:
        self._fit()

    def on_show(self) -> None:
        """What was hidden had no width. It may have the same size as before, and no resize comes then."""
        self._fit()

    def _fit(self) -> None:
        if self.scrollable_content_region.width != self._width:
            self._make()

    def _make(self) -> None:
        self._width = self.scrollable_content_region.width
        self._lines = self._maker(self._width) if self._width else ()
        # Textual remembers a height per layout update, and counts no update while another one waits to be told to the screen.
        self._layout_updates += 1
        self.virtual_size = Size(self._width, len(self._lines))
        self.refresh()
        self.call_after_refresh(self._fit)  # a scrollbar may have come, and taken room

    def render_line(self, y: int) -> Strip:
        index, width = round(self.scroll_offset.y) + y, self.size.width
        if index >= len(self._lines) or not width:
            return Strip.blank(width, self.rich_style)
        strips = Visual.to_strips(
            self, shown(self._lines[index]), width, 1, self.visual_style, pad=True, apply_selection=False
        )
        return strips[0].crop(0, width) if strips else Strip.blank(width, self.rich_style)
