"""The strategy itself: which requests read and fill an area."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from takeback.errors import Conflict, Unavailable
from takeback.model.snapshot import NotCaptured
from takeback.sources.container.access import Changed
from takeback.sources.container.found import FILESYSTEM, WHITEOUT, Content, Found
from takeback.sources.container.overlay.writing import is_waiting
from takeback.sources.container.streaming import changing, delta
from takeback.sources.container.streaming.archive import Archive, Truncated
from takeback.sources.container.streaming.archiving import archive_of
from takeback.sources.container.streaming.collecting import Collected
from takeback.sources.container.streaming.piecemeal import mounted, read_mounted, read_piecemeal
from takeback.sources.container.streaming.transfer import archived, unpack
from takeback.sources.container.streaming.window import PLACE, NoWindow, on_mount, on_upper, window
from takeback.sources.trees import within
from takeback.sources.workspace.reading import ATTEMPTS

if TYPE_CHECKING:
    from takeback.model.progress import Watch
    from takeback.sources.container.daemon import Daemon, Inspected, Mount
    from takeback.sources.workspace.reading import Puts

_NAMED = 5
_UNSEEN = "the engine's archives show no extended attributes but file capabilities"


class Stream:
    """Reads and writes a container's directories through the Engine's API alone."""

    name = "stream"

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self.not_captured: list[NotCaptured] = []

    def read_delta(self, box: Inspected, writer: Puts, watch: Watch) -> Iterator[Found]:
        def read(collected: Collected) -> None:
            listed = delta.changes(self._daemon, box)
            try:
                with window(self._daemon, box, on_upper(box, readonly=True)) as there:
                    self._collect(there, box, collected)
                    delta.understand(collected.found, listed)
                    delta.note_left_out(self._daemon, there, f"/{PLACE}", collected, listed)
            except NoWindow:
                read_piecemeal(self._daemon, box, collected, listed)

        self.not_captured.append(NotCaptured(FILESYSTEM, "xattrs", _UNSEEN))
        return self._read(FILESYSTEM, read, writer, watch)

    def read_mount(self, box: Inspected, mount: Mount, writer: Puts, watch: Watch) -> Iterator[Found]:
        def read(collected: Collected) -> None:
            try:
                with window(self._daemon, box, on_mount(mount, readonly=True)) as there:
                    self._collect(there, box, collected)
            except NoWindow:
                read_mounted(self._daemon, box, mount, collected)

        return self._read(mount.area, read, writer, watch)

    def fill_delta(self, box: Inspected, found: Iterable[Found], content: Content) -> None:
        if box.upper is None:
            pieces = archive_of(_makeable(box, found), content, "")
            unpack(self._daemon, box.id, pieces, f"write to the container {box.name!r}", replacing=True)
        else:
            self._fill(box, on_upper(box, readonly=False), found, content)

    def fill_mount(self, box: Inspected, mount: Mount, found: Iterable[Found], content: Content) -> None:
        self._fill(box, on_mount(mount, readonly=False), found, content)

    def change_mount(self, box: Inspected, mount: Mount, changes: Sequence[Changed], content: Content) -> None:
        changing.change_mount(self._daemon, box, mount, changes, content)

    def _read(self, area: str, read: Callable[[Collected], None], writer: Puts, watch: Watch) -> Iterator[Found]:
        """An archive that breaks off is asked for again: a file shrank while the Engine read it."""
        attempt = 1
        while True:
            collected = Collected(area, writer, watch)
            try:
                read(collected)
            except Truncated as error:
                if attempt == ATTEMPTS:
                    raise Conflict(
                        f"{area} cannot be captured: each time, a file in it changed while the engine read it",
                        hints=["stop what writes there, and try again"],
                    ) from error
                attempt += 1
                continue
            self.not_captured += collected.not_captured
            return iter(collected.linked())

    def _collect(self, there: str, box: Inspected, collected: Collected) -> None:
        doing = f"read {collected.area} of the container {box.name!r}"
        with archived(self._daemon, there, f"/{PLACE}", doing) as pieces:
            collected.add(Archive(pieces, PLACE), wanted=lambda path: not is_waiting(path.partition("/")[0]))

    def _fill(self, box: Inspected, source: dict[str, Any], found: Iterable[Found], content: Content) -> None:
        with window(self._daemon, box, source) as there:
            unpack(self._daemon, there, archive_of(found, content, PLACE), f"write to the container {box.name!r}")


def _makeable(box: Inspected, found: Iterable[Found]) -> Iterator[Found]:
    """What the Engine can put into a container itself: everything but absence, and nothing below what is mounted there."""
    wanted = [each for each in found if each.path and not within(mounted(box), each.path)]
    hiding = [each.path for each in wanted if each.kind == WHITEOUT or each.opaque]
    if hiding:
        named = ", ".join(f"/{path}" for path in hiding[:_NAMED])
        more = f" and {len(hiding) - _NAMED} more" if len(hiding) > _NAMED else ""
        raise Unavailable(
            f"cannot make {box.name!r}: this engine does not show where it keeps a container's files, and through its API "
            f"nothing of an image can be deleted. Deleted were {named}{more}.",
            hints=["strategy='overlay' as root on the engine's machine", "a `flatten` snapshot needs no deletions"],
        )
    return iter(wanted)
