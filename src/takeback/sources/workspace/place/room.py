"""Whether the large files of a plan can fit at all, asked before a byte is written: a small store may claim any size."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable

from takeback.errors import Unavailable
from takeback.model.plan import Effect
from takeback.model.sizes import format_size
from takeback.model.tree import FILE, name_bytes
from takeback.sources.workspace.place.content import needs_content

_LARGE = 64 << 20


def check_room(root: str, effects: Iterable[Effect]) -> None:
    """Unavailable if the large files that come are more than is free on the filesystems that they go to."""
    wanted: Counter[int] = Counter()
    for effect in effects:
        after = effect.after
        if after is None or after.kind != FILE or after.size < _LARGE or not needs_content(effect):
            continue
        place = _existing(os.path.dirname(name_bytes(f"{root}/{effect.path}")))
        found = os.statvfs(place)
        device, free = os.stat(place).st_dev, found.f_bavail * found.f_frsize
        wanted[device] += after.size
        if found.f_blocks and wanted[device] > free:
            raise Unavailable(
                f"there is no room for {effect.path}: with it {format_size(wanted[device])} are to be written, and "
                f"{format_size(free)} are free. Nothing was changed.",
                hints=["make room there, or restore only some paths"],
            )


def _existing(directory: bytes) -> bytes:
    while not os.path.isdir(directory):
        directory = os.path.dirname(directory)
    return directory
