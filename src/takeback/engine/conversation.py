"""The conversation of a move: what had been said when it began.

A conversation makes no snapshots of its own, so the one at a move's beginning may hold an older one. But an agent's turn
notes how long its session's file was then, and whichever later snapshot has more of that session has all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from takeback.engine.line import Line, Present
from takeback.errors import NotFound
from takeback.model.ids import short
from takeback.model.move import Move
from takeback.model.snapshot import Part
from takeback.sources.protocol import Proposal
from takeback.store.catalogue import snapshots
from takeback.store.reader import Reader

PART = "transcript"


def can_be_put_back(move: Move) -> bool:
    """Whether the conversation of a move's session was captured with it."""
    session, length = _mark(move.context.get("opened"))
    return bool(length) and session == move.session


def plan_before(line: Line, reader: Reader, present: Present, targets: Sequence[Move]) -> Proposal:
    """What puts the conversation back as it was before the oldest of some moves."""
    oldest = min(targets, key=lambda move: move.opening_seq)
    part = _before(line, reader, present, oldest)
    return line.source(PART, {PART: part}).plan(reader, present.parts.get(PART, part), part, None)


def _before(line: Line, reader: Reader, present: Present, move: Move) -> Part:
    session, length = _mark(move.context.get("opened"))
    if session != move.session or length is None:
        raise NotFound(
            f"no conversation was captured with move {short(move.id)}",
            hints=["leave the conversation out to take back the files"],
        )
    best: Part | None = None
    for part in _candidates(line, reader, present, move):
        known, held = _mark({PART: part.detail})
        if known == session and held is not None and (best is None or held > best.detail["length"]):
            best = part
        if best is not None and best.detail["length"] >= length:
            return best._replace(detail={**best.detail, "length": length})
    if best is None:
        raise NotFound(f"the conversation of move {short(move.id)} is in no snapshot that there still is")
    return best


def _candidates(line: Line, reader: Reader, present: Present, move: Move) -> list[Part]:
    with line.blobs.database.read() as tx:
        rows = [snapshots.by_id(tx, id) for id in (move.closing, move.opening) if id is not None]
    parts = [line.load(reader, row).parts.get(PART) for row in rows if row is not None]
    return [part for part in (*parts[:1], present.parts.get(PART), *parts[1:]) if part is not None]


def _mark(context: Any) -> tuple[str, int | None]:
    """The session and the length that a context speaks of."""
    found = context.get(PART) if isinstance(context, dict) else None
    if not isinstance(found, dict) or not isinstance(found.get("session"), str):
        return "", None
    length = found.get("length")
    return found["session"], length if isinstance(length, int) else None
