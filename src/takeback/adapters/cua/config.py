"""`SnapshotConfig`: when snapshots are made, what they hold, and how many are kept."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from takeback.adapters.cua.values import SnapshotTrigger
from takeback.errors import InvalidInput

logger = logging.getLogger(__name__)

DEFAULT_PATTERN = "{container_name}_{trigger}_{timestamp}"
_EXCLUDED = ("/tmp", "/var/tmp", "/proc", "/sys")
_GIB = 1 << 30


@dataclass(kw_only=True)
class SnapshotConfig:
    """Limits are kept after every snapshot. The latest snapshot of a container, pinned ones, and the one at which a run
    began that has not ended, always stay."""

    triggers: list[SnapshotTrigger] = field(
        default_factory=lambda: [SnapshotTrigger.RUN_START, SnapshotTrigger.RUN_END]
    )
    storage_path: str = ".snapshots"
    """A takeback store; it is made if there is none."""
    max_snapshots_per_container: int = 10
    max_total_snapshots: int = 100
    max_storage_size_gb: float = 10.0
    cleanup_on_exit: bool = True
    """Whether closing the manager lets those go that have become too old."""
    auto_cleanup_days: int = 7
    compression_enabled: bool = True
    """Snapshots are always compressed."""
    parallel_operations: bool = True
    """Containers never wait for each other; what happens to one happens one after the other."""
    include_volumes: bool = True
    exclude_paths: list[str] = field(default_factory=lambda: list(_EXCLUDED))
    """Has no effect: a container without its /tmp is not the one that it was. What is no file is never captured."""
    naming_pattern: str = DEFAULT_PATTERN

    periodic_interval_seconds: float = 300.0
    """How often the trigger ``periodic`` comes while a run lasts."""
    image: bool = False
    """Whether each snapshot also makes an image with ``docker commit``, for ``docker run``."""
    strategy: str = "auto"
    """How a container is read: `takeback.Container` says more."""
    include_binds: bool = False
    """Whether directories of the host that are mounted into the container are captured."""
    keep_secrets: bool = False
    """Whether values of environment variables that look like secrets are stored."""

    def __post_init__(self) -> None:
        self.storage_path = os.fspath(self.storage_path)
        self.triggers = [as_trigger(each) for each in self.triggers]
        for name, least in (("max_snapshots_per_container", 1), ("max_total_snapshots", 1), ("auto_cleanup_days", 0)):
            if not isinstance(value := getattr(self, name), int) or isinstance(value, bool) or value < least:
                raise InvalidInput(f"{name}={value!r} cannot be", hints=[f"a whole number, {least} or more"])
        for name in ("max_storage_size_gb", "periodic_interval_seconds"):
            if not isinstance(value := getattr(self, name), int | float) or isinstance(value, bool) or not value > 0:
                raise InvalidInput(f"{name}={value!r} cannot be", hints=["a number above 0"])
        self.named("container", SnapshotTrigger.MANUAL, datetime.now(), "0" * 8)
        if list(self.exclude_paths) != list(_EXCLUDED):
            logger.warning("exclude_paths has no effect: all files of a container are captured")

    @property
    def max_storage_bytes(self) -> int:
        return int(self.max_storage_size_gb * _GIB)

    @property
    def name_needs_id(self) -> bool:
        return "{snapshot_id" in self.naming_pattern

    def named(self, container_name: str, trigger: SnapshotTrigger, when: datetime, snapshot_id: str) -> str:
        """The name of a snapshot; InvalidInput for a pattern that cannot be one."""
        said = {
            "container_name": container_name,
            "trigger": trigger.value,
            "timestamp": when.strftime("%Y%m%d_%H%M%S"),
            "snapshot_id": snapshot_id,
        }
        try:
            made = self.naming_pattern.format(**said)
        except (KeyError, IndexError, ValueError, AttributeError) as error:
            raise InvalidInput(
                f"{self.naming_pattern!r} cannot be a naming_pattern: {type(error).__name__} {error}",
                hints=[f"it may hold {', '.join('{' + each + '}' for each in said)}"],
            ) from None
        from takeback.engine.save import check_label

        check_label(made)
        return made

    def model_dump(self, mode: str = "python") -> dict[str, Any]:
        """All of it as a dictionary; with ``mode="json"`` of nothing but what JSON can hold."""
        dumped = {each.name: getattr(self, each.name) for each in fields(self)}
        return dumped | {"triggers": [each.value for each in self.triggers]} if mode == "json" else dumped

    @classmethod
    def loaded(cls, path: str | os.PathLike[str], **instead: Any) -> SnapshotConfig:
        """A configuration from a JSON file; what is given beside it wins."""
        try:
            with open(path, encoding="utf-8") as file:
                said = json.load(file)
        except (OSError, ValueError, RecursionError) as error:
            raise InvalidInput(f"cannot read the configuration {os.fspath(path)}: {error}") from error
        known = {each.name for each in fields(cls)}
        if not isinstance(said, Mapping) or not said.keys() <= known:
            unknown = sorted(said.keys() - known) if isinstance(said, Mapping) else "no object"
            raise InvalidInput(
                f"the configuration {os.fspath(path)} has what there is not: {unknown}",
                hints=[f"known are: {', '.join(sorted(known))}"],
            )
        try:
            return cls(**{**said, **instead})
        except TypeError as error:
            raise InvalidInput(f"the configuration {os.fspath(path)} cannot be: {error}") from error


def as_trigger(given: SnapshotTrigger | str) -> SnapshotTrigger:
    """A trigger by its word, too."""
    try:
        return SnapshotTrigger(given)
    except ValueError:
        raise InvalidInput(
            f"{given!r} is not a trigger", hints=[f"one of: {', '.join(each.value for each in SnapshotTrigger)}"]
        ) from None
