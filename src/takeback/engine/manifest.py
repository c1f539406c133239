"""Manifests: how a snapshot is written as a blob.

Canonical JSON (sorted keys, no spaces, ASCII) of ``format``, ``id``, ``root``, ``timeline``, ``parent``, ``time_ns``,
``trigger``, ``context`` and ``parts``; a part is its ``kind``, its ``refs`` (hexadecimal blob ids) and its ``detail``. Where
parts could not be captured, ``missed`` says why, by their names.
What a part could not capture is a document of its own (ref ``not_captured``), because it is the same in most
snapshots. Labels and pins are not in the manifest: they change.
"""

from __future__ import annotations

import json
import re
from typing import Any

from takeback.errors import Integrity, Unavailable
from takeback.model.ids import BlobKind
from takeback.model.jsontext import parse_json, parse_object
from takeback.model.snapshot import NotCaptured, Part, Snapshot
from takeback.sources.trees import Reads
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.reader import Reader
from takeback.store.writer import Writer

FORMAT = 1

_FIELDS = {
    "id": str, "root": str, "timeline": str, "time_ns": int, "trigger": str, "context": dict, "parts": dict
}  # fmt: skip
_BLOB_ID = re.compile("[0-9a-f]{64}")
_END_OF_TIME = 1 << 63


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
            **({"missed": dict(snapshot.missed)} if snapshot.missed else {}),
        }
    )


def load_snapshot(reader: Reads, row: SnapshotRow) -> Snapshot:
    """The snapshot of a row, checked to be the one that the row names."""
    raw = decode_manifest(reader.get(row.manifest, BlobKind.MANIFEST), row.id)
    parts = {name: _part(reader, name, value, row.id) for name, value in raw["parts"].items()}
    return Snapshot(
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
        missed=raw.get("missed", {}),
    )


def decode_manifest(data: bytes, id: str) -> dict[str, Any]:
    """The fields that `encode_manifest` wrote, each of its type; Integrity for any other bytes."""
    raw = parse_object(data, f"the manifest of snapshot {id[:8]}")
    number = raw.get("format")
    if type(number) is int and number > FORMAT:
        raise Unavailable(
            f"snapshot {id[:8]} was written by a newer takeback (format {number})",
            hints=["upgrade takeback: pip install --upgrade takeback"],
        )
    wrong = [name for name, kind in _FIELDS.items() if not isinstance(raw.get(name), kind)]
    if wrong or number != FORMAT or not all(map(_is_part, raw["parts"].values())):
        raise _unreadable(id, f"its {wrong[0] if wrong else 'parts'}")
    missed = raw.get("missed", {})
    if not isinstance(missed, dict) or not all(isinstance(why, str) for why in missed.values()):
        raise _unreadable(id, "what it missed")
    if not -_END_OF_TIME < raw["time_ns"] < _END_OF_TIME:
        raise _unreadable(id, "its time")
    if raw["id"] != id:
        raise Integrity(f"the manifest stored for snapshot {id[:8]} belongs to another one, {raw['id'][:8]}")
    return raw


def lacks_something(reader: Reader, row: SnapshotRow) -> bool:
    """Whether a manifest can be read, but names blobs that the store does not know, as after a repair."""
    try:
        parts = json.loads(reader.get(row.manifest, BlobKind.MANIFEST))["parts"].values()
        return not all(reader.holds(bytes.fromhex(blob)) for part in parts for blob in part["refs"].values())
    except (Integrity, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False


def _is_part(raw: Any) -> bool:
    """Whether a value has the shape of a part."""
    if not isinstance(raw, dict) or not isinstance(raw.get("kind"), str) or not isinstance(raw.get("detail"), dict):
        return False
    refs, context = raw.get("refs"), raw["detail"].get("context", {})
    if not isinstance(refs, dict) or "content" not in refs or not isinstance(context, dict):
        return False
    return all(isinstance(blob, str) and _BLOB_ID.fullmatch(blob) for blob in refs.values())


def _part(reader: Reads, name: str, raw: dict[str, Any], id: str) -> Part:
    refs = {key: bytes.fromhex(blob) for key, blob in raw["refs"].items()}
    if raw["kind"] == "workspace" and "rules" not in refs:
        raise _unreadable(id, f"the part {name!r}")
    listed: tuple[NotCaptured, ...] = ()
    if "not_captured" in refs:
        listed = decode_not_captured(reader.get(refs["not_captured"], BlobKind.DOCUMENT))
    return Part(name, raw["kind"], refs, raw["detail"], listed)


def decode_not_captured(data: bytes) -> tuple[NotCaptured, ...]:
    """The list that `put_part` wrote."""
    what = "a list of what was not captured"
    items = parse_json(data, what)
    if not isinstance(items, list) or not all(
        isinstance(item, list) and len(item) == 3 and all(isinstance(text, str) for text in item) for item in items
    ):
        raise Integrity(f"{what} is not one")
    return tuple(NotCaptured(*item) for item in items)


def _unreadable(id: str, what: str) -> Integrity:
    return Integrity(f"the manifest of snapshot {id[:8]} cannot be read: {what} is not as it should be")
