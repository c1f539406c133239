"""One path of an area of a container, as it was read from the world or from a store.

An area is a directory that is captured by itself: ``filesystem`` (what differs from the image), ``volumes/NAME`` and
``binds/DESTINATION``. Its own root has the path "".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from takeback.model.tree import DIRECTORY, FILE, LINK
from takeback.sources.trees import NO_ID

CHARACTER, BLOCK, FIFO, WHITEOUT = "c", "b", "p", "w"

IN_TREES = frozenset((FILE, LINK, DIRECTORY))
"""Kinds that a tree can hold; all others are known by their attributes alone."""

SPECIAL = frozenset((CHARACTER, BLOCK, FIFO, WHITEOUT))

FILESYSTEM = "filesystem"
"""The area of what differs from the image."""

Content = Callable[[bytes], Iterator[bytes]]
"""Gives the bytes of a blob, piece by piece."""

NO_XATTRS: Mapping[str, bytes] = MappingProxyType({})


class Found(NamedTuple):
    """What stands at one path. Times are whole seconds: the Engine's archives know no more."""

    path: str
    kind: str
    mode: int = 0
    uid: int = 0
    gid: int = 0
    mtime: int = 0
    size: int = 0
    """Of files and links."""
    id: bytes = NO_ID
    """The blob of a file's bytes, or of a link's target."""
    device: tuple[int, int] = (0, 0)
    xattrs: Mapping[str, bytes] = NO_XATTRS
    """Without those by which an overlay filesystem keeps its books."""
    link: str = ""
    """Of a file that has several names in the area: the first of them in the order of bytes, on each of them."""
    opaque: bool = False
    """Whether a directory hides what the image has in it."""


def is_bookkeeping(xattr: str) -> bool:
    """Whether an extended attribute is an overlay filesystem's own."""
    return xattr.startswith(("trusted.overlay.", "user.overlay."))
