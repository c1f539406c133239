"""StateRollbackManager as dm20-protocol has it, written anew from what it does: ours is compared with it, here for time and
in the tests for what callers see.

Four fields come back, of what JSON makes of them; everything is copied whole, each time.
"""

from __future__ import annotations

import copy
import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

RESTORED = ("turn_count", "conversation_history", "active_agents", "metadata")


class DeepCopyError(Exception):
    def __init__(self, message: str, details: dict[str, Any]) -> None:
        super().__init__(message)
        self.message = message
        self.details = details


@dataclass
class DeepCopy:
    snapshot_id: str
    label: str
    timestamp: datetime
    session_data: dict[str, Any]
    turn_count: int


class DeepCopies:
    def __init__(self, session: Any, max_snapshots: int = 10) -> None:
        self.session = session
        self.max_snapshots = max_snapshots
        self.snapshots: list[DeepCopy] = []

    def create_snapshot(self, label: str = "auto") -> DeepCopy:
        data = copy.deepcopy(self.session.model_dump(mode="json"))
        made = DeepCopy(str(uuid.uuid4()), label, datetime.now(), data, self.session.turn_count)
        self.snapshots.append(made)
        self.clear_old_snapshots()
        return made

    def rollback_to(self, snapshot_id: str) -> bool:
        by_id = {each.snapshot_id: each for each in self.snapshots}
        if snapshot_id not in by_id:
            raise DeepCopyError(f"Snapshot {snapshot_id} not found", {"available_snapshots": list(by_id)})
        try:
            for field in RESTORED:
                setattr(self.session, field, copy.deepcopy(by_id[snapshot_id].session_data[field]))
        except (KeyError, TypeError, AttributeError) as error:
            details = {"snapshot": snapshot_id, "error": str(error)}
            raise DeepCopyError(f"Failed to restore snapshot {snapshot_id}: {error}", details) from error
        return True

    def rollback_last(self) -> bool:
        if not self.snapshots:
            raise DeepCopyError("No snapshots available for rollback", {"snapshot_count": 0})
        return self.rollback_to(self.snapshots[-1].snapshot_id)

    def clear_old_snapshots(self) -> None:
        if len(self.snapshots) > self.max_snapshots:
            self.snapshots = self.snapshots[len(self.snapshots) - self.max_snapshots :]

    def list_snapshots(self) -> list[dict[str, Any]]:
        return [
            {
                "snapshot_id": each.snapshot_id,
                "label": each.label,
                "timestamp": each.timestamp.isoformat(),
                "turn_count": each.turn_count,
            }
            for each in self.snapshots
        ]

    def get_snapshot_count(self) -> int:
        return len(self.snapshots)
