"""Where the parts of a fork go: each source says what it would be called there, unless the caller does."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from types import MappingProxyType
from typing import NamedTuple

from takeback.engine.family import ORIGIN
from takeback.engine.line import Line
from takeback.engine.restore import Places
from takeback.errors import InvalidInput, NotFound
from takeback.model.ids import short
from takeback.model.kinds import DOCUMENTS, FOLLOWING
from takeback.model.snapshot import Snapshot
from takeback.model.tree import name_text
from takeback.store.catalogue import timelines

MOST = 100
"""So many forks are made at once."""


class Wanted(NamedTuple):
    """A fork that is to be made."""

    name: str
    places: Places

    def roots(self, line: Line, target: Snapshot) -> set[str]:
        """The directories that it is to have, as timelines name them."""
        rooted = (part for part in self.places if part in target.parts and line.source(part, target.parts).root)
        return {real for part in rooted if (real := _real(self.places[part]))}


def several(name: str, number: int, directory: str) -> list[tuple[str, str]]:
    """The names and directories of several forks, or of one."""
    if not 1 <= number <= MOST:
        raise InvalidInput(f"{number} forks cannot be made at once", hints=[f"1 to {MOST}"])
    if number == 1:
        return [(name, directory)]
    if "/" in name or "\0" in name or name.startswith("."):
        raise InvalidInput(
            f"{name!r:.60} cannot be the name of several forks: each gets a directory of its name",
            hints=["choose one without slashes that does not begin with a dot"],
        )
    return [(f"{name}-{each}", os.path.join(directory, f"{name}-{each}")) for each in range(1, number + 1)]


def in_directory(
    line: Line,
    target: Snapshot,
    name: str,
    directory: str,
    without: Collection[str],
    called: Places = MappingProxyType({}),
) -> Wanted:
    """A fork with all that the snapshot holds and that is at hand, but for some parts."""
    check_parts(target, (*without, *called))
    places: dict[str, object] = {}
    for part in forked_parts(line, target):
        if part not in without:
            places[part] = called[part] if part in called else _place(line, part, name, directory)
    return Wanted(name, places)


def with_places(line: Line, target: Snapshot, name: str, places: Places, without: Collection[str]) -> Wanted:
    """A fork with parts in places that somebody chose: there has to be one for each part."""
    check_parts(target, without)
    missing = [part for part in forked_parts(line, target) if part not in places and part not in without]
    if missing:
        raise InvalidInput(
            f"a fork needs a place of its own for {', '.join(missing)}",
            hints=["takeback fork REF NAME --to DIR", f"or leave it out: --without {','.join(missing)}"],
        )
    return Wanted(name, {part: place for part, place in places.items() if part not in without})


def forked_parts(line: Line, target: Snapshot) -> Iterator[str]:
    """The parts of a snapshot that need a place, and whose sources are at hand; not those that it could not capture."""
    for name, part in target.parts.items():
        if name in line.sources and name not in target.missed and part.kind not in DOCUMENTS | FOLLOWING:
            yield name


def check_parts(target: Snapshot, without: Collection[str]) -> None:
    for name in without:
        if name not in target.parts:
            raise NotFound(
                f"snapshot {short(target.id)} has no part {name!r}", hints=[f"it has: {', '.join(target.parts)}"]
            )


def check_free(line: Line, target: Snapshot, wanted: Sequence[Wanted]) -> None:
    """InvalidInput if a name cannot be one, a timeline stands in the way, or somebody works in one of the places."""
    with line.blobs.database.read() as tx:
        others = timelines.every(tx)
    for each in wanted:
        if not each.name.strip() or "\0" in each.name:
            raise InvalidInput("a fork needs a name")
        if each.name == ORIGIN:
            raise InvalidInput(
                f"no fork can be called {ORIGIN!r}: as a reference that is what a fork was made from",
                hints=["choose another name"],
            )
        roots = each.roots(line, target) or {""}
        for row in others:
            if row.root not in roots:
                continue
            if row.name == each.name:
                of = f" of {row.root}" if row.root else ""
                raise InvalidInput(f"there is a timeline {each.name!r}{of} already", hints=["choose another name"])
            if row.root and os.path.isdir(row.root) and os.listdir(row.root):
                raise InvalidInput(
                    f"{row.root} is in use: it is the root of the timeline {row.name!r}",
                    hints=["name a directory that is empty, or that does not exist"],
                )


def _place(line: Line, part: str, name: str, directory: str) -> object:
    chosen = getattr(line.sources[part], "fork_place", None)
    if chosen is None:
        raise InvalidInput(
            f"a fork needs a place of its own for {part}", hints=[f"line.fork(REF, NAME, to={{{part!r}: …}})"]
        )
    place: object = chosen(name, directory)
    return place


def _real(place: object) -> str:
    """A directory as timelines name it; what is none is refused by its source."""
    return name_text(os.fsencode(os.path.realpath(place))) if isinstance(place, (str, os.PathLike)) else ""
