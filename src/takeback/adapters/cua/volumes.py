"""What a container's part holds of volumes: their names, their size, and each as a tar archive."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator

from takeback.model.snapshot import Part
from takeback.model.tree import DIRECTORY, FILE, LINK
from takeback.sources.container.content import areas_in, found_in
from takeback.sources.container.found import BLOCK, CHARACTER, FIFO, Found
from takeback.store.reader import Reader

_AREA = "volumes/"
_TYPES = {
    FILE: tarfile.REGTYPE,
    LINK: tarfile.SYMTYPE,
    DIRECTORY: tarfile.DIRTYPE,
    CHARACTER: tarfile.CHRTYPE,
    BLOCK: tarfile.BLKTYPE,
    FIFO: tarfile.FIFOTYPE,
}


def names(reader: Reader, part: Part) -> list[str]:
    """The volumes in a part."""
    return [area.removeprefix(_AREA) for area in areas_in(reader, part.content) if area.startswith(_AREA)]


def archive(reader: Reader, part: Part, name: str) -> bytes:
    """A volume as a tar archive, below a directory of its name."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for found in found_in(reader, part.content, f"{_AREA}{name}"):
            if found.kind in _TYPES:
                data = b"".join(reader.stream(found.id)) if found.kind == FILE else b""
                tar.addfile(_member(reader, name, found), io.BytesIO(data))
    return made.getvalue()


def _member(reader: Reader, name: str, found: Found) -> tarfile.TarInfo:
    member = tarfile.TarInfo(f"{name}/{found.path}" if found.path else name)
    member.type = _TYPES[found.kind]
    member.mode, member.uid, member.gid, member.mtime = found.mode, found.uid, found.gid, found.mtime
    member.size = found.size if found.kind == FILE else 0
    if found.kind == LINK:
        member.linkname = b"".join(reader.stream(found.id)).decode("utf-8", "surrogateescape")
    member.devmajor, member.devminor = found.device
    return member


def size(reader: Reader, part: Part) -> int:
    """What all files of a part take."""
    known = part.detail.get("bytes")
    return known if isinstance(known, int) else sum(_sizes(reader, part))


def _sizes(reader: Reader, part: Part) -> Iterator[int]:
    for area in areas_in(reader, part.content):
        yield from (found.size for found in found_in(reader, part.content, area))
