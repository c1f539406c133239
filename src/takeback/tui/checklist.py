"""What would be done, by part and path, each with a box to choose it by. A part's box stands for all of its paths."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from takeback.tui.choosing import Box
from takeback.tui.painting import clipped, shown
from takeback.tui.roll import Roll
from takeback.tui.telling import refuse
from takeback.views.choices import Group, Item

_STYLES = {"create": "$plus", "delete": "$minus", "reset": "$minus", "merge": "$label"}
_KINDS = {"workspace": "files", "worktree": "files of a member", "state": "memory", "transcript": "conversation"}
_BOXES = 7
"""Where boxes end, in columns."""


@dataclass(frozen=True, slots=True)
class Beside:
    """An effect that no box is for: it comes along with what was chosen."""

    part: str
    path: str
    action: str


class Checklist(Roll):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "tick", "choose", show=True)]

    class Changed(Message):
        """Other boxes are checked now."""

    def __init__(self, *, fixed: str = "", id: str | None = None) -> None:
        """``fixed`` says why nothing can be left out; there are no boxes then."""
        super().__init__(id=id)
        self.fixed = fixed
        self._groups: Sequence[Group] = ()
        self._entries: list[Group | Item | Beside | str] = []
        self._actions: Mapping[Box, str] | None = None
        self._marks: Mapping[Box, str] = {}
        self.chosen: frozenset[Box] = frozenset()

    @property
    def every(self) -> frozenset[Box]:
        return frozenset((item.part, item.path) for group in self._groups for item in group.items)

    @property
    def _by_path(self) -> frozenset[str]:
        """Parts of which each path has a box; the others have one for all that is in them."""
        return frozenset(group.part for group in self._groups if not group.whole)

    def show(self, groups: Sequence[Group], chosen: Collection[Box]) -> None:
        """Boxes for all of these, some of them checked; what would be done then is not known yet. The cursor begins on the
        first path."""
        if not self._groups and groups:
            self.set_reactive(Roll.cursor, 1)
        self._groups = groups
        self.chosen = frozenset(chosen) & self.every
        self.planned(None)

    def planned(self, actions: Mapping[Box, str] | None, marks: Mapping[Box, str] | None = None) -> None:
        """What would be done with exactly these boxes checked, by part and path; ``marks`` are words beside some."""
        self._actions, self._marks = actions, marks or {}
        known = self.every
        self._entries = [] if self._groups else ["nothing would be done"]
        for group in self._groups:
            self._entries += [group, *group.items]
        self._entries += (Beside(*box, action) for box, action in (actions or {}).items() if box not in known)
        self.set_reactive(Roll.cursor, self.validate_cursor(self.cursor))
        self.grown()

    def choose_all(self) -> None:
        """Check every box; or none, if all are checked."""
        if self.fixed:
            refuse(self, self.fixed)
        else:
            self._choose(self.every, self.chosen != self.every)

    @property
    def under_cursor(self) -> Box | None:
        """The part and path of the row with the cursor, if it is one of a path."""
        entry = self._entries[self.cursor] if 0 <= self.cursor < len(self._entries) else None
        return (entry.part, entry.path) if isinstance(entry, Item | Beside) else None

    def action_tick(self) -> None:
        entry = self._entries[self.cursor] if self._entries else None
        if self.fixed:
            refuse(self, self.fixed)
            return
        if isinstance(entry, Item):
            group = next(each for each in self._groups if each.part == entry.part)
            if group.whole:
                entry = group
            else:
                box = (entry.part, entry.path)
                self._choose({box}, box not in self.chosen)
        if isinstance(entry, Group):
            every = {(item.part, item.path) for item in entry.items}
            self._choose(every, not every <= self.chosen)

    def action_choose(self) -> None:
        self.post_message(self.Chosen(self))  # also where there is nothing, so that it can be said

    def _choose(self, boxes: Collection[Box], wanted: bool) -> None:
        self.chosen = self.chosen | set(boxes) if wanted else self.chosen - set(boxes)
        self._actions = None
        self.refresh()
        self.post_message(self.Changed())

    def on_click(self, event: events.Click) -> None:
        index = self._index_at(event)
        if index is not None:
            self.cursor = index
            if event.x <= _BOXES:
                self.action_tick()

    def size_now(self) -> int:
        return len(self._entries)

    def draw(self, index: int, width: int, *, selected: bool) -> Content:
        entry = self._entries[index]
        if isinstance(entry, str):
            return Content.styled(f"  {entry}", "$quiet")
        mark = "▌" if selected else " "
        if isinstance(entry, Group):
            return Content.assemble(mark, *self._group(entry))
        return Content.assemble(mark, *self._item(entry, width))

    def _group(self, group: Group) -> list[tuple[str, str]]:
        every = [(item.part, item.path) for item in group.items]
        number = sum(key in self.chosen for key in every)
        box = "[✓]" if number == len(every) else "[–]" if number else "[ ]"
        kind = _KINDS.get(group.kind, group.kind)
        told = f"{number:,} of {len(every):,}" if not group.whole else "as a whole" if number else "not this"
        return [
            (" " if self.fixed else f"{box} ", "bold $accent" if number else "$quiet"),
            (shown(group.part), "bold"),
            (f"  {kind + ', ' if kind != group.part else ''}{told}", "$quiet"),
        ]

    def _item(self, item: Item | Beside, width: int) -> list[tuple[str, str]]:
        box = (item.part, item.path)
        is_chosen = box in self.chosen
        action = item.action
        comes_along = isinstance(item, Beside)
        if self._actions is not None:
            comes_along = not is_chosen and box in self._actions
            action = self._actions.get(box, "nothing" if is_chosen else action)
        is_done = (is_chosen or comes_along) and action != "nothing"
        has_box = isinstance(item, Item) and not self.fixed and item.part in self._by_path
        mark = ("[✓]" if is_chosen else "[ ]") if has_box else ""
        told = self._marks.get(box, "comes along" if comes_along else "")
        path = clipped(shown(item.path), max(8, width - 18 - (cell_len(told) + 2 if told else 0)))
        return [
            (f"    {mark:<{0 if self.fixed else 4}}", "$accent" if is_chosen else "$quiet"),
            (f"{action:<8} ", _STYLES.get(action, "$name") if is_done else "$quiet"),
            (path, "" if is_done else "$quiet"),
            (f"  {told}" if told else "", "$warning"),
        ]
