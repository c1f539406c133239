"""The picture of a timeline: its snapshots, newest first, and between them the moves that led from one to the next.

::

    ● 5d0c7a11  12 s ago    undo            4 files
    │ ╰ undo 0b1c2d3e  clean up the repository
    ○ 77ab01f3  14 s ago    turn_end        4 files  good
    │ ╰ turn 4f2a77b1  clean up the repository  (taken back by 0b1c2d3e)
    ○ 3e04c1d9  20 s ago    turn_start      1 file

`gutter` is what ``--graph`` adds on the left: a bracket from every undo down to where the moves began that it took
back, and the timelines that were forked from a snapshot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from takeback.model.ids import short
from takeback.model.move import Move
from takeback.views.lines import Line, Piece
from takeback.views.text import WIDTH, age, clip, columns, count, pad

if TYPE_CHECKING:
    from takeback.engine.history import Log
    from takeback.store.catalogue.snapshots import SnapshotRow

_LEVELS = ("run", "turn", "action", "manual", "takeback")
_OPEN_END = 1 << 62
_JOINED = {" ": "─", "│": "┼", "╮": "┬", "╯": "┴"}
"""How a cell looks when a line passes through it to a bracket further right."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """From the snapshot that an undo made (``top``) down to where what it took back began (``bottom``)."""

    top: int
    bottom: int
    column: int


def log_lines(
    log: Log,
    *,
    graph: bool = False,
    forks: Mapping[str, Sequence[str]] | None = None,
    most: int | None = None,
    without: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Iterator[Line]:
    """One line for each snapshot and each move; with ``most``, only of so many snapshots and the moves among them.
    ``without`` are the parts that snapshots missed, by their ids."""
    log = replace(log, snapshots=log.snapshots[:most])
    newest = log.snapshots[0].seq if log.snapshots else None
    brackets = gutter(log) if graph else []
    width = 2 * (max((bracket.column for bracket in brackets), default=-1) + 1)
    sessions = {move.session for move in log.moves if move.session}
    for item in interleaved(log):
        if isinstance(item, Move):
            left = _beside(brackets, item.closing_seq if item.closing_seq is not None else _OPEN_END, width)
            yield ["│ ", (left, "quiet"), *_move(item, width, len(sessions) > 1)]
            continue
        dot = ("●", "head") if item.seq == newest else "○"
        gone = [(f" without {', '.join(without[item.id])}", "bad")] if item.id in without else []
        yield [dot, (_at(brackets, item.seq, width), "quiet"), *_row(item), *gone]
        for fork in (forks or {}).get(item.id, ()) if graph else ():
            left = _beside(brackets, item.seq, width)
            yield ["│ ", (left, "quiet"), ("╰ fork ", "label"), clip(fork, WIDTH - width - 10)]


def interleaved(log: Log) -> list[SnapshotRow | Move]:
    """Snapshots and moves, newest first; a move stands below the snapshot that it ended with."""
    oldest = log.snapshots[-1].seq if log.snapshots else 0
    items: list[tuple[tuple[int, int, int], SnapshotRow | Move]] = [((-row.seq, 0, 0), row) for row in log.snapshots]
    for move in log.moves:
        end = _OPEN_END if move.closing_seq is None else move.closing_seq
        if end >= oldest:
            items.append(((-end, 1, _LEVELS.index(move.level) + move.opening_seq), move))
    return [item for _, item in sorted(items, key=lambda pair: pair[0])]


def gutter(log: Log) -> list[Bracket]:
    """The brackets of the undos in force, each in the first column that is free."""
    by_id = {move.id: move for move in log.moves}
    spans: dict[str, tuple[int, int]] = {}
    for move in log.moves:
        undo = by_id.get(move.undone_by or "")
        if undo is not None and undo.verb == "undo" and undo.closing_seq is not None:
            top, bottom = spans.get(undo.id, (undo.closing_seq, move.opening_seq))
            spans[undo.id] = (top, min(bottom, move.opening_seq))
    placed: list[Bracket] = []
    for top, bottom in sorted(spans.values(), key=lambda span: (span[0] - span[1], -span[0])):
        taken = {other.column for other in placed if other.bottom <= top and other.top >= bottom}
        placed.append(Bracket(top, bottom, next(column for column in range(len(taken) + 1) if column not in taken)))
    return placed


def _at(brackets: Sequence[Bracket], seq: int, width: int) -> str:
    """What stands between the line and a snapshot: brackets that begin, end or pass there."""
    cells = [" "] * (width + 1)
    last = 0
    for bracket in brackets:
        at = 2 * bracket.column + 1
        if seq in (bracket.top, bracket.bottom):
            cells[at] = "╮" if seq == bracket.top else "╯"
            last = max(last, at)
        elif bracket.bottom < seq < bracket.top:
            cells[at] = "│"
    return "".join([_JOINED[cell] for cell in cells[:last]] + cells[last:])


def _beside(brackets: Sequence[Bracket], end: int, width: int) -> str:
    """What stands left of a move that ended with the snapshot ``end``: it lies below that snapshot."""
    cells = [" "] * width
    for bracket in brackets:
        if bracket.bottom < end <= bracket.top:
            cells[2 * bracket.column] = "│"
    return "".join(cells)


def _row(row: SnapshotRow) -> list[Piece]:
    pieces: list[Piece] = [
        (short(row.id), "id"),
        f"  {age(row.time_ns):<11} ",
        (f"{row.trigger:<13}  ", "quiet"),
        f"{count(row.changed, 'file') if row.changed else '':<9}",
    ]
    if row.pinned:
        pieces.append((" pinned", "good"))
    for label in row.labels:
        pieces.append((f" [{clip(label, 24)}]", "label"))
    return pieces


def _what(move: Move) -> str:
    return move.verb if move.level == "takeback" else move.level


def _move(move: Move, width: int, several: bool) -> list[Piece]:
    what = _what(move)
    tail = ""
    if move.undone_by:
        tail = f"  (taken back by {short(move.undone_by)})"
    elif move.open:
        tail = "  (open)"
    who = f"  {clip(move.session[:16], 16)}" if several and move.session else ""
    left = f"╰ {what} "
    room = WIDTH - 2 - width - columns(left) - 10 - columns(tail) - columns(who)
    title = clip(move.about, max(room, 10))
    gone = bool(move.undone_by)
    return [left, (short(move.id), "id"), "  ", (title, "quiet" if gone else "head"), (who, "name"), (tail, "quiet")]


def move_line(move: Move) -> Line:
    """One move on a line of its own, for the places that list only moves."""
    when = pad(age(move.closed_ns or move.opened_ns), 11)
    return [(when, "quiet"), f" {_what(move):<7} ", *_move(move, 22 - len(_what(move)), False)[1:]]
