"""The walk over one directory of a container, whoever's it is: an overlay's upper directory or a volume.

Nothing is left out without being listed; no link is followed; what vanishes meanwhile is absent. What looks to `stat` as it
did when it was last read is not read again: its change time covers owner and extended attributes, too.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from takeback.errors import Unavailable
from takeback.model.snapshot import NotCaptured
from takeback.model.tree import DIRECTORY, FILE, LINK, name_bytes, name_text
from takeback.sources import trees
from takeback.sources.container.found import (
    BLOCK,
    CHARACTER,
    FIFO,
    FILESYSTEM,
    NO_XATTRS,
    WHITEOUT,
    Found,
    is_bookkeeping,
)
from takeback.sources.container.overlay.writing import is_waiting
from takeback.sources.workspace.reading import Changing, Puts, racy, stat_of, store_file, store_link
from takeback.sources.workspace.statcache import Stat

if TYPE_CHECKING:
    from takeback.model.progress import Watch

Seen = dict[str, tuple[Stat, Found]]
"""By path: how something looked, and what it was."""

_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OPAQUE = ("trusted.overlay.opaque", "user.overlay.opaque")
_ELSEWHERE = ("trusted.overlay.metacopy", "trusted.overlay.redirect", "user.overlay.metacopy", "user.overlay.redirect")
"""What says that an upper directory does not hold all of what differs."""
_SPECIAL = {stat.S_IFCHR: CHARACTER, stat.S_IFBLK: BLOCK, stat.S_IFIFO: FIFO}
_NO_XATTRS = (errno.ENOTSUP, errno.ENODATA, errno.ENOENT, errno.EPERM)
LINK_MODE = 0o777


class NotWhole(Unavailable):
    """An overlay keeps parts of what differs in other layers, so its upper directory cannot be read by itself."""


class Walk:
    """One walk, and what it saw."""

    def __init__(self, area: str, writer: Puts, before: Mapping[str, tuple[Stat, Found]], watch: Watch) -> None:
        self.area = area
        self.seen: Seen = {}
        self.not_captured: list[NotCaptured] = []
        self._writer, self._before, self._watch = writer, before, watch
        self._links: dict[int, list[str]] = {}
        self._device = 0

    def read(self, top: str) -> list[Found]:
        """Everything in a directory, parents before children."""
        handle = os.open(name_bytes(top), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            status = os.fstat(handle)
            self._device = status.st_dev
            self._note(handle, "", status, time.time_ns())
            self._directory(handle, "", 0)
        finally:
            os.close(handle)
        self._join_links()
        return [found for _, found in self.seen.values()]

    def _directory(self, handle: int, path: str, depth: int) -> None:
        with os.scandir(handle) as listing:
            entries = list(listing)
        self._watch.tick("scan", len(self.seen))
        for entry in entries:
            name = name_text(os.fsencode(entry.name))
            if not path and is_waiting(name):
                continue
            inner = trees.join(path, name)
            now = time.time_ns()
            try:
                status = entry.stat(follow_symlinks=False)
                self._entry(handle, name, inner, status, now, depth)
            except FileNotFoundError:
                continue
            except Changing:
                self._leave_out(inner, "changing", "it was written to while it was read, each time")
            except OSError as error:
                self._leave_out(inner, "unreadable", error.strerror or str(error))

    def _entry(self, handle: int, name: str, path: str, status: os.stat_result, now: int, depth: int) -> None:
        kind = stat.S_IFMT(status.st_mode)
        if kind == stat.S_IFREG and status.st_nlink > 1:
            self._links.setdefault(status.st_ino, []).append(path)
        if kind == stat.S_IFDIR and status.st_dev != self._device:
            return self._leave_out(path, "another filesystem", "what is mounted there is not captured with it")
        known = self._before.get(path)
        if known is not None and known[0] == stat_of(status):
            self.seen[path] = known
        elif kind == stat.S_IFREG:
            self._file(handle, name, path, status)
        elif kind == stat.S_IFLNK:
            blob, seen = store_link(self._writer, name, handle, stat_of(status))
            self._keep(handle, name, path, seen, LINK, LINK_MODE, status, blob)
        elif kind == stat.S_IFDIR:
            self._note(_place(handle, name), path, status, now)
        elif kind in _SPECIAL:
            device = (os.major(status.st_rdev), os.minor(status.st_rdev))
            if self.area == FILESYSTEM and kind == stat.S_IFCHR and device == (0, 0):
                self.seen[path] = (stat_of(status), Found(path, WHITEOUT))
            else:
                self._keep(handle, name, path, racy(stat_of(status), now), _SPECIAL[kind], None, status, device=device)
        else:
            return self._leave_out(path, "socket", "")
        if kind == stat.S_IFDIR:
            self._below(handle, name, path, depth)
        return None

    def _below(self, handle: int, name: str, path: str, depth: int) -> None:
        if depth + 4 >= trees.MAX_DEPTH:  # below the area, and below attributes
            del self.seen[path]
            return self._leave_out(path, "too deep", f"more than {trees.MAX_DEPTH} directories down")
        inner = os.open(name_bytes(name), _OPEN, dir_fd=handle)
        try:
            self._directory(inner, path, depth + 1)
        finally:
            os.close(inner)
        return None

    def _file(self, handle: int, name: str, path: str, status: os.stat_result) -> None:
        blob, seen = store_file(self._writer, name, handle, None, lambda size: self._watch.tick("store", 0, size=size))
        self._keep(handle, name, path, seen, FILE, None, status, blob, size=seen[1])

    def _keep(
        self,
        handle: int,
        name: str,
        path: str,
        seen: Stat,
        kind: str,
        mode: int | None,
        status: os.stat_result,
        blob: bytes = trees.NO_ID,
        size: int | None = None,
        device: tuple[int, int] = (0, 0),
    ) -> None:
        xattrs = _xattrs(_place(handle, name))
        self._check_whole(path, xattrs)
        if size is None:
            size = seen[1] if kind == LINK else 0
        self.seen[path] = (
            seen,
            Found(
                path, kind, stat.S_IMODE(status.st_mode) if mode is None else mode, status.st_uid, status.st_gid,
                int(status.st_mtime_ns // 1_000_000_000), size, blob, device, _ours(xattrs),
            ),
        )  # fmt: skip

    def _note(self, place: str | int, path: str, status: os.stat_result, now: int) -> None:
        """A directory, as it is by itself."""
        known = self._before.get(path)
        if known is not None and known[0] == stat_of(status):
            self.seen[path] = known
            return
        xattrs = _xattrs(place)
        self._check_whole(path, xattrs)
        opaque = self.area == FILESYSTEM and bool(path) and any(xattrs.get(name) in (b"y", b"x") for name in _OPAQUE)
        self.seen[path] = (
            racy(stat_of(status), now),
            Found(
                path, DIRECTORY, stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid,
                int(status.st_mtime_ns // 1_000_000_000), xattrs=_ours(xattrs), opaque=opaque,
            ),
        )  # fmt: skip

    def _check_whole(self, path: str, xattrs: Mapping[str, bytes]) -> None:
        if self.area == FILESYSTEM and any(name in xattrs for name in _ELSEWHERE):
            raise NotWhole(
                f"the overlay keeps a part of /{path} in another layer, so its upper directory cannot be read by itself",
                hints=["strategy='stream' reads through the Engine instead"],
            )

    def _join_links(self) -> None:
        """Say of files with several names which they are; those with names outside of what was read have one here."""
        linked = set()
        for paths in self._links.values():
            present = sorted((path for path in paths if path in self.seen), key=name_bytes)
            for path in present if len(present) > 1 else ():
                linked.add(path)
                look, found = self.seen[path]
                if found.link != present[0]:
                    self.seen[path] = (look, found._replace(link=present[0]))
        for path, (look, found) in self.seen.items():
            if found.link and path not in linked:
                self.seen[path] = (look, found._replace(link=""))

    def _leave_out(self, path: str, reason: str, detail: str) -> None:
        self.not_captured.append(NotCaptured(f"{self.area}/{path}", reason, detail))


def _place(handle: int, name: str) -> str:
    """What has a name in an open directory, for calls that take no descriptor of a directory."""
    return f"/proc/self/fd/{handle}/{os.fsdecode(name_bytes(name))}"


def _xattrs(place: str | int) -> dict[str, bytes]:
    """The extended attributes of what stands at a place, or is open; none where there are no such things."""
    try:
        if isinstance(place, int):
            return {name: os.getxattr(place, name) for name in os.listxattr(place)}
        return {
            name: os.getxattr(place, name, follow_symlinks=False) for name in os.listxattr(place, follow_symlinks=False)
        }
    except OSError as error:
        if error.errno in _NO_XATTRS:
            return {}
        raise


def _ours(xattrs: Mapping[str, bytes]) -> Mapping[str, bytes]:
    kept = {name: value for name, value in sorted(xattrs.items()) if not is_bookkeeping(name)}
    return kept or NO_XATTRS
