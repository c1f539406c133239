"""What the Engine's list of changes says that archives do not show.

The raw directory of an overlay filesystem marks what was deleted with a character device 0/0. Which directories hide all
that the image has in them is said by an extended attribute, which no archive holds; but the list names what is gone without
such a mark. It also names what archives leave out: sockets, for one.
"""

from __future__ import annotations

from collections.abc import Mapping

from takeback.model.tree import DIRECTORY
from takeback.sources.container.daemon import Daemon, Inspected
from takeback.sources.container.found import CHARACTER, WHITEOUT, Found
from takeback.sources.container.streaming.collecting import Collected
from takeback.sources.container.streaming.transfer import mode_at

CHANGED, ADDED, DELETED = 0, 1, 2

Changes = Mapping[str, int]
"""How each path differs from the image."""

SOCKET = 1 << 24
_LOST = "\ufffd"
"""What the Engine's JSON has for each byte that is not UTF-8."""


def changes(daemon: Daemon, box: Inspected) -> Changes:
    """All paths that the Engine says differ from the image, without their first slash."""
    listed = daemon.call(f"list the changes of the container {box.name!r}", daemon.api.diff, box.id) or []
    return {str(each["Path"]).lstrip("/"): int(each["Kind"]) for each in listed}


def as_listed(path: str) -> str:
    """A path as the Engine's list has it."""
    return path if path.isascii() else "".join([_LOST if "\udc80" <= each <= "\udcff" else each for each in path])


def is_lossy(path: str) -> bool:
    """Whether a path of the Engine's list may stand for another one."""
    return _LOST in path


def understand(found: dict[str, Found], listed: Changes) -> None:
    """Make whiteouts of the devices that mark them, and opaque those directories that hide what is gone."""
    for path, each in found.items():
        if each.kind == CHARACTER and each.device == (0, 0):
            found[path] = Found(path, WHITEOUT)
    names = {as_listed(path): path for path in found}
    for path, how in listed.items():
        if how == DELETED:
            here = names.get(path)
            hiding = names.get(path.rpartition("/")[0]) if here is None else here
            if hiding and found[hiding].kind == DIRECTORY:
                found[hiding] = found[hiding]._replace(opaque=True)


def note_left_out(daemon: Daemon, container: str, place: str, collected: Collected, listed: Changes) -> None:
    """List what the Engine says is there, and no archive of ``place`` in a container held."""
    found = {as_listed(path) for path in collected.found}
    known = {as_listed(each.path.partition("/")[2]) for each in collected.not_captured}
    for path, how in listed.items():
        if how == DELETED or path in found or path in known or path.rpartition("/")[0] not in found:
            continue
        mode = mode_at(daemon, container, f"{place}/{path}")
        if mode is not None and mode & SOCKET:
            collected.leave_out(path, "socket")
        elif mode is not None or is_lossy(path):
            collected.leave_out(path, "unreadable", "the engine's archives leave it out")
