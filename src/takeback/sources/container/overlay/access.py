"""The strategy itself: which directory an area is, and who may read it there."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from takeback.errors import Unavailable
from takeback.model.tree import name_bytes
from takeback.sources.container.access import Changed
from takeback.sources.container.found import FILESYSTEM, Content, Found
from takeback.sources.container.overlay import writing
from takeback.sources.container.overlay.reading import Walk
from takeback.sources.container.overlay.recalling import Recall
from takeback.sources.container.streaming.delta import changes, understand
from takeback.sources.workspace.reading import Puts

if TYPE_CHECKING:
    from takeback.model.progress import Watch
    from takeback.model.snapshot import NotCaptured
    from takeback.sources.container.daemon import Daemon, Inspected, Mount

_FULL = (errno.ENOSPC, errno.EDQUOT)


class Overlay:
    """Reads and writes directories of the engine's own, where they lie."""

    name = "overlay"

    def __init__(self, daemon: Daemon, recall: Recall) -> None:
        self._daemon = daemon
        self.recall = recall
        self.not_captured: list[NotCaptured] = []

    def read_delta(self, box: Inspected, writer: Puts, watch: Watch) -> Iterator[Found]:
        """An overlay marks every directory that was made where the image has something as one that hides; only those count
        that do, as the Engine says: the same for both strategies."""
        found = self._read(FILESYSTEM, _upper(box), writer, watch)
        if not any(each.opaque for each in found):
            return iter(found)
        plain = {each.path: each._replace(opaque=False) for each in found}
        understand(plain, changes(self._daemon, box))
        return iter(plain.values())

    def read_mount(self, box: Inspected, mount: Mount, writer: Puts, watch: Watch) -> Iterator[Found]:
        return iter(self._read(mount.area, mount.source, writer, watch))

    def fill_delta(self, box: Inspected, found: Iterable[Found], content: Content) -> None:
        with _writing(box, "its files"):
            writing.fill(_upper(box), found, content)

    def fill_mount(self, box: Inspected, mount: Mount, found: Iterable[Found], content: Content) -> None:
        with _writing(box, f"its {mount.destination}"):
            writing.fill(mount.source, found, content)

    def change_mount(self, box: Inspected, mount: Mount, changes: Sequence[Changed], content: Content) -> None:
        with _writing(box, f"its {mount.destination}"):
            writing.change(mount.source, changes, content)

    def _read(self, area: str, top: str, writer: Puts, watch: Watch) -> list[Found]:
        walk = Walk(area, writer, self.recall.seen(area, top), watch)
        found = walk.read(top)
        self.recall.note(area, top, walk.seen)
        self.not_captured += walk.not_captured
        return found


@contextmanager
def _writing(box: Inspected, what: str) -> Iterator[None]:
    """Whatever the system refuses in here is said as one of our errors."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        hint = "make room on the disk of the Docker engine" if error.errno in _FULL else "everything is as it was"
        raise Unavailable(f"cannot write to {box.name}, {what}: {reason}", hints=[hint]) from error


def why_not(box: Inspected, mounts: Iterable[Mount]) -> str:
    """Why a container cannot be read this way; empty if it can."""
    if box.upper is None:
        driver = (box.raw.get("GraphDriver") or {}).get("Name") or "unknown"
        return f"the engine does not say where the container's files lie (storage driver {driver})"
    for top in (box.upper, *(mount.source for mount in mounts)):
        try:
            with os.scandir(name_bytes(top)):
                pass
        except FileNotFoundError:
            return f"{top} is not on this machine"
        except OSError as error:
            return f"{top} cannot be read here ({error.strerror}): that needs root"
    return "" if os.geteuid() == 0 else "only root can give files to their owners"


def _upper(box: Inspected) -> str:
    if box.upper is None:
        raise Unavailable(
            f"the engine does not say where the files of {box.name} lie",
            hints=["strategy='stream' needs no such place"],
        )
    return box.upper
