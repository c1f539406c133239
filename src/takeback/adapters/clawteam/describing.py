"""What is told of a snapshot of a team, read from what the store says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from takeback.adapters.clawteam.meta import Kind, SnapshotMeta
from takeback.engine.timeline import Timeline
from takeback.errors import Integrity
from takeback.model.snapshot import Part, Snapshot
from takeback.sources.team.layouts import COSTS, EVENTS, MEMBERS, SESSIONS, TASKS
from takeback.sources.team.source import Team

CONTEXT = "clawteam"
"""What a snapshot's context holds for this adapter: its id, its tag, and when a bundle was made."""


def listed(line: Timeline, team: str, kind: Kind) -> list[SnapshotMeta]:
    """What is told of each label of a timeline that is an id here."""
    found = []
    for row in line.log().snapshots:
        try:
            snapshot = line.show(row.id) if row.labels else None
        except Integrity:  # it is there, and what it holds is lost
            when = datetime.fromtimestamp(row.time_ns / 1e9, UTC).isoformat()
            found += [SnapshotMeta(label, team, created_at=when, kind=kind, snapshot=row.id) for label in row.labels]
            continue
        if snapshot is not None:
            found += [described(snapshot, team, label, kind) for label in ids_of(snapshot, kind)]
    return found


def ids_of(snapshot: Snapshot, kind: Kind) -> list[str]:
    """The labels of a snapshot that are ids; one of a bundle is also the digest by which it is known again."""
    said = _said(snapshot)["id"]
    return [label for label in snapshot.labels if kind == "takeback" or (said and label.startswith(said))]


def described(snapshot: Snapshot, team: str, id: str, kind: Kind) -> SnapshotMeta:
    """What is told of a snapshot under one of its ids."""
    said = _said(snapshot)
    part = team_part(snapshot, team)
    counted = part.detail.get("counts") if part is not None else None
    counts: Mapping[str, Any] = counted if isinstance(counted, Mapping) else {}

    def many(what: str) -> int:
        value = counts.get(what)
        return value if isinstance(value, int) else 0

    return SnapshotMeta(
        id=id,
        team_name=team,
        tag=said["tag"] if said["id"] and id.startswith(said["id"]) else "",
        created_at=said["created_at"] or snapshot.time.isoformat(),
        member_count=many(MEMBERS),
        task_count=many(TASKS),
        event_count=many(EVENTS),
        session_count=many(SESSIONS),
        cost_event_count=many(COSTS),
        kind=kind,
        snapshot=snapshot.id,
    )


def team_part(snapshot: Snapshot, team: str) -> Part | None:
    """The part of a snapshot that is this team."""
    part = snapshot.parts.get(Team.kind)
    return part if part is not None and part.kind == Team.kind and part.detail.get("team") == team else None


def newest_first(metas: Iterable[SnapshotMeta]) -> list[SnapshotMeta]:
    return sorted(metas, key=_made, reverse=True)


def _made(meta: SnapshotMeta) -> tuple[float, str]:
    try:
        when = datetime.fromisoformat(meta.created_at)
        return (when if when.tzinfo is not None else when.replace(tzinfo=UTC)).timestamp(), meta.id
    except (ValueError, OverflowError):
        return 0.0, meta.id


def _said(snapshot: Snapshot) -> dict[str, str]:
    raw = snapshot.context.get(CONTEXT)
    said: Mapping[str, Any] = raw if isinstance(raw, Mapping) else {}
    return {name: value if isinstance(value := said.get(name), str) else "" for name in ("id", "tag", "created_at")}
