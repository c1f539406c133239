"""`Roll`: a list of any length with a cursor. Only the lines that are seen are drawn, so that a hundred thousand cost no
more than forty; what is not loaded yet is asked for when the cursor or the view comes near it."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual


class Roll(ScrollView, can_focus=True):
    """Lines with a cursor. A subclass says how many there are (`size_now`), draws one (`draw`), and loads more (`near_end`,
    `to_end`)."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"roll--selected", "roll--away", "roll--hover"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "go(-1)", "up", show=False),
        Binding("down,j", "go(1)", "down", show=False),
        Binding("pageup,ctrl+b", "leaf(-1)", "page up", show=False),
        Binding("pagedown,ctrl+f,space", "leaf(1)", "page down", show=False),
        Binding("home,g", "first", "first", show=False),
        Binding("end,G", "last", "last", show=False),
        Binding("enter", "choose", "open", show=False),
    ]
    DEFAULT_CSS = """
    Roll {
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
    }
    """
    ALLOW_SELECT = False

    cursor: reactive[int] = reactive(0)

    class Moved(Message):
        """The cursor stands on another line."""

        def __init__(self, roll: Roll) -> None:
            self.roll = roll
            super().__init__()

        @property
        def control(self) -> Roll:
            return self.roll

    class Chosen(Moved):
        """Enter was pressed, or a line was clicked twice."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.auto_links = False
        self._hover: int | None = None

    def size_now(self) -> int:
        """How many lines there are so far."""
        raise NotImplementedError

    def draw(self, index: int, width: int, *, selected: bool) -> Content:
        """One line, not wider than that."""
        raise NotImplementedError

    def near_end(self) -> None:
        """The last lines that are loaded are being looked at."""

    def to_end(self) -> bool:
        """Load all that is left and go there when it has come; False if all is here."""
        return False

    def seen(self) -> range:
        """The lines in view."""
        top = round(self.scroll_offset.y)
        return range(top, min(top + max(self.size.height, 1), self.size_now()))

    def grown(self) -> None:
        """The number of lines is another one, or they look different."""
        self.virtual_size = Size(1, self.size_now())
        self.refresh()

    def shift(self, lines: int) -> None:
        """So many lines came in above the cursor: it stays on its line, and that stays where it is seen."""
        self.set_reactive(Roll.cursor, self.cursor + lines)
        self.grown()
        if self.scroll_offset.y:
            self.scroll_to(y=self.scroll_offset.y + lines, animate=False, immediate=True, force=True)

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        index = round(self.scroll_offset.y) + y
        if not 0 <= index < self.size_now() or not width:
            return Strip.blank(width, self.rich_style)
        selected = index == self.cursor
        look = []
        if selected:
            look = ["roll--selected" if self.has_focus else "roll--away"]
        elif index == self._hover:
            look = ["roll--hover"]
        content = self.draw(index, width, selected=selected)
        style = self.get_visual_style(*look)
        strips = Visual.to_strips(self, content, width, 1, style, pad=True, apply_selection=False)
        return strips[0].crop(0, width) if strips else Strip.blank(width, self.rich_style)

    def validate_cursor(self, wanted: int) -> int:
        return max(0, min(wanted, self.size_now() - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        top = self.scroll_offset.y
        self.bring_in_view()
        if self.scroll_offset.y == top:
            self.refresh_line(old)
            self.refresh_line(new)
        self.post_message(self.Moved(self))

    def bring_in_view(self) -> None:
        """Scroll so that the cursor is seen."""
        if self.size.height:
            self.scroll_to_region(Region(0, self.cursor, 1, 1), animate=False, force=True, immediate=True)
        self._ask_for_more()

    def _ask_for_more(self) -> None:
        reach = max(self.size.height, 1)
        if max(self.cursor, round(self.scroll_offset.y) + reach) + reach >= self.size_now():
            self.near_end()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self._ask_for_more()
            self.looked_elsewhere()

    def looked_elsewhere(self) -> None:
        """Other lines have come into view."""

    def on_resize(self, event: events.Resize) -> None:
        self.grown()
        self.bring_in_view()
        self.looked_elsewhere()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def action_go(self, lines: int) -> None:
        self.cursor += lines

    def action_leaf(self, pages: int) -> None:
        self.cursor += pages * max(1, self.size.height - 1)

    def action_first(self) -> None:
        self.cursor = 0

    def action_last(self) -> None:
        if not self.to_end():
            self.cursor = self.size_now() - 1

    def action_choose(self) -> None:
        if self.size_now():
            self.post_message(self.Chosen(self))

    def on_click(self, event: events.Click) -> None:
        if (index := self._index_at(event)) is None:
            return
        self.cursor = index
        if event.chain == 2:
            self.post_message(self.Chosen(self))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self._hover_on(self._index_at(event))

    def on_leave(self) -> None:
        self._hover_on(None)

    def _hover_on(self, index: int | None) -> None:
        was, self._hover = self._hover, index
        for line in (was, index):
            if was != index and line is not None:
                self.refresh_line(line)

    def _index_at(self, event: events.MouseEvent) -> int | None:
        offset = event.get_content_offset(self)
        index = None if offset is None else round(self.scroll_offset.y) + offset.y
        return index if index is not None and index < self.size_now() else None
