"""What the verbs are given, in the one form that the engine works with: parts, paths, and places to put them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from takeback.errors import InvalidInput

if TYPE_CHECKING:
    from takeback.engine.restore import Paths

StrPath = str | os.PathLike[str]
Place = StrPath | object
"""Where a part can be put: a directory, or what its source knows, such as a container's name or `Container.copy`."""


def several(given: Iterable[str] | None) -> tuple[str, ...] | None:
    """Each once; a text is one of them, not its letters."""
    return None if given is None else (given,) if isinstance(given, str) else tuple(dict.fromkeys(given))


def wanted(paths: Paths) -> Paths:
    return by_part(paths) if isinstance(paths, Mapping) else several(paths)


def flat(paths: Paths) -> tuple[str, ...] | None:
    if isinstance(paths, Mapping):
        raise InvalidInput("paths by part are for what is put back in its place", hints=["give a list of paths"])
    return several(paths)


def by_part(paths: Mapping[str, Iterable[str]] | None) -> dict[str, tuple[str, ...]] | None:
    return None if paths is None else {part: several(some) or () for part, some in paths.items()}


def places(to: Place | Mapping[str, Place], only: Iterable[str] | None = None) -> dict[str, object]:
    """Where parts are to go, by part; a single place is that of the workspace, or of the kind that the place is for."""
    if not isinstance(to, Mapping):
        parts = list(several(only) or (getattr(to, "kind", "workspace"),))
        if len(parts) > 1:
            raise InvalidInput(
                f"{' and '.join(parts)} cannot share a directory", hints=["restore them one by one, each to its own"]
            )
        return {parts[0]: _place(to)}
    return {part: _place(place) for part, place in to.items()}


def _place(place: Place) -> object:
    return os.fspath(place) if isinstance(place, os.PathLike) else place
