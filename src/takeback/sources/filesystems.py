"""Which file systems give honest times to files: the local ones that this machine's own kernel writes."""

from __future__ import annotations

import os
import sys

_LOCAL = frozenset(
    "apfs bcachefs btrfs ecryptfs ext2 ext3 ext4 f2fs hfs jfs nilfs2 overlay ramfs reiserfs tmpfs xfs zfs".split()
)
_MOUNTS = "/proc/self/mountinfo"


def why_times_prove_nothing(path: str) -> str:
    """Why ctimes below a directory cannot be compared with this machine's clock; empty if they can be."""
    if sys.platform != "linux":
        return ""
    kind = kind_of(path)
    if kind in _LOCAL:
        return ""
    return f"the file system is {kind}" if kind else "the kind of the file system is not known"


def kind_of(path: str) -> str:
    """The kind of the file system that a path lies on, as the kernel calls it; empty if that cannot be found out."""
    try:
        device = os.stat(path).st_dev
        with open(_MOUNTS, encoding="utf-8", errors="surrogateescape") as mounts:
            table = mounts.read()
    except OSError:
        return ""
    name = f"{os.major(device)}:{os.minor(device)}"
    for line in table.splitlines():
        fields = line.split(" ")
        if len(fields) > 2 and fields[2] == name and "-" in fields:
            return fields[fields.index("-") + 1]
    return _by_mount_point(table, os.path.realpath(path))


def _by_mount_point(table: str, path: str) -> str:
    """The kind at the longest mount point above a path: btrfs gives each subvolume a device that no mount names."""
    best, kind = -1, ""
    for line in table.splitlines():
        fields = line.split(" ")
        if len(fields) < 5 or "-" not in fields:
            continue
        point = _unescaped(fields[4])
        if len(point) >= best and (path == point or path.startswith(point.rstrip("/") + "/")):
            best, kind = len(point), fields[fields.index("-") + 1]
    return kind


def _unescaped(field: str) -> str:
    for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(code, char)
    return field
