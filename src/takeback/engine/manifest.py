"""Manifests: how a snapshot is written as a blob.

Canonical JSON (sorted keys, no spaces, ASCII) of ``format``, ``id``, ``root``, ``timeline``, ``parent``, ``time_ns``,
``trigger``, ``context`` and ``parts``; a part is its ``kind``, its ``refs`` (hexadecimal blob ids) and its ``detail``.
What a part could not capture is a document of its own (ref ``not_captured``), because it is the same in most
snapshots. Labels and pins are not in the manifest: they change.
"""

from __future__ import annotations

import json
from typing import Any

from takeback.errors import Integrity, Unavailable
from takeback.model.ids import BlobKind
from takeback.model.snapshot import NotCaptured, Part, Snapshot
from takeback.sources.trees import Reads
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.reader import Reader
from takeback.store.writer import Writer

FORMAT = 1


def canonical(value: Any) -> bytes:
    """JSON with exactly one way to write each value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")


def put_part(writer: Writer, part: Part) -> Part:
    """A part with everything about it in blobs."""
    refs = {key: blob for key, blob in part.refs.items() if key != "not_captured"}
    if part.not_captured:
        listed = [[item.path, item.reason, item.detail] for item in part.not_captured]
        refs["not_captured"] = writer.put(canonical(listed), BlobKind.DOCUMENT)
    return Part(part.name, part.kind, refs, part.detail, part.not_captured)


def encode_manifest(snapshot: Snapshot) -> bytes:
    parts = {
        name: {"kind": part.kind, "refs": {key: blob.hex() for key, blob in part.refs.items()}, "detail": part.detail}
        for name, part in snapshot.parts.items()
    }
    return canonical(
        {
            "format": FORMAT,
            "id": snapshot.id,
            "root": snapshot.root,
            "timeline": snapshot.timeline,
            "parent": snapshot.parent,
            "time_ns": snapshot.time_ns,
            "trigger": snapshot.trigger,
            "context": snapshot.context,
            "parts": parts,
        }
    )


def load_snapshot(reader: Reads, row: SnapshotRow) -> Snapshot:
    """The snapshot of a row, checked to be the one that the row names."""
    data = reader.get(row.manifest, BlobKind.MANIFEST)
    try:
        raw = json.loads(data)
        if raw["format"] > FORMAT:
            raise Unavailable(
                f"snapshot {row.id[:8]} was written by a newer takeback (format {raw['format']})",
                hints=["upgrade takeback: pip install --upgrade takeback"],
            )
        parts = {name: _part(reader, name, value) for name, value in raw["parts"].items()}
        snapshot = Snapshot(
            id=raw["id"],
            timeline=raw["timeline"],
            root=raw["root"],
            parent=row.parent,
            time_ns=raw["time_ns"],
            trigger=raw["trigger"],
            context=raw["context"],
            parts=parts,
            labels=row.labels,
            pinned=row.pinned,
            changed=row.changed,
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Integrity(f"the manifest of snapshot {row.id[:8]} cannot be read: {error!r}") from error
    if snapshot.id != row.id:
        raise Integrity(f"the manifest stored for snapshot {row.id[:8]} belongs to another one, {str(snapshot.id)[:8]}")
    return snapshot


def lacks_something(reader: Reader, row: SnapshotRow) -> bool:
    """Whether a manifest can be read, but names blobs that the store does not know, as after a repair."""
    try:
        parts = json.loads(reader.get(row.manifest, BlobKind.MANIFEST))["parts"].values()
        return not all(reader.holds(bytes.fromhex(blob)) for part in parts for blob in part["refs"].values())
    except (Integrity, ValueError, KeyError, TypeError, AttributeError):
        return False


def _part(reader: Reads, name: str, raw: dict[str, Any]) -> Part:
    refs = {key: bytes.fromhex(blob) for key, blob in raw["refs"].items()}
    listed: tuple[NotCaptured, ...] = ()
    if "not_captured" in refs:
        items = json.loads(reader.get(refs["not_captured"], BlobKind.DOCUMENT))
        listed = tuple(NotCaptured(*map(str, item)) for item in items)
    return Part(name, raw["kind"], refs, raw["detail"], listed)
