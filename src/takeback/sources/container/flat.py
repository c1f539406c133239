"""All files of a container, the image's too: for snapshots that need no image.

Through the Engine in every strategy: only it has the layers of an image together. They come back as an image that holds
them all, from which the container is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from takeback.model.tree import DIRECTORY
from takeback.sources import trees
from takeback.sources.container.found import FILESYSTEM, Content, Found
from takeback.sources.container.images import flat_image
from takeback.sources.container.streaming.archive import Archive
from takeback.sources.container.streaming.archiving import archive_of
from takeback.sources.container.streaming.collecting import Collected

if TYPE_CHECKING:
    from takeback.model.progress import Watch
    from takeback.sources.container.daemon import Daemon, Inspected
    from takeback.sources.container.settings import Settings
    from takeback.sources.workspace.reading import Puts

_ENGINES = ("dev", "proc", "sys", ".dockerenv", "etc/hostname", "etc/hosts", "etc/resolv.conf", "etc/mtab")
"""What the engine puts into every container, anew each time."""
_TOUCHED = ("etc",)
"""Directories that get the time of that."""


def read_all(daemon: Daemon, box: Inspected, writer: Puts, watch: Watch) -> Iterator[Found]:
    """Every file of a container but what the engine itself puts there, and what is mounted."""
    collected = Collected(FILESYSTEM, writer, watch)
    with daemon.speaking(f"export the container {box.name!r}"):
        pieces = daemon.api.export(box.id, chunk_size=1 << 20)
        collected.add(Archive(pieces, ""), wanted=lambda path: not trees.within(_ENGINES, path))
    yield Found("", DIRECTORY, 0o755)  # which no archive of everything tells of
    for found in collected.linked():
        yield found._replace(mtime=0) if found.path in _TOUCHED else found


def image_of(daemon: Daemon, settings: Settings, name: str, found: Iterable[Found], content: Content, key: str) -> str:
    """An image that holds all of this; its name."""
    return flat_image(daemon, settings, name, key, archive_of(found, content, ""))
