"""Which paths of a data directory are a team's: what a walk over it leaves out, and what the lack of a path proves."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterator
from typing import TYPE_CHECKING

from blake3 import blake3

from takeback.model.snapshot import NotCaptured, Part
from takeback.model.tree import name_bytes
from takeback.sources import trees
from takeback.sources.team.layouts import LAYOUTS, Layout
from takeback.sources.workspace.guard import Guard
from takeback.sources.workspace.names import never_captured

if TYPE_CHECKING:
    from takeback.store.reader import Reader


class Covered:
    """The rules of one directory on a walk over a data directory: a team's files, and the way to them."""

    def __init__(self, layout: Layout, team: str, path: str = "") -> None:
        self._layout, self._team, self._path = layout, team, path
        self._covers, self._leaves = layout.covers(team), layout.leaves(team)
        self.fingerprint = blake3(repr((layout, team)).encode()).digest()

    def ignored(self, name: str, is_dir: bool) -> bool:
        return self.leaves_out(trees.join(self._path, name), is_dir)

    def must_descend(self, name: str) -> bool:
        return False

    def enter(self, name: str, read: Callable[[str], bytes | None], names: Container[str], *, ignored: bool) -> Covered:
        return Covered(self._layout, self._team, trees.join(self._path, name))

    def leaves_out(self, path: str, is_dir: bool) -> bool:
        """Whether a path is not captured, if everything above it is."""
        if self.is_inside(path):
            return path in self._leaves or _passes(self._layout, path, is_dir)
        return not (is_dir and any(place.startswith(path + "/") for place in self._covers))

    def is_inside(self, path: str) -> bool:
        """Whether a path is the team's own, captured or not."""
        return trees.within(self._covers, path)

    def counts(self, path: str, is_dir: bool) -> bool:
        """Whether a path is captured, as far as its own names say."""
        return not any(self.leaves_out(each, is_dir or each != path) for each in (path, *trees.parents(path)))

    def tops(self) -> Iterator[str]:
        """The covered places, and the directories on the way to them, parents first."""
        yield from sorted({*self._covers, *(above for place in self._covers for above in trees.parents(place))})

    def links(self, root: str) -> Iterator[NotCaptured]:
        """Links in the place of directories, which the framework follows and a walk never does."""
        areas = (area.place.format(team=self._team) for area in self._layout.areas)
        for path in sorted({*self.tops(), *areas}):
            if os.path.islink(name_bytes(f"{root}/{path}")) and os.path.isdir(name_bytes(f"{root}/{path}")):
                reason = "linked" if self.is_inside(path) else "link"
                yield NotCaptured(path, reason, "what it leads to is not captured: no link is followed")


class TeamGuard(Guard):
    """What a team's part says about paths that it does not hold: what it does not cover is not absent."""

    def __init__(self, reader: Reader, part: Part) -> None:
        super().__init__(reader, part)
        covers = part.detail.get("covers")
        self._covers = [place for place in covers if isinstance(place, str)] if isinstance(covers, list | tuple) else []
        self._layout = LAYOUTS.get(str(part.detail.get("layout")))

    def absent_by_choice(self, path: str, is_directory: bool) -> str:
        reason = self.stands_uncaptured(path)
        if not reason and not self._would_hold(path, is_directory):
            reason = "it is not the team's"
        return f"it was not captured then ({reason})" if reason else ""

    def _would_hold(self, path: str, is_directory: bool) -> bool:
        if trees.within(self._covers, path):
            return self._layout is None or not _passes(self._layout, path, is_directory)
        return is_directory and any(place.startswith(path + "/") for place in self._covers)


def _passes(layout: Layout, path: str, is_directory: bool) -> bool:
    """Whether a path is left out for its name. That of a directory is a member's: one may be called ``a.tmp``."""
    name = path.rpartition("/")[2]
    return never_captured(name) or (not is_directory and layout.passes(name))
