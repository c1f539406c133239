"""Everything that takeback did, newest first: each snapshot, undo, restore, prune, purge, copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen

from takeback.model.ids import short
from takeback.model.snapshot import Snapshot
from takeback.store.catalogue.operations import Operation
from takeback.tui.behind import behind
from takeback.tui.heading import Heading
from takeback.tui.keybar import Key, KeyBar
from takeback.tui.roll import Roll
from takeback.tui.telling import refuse, say
from takeback.views import store_figures
from takeback.views.concerned import titles
from takeback.views.desk import Desk
from takeback.views.text import age, clip, columns, moment, pad

_PAGE = 100
_CHASE = 500
_VERB, _LANE = 14, 16
_COLOURS = {
    "undo": "$warning", "redo": "$warning", "restore": "$warning", "safety": "$warning", "fork": "$secondary", "manual": "$accent",
    "drop": "$error", "prune": "$error", "purge": "$error", "repair": "$error", "on_error": "$error",
}  # fmt: skip
_WORDS = {"manual": "saved", "safety": "saved first", "turn_start": "turn began", "turn_end": "turn ended", "run_start": "run began",
          "run_end": "run ended", "before_action": "before action", "after_action": "after action", "session_end": "session ended",
          "on_error": "saved on error", "interval": "saved", "restore": "restored", "undo": "undone", "redo": "redone",
          "fork": "forked", "drop": "dropped", "undrop": "brought back", "purge": "purged", "relocate": "relocated",
          "copy": "copied", "repair": "repaired"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Page:
    rows: Sequence[Operation]
    names: Mapping[int, str]
    """Of timelines."""
    titles: Mapping[int, str]
    whole: bool
    """Whether it is the last."""


class OperationList(Roll):
    """Operations, a page at a time."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.rows: list[Operation] = []
        self.complete = False
        self._loading = self._chasing = False
        self._names: Mapping[int, str] = {}
        self._titles: dict[int, str] = {}

    def on_mount(self) -> None:
        self._load()

    def size_now(self) -> int:
        return len(self.rows)

    def near_end(self) -> None:
        if not self._loading and not self.complete and self.rows:
            self._load()

    def to_end(self) -> bool:
        self._chasing = not self.complete
        self.near_end()
        return self._chasing

    def action_go(self, lines: int) -> None:
        self._chasing = False
        super().action_go(lines)

    def _load(self) -> None:
        self._loading = True
        before = self.rows[-1].seq if self.rows else None
        limit = _CHASE if self._chasing else _PAGE
        behind(self, lambda: self._read(before, limit), self._came, group="operations")

    def _read(self, before: int | None, limit: int) -> _Page:
        names = self._names or {lane.number: lane.name for lane in self._desk.lanes()}
        found = store_figures.operations(self._desk, before, limit)
        return _Page(found, names, titles(self._desk, found), whole=len(found) < limit)

    def _came(self, page: _Page) -> None:
        found, self._names, self.complete = page.rows, page.names, page.whole
        self._titles |= page.titles
        self._loading = False
        self.rows.extend(found)
        self.grown()
        if self._chasing and self.complete:
            self._chasing = False
            self.cursor = len(self.rows) - 1
        if self._chasing or len(self.rows) < 2 * self.size.height:
            self.near_end()

    def begin(self) -> None:
        """All of it again."""
        self.rows, self.complete = [], False
        self._load()

    @property
    def chosen(self) -> Operation | None:
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def draw(self, index: int, width: int, *, selected: bool) -> Content:
        row = self.rows[index]
        when = f"{age(row.time_ns):>10}  "
        exact = f"{moment(row.time_ns):>19}  " if width >= 90 else ""
        lane = self._names.get(row.timeline, "") if row.timeline is not None else "every timeline"
        left = [("▌" if selected else " ", "$accent"), (when, "$quiet"), (exact, "$quiet")]
        left += [(pad(clip(_WORDS.get(row.verb, row.verb), _VERB), _VERB) + " ", _COLOURS.get(row.verb, "$primary"))]
        left += [(pad(clip(lane, _LANE), _LANE) + " ", "$label")] if width >= 70 else []
        room = width - sum(columns(text) for text, _ in left) - 1
        about = told(row.detail)
        title = self._titles.get(row.seq, "")
        gap = "  " if title else ""
        return Content.assemble(
            *left,
            (clip(about, max(4, room)), "$id" if "snapshot" in row.detail else ""),
            gap,
            clip(title, max(0, room - columns(about) - 2)),
        )


def told(detail: Mapping[str, Any]) -> str:
    """What an operation was about, in a line; of a snapshot its name says all."""
    if isinstance(snapshot := detail.get("snapshot"), str):
        return short(snapshot)
    return "  ".join(_word(name, value) for name, value in detail.items() if value not in (None, "", [], {}))


def _word(name: str, value: object) -> str:
    if isinstance(value, list):
        shown = ", ".join(short(each) if isinstance(each, str) and len(each) >= 32 else str(each) for each in value[:4])
        return f"{name}: {shown}{' …' if len(value) > 4 else ''}"
    return f"{name}: {value}"


class OperationsScreen(Screen[None]):
    """The log; Esc goes back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,o", "leave", "back", show=False),
        Binding("d", "diff", "diff", show=False),
        Binding("z", "bring_back", "bring back", show=False),
        Binding("question_mark", "app.help", "help", show=False),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk

    def compose(self) -> ComposeResult:
        yield Heading(title="Operations: everything that takeback did")
        yield OperationList(self._desk)
        keys = [
            Key("Enter", "diff of that snapshot", "diff"),
            Key("Esc", "back", "leave"),
            Key("z", "bring back what was dropped", "bring_back"),
            Key("G", "the first", "first"),
        ]
        yield KeyBar([*keys, Key("?", "help", "app.help")])

    def on_mount(self) -> None:
        self.query_one(OperationList).focus()

    @on(Roll.Chosen)
    def action_diff(self) -> None:
        """What the snapshot under the cursor changed."""
        row = self.query_one(OperationList).chosen
        snapshot = row.detail.get("snapshot") if row is not None else None
        if row is None or row.timeline is None or not isinstance(snapshot, str):
            refuse(self, "no snapshot was made then, so there is nothing to compare", "choose a line with an id")
            return
        lane = row.timeline
        behind(
            self, lambda: self._desk.look(lane).show(snapshot), lambda found: self._compare(lane, found), group="diff"
        )

    def action_bring_back(self) -> None:
        """The dropped snapshot under the cursor."""
        row = self.query_one(OperationList).chosen
        if row is None or row.verb not in ("drop", "prune"):
            refuse(
                self, "nothing was dropped here that could be brought back", "z on a row of the timeline undoes a move"
            )
            return
        snapshot = row.detail["snapshot"]
        behind(self, lambda: self._desk.store.undrop(snapshot), self._is_back, group="back")

    def _is_back(self, snapshot: str) -> None:
        say(self, f"{short(snapshot)} is back on its timeline")
        self.query_one(OperationList).begin()

    def _compare(self, lane: int, snapshot: Snapshot) -> None:
        if not self.is_active:
            return  # somebody left meanwhile
        if snapshot.parent is None:
            refuse(self, "this is the first snapshot: there is nothing before it")
            return
        from takeback.tui.diff import DiffScreen

        title = f"{_WORDS.get(snapshot.trigger, snapshot.trigger)} {age(snapshot.time_ns)}"
        self.app.push_screen(DiffScreen(self._desk, lane, snapshot.parent, snapshot.id, title))

    def action_first(self) -> None:
        self.query_one(OperationList).action_last()

    def action_leave(self) -> None:
        self.dismiss(None)
