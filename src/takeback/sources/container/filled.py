"""Whether an area holds exactly what was put into it: read back before anything runs there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from takeback.errors import Integrity
from takeback.sources.container.found import NO_XATTRS, Found

if TYPE_CHECKING:
    from takeback.sources.container.access import Access

_CAPABILITY = "security.capability"


def check_filled(access: Access, area: str, wanted: Iterable[Found], found: Iterable[Found]) -> None:
    """Integrity if anything is missing, different, or too much."""
    there = {each.path: each for each in found}
    for each in wanted:
        if _seen(access, each) != _seen(access, there.pop(each.path, None)):
            raise Integrity(
                f"{area}/{each.path} was written, but reads back differently; everything is as it was",
                hints=["is another program writing there?"],
            )
    if there:
        raise Integrity(f"{area}/{min(there)} is there, though nobody put it there; everything is as it was")


def _seen(access: Access, found: Found | None) -> Found | None:
    """What of a path can be read back: the Engine's API shows capabilities, and no other extended attributes."""
    if found is None or access.name != "stream":
        return found
    kept = {name: value for name, value in found.xattrs.items() if name == _CAPABILITY}
    return found._replace(xattrs=kept or NO_XATTRS)
