"""How a container's directories are read and written: the one interface of both strategies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from takeback.sources import trees
from takeback.sources.container.found import Content, Found

if TYPE_CHECKING:
    from takeback.model.progress import Watch
    from takeback.model.snapshot import NotCaptured
    from takeback.sources.container.daemon import Inspected, Mount
    from takeback.sources.workspace.reading import Puts

Changed = tuple[Found | None, Found | None]
"""A path of a mount before and after; None is absence."""


class Access(Protocol):
    """One way to a container's files. What is read comes with parents before children, the area's own root first."""

    name: str
    not_captured: list[NotCaptured]
    """What was found and could not be held, with its area in front of its path; grows while areas are read."""

    def read_delta(self, box: Inspected, writer: Puts, watch: Watch) -> Iterator[Found]:
        """Everything in which a container's filesystem differs from its image; contents are put into ``writer``."""

    def read_mount(self, box: Inspected, mount: Mount, writer: Puts, watch: Watch) -> Iterator[Found]:
        """Everything in a volume or a bind mount."""

    def fill_delta(self, box: Inspected, found: Iterable[Found], content: Content) -> None:
        """Make the difference of a container that was only just created, and never started."""

    def fill_mount(self, box: Inspected, mount: Mount, found: Iterable[Found], content: Content) -> None:
        """Put everything into a volume that holds nothing yet."""

    def change_mount(self, box: Inspected, mount: Mount, changes: Sequence[Changed], content: Content) -> None:
        """Change some paths of a volume. The container, which has it, does not run."""


def changes_between(before: Mapping[str, Found], after: Mapping[str, Found]) -> list[Changed]:
    """What differs in an area, and the directories in which it does: they are to look as if nobody had been there."""
    found = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    above = {parent for path in found if path for parent in ("", *trees.parents(path))}
    return [(before.get(path), after.get(path)) for path in sorted(found | above)]
