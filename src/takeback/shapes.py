"""What takeback says as JSON: the shapes that scripts and models rely on, the same on the command line and from the MCP
server. Keys may be added, never renamed or removed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from takeback.engine.history import Log
    from takeback.engine.timeline import Timeline
    from takeback.model.diff import Change, Diff, Difference
    from takeback.model.move import Move
    from takeback.model.plan import Choice, Going, Kept, Outside, Plan, Report, Undecided
    from takeback.model.snapshot import NotCaptured, Part, Snapshot
    from takeback.model.team import TeamDiff
    from takeback.model.tree import Entry
    from takeback.store.catalogue.snapshots import SnapshotRow
    from takeback.store.notices import Notice

Shape = dict[str, Any]


_KINDS = {"f": "file", "l": "link", "d": "directory", "w": "hidden"}


def iso(time_ns: int | None) -> str | None:
    """ISO 8601 in UTC."""
    if time_ns is None:
        return None
    from datetime import UTC, datetime

    return datetime.fromtimestamp(time_ns / 1e9, UTC).isoformat()


def snapshot(value: Snapshot) -> Shape:
    return {
        "id": value.id,
        "timeline": value.timeline,
        "created": iso(value.time_ns),
        "time": iso(value.time_ns),
        "trigger": value.trigger,
        "parent": value.parent,
        "labels": list(value.labels),
        "pinned": value.pinned,
        "changed": value.changed,
        "parts": {name: part(each) for name, each in value.parts.items()},
        "not_captured": not_captured(value.not_captured),
        "partial": value.partial,
        "missed": dict(value.missed),
    }


def shown(value: Snapshot, step: Diff | None) -> Shape:
    """A snapshot with all that is known about it, and what it changed."""
    files = [] if step is None else changes(change for change in step.files if not change.is_directory)
    state = [] if step is None else differences(step.state)
    container = [] if step is None else contained(step.container)
    changed = [] if step is None else contained(step.team)
    return {
        **snapshot(value),
        "root": value.root,
        "context": dict(value.context),
        "files": files,
        "state": state,
        "container": container,
        "team": changed,
        "teams": [] if step is None else [team(each) for each in step.teams],
    }


def entries(id: str, path: str, found: Iterable[tuple[str, Entry]]) -> Shape:
    """What a snapshot has in a directory."""
    listed = [{"path": name, "kind": _KINDS[each.kind], "mode": each.mode, "size": each.size} for name, each in found]
    return {"id": id, "path": path, "entries": listed}


def part(value: Part) -> Shape:
    return {"kind": value.kind, "content": value.content.hex(), **value.detail}


def row(value: SnapshotRow) -> Shape:
    return {
        "id": value.id,
        "parent": value.parent,
        "time": iso(value.time_ns),
        "trigger": value.trigger,
        "labels": list(value.labels),
        "changed": value.changed,
        "pinned": value.pinned,
        "session": value.session,
    }


def move(value: Move) -> Shape:
    return {
        "id": value.id,
        "session": value.session,
        "level": value.level,
        "title": value.title,
        "opened": iso(value.opened_ns),
        "closed": iso(value.closed_ns),
        "undone_by": value.undone_by,
        "verb": value.verb,
        "opening": value.opening,
        "closing": value.closing,
    }


def choice(value: Choice) -> Shape:
    """A move that plain undo can take."""
    return {
        "move": value.move,
        "level": value.level,
        "title": value.title,
        "session": value.session,
        "needs_level": value.needs_level,
    }


def log(value: Log, line: Timeline, more: bool) -> Shape:
    snapshots, moves = [row(each) for each in value.snapshots], [move(each) for each in value.moves]
    return {"snapshots": snapshots, "moves": moves, "timeline": line.name, "root": line.root, "more": more}


def not_captured(items: Iterable[NotCaptured]) -> list[Shape]:
    return [{"path": item.path, "reason": item.reason, "detail": item.detail} for item in items]


def changes(items: Iterable[Change]) -> list[Shape]:
    return [{"path": change.path, "status": change.status} for change in items]


def contained(items: Iterable[Change]) -> list[Shape]:
    """What differs in containers or teams; directories on the way to it aside."""
    return [
        {"part": change.part, "path": change.path, "status": change.status}
        for change in items
        if not change.is_directory
    ]


def differences(items: Iterable[Difference]) -> list[Shape]:
    """What differs in values, place by place."""
    return [
        {
            "part": each.part,
            "path": each.path,
            "status": each.status,
            "before": each.before,
            "after": each.after,
        }
        for each in items
    ]


def diff(value: Diff) -> Shape:
    return {
        "a": value.a,
        "b": value.b,
        "files": changes(change for change in value.files if not change.is_directory),
        "directories": changes(change for change in value.files if change.is_directory),
        "state": differences(value.state),
        "container": contained(value.container),
        "team": contained(value.team),
        "teams": [team(each) for each in value.teams],
        "missed": dict(value.missed),
    }


def team(value: TeamDiff) -> Shape:
    """What differs in a team."""
    from dataclasses import asdict  # no hook has time for it

    return {
        "part": value.part,
        "team": value.team,
        "members": _ends(value.members),
        "joined": list(value.joined),
        "left": list(value.left),
        "statuses": {each: _ends(ends) for each, ends in value.statuses.items()},
        "tasks": [asdict(each) for each in value.tasks],
        "mail": [{"from": each.sender, **asdict(each)} for each in value.mail],
        "costs": [
            {"agent": each.agent, "events": _ends(each.events), "cents": _ends(each.cents)} for each in value.costs
        ],
        "events": _ends(value.events),
        "sessions": dict(value.sessions),
        "plans": dict(value.plans),
        "other": list(value.other),
        "unreadable": list(value.unreadable),
    }


def _ends(pair: tuple[float, float]) -> Shape:
    return {"before": pair[0], "after": pair[1]}


def report(value: Report) -> Shape:
    """What an undo, redo or restore did."""
    return {
        "dry_run": False,
        "move": value.move,
        "snapshot": value.snapshot,
        "safety": value.safety or None,
        "changed": list(value.changed),
        "merged": list(value.merged),
        "verified": value.verified,
        "pending": list(value.pending),
        **_left(value),
    }


def plan(value: Plan) -> Shape:
    """What an undo, redo or restore would do: the same keys."""
    return {
        "dry_run": True,
        "move": None,
        "snapshot": None,
        "safety": None,
        "changed": [path for _, path in value.told],
        "merged": list(value.merged),
        "verified": False,
        "pending": list(value.pending),
        "plan": [{"path": path, "action": action} for action, path in value.told],
        "goes": [_going(each) for each in value.goes],
        **_left(value),
    }


def _going(item: Going) -> Shape:
    becomes = None if item.becomes is None else dict(item.becomes)
    return {"what": item.what, "path": item.path, "said": dict(item.said), "becomes": becomes}


def _left(value: Plan | Report) -> Shape:
    return {
        "conflicts": [item.path for item in value.conflicts],
        "shared": list(value.shared),
        "undecided": [_undecided(each) for each in value.undecided],
        "brought_back": list(value.brought_back),
        "in_part": list(value.in_part),
        "while_running": [{"command": each.command, "paths": list(each.paths)} for each in value.while_running],
        "effects": [_outside(item) for item in value.outside],
        "not_captured": not_captured(value.not_captured),
        "moves": list(value.moves),
        "kept": [_kept(item) for item in value.kept],
        "partial": [_kept(item) for item in value.partial],
        "others": [choice(each) for each in value.others],
        "reasons": {item.path: item.reason for item in (*value.kept, *value.conflicts)},
        "notes": list(value.notes),
        "hints": list(value.hints),
        "lost": [{"path": item.path, "how": item.how, "to": item.to or None} for item in value.lost],
    }


def _undecided(item: Undecided) -> Shape:
    return {"command": item.command, "reason": item.doubt.value, "paths": list(item.paths)}


def _kept(item: Kept) -> Shape:
    return {"path": item.path, "reason": item.reason}


def notice(value: Notice) -> Shape:
    return {
        "time": iso(value.time_ns),
        "where": value.where,
        "message": value.message,
        "hints": list(value.hints),
    }


def _outside(item: Outside) -> Shape:
    return {"kind": item.kind, "what": item.what, "time": iso(item.time_ns) if item.time_ns else None}
