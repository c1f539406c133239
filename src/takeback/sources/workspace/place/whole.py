"""A directory that appears whole: filled in a staging directory beside its place, and moved there with one rename.

Killed before the rename, nothing is there but the staging directory, which the next one to put something beside it
sweeps. A directory that is already there, and empty, is filled in place, because somebody may be in it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from takeback.errors import InvalidInput
from takeback.model.tree import name_bytes, name_text
from takeback.sources.workspace.place.areas import Area, new_area_name
from takeback.sources.workspace.place.directories import unavailable
from takeback.sources.workspace.place.sweeping import sweep_stages


@contextmanager
def appearing(place: str, *, durable: bool) -> Iterator[str]:
    """A directory to be filled in the block, which then is at ``place``. If the block raises, nothing is."""
    if os.path.isdir(place):
        yield place
        return
    above, name = os.path.split(os.path.realpath(name_bytes(place)))
    try:
        os.makedirs(above, exist_ok=True)
        parent = os.open(above, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise unavailable(place, error) from error
    try:
        area = _make(parent, place)
        try:
            yield name_text(os.path.join(above, area.name, _INSIDE))
            _move(area, parent, name, place, durable)
        finally:
            area.remove(parent)
    finally:
        os.close(parent)


def paths_in(place: str) -> list[str]:
    """All that a place holds, which must be a directory or nothing; what a dead process left beside it, or in it and
    never put into place, is removed first."""
    sweep_stages(os.path.dirname(os.path.realpath(place)))
    if not os.path.lexists(place):
        return []
    if not os.path.isdir(place):
        raise InvalidInput(f"cannot restore into {place}: it is not a directory")
    sweep_stages(place)
    found, root = [], name_bytes(place)

    def refuse(error: OSError) -> None:
        raise not_empty(place) from error

    for at, directories, files in os.walk(root, onerror=refuse):
        found += [name_text(os.path.relpath(os.path.join(at, name), root)) for name in (*directories, *files)]
    return found


def not_empty(place: str) -> InvalidInput:
    return InvalidInput(
        f"cannot restore into {place}: it is not empty, and nothing there would be saved first",
        hints=["name a new directory"],
    )


_INSIDE = b"1"


def _make(parent: int, place: str) -> Area:
    """A staging directory with an empty one in it, which is as any that is made in the parent."""
    try:
        area = Area(parent, new_area_name())
        try:
            os.mkdir(_INSIDE, dir_fd=area.handle)
            above = os.fstat(parent)
            if above.st_mode & stat.S_ISGID:
                os.chown(_INSIDE, -1, above.st_gid, dir_fd=area.handle)
                mode = os.stat(_INSIDE, dir_fd=area.handle).st_mode
                os.chmod(_INSIDE, stat.S_IMODE(mode) | stat.S_ISGID, dir_fd=area.handle)
        except OSError:
            area.remove(parent)
            raise
    except OSError as error:
        raise unavailable(place, error) from error
    return area


def _move(area: Area, parent: int, name: bytes, place: str, durable: bool) -> None:
    try:
        os.rename(_INSIDE, name, src_dir_fd=area.handle, dst_dir_fd=parent)
        if durable:
            os.fsync(parent)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise not_empty(place) from error
        raise unavailable(place, error) from error
