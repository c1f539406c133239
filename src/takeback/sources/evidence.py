"""Evidence: when each path that differs from the snapshot before was changed, as the file system has it.

A capture records it, because a day later the file system knows only of the latest change. Trees hold no times: two
snapshots of equal files are equal. The document is JSON: ``clock`` (when the look began and ended, and real time at boot),
``lacks`` (why times prove nothing here; empty if they do), ``paths`` (ctime, mtime and inode of what stands at each path
that was added or changed), ``directories`` (the same for every directory above a changed path) and ``former`` (the inode that
the file had which was removed from a path, or replaced there).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.model.jsontext import parse_object

if TYPE_CHECKING:
    from takeback.model.snapshot import Part
    from takeback.sources.trees import Reads
    from takeback.store.reader import Reader

EVIDENCE = "evidence"
"""The ref of a part under which its evidence is stored."""

UNKNOWN_TIME = -(1 << 63)


class Stamp(NamedTuple):
    """What the file system says of one path."""

    ctime_ns: int
    mtime_ns: int
    inode: int


class Evidence(NamedTuple):
    """What one capture saw of the paths that differ from the snapshot before it."""

    began_ns: int
    ended_ns: int
    offset_ns: int
    """Real time at boot, as `takeback.sources.clock` reads it."""
    lacks: str = ""
    """Why the times prove nothing: the file system is not local, for instance."""
    paths: Mapping[str, Stamp] = {}
    directories: Mapping[str, Stamp] = {}
    former: Mapping[str, int] = {}
    """The inodes of files that stood in the snapshot before at paths that are gone by now, or hold something else."""


@runtime_checkable
class Dated(Protocol):
    """A source that can tell when the paths were changed that its last capture found to differ. The engine asks it before
    it records a snapshot."""

    def evidence(self, reader: Reader, before: Part | None, after: Part) -> Evidence | None:
        """What the capture that found ``after`` saw of the paths that differ from ``before``; of no path if there was
        nothing before. None if the last capture found something else."""


def encode(evidence: Evidence) -> bytes:
    """Evidence as a document."""
    return json.dumps(
        {
            "clock": [evidence.began_ns, evidence.ended_ns, evidence.offset_ns],
            "lacks": evidence.lacks,
            "paths": evidence.paths,
            "directories": evidence.directories,
            **({"former": evidence.former} if evidence.former else {}),
        },
        separators=(",", ":"),
    ).encode("ascii")


def load(reader: Reads, part: Part) -> Evidence | None:
    """The evidence that a part's capture recorded; None if it recorded none, as earlier versions did."""
    blob = part.refs.get(EVIDENCE)
    return None if blob is None else decode(reader.get(blob, BlobKind.DOCUMENT))


def decode(data: bytes) -> Evidence:
    """What `encode` wrote; Integrity for any other bytes."""
    raw = parse_object(data, "evidence of changes")
    clock, lacks = raw.get("clock"), raw.get("lacks")
    if not isinstance(clock, list) or len(clock) != 3 or not all(map(_is_number, clock)) or not isinstance(lacks, str):
        raise Integrity("evidence of changes in the store cannot be read")
    former = raw.get("former", {})
    if not isinstance(former, dict) or not all(map(_is_number, former.values())):
        raise Integrity("evidence of changes in the store cannot be read")
    stamps = _stamps(raw.get("paths")), _stamps(raw.get("directories"))
    return Evidence(clock[0], clock[1], clock[2], lacks, *stamps, former)


def _stamps(raw: Any) -> dict[str, Stamp]:
    if not isinstance(raw, dict):
        raise Integrity("evidence of changes in the store cannot be read")
    for stamp in raw.values():
        if not isinstance(stamp, list) or len(stamp) != 3 or not all(map(_is_number, stamp)):
            raise Integrity("evidence of changes in the store cannot be read")
    return {path: Stamp(*stamp) for path, stamp in raw.items()}


def _is_number(value: Any) -> bool:
    return type(value) is int
