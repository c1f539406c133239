"""What there is to know of one row, in lines: who and when, and what it changed, part by part. It reads the store, and of
the present the world: not for the thread that draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from takeback.engine.patch import sides
from takeback.errors import TakebackError
from takeback.model.ids import short
from takeback.tui.drawing import KINDS
from takeback.tui.rowwords import path_end, verb, what, who
from takeback.views.desk import Desk
from takeback.views.lines import Line, Piece
from takeback.views.rows import Row
from takeback.views.text import age, clip, count, moment

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline
    from takeback.model.diff import Change, Diff, Difference
    from takeback.model.progress import Listener
    from takeback.model.snapshot import Snapshot

_MOST_FILES = 200
_COUNTED = 40
"""Files whose lines are counted."""
_LARGEST = 256 << 10
_STATUS = {
    "added": ("A", "plus"),
    "deleted": ("D", "minus"),
    "modified": ("M", "warn"),
    "mode": ("m", "quiet"),
    "type": ("T", "warn"),
}
_PLACES = {"added": ("+", "plus"), "removed": ("−", "minus"), "changed": ("~", "warn"), "moved": ("»", "quiet")}
_TITLES = {"F": "Files", "M": "Memory", "C": "Container", "T": "Team"}


def described(desk: Desk, row: Row, width: int, listener: Listener | None = None) -> list[Line]:
    """A row for the pane at the side, whose lines are of that width."""
    lines: list[Line] = [[(clip(what(row), 4 * width), "head")], *_facts(desk, row, width)]
    try:
        lines += _changes(desk, row, width, listener)
    except TakebackError as error:
        lines += [[""], [(error.message, "warn")], *([(f"→ {hint}", "quiet")] for hint in error.hints)]
    return lines


def _facts(desk: Desk, row: Row, width: int) -> Iterator[Line]:
    yield [""]
    if row.kind == "present":
        yield _fact("where", path_end(desk.lane(row.lane).root, width - 11) or "no directory: memory alone")
        if row.before is not None:
            yield _fact("since", (short(row.before), "id"), ("  the latest snapshot", "quiet"))
        return
    name = row.move if row.move is not None else row.snapshot
    yield _fact("id", (short(name or ""), "id"), (f"  {_kind(row)}", "quiet"))
    yield _fact("when", age(row.time_ns), (f"  {moment(row.time_ns)}", "quiet"))
    if row.kind != "original":
        yield _fact("who", (who(row), "name"))
    if row.session:
        yield _fact("session", (clip(row.session, max(8, width - 11)), "quiet"))
    if row.open:
        yield _fact("state", ("still at work", "good"))
    if row.undone_by is not None:
        yield _fact("state", (f"taken back by {short(row.undone_by)}", "warn"))
    if row.takes:
        yield _fact(
            "took back", ", ".join(short(each) for each in row.takes[:6]) + (" …" if len(row.takes) > 6 else "")
        )
    ends = [(short(row.before), "id") if row.before else ("nothing", "quiet"), (" → ", "quiet")]
    yield _fact("from", *ends, (short(row.snapshot), "id") if row.snapshot else ("now", "quiet"))
    if row.trigger:
        yield _fact("trigger", row.trigger)
    if row.labels:
        yield _fact("labels", (", ".join(row.labels), "label"))
    if row.pinned:
        yield _fact("pinned", ("⚑ retention never removes it", "warn"))
    for _, name in row.forks:
        yield _fact("fork", (f"⑂ {name}", "label"))


def _fact(name: str, *pieces: Piece) -> Line:
    return [(f"{name:<10}", "quiet"), *pieces]


def _kind(row: Row) -> str:
    if row.kind == "original":
        return "first snapshot"
    if row.kind == "snapshot":
        return "snapshot"
    return {"manual": "your own changes", "takeback": verb(row)}.get(row.level, row.level)


def _changes(desk: Desk, row: Row, width: int, listener: Listener | None) -> Iterator[Line]:
    looking: AbstractContextManager[Timeline] = nullcontext(desk.look(row.lane))
    if row.snapshot is not None:
        yield from _held(desk.look(row.lane).show(row.snapshot), row)
    if row.before is None:
        return
    with looking if row.snapshot is not None else desk.act(row.lane, listener) as line:
        diff = line.diff(row.before, row.snapshot)
        for part, why in diff.missed.items():
            yield [""]
            yield [(f"{part}: not known: {why}", "warn")]
        if not diff:
            yield [""]
            yield [("Nothing differs." if row.kind != "present" else "All is as in the latest snapshot.", "quiet")]
            return
        yield from _files(line, diff, "F", diff.files, width)
        yield from _memory(diff.state, width)
        yield from _files(line, diff, "C", diff.container, width)
        yield from _files(line, diff, "T", diff.team, width)


def _held(snapshot: Snapshot, row: Row) -> Iterator[Line]:
    """What the first snapshot holds; of every one, what could not be captured."""
    if row.kind == "original":
        yield [""]
        for part in snapshot.parts.values():
            said = ", ".join(
                f"{value:,} {name}"
                for name, value in part.detail.items()
                if isinstance(value, int) and value is not True
            )
            yield _fact(clip(part.name, 9), (part.kind, "name"), (f"  {said}" if said else "", "quiet"))
    for name, why in snapshot.missed.items():
        yield _fact("missed", (f"{name}: {why}", "warn"))
    left = [item for item in snapshot.not_captured if item.whole]
    if left:
        yield _fact("left out", (count(len(left), "path"), "warn"), ("  not captured, never deleted", "quiet"))


def _head(letter: str, number: str) -> Iterator[Line]:
    style = next(colour for each, colour in KINDS.values() if each == letter)
    yield [""]
    yield [(_TITLES[letter], f"bold {style}"), (f"  {number}", "quiet")]


def _files(line: Timeline, diff: Diff, letter: str, changes: Sequence[Change], width: int) -> Iterator[Line]:
    files = [change for change in changes if not change.is_directory]
    if not files:
        return
    parts = len({change.part for change in files})
    yield from _head(letter, f"{count(len(files), 'file')}{f' in {parts} parts' if parts > 1 else ''}")
    for number, change in enumerate(files[:_MOST_FILES]):
        mark, style = _STATUS.get(change.status, ("?", "quiet"))
        plus, minus = _lines(line, diff, change) if number < _COUNTED else ("", "")
        room = max(12, width - 5 - len(plus) - len(minus))
        yield [
            (f"{mark} ", style),
            f"{path_end(change.path, room)}",
            (f" {plus}" if plus else "", "plus"),
            (f" {minus}" if minus else "", "minus"),
        ]
    if len(files) > _MOST_FILES:
        yield [(f"and {len(files) - _MOST_FILES:,} more: d shows all", "quiet")]


def _lines(line: Timeline, diff: Diff, change: Change) -> tuple[str, str]:
    if any(entry is not None and entry.size > _LARGEST for entry in (change.before, change.after)):
        return "", ""
    added, removed = sides(line, diff, change).counts()
    return f"+{added:,}" if added else "", f"−{removed:,}" if removed else ""


def _memory(state: Sequence[Difference], width: int) -> Iterator[Line]:
    if not state:
        return
    yield from _head("M", count(len(state), "place"))
    for place in state[:_MOST_FILES]:
        mark, style = _PLACES.get(place.status, ("?", "quiet"))
        said = place.after if place.after is not None else place.before or ""
        name = clip(
            f"{place.part}{place.path if place.path.startswith(('[', '.')) else '.' + place.path if place.path else ''}",
            width - 4,
        )
        yield [(f"{mark} ", style), (name, "name")]
        yield [("  ", ""), (clip(said, width - 4), "quiet")]
