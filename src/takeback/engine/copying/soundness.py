"""Whether the rows of a timeline are such as takeback writes. They may come from anybody's file or store.

Checked before anything is copied: Integrity, and the target has not been touched.
"""

from __future__ import annotations

import os
import re
from typing import Any

from takeback.engine.copying.lines import CopyLine
from takeback.engine.save import check_label
from takeback.errors import Integrity, InvalidInput
from takeback.model.ids import ID_LENGTH
from takeback.model.move import LEVELS, Move
from takeback.model.snapshot import TRIGGERS
from takeback.store.catalogue.snapshots import SnapshotRow

_ID = re.compile(rf"[0-9a-f]{{{ID_LENGTH}}}")
_VERBS = frozenset({"", "undo", "redo", "restore"})
_LATEST = 1 << 62


def check_line(line: CopyLine) -> None:
    """Integrity if anything about a timeline is not as takeback writes it."""
    _require(
        _is_text(line.name) and bool(line.name.strip()) and line.name.isprintable(), "a timeline's name", line.name
    )
    _require(_is_root(line.root), "a timeline's root", line.root)
    _require(_is_count(line.created_ns), "a timeline's time", line.created_ns)
    _require(line.fork_of is None or _is_id(line.fork_of), "what a timeline was forked from", line.fork_of)
    places: dict[str, int] = {}
    for place, row in enumerate(line.snapshots):
        _check_snapshot(row, places)
        places[row.id] = place
    known: set[str] = set()
    for move in line.moves:
        _require(_is_id(move.id) and move.id not in known, "a move's id", move.id)
        _check_move(move, places)
        known.add(move.id)
    for move_id, target in line.takes:
        _require(move_id in known and _is_id(target), "what a move took back", target)


def _check_snapshot(row: SnapshotRow, places: dict[str, int]) -> None:
    _require(_is_id(row.id) and row.id not in places, "a snapshot's id", row.id)
    _require(row.parent is None or (_is_id(row.parent) and row.parent != row.id), "a snapshot's parent", row.parent)
    _require(_is_count(row.time_ns), "a snapshot's time", row.time_ns)
    _require(row.trigger in TRIGGERS, "a snapshot's trigger", row.trigger)
    _require(_is_text(row.session), "a snapshot's session", row.session)
    _require(_is_blob(row.manifest), "a snapshot's manifest", row.manifest)
    _require(_is_count(row.changed), "how much a snapshot changed", row.changed)
    _require(row.mixed in (0, 1), "a snapshot's mark", row.mixed)
    for label in row.labels:
        _require(_is_text(label), "a label", label)
        try:
            check_label(label)
        except InvalidInput as error:
            raise Integrity(f"the history that was to be copied holds a wrong label: {error.message}") from error


def _check_move(move: Move, places: dict[str, int]) -> None:
    _require(move.level in LEVELS, "a move's level", move.level)
    _require(move.verb in _VERBS, "a move's verb", move.verb)
    for text in (move.session, move.title, move.key, *move.reported):
        _require(_is_text(text), "a move's text", text)
    _require(move.opening in places, "a move's opening snapshot", move.opening)
    _require(move.closing in places, "a move's closing snapshot", move.closing)
    _require(places[move.opening] <= places[str(move.closing)], "a move's end", move.closing)
    _require(_is_count(move.opened_ns), "a move's time", move.opened_ns)
    _require(move.closed_ns is None or _is_count(move.closed_ns), "a move's time", move.closed_ns)
    _require(move.undone_by is None or _is_id(move.undone_by), "what took a move back", move.undone_by)
    _require(isinstance(move.context, dict), "a move's context", move.context)


def _is_id(value: object) -> bool:
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def _is_blob(value: object) -> bool:
    return isinstance(value, bytes) and len(value) == 32


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < _LATEST


def _is_text(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value


def _is_root(value: object) -> bool:
    """Absolute and without detours, as every real path is; or empty, where a timeline has no place."""
    if not _is_text(value):
        return False
    return value == "" or (os.path.isabs(str(value)) and os.path.normpath(str(value)) == value)


def _require(sound: bool, what: str, value: Any) -> None:
    if not sound:
        raise Integrity(
            f"the history that was to be copied is not sound: {what} cannot be {str(value)[:60]!r}. Nothing was copied.",
            hints=["whoever gave it to you can look at their store with `takeback verify`"],
        )
