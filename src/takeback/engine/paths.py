"""Paths that somebody names, as the part knows them that is meant.

Files of a workspace have paths relative to its root. In a container paths are absolute, as they are seen in there; and
what a part of it holds has a path in the part's own tree, which reports and diffs show.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from takeback.errors import InvalidInput
from takeback.model.kinds import FOLLOWING, TREES
from takeback.model.snapshot import Part
from takeback.sources.protocol import Looks
from takeback.store.reader import Reader


def clean(paths: Iterable[str] | None) -> list[str] | None:
    """Paths without what means nothing in them; None is everything."""
    if paths is None:
        return None
    cleaned = []
    for path in paths:
        normal = os.path.normpath(path)
        if normal.split(os.sep)[0] == os.pardir:
            raise _outside(path)
        cleaned.append("" if normal == "." else normal)
    if not cleaned:
        raise InvalidInput(
            "an empty list of paths names nothing to restore", hints=["leave it out to restore everything"]
        )
    return cleaned


def inside(reader: Reader, part: Part, paths: Sequence[str]) -> list[str]:
    """Clean paths as a part has them."""
    return [within_part(reader, part, path) for path in paths]


def within_part(reader: Reader, part: Part, path: str) -> str:
    if not os.path.isabs(path):
        return path.strip("/")
    if part.kind != "container":
        raise _outside(path)
    from takeback.sources.container.inside import path_of  # only who names such a path needs it

    return path_of(reader, part.content, path)


def meant(part: Part, paths: Sequence[str], parts: Iterable[Part]) -> list[str]:
    """Which of some paths are meant for one of several ``parts``, where none is named: absolute ones are a container's, the
    others a workspace's. Where there is only one kind, all are."""
    if len({each.kind for each in parts if each.kind in TREES - FOLLOWING}) < 2:
        return list(paths)
    return [path for path in paths if os.path.isabs(path) == (part.kind == "container")]


def states_at(reader: Reader, looker: Looks, part: Part, path: str) -> object | None:
    """What a part has at and below a path, also what only its attributes tell of: that a container hides a file of its
    image. None for nothing."""
    if part.kind != "container":
        return looker.state_at(reader, part, path)
    from takeback.sources.container.planning import with_attributes

    found = tuple(looker.state_at(reader, part, each) for each in with_attributes([path]))
    return found if any(state is not None for state in found) else None


def _outside(path: str) -> InvalidInput:
    return InvalidInput(f"{path!r} is outside the root", hints=["name paths relative to the root"])
