"""What a snapshot's context says for this adapter, and `SnapshotMetadata` made from a snapshot: there is no other record."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from takeback.adapters.cua.values import SnapshotMetadata, SnapshotStatus, SnapshotTrigger
from takeback.errors import InvalidInput
from takeback.model.snapshot import Part, Snapshot
from takeback.store.catalogue.snapshots import SnapshotRow

CONTEXT = "cua"
"""Where a snapshot's context says what this adapter knows of it."""
PART = "container"
RESTORED = "restored as "
"""How labels begin that say what a snapshot was restored to."""

_TRIGGERS = {each.recorded: each for each in SnapshotTrigger}


def context(**said: Any) -> dict[str, Any]:
    """The context of a snapshot; what is nothing is left out."""
    return {CONTEXT: {name: value for name, value in said.items() if value not in (None, "", {}, [])}}


def said_of(told: Mapping[str, Any]) -> dict[str, Any]:
    """What a context says for this adapter."""
    said = told.get(CONTEXT)
    return said if isinstance(said, dict) else {}


def container_part(snapshot: Snapshot) -> Part | None:
    """The container of a snapshot; None if it has none."""
    named = snapshot.parts.get(PART)
    if named is not None and named.kind == PART:
        return named
    return next((part for part in snapshot.parts.values() if part.kind == PART), None)


def describe(snapshot: Snapshot, store: str, size: int | None) -> SnapshotMetadata:
    """What is known of a snapshot, made here or by any other way to takeback."""
    said = said_of(snapshot.context)
    part = container_part(snapshot)
    image = part.detail.get("image") if part is not None else None
    image = image if isinstance(image, dict) else {}
    labels = _texts(said.get("labels"))
    if snapshot.trigger not in _TRIGGERS:
        labels["takeback.trigger"] = snapshot.trigger
    return SnapshotMetadata(
        snapshot_id=snapshot.id,
        container_id=_text(part.detail.get("id") if part is not None else None)
        or _text(said.get("container_id"))
        or "",
        container_name=snapshot.timeline,
        timestamp=_when(said.get("timestamp"), snapshot.time_ns),
        trigger=_trigger(said.get("trigger"), snapshot.trigger),
        action_context=_text(said.get("action_context")),
        run_id=_text(said.get("run_id")),
        image_id=_text(image.get("id")),
        image_tag=_text(image.get("tag")),
        storage_path=store,
        size_bytes=size,
        description=_text(said.get("description")) or (None if said else _by_takeback(snapshot)),
        labels=labels,
        agent_metadata=_agent(said),
        parent_snapshot_id=snapshot.parent,
        restoration_count=sum(1 for label in snapshot.labels if label.startswith(RESTORED)),
        name=_name(said, snapshot),
        pinned=snapshot.pinned,
        not_captured=tuple(f"{item.path} ({item.reason})" for item in snapshot.not_captured),
    )


def describe_harmed(row: SnapshotRow, timeline: str, store: str) -> SnapshotMetadata:
    """What is left to say of a snapshot that cannot be read any more."""
    return SnapshotMetadata(
        snapshot_id=row.id,
        container_id="",
        container_name=timeline,
        timestamp=datetime.fromtimestamp(row.time_ns / 1e9),
        trigger=_TRIGGERS.get(row.trigger, SnapshotTrigger.MANUAL),
        status=SnapshotStatus.FAILED,
        storage_path=store,
        description="its bytes are harmed: `takeback verify` says more",
        parent_snapshot_id=row.parent,
        pinned=row.pinned,
    )


def _trigger(said: Any, recorded: str) -> SnapshotTrigger:
    """What it was made for, which for one that was imported is not what brought it here."""
    known = {each.value: each for each in SnapshotTrigger}
    return known.get(str(said)) or _TRIGGERS.get(recorded, SnapshotTrigger.MANUAL)


def _agent(said: Mapping[str, Any]) -> dict[str, Any]:
    """What is known of the agent: what the caller said, and the action that the snapshot was made for."""
    told = said.get("agent_metadata")
    found = dict(told) if isinstance(told, dict) else {}
    return found | ({"action": said["action"]} if "action" in said else {})


def _by_takeback(snapshot: Snapshot) -> str | None:
    known = {"safety": "what was there before a restore or undo", "restore": "a restore", "undo": "an undo"}
    return known.get(snapshot.trigger)


def _name(said: Mapping[str, Any], snapshot: Snapshot) -> str:
    """The label that it was named by; a person may have given it others."""
    given = _text(said.get("name"))
    own = [label for label in snapshot.labels if not label.startswith(RESTORED)]
    return given or (own[0] if own else "")


def _when(said: Any, time_ns: int) -> datetime:
    """The moment at which it was made, which for one that was imported is not that of its import."""
    if isinstance(said, str):
        try:
            return datetime.fromisoformat(said)
        except ValueError:
            pass
    return datetime.fromtimestamp(time_ns / 1e9)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _texts(value: Any) -> dict[str, str]:
    return {str(key): str(each) for key, each in value.items()} if isinstance(value, dict) else {}


def checked_labels(labels: Mapping[Any, Any] | None) -> dict[str, str]:
    """Labels that a caller gives; InvalidInput for what is no text."""
    given = dict(labels or {})
    for key, value in given.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise InvalidInput(f"a label is a text under a text, which {key!r}: {value!r:.60} is not")
    return given
