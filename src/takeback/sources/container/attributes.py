"""What trees do not hold of an area's paths: owners, times, extended attributes, hard links, devices, and what is hidden.

One text for each area, a line for each path, in the order of the paths' bytes. A line is a JSON array: path, owner, group,
time in seconds, and, only if there is more to say, an object of ``kind`` (``w``, ``c``, ``b``, ``p``: what no tree can
hold, with its ``mode`` and ``device``), ``xattrs`` (hexadecimal), ``link`` and ``opaque``. So a change of one path is a
change of one line, and the store keeps what the lines around it share.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from takeback.errors import Integrity
from takeback.model.jsontext import parse_json
from takeback.model.tree import name_bytes
from takeback.sources.container.found import IN_TREES, NO_XATTRS, SPECIAL, WHITEOUT, Found

_MOST = 1 << 32


class Attributes(NamedTuple):
    """All of this of one path; ``kind`` is empty for what a tree holds."""

    uid: int = 0
    gid: int = 0
    mtime: int = 0
    kind: str = ""
    mode: int = 0
    device: tuple[int, int] = (0, 0)
    xattrs: Mapping[str, bytes] = NO_XATTRS
    link: str = ""
    opaque: bool = False

    def but_time(self) -> Attributes:
        """All but when it was last changed, which nobody is in conflict about."""
        return self._replace(mtime=0)


def of(found: Found) -> Attributes:
    if found.kind == WHITEOUT:
        return Attributes(
            kind=WHITEOUT
        )  # the rest is of an inode that an overlay filesystem shares between all of them
    special = found.kind not in IN_TREES
    return Attributes(
        uid=found.uid,
        gid=found.gid,
        mtime=found.mtime,
        kind=found.kind if special else "",
        mode=found.mode if special else 0,
        device=found.device if special else (0, 0),
        xattrs=found.xattrs,
        link=found.link,
        opaque=found.opaque,
    )


def encode(lines: Iterable[tuple[str, Attributes]]) -> bytes:
    """The text of an area; each path once."""
    written = [(name_bytes(path), _line(path, each)) for path, each in lines]
    written.sort()
    return b"".join([line for _, line in written])


def _line(path: str, each: Attributes) -> bytes:
    start = f"[{json.dumps(path)},{each.uid},{each.gid},{each.mtime}"
    if each[3:] == _PLAIN:
        return f"{start}]\n".encode("ascii")
    more: dict[str, Any] = {}
    if each.kind:
        more |= {"kind": each.kind, "mode": each.mode, "device": list(each.device)}
    if each.xattrs:
        more["xattrs"] = {name: value.hex() for name, value in each.xattrs.items()}
    if each.link:
        more["link"] = each.link
    if each.opaque:
        more["opaque"] = True
    return f"{start},{json.dumps(more, sort_keys=True, separators=(',', ':'))}]\n".encode("ascii")


_PLAIN = Attributes()[3:]


def decode(data: bytes) -> dict[str, Attributes]:
    """The inverse of `encode`; Integrity for any other bytes."""
    found: dict[str, Attributes] = {}
    last: bytes | None = None
    for line in data.splitlines():
        fields = parse_json(line, "a line of attributes")
        if not isinstance(fields, list) or len(fields) not in (4, 5) or not isinstance(fields[0], str):
            raise _wrong("a line is not as it should be")
        path, uid, gid, mtime = fields[:4]
        _check_path(path)
        order = name_bytes(path)
        if last is not None and order <= last:
            raise _wrong(f"{path[:60]!r} is out of order")
        last = order
        if not all(type(number) is int for number in (uid, gid, mtime)) or not (0 <= uid < _MOST and 0 <= gid < _MOST):
            raise _wrong(f"{path[:60]!r} has an owner or a time that nothing has")
        if not -(1 << 62) < mtime < 1 << 62:
            raise _wrong(f"{path[:60]!r} has a time that nothing has")
        found[path] = (
            Attributes(uid, gid, mtime, *_more(path, fields[4])) if len(fields) == 5 else Attributes(uid, gid, mtime)
        )
    return found


def _more(path: str, raw: Any) -> tuple[Any, ...]:
    if not isinstance(raw, dict):
        raise _wrong(f"{path[:60]!r} has attributes of a wrong kind")
    kind, mode, device = raw.get("kind", ""), raw.get("mode", 0), raw.get("device", [0, 0])
    if (kind and kind not in SPECIAL) or type(mode) is not int or not 0 <= mode <= 0o7777:
        raise _wrong(f"{path[:60]!r} has a kind or mode that nothing has")
    if (
        not isinstance(device, list)
        or len(device) != 2
        or not all(type(number) is int and 0 <= number < _MOST for number in device)
    ):
        raise _wrong(f"{path[:60]!r} is a device that nothing is")
    xattrs, link, opaque = raw.get("xattrs", {}), raw.get("link", ""), raw.get("opaque", False)
    if not isinstance(xattrs, dict) or not isinstance(link, str) or type(opaque) is not bool:
        raise _wrong(f"{path[:60]!r} has attributes of a wrong kind")
    if link:
        _check_path(link)
    try:
        values = {name: bytes.fromhex(value) for name, value in xattrs.items()}
    except (ValueError, TypeError) as error:
        raise _wrong(f"{path[:60]!r} has extended attributes that cannot be read") from error
    return kind, mode, (device[0], device[1]), values or NO_XATTRS, link, opaque


def _check_path(path: str) -> None:
    """Names as trees have them, so that no line leads anywhere else."""
    if path and any(name in ("", ".", "..") or "\0" in name for name in path.split("/")):
        raise _wrong(f"{path[:60]!r} is no path inside")
    try:
        name_bytes(path)
    except UnicodeEncodeError as error:
        raise _wrong(f"{path[:60]!r} is no path") from error


def _wrong(why: str) -> Integrity:
    return Integrity(f"the stored attributes of a container's files cannot be read: {why}")
