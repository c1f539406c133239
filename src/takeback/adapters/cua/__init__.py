"""Snapshots of the container that a computer-use agent works in, with the names of the CUA snapshot manager.

``SnapshotCallback(config=SnapshotConfig(storage_path="./snapshots"))`` goes into the callbacks of a ComputerAgent; the store
that it fills is a takeback store like any other. cua-agent itself is not needed to import this.
"""

from __future__ import annotations

from takeback.adapters.cua.callback import SnapshotCallback
from takeback.adapters.cua.config import SnapshotConfig
from takeback.adapters.cua.errors import ContainerNotFoundError, SnapshotError, SnapshotNotFoundError, StorageError
from takeback.adapters.cua.manager import SnapshotManager
from takeback.adapters.cua.provider import DockerSnapshotProvider
from takeback.adapters.cua.storage import FileSystemSnapshotStorage
from takeback.adapters.cua.values import RestoreOptions, SnapshotMetadata, SnapshotStatus, SnapshotTrigger

__all__ = [
    "ContainerNotFoundError",
    "DockerSnapshotProvider",
    "FileSystemSnapshotStorage",
    "RestoreOptions",
    "SnapshotCallback",
    "SnapshotConfig",
    "SnapshotError",
    "SnapshotManager",
    "SnapshotMetadata",
    "SnapshotNotFoundError",
    "SnapshotStatus",
    "SnapshotTrigger",
    "StorageError",
]
