"""Snapshots of a ClawTeam team, with the names of ClawTeam's snapshot manager.

``SnapshotManager("alpha").create(tag="before-deploy")`` does what ClawTeam's own does, and loses nothing: one consistent cut,
the present saved before every restore, and names, order and bytes as they were. ClawTeam itself is not needed to import this.
"""

from __future__ import annotations

from takeback.adapters.clawteam.errors import NoBundle, NotThere
from takeback.adapters.clawteam.manager import SnapshotManager
from takeback.adapters.clawteam.meta import SnapshotMeta

__all__ = ["NoBundle", "NotThere", "SnapshotManager", "SnapshotMeta"]
