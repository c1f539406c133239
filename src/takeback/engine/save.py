"""save: capture every source, and record a snapshot if anything changed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypedDict, Unpack

from takeback.engine import moves, pending, processes, record
from takeback.engine.line import Line, Present
from takeback.engine.moves import Event, Same
from takeback.engine.processes import Ancestry
from takeback.engine.stretches import Ran
from takeback.errors import InvalidInput
from takeback.model.kinds import DOCUMENTS, FOLLOWING
from takeback.model.move import CLOSES, OPENS
from takeback.model.progress import Watch
from takeback.model.snapshot import TRIGGERS, Part, Snapshot
from takeback.sources import clock
from takeback.sources.workspace.lost import has_lost, is_relisted
from takeback.store.catalogue import snapshots
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.reader import Reader

LISTS = frozenset((*OPENS, *CLOSES, "session_end", "manual"))
"""Triggers that begin or end moves."""

USER_TRIGGERS = tuple(trigger for trigger in TRIGGERS if trigger not in ("safety", "restore", "undo", "redo", "fork"))


class Proof(TypedDict, total=False):
    """What an event of an agent proves, beside that it happened; each is a field of `takeback.engine.moves.Event`."""

    ran: Ran
    agent: Ancestry | None
    helper: str
    ends: str
    closes: Mapping[str, Ran]
    follow: str
    keeps: frozenset[str] | None


def save(
    line: Line,
    label: str | None = None,
    *,
    trigger: str = "manual",
    session: str = "",
    title: str = "",
    context: Mapping[str, Any] | None = None,
    paths: Iterable[str] = (),
    key: str = "",
    always: bool = False,
    watch: Watch | None = None,
    **proof: Unpack[Proof],
) -> Snapshot:
    """The present as a snapshot; the latest one again, with the label added, if nothing changed, unless ``always``."""
    if trigger not in USER_TRIGGERS:
        raise InvalidInput(f"{trigger!r} is not a trigger", hints=[f"one of: {', '.join(USER_TRIGGERS)}"])
    if label is not None:
        check_label(label)
    session, title, key = map(_writable, (session, title or label or "", key))
    ran = proof.get("ran", Ran())
    agent = proof.get("agent")
    event = Event(
        trigger,
        session,
        title,
        key,
        tuple(relative(line.root, path) for path in paths),
        context or {},
        ran=ran._replace(at=ran.at or clock.read()),
        agent=agent,
        opener=processes.ancestry() if agent is None and trigger in OPENS else None,
        helper=proof.get("helper", ""),
        ends=proof.get("ends", ""),
        closes=proof.get("closes", {}),
        follow=proof.get("follow", ""),
        keeps=proof.get("keeps"),
    )
    with line.locked(), line.writer() as writer:
        present = pending.begin(line, writer, watch or Watch())
        always = always or (trigger in LISTS and lists_differ(writer.reader, present))
        fresh = record.latest_or_new(line, writer, present, trigger=trigger, context=event.context, always=always)
        same = same_state(line, writer.reader, present, fresh)
        event = event._replace(noted=noted(present))

        def note(tx: Transaction, timeline: int, at: SnapshotRow) -> SnapshotRow:
            now = clock.read()
            moves.note(tx, timeline, event, at, now, same, present.head if fresh is not None else None)
            if label:
                snapshots.label(tx, at.id, label, time.time_ns())
            return snapshots.with_marks(tx, [at])[0]

        row = record.commit(line, writer, fresh, present.head, note, session=session)
        return line.load(writer.reader, row)


def same_state(line: Line, reader: Reader, present: Present, fresh: Snapshot | None) -> Same:
    """Whether two snapshots hold the same state; the one being written is looked up in memory."""
    return same_parts(line, reader, {each.id: each.parts for each in (present.latest, fresh) if each is not None})


def same_parts(line: Line, reader: Reader, known: Mapping[str, Mapping[str, Part]] = MappingProxyType({})) -> Same:
    """Whether two snapshots hold the same state; those that are ``known`` are not read."""

    def parts(id: str) -> Mapping[str, Part]:
        if id in known:
            return known[id]
        with line.blobs.database.read() as tx:
            row = snapshots.by_id(tx, id)
        return line.load(reader, row).parts if row is not None else {}

    def matters(part: Part, memory: bool) -> bool:
        return part.kind in DOCUMENTS if memory else part.kind not in FOLLOWING

    def same(a: str, b: str, *, memory: bool = False) -> bool:
        if a == b:
            return True
        old, new = ({name: part for name, part in parts(id).items() if matters(part, memory)} for id in (a, b))
        if old.keys() != new.keys() or not all(part.same_state(old[name]) for name, part in new.items()):
            return False
        return not any(has_lost(reader, old[name], part) for name, part in new.items())

    return same


def lists_differ(reader: Reader, present: Present) -> bool:
    """Whether something that no snapshot holds came, went or was replaced since the latest one: what a move does to it is known
    only if the snapshots at its ends list what was there."""
    before = present.latest.parts if present.latest is not None else {}
    both = [(before[name], part) for name, part in present.parts.items() if name in before]
    return any(is_relisted(old, new) or has_lost(reader, old, new) for old, new in both)


def noted(present: Present) -> dict[str, Any]:
    """What the sources say beside their content, such as git's HEAD."""
    said: dict[str, Any] = {}
    for part in present.parts.values():
        said |= part.detail.get("context", {})
    return said


def check_label(label: str) -> None:
    if not label.strip():
        raise InvalidInput("a label cannot be empty", hints=["give it a name, or leave it out"])
    if not label.isprintable():
        raise InvalidInput(f"{label!r} cannot be a label: it holds what cannot be printed", hints=["choose another"])
    if label.startswith("@") or label.endswith(" ago") or label in ("root", "original"):
        raise InvalidInput(
            f"{label!r} cannot be a label: as a reference it means another snapshot", hints=["choose another"]
        )


def _writable(text: str) -> str:
    """The text, where half a character, as a cut or a name of any bytes leaves it, is an escape."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def relative(root: str, path: str) -> str:
    """A reported path as trees name it."""
    if root and os.path.isabs(path):
        path = os.path.relpath(os.path.realpath(path), root)
    return os.path.normpath(path).replace(os.sep, "/")
