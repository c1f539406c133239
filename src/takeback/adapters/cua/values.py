"""Triggers, states and what is known of a snapshot, with the names that users of the CUA snapshot manager know."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from typing import Any

from takeback.errors import InvalidInput


class SnapshotTrigger(StrEnum):
    """What a snapshot was made for."""

    MANUAL = "manual"
    RUN_START = "run_start"
    RUN_END = "run_end"
    AFTER_ACTION = "after_action"
    BEFORE_ACTION = "before_action"
    ON_ERROR = "on_error"
    PERIODIC = "periodic"

    @property
    def recorded(self) -> str:
        """The same in takeback's own words."""
        return "interval" if self is SnapshotTrigger.PERIODIC else self.value


class SnapshotStatus(StrEnum):
    """What has become of a snapshot. One that is listed is ``completed``, or ``failed`` if its bytes are harmed."""

    CREATING = "creating"
    COMPLETED = "completed"
    FAILED = "failed"
    RESTORING = "restoring"
    DELETED = "deleted"


@dataclass(frozen=True, kw_only=True)
class SnapshotMetadata:
    """What is known of a snapshot. It is read from the snapshot itself: changing it changes nothing."""

    snapshot_id: str
    """takeback's id of it, too."""
    container_id: str
    container_name: str
    timestamp: datetime
    """In local time, without a zone."""
    trigger: SnapshotTrigger
    action_context: str | None = None
    run_id: str | None = None
    status: SnapshotStatus = SnapshotStatus.COMPLETED
    image_id: str | None = None
    """Of the image that was made beside the snapshot; None without ``SnapshotConfig(image=True)``."""
    image_tag: str | None = None
    storage_path: str | None = None
    """The store."""
    size_bytes: int | None = None
    """What the container's own files and volumes take, as files; the store shares and compresses them."""
    description: str | None = None
    labels: dict[str, str] = field(default_factory=dict)
    agent_metadata: dict[str, Any] = field(default_factory=dict)
    parent_snapshot_id: str | None = None
    """The snapshot before it."""
    restoration_count: int = 0
    name: str = ""
    """What ``naming_pattern`` made; a label of the snapshot, so that it can be found by it."""
    pinned: bool = False
    """Whether retention leaves it alone (`takeback pin`)."""
    not_captured: tuple[str, ...] = ()
    """What the container has and the snapshot has not."""

    def model_dump(self, mode: str = "python") -> dict[str, Any]:
        """All of it as a dictionary; with ``mode="json"`` of nothing but what JSON can hold."""
        dumped = {each.name: getattr(self, each.name) for each in fields(self)}
        if mode == "json":
            dumped |= {
                "timestamp": self.timestamp.isoformat(),
                "trigger": self.trigger.value,
                "status": self.status.value,
                "not_captured": list(self.not_captured),
            }
        return dumped


@dataclass(kw_only=True)
class RestoreOptions:
    """How a snapshot becomes a container again.

    Without a name it is a new container beside the one that there is. The name of the snapshot's own container, or
    ``replace``, puts it in that one's place: same name, same ports, and the present is saved first.
    """

    new_container_name: str | None = None
    preserve_networks: bool = True
    """Whether it joins the networks that it had; otherwise only the engine's default one."""
    preserve_volumes: bool = True
    """Whether its volumes come with what they held: a new container gets volumes of its own. Otherwise a new container
    has no volumes, and those of one that is replaced stay as they are."""
    environment_overrides: dict[str, str] = field(default_factory=dict)
    port_mappings: dict[str, str] = field(default_factory=dict)
    """From the container's port (``"6901/tcp"``, or ``"6901"``) to the host's."""
    replace: bool = False

    def __post_init__(self) -> None:
        for name in ("environment_overrides", "port_mappings"):
            given = getattr(self, name)
            if not isinstance(given, dict):
                raise InvalidInput(f"{name} is a dictionary, not {given!r:.60}")

    @property
    def ports(self) -> dict[str, int]:
        """Host ports by the container's, as the engine names those."""
        found = {}
        for inside, outside in self.port_mappings.items():
            number = str(outside)
            if not number.isdigit() or not 0 < int(number) < 1 << 16:
                raise InvalidInput(
                    f"{outside!r} cannot be the host's port for {inside}", hints=['port_mappings={"6901/tcp": "6902"}']
                )
            found[inside if "/" in str(inside) else f"{inside}/tcp"] = int(number)
        return found
