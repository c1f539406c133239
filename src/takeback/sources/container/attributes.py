"""What a tree does not hold of a path: owner, time, extended attributes, hard links, devices, and what is hidden.

A JSON array of owner, group, time in seconds, and, only if there is more to say, an object of ``kind`` (``w``, ``c``, ``b``,
``p``: what no tree can hold, with its ``mode`` and ``device``), ``xattrs`` (hexadecimal), ``link`` and ``opaque``. Each path
has a small file of its own for it, in a tree beside the area's (`beside`): whoever compares, merges, takes back or
changes paths of trees does so with these, too, and files that were written together share one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from takeback.errors import Integrity
from takeback.model.jsontext import parse_json
from takeback.model.tree import name_bytes
from takeback.sources.container.found import IN_TREES, NO_XATTRS, SPECIAL, WHITEOUT, Found, is_bookkeeping

ATTRIBUTES = "attributes"
_INSIDE, _OF = "+", "="
_MOST = 1 << 32
_LONGEST_TIME = 1 << 62


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


_PLAIN = Attributes()[3:]


def beside(area: str, path: str) -> str:
    """Where the attributes of an area's path stand in a part: for ``etc/hosts`` in ``etc+/hosts=``."""
    return f"{ATTRIBUTES}/{area}/{path.replace('/', _INSIDE + '/')}{_OF}"


def of_path(area: str, path: str) -> str | None:
    """The inverse: the area's path whose attributes stand at a path of a part; None for a directory on the way."""
    inner = path.removeprefix(f"{ATTRIBUTES}/{area}/")
    return inner.removesuffix(_OF).replace(_INSIDE + "/", "/") if inner.endswith(_OF) else None


def inside(name: str) -> str:
    """The directory that holds the attributes of what is in a directory of this name."""
    return name + _INSIDE


def own(name: str) -> str:
    """The file that holds the attributes of what has this name."""
    return name + _OF


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


def encode(each: Attributes) -> bytes:
    start = f"[{each.uid},{each.gid},{each.mtime}"
    if each[3:] == _PLAIN:
        return f"{start}]".encode("ascii")
    more: dict[str, Any] = {}
    if each.kind:
        more |= {"kind": each.kind, "mode": each.mode, "device": list(each.device)}
    if each.xattrs:
        more["xattrs"] = {name: value.hex() for name, value in each.xattrs.items()}
    if each.link:
        more["link"] = each.link
    if each.opaque:
        more["opaque"] = True
    return f"{start},{json.dumps(more, sort_keys=True, separators=(',', ':'))}]".encode("ascii")


def decode(data: bytes) -> Attributes:
    """The inverse of `encode`; Integrity for what nobody encoded."""
    fields = parse_json(data, "the attributes of a container's file")
    if not isinstance(fields, list) or len(fields) not in (3, 4) or not all(type(each) is int for each in fields[:3]):
        raise _wrong("no owner and time")
    uid, gid, mtime = fields[:3]
    if not (0 <= uid < _MOST and 0 <= gid < _MOST and -_LONGEST_TIME < mtime < _LONGEST_TIME):
        raise _wrong("an owner or a time that nothing has")
    if len(fields) == 3:
        return Attributes(uid, gid, mtime)
    raw = fields[3]
    if not isinstance(raw, dict):
        raise _wrong("no object")
    return Attributes(uid, gid, mtime, *_special(raw), _xattrs(raw), _link(raw), raw.get("opaque") is True)


def _special(raw: dict[str, Any]) -> tuple[str, int, tuple[int, int]]:
    kind, mode, device = raw.get("kind", ""), raw.get("mode", 0), raw.get("device", [0, 0])
    if not isinstance(kind, str) or (kind and kind not in SPECIAL) or type(mode) is not int or not 0 <= mode <= 0o7777:
        raise _wrong("a kind or mode that nothing has")
    if not isinstance(device, list) or len(device) != 2:
        raise _wrong("a device that nothing is")
    if not all(type(number) is int and 0 <= number < _MOST for number in device):
        raise _wrong("a device that nothing is")
    return kind, mode, (device[0], device[1])


def _xattrs(raw: dict[str, Any]) -> Mapping[str, bytes]:
    xattrs = raw.get("xattrs", {})
    if not isinstance(xattrs, dict) or any(not name or "\0" in name or is_bookkeeping(name) for name in xattrs):
        raise _wrong("extended attributes of a wrong kind")
    try:
        return {name: bytes.fromhex(value) for name, value in xattrs.items()} or NO_XATTRS
    except (ValueError, TypeError) as error:
        raise _wrong("extended attributes that are no bytes") from error


def _link(raw: dict[str, Any]) -> str:
    """The other name of a file: names as trees have them, so that none leads anywhere else."""
    link = raw.get("link", "")
    if not isinstance(link, str) or (link and any(name in ("", ".", "..") or "\0" in name for name in link.split("/"))):
        raise _wrong("another name that is no path inside")
    try:
        name_bytes(link)
    except UnicodeEncodeError as error:
        raise _wrong("another name that is no path") from error
    return link


def _wrong(why: str) -> Integrity:
    return Integrity(f"the stored attributes of a container's file cannot be read: they hold {why}")
