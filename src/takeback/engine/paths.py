"""Paths that somebody names, as the part knows them that is meant.

Files of a workspace have paths relative to its root. In a container paths are absolute, as they are seen in there; a team's
are absolute below the directory that holds it, and so are those of its members' worktrees. What a part of either holds has a path in the part's own tree, which reports
and diffs show.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence, Set

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
            raise outside(path)
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
        below = _below(part, path)
        if below is None:
            raise outside(path)
        return below
    from takeback.sources.container.inside import path_of  # only who names such a path needs it

    return path_of(reader, part.content, path)


def meant(part: Part, paths: Sequence[str], parts: Iterable[Part]) -> list[str]:
    """Which of some paths are meant for one of several ``parts``, where none is named: absolute ones are a worktree's if they
    are below that, else a team's if they are below its directory, else a container's; the others are a workspace's, or, where
    there is none, a team's and its members'. Where there is only one kind, all are."""
    known = [each for each in parts if each.kind in TREES - FOLLOWING]
    kinds = {each.kind for each in known}
    if len(kinds) < 2:
        return list(paths)
    return [path for path in paths if part.kind == _kind(path, known, kinds) and _is_own(part, path)]


def _kind(path: str, parts: Sequence[Part], kinds: Set[str]) -> str:
    if not os.path.isabs(path) and not (kinds <= {"team", "worktree"}):
        return "workspace"
    if any(part.kind == "worktree" and _is_own(part, path) for part in parts):
        return "worktree"
    is_team = not os.path.isabs(path) or any(_below(part, path) is not None for part in parts)
    return "team" if is_team else "container"


def _is_own(part: Part, path: str) -> bool:
    """Whether a path is below a worktree, if the part is one: each has its own."""
    if part.kind != "worktree":
        return True
    inside = _below(part, path) if os.path.isabs(path) else path.strip("/")
    own = f"workspaces/{part.detail.get('team')}/{part.detail.get('worktree')}"
    return inside is not None and f"{inside}/".startswith(f"{own}/")


def _below(part: Part, path: str) -> str | None:
    """An absolute path as a part of a team has it; None if it is not one of it."""
    home = part.detail.get("data_dir") if part.kind in ("team", "worktree") else None
    if not isinstance(home, str) or not f"{path}/".startswith(home.rstrip("/") + "/"):
        return None
    return path[len(home.rstrip("/")) :].strip("/")


def states_at(reader: Reader, looker: Looks, part: Part, path: str) -> object | None:
    """What a part has at and below a path, also what only its attributes tell of: that a container hides a file of its
    image. None for nothing."""
    if part.kind != "container":
        return looker.state_at(reader, part, path)
    from takeback.sources.container.planning import with_attributes

    found = tuple(looker.state_at(reader, part, each) for each in with_attributes([path]))
    return found if any(state is not None for state in found) else None


def outside(path: str) -> InvalidInput:
    return InvalidInput(f"{path!r} is outside the root", hints=["name paths relative to the root"])
