"""Changes of a team as the kernel tells of them (inotify): one list for all directories, in their order."""

from __future__ import annotations

import ctypes
import os
import re
import select
import struct
import sys
from collections.abc import Iterator

from takeback.model.tree import name_bytes
from takeback.sources import trees
from takeback.sources.team.covered import Covered
from takeback.sources.team.ear import Deaf, Missed, There, listed

_MODIFY, _ATTRIB, _CLOSE_WRITE, _MOVED_FROM, _MOVED_TO = 0x2, 0x4, 0x8, 0x40, 0x80
_CREATE, _DELETE, _DELETE_SELF, _MOVE_SELF = 0x100, 0x200, 0x400, 0x800
_OVERFLOW, _GONE, _IS_DIRECTORY = 0x4000, 0x8000, 0x40000000
_ONLY_DIRECTORY, _NO_FOLLOW = 0x01000000, 0x02000000
_WHAT = _MODIFY | _ATTRIB | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF
_OCTAL = re.compile(r"\\([0-7]{3})")
_HEAD = struct.Struct("iIII")
_ROOM = 1 << 16
_OTHER_HALF = 5
"""For so many milliseconds the second half of a rename may be on its way; of one out of the team there is none."""

LOCAL = frozenset(
    {"ext2", "ext3", "ext4", "xfs", "btrfs", "tmpfs", "overlay", "f2fs", "zfs", "bcachefs", "jfs", "ramfs"}
)
"""File systems of which the kernel hears all that is done to them."""


class Kernel:
    """What inotify tells."""

    def __init__(self, root: str, covered: Covered) -> None:
        if sys.platform != "linux" or not _is_heard(root, covered):
            raise Deaf
        self._root, self._covered = root, covered
        self._library = ctypes.CDLL(None, use_errno=True)
        self._handle: int = self._library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._handle < 0:
            raise Deaf
        self._watched: dict[int, str] = {}
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        os.close(self._handle)

    def follow(self, path: str) -> None:
        place = name_bytes(f"{self._root}/{path}" if path else self._root)
        number = self._library.inotify_add_watch(self._handle, place, _WHAT | _ONLY_DIRECTORY | _NO_FOLLOW)
        if number >= 0:
            self._watched[number] = path
            return
        reason = ctypes.get_errno()
        if not os.path.isdir(place):
            return  # gone again, of which the directory above tells
        raise Deaf(os.strerror(reason))

    def touched(self, there: There) -> set[str]:
        found: set[str] = set()
        halves: set[int] = set()
        while True:
            try:
                data = os.read(self._handle, _ROOM)
            except BlockingIOError:
                if not halves or not select.select([self._handle], [], [], _OTHER_HALF / 1000)[0]:
                    return found
                continue
            for number, mask, cookie, name in _events(data):
                if mask & _OVERFLOW:
                    raise Missed
                if mask & _GONE:
                    self._watched.pop(number, None)
                    continue
                halves = halves - {cookie} if mask & _MOVED_TO else halves | {cookie} if mask & _MOVED_FROM else halves
                path = self._path(number, name)
                if path is not None and self._covered.counts(path, bool(mask & _IS_DIRECTORY)):
                    found.add(path)

    def _path(self, number: int, name: bytes) -> str | None:
        directory = self._watched.get(number)
        if directory is None:
            return None
        text = name.decode("utf-8", "surrogateescape")
        return trees.join(directory, text) if text else directory or None

    def _begin(self) -> None:
        self.follow("")
        for path in self._covered.tops():
            if os.path.isdir(name_bytes(f"{self._root}/{path}")):
                self.follow(path)
                for inner in _directories(self._root, path, self._covered):
                    self.follow(inner)


def _directories(root: str, path: str, covered: Covered) -> Iterator[str]:
    """All directories below one. One that has as many links as an empty one holds none, where those are counted."""
    try:
        if os.lstat(name_bytes(f"{root}/{path}")).st_nlink == 2:
            return
    except OSError:
        return
    for inner, entry in listed(root, path, covered):
        if entry.is_dir(follow_symlinks=False):
            yield inner
            yield from _directories(root, inner, covered)


def _events(data: bytes) -> Iterator[tuple[int, int, int, bytes]]:
    place = 0
    while place < len(data):
        number, mask, cookie, length = _HEAD.unpack_from(data, place)
        place += _HEAD.size
        yield number, mask, cookie, data[place : place + length].rstrip(b"\0")
        place += length


def _is_heard(root: str, covered: Covered) -> bool:
    """Whether the kernel hears all that is done to a team, whose places may be mounts of their own."""
    places: dict[int, str] = {}
    for path in ("", *covered.tops()):
        place = f"{root}/{path}" if path else root
        try:
            places.setdefault(os.lstat(name_bytes(place)).st_dev, place)
        except OSError:
            continue
    return all(file_system(place) in LOCAL for place in places.values())


def file_system(path: str) -> str:
    """The type of the file system that a path is on; empty if the system does not say."""
    best, kind = -1, ""
    real = os.path.realpath(path)
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as mounts:
            for line in mounts:
                before, _, after = line.partition(" - ")
                place = _OCTAL.sub(lambda found: chr(int(found[1], 8)), before.split()[4])
                if (real + "/").startswith(place.rstrip("/") + "/") and len(place) >= best:
                    best, kind = len(place), after.split()[0]
    except (OSError, IndexError, UnicodeError):
        return ""
    return kind
