"""Parts that are put into a directory of their own: one that does not exist yet, that is empty, or that holds nothing but
some of the same, because an earlier one was killed there. Nothing is ever overwritten, so nothing is saved first."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from takeback.errors import Integrity, InvalidInput
from takeback.model.plan import Effect
from takeback.model.tree import DIRECTORY
from takeback.sources.trees import parents, within
from takeback.sources.workspace.place.whole import appearing, not_empty, paths_in

if TYPE_CHECKING:
    from takeback.sources.protocol import Staged
    from takeback.store.reader import Reader


class Placed(Protocol):
    """What is needed of a source in another directory."""

    def stage(self, reader: Reader, effects: Sequence[Effect], *, durable: bool = True) -> Staged: ...

    def unfinished(self, effects: Sequence[Effect]) -> tuple[Effect, ...]: ...


At = Callable[[str], Placed]
"""The source in another directory."""


def named(place: object) -> str:
    """The directory that somebody means."""
    if isinstance(place, (str, os.PathLike)):
        path = os.fspath(place)
        if isinstance(path, str) and path:
            return path
    raise InvalidInput(f"{place!r:.60} is no directory to put files into", hints=["name a new or an empty directory"])


def check(at: At, place: str, effects: Sequence[Effect], own: Sequence[str] = ()) -> None:
    """InvalidInput if a place holds anything that these effects would not put there, byte for byte. If all of them are at
    or below ``own``, others may have put something beside that."""
    there, planned = paths_in(place), {effect.path: effect for effect in effects}
    there = [path for path in there if not own or within(own, path)]
    known = [planned[path] for path in there if path in planned]
    files = [effect for effect in known if effect.after is not None and effect.after.kind != DIRECTORY]
    if len(known) != len(there) or (files and at(place).unfinished(files)):
        raise not_empty(place)


def make(
    at: At, reader: Reader, place: str, effects: Sequence[Effect], own: Sequence[str] = (), *, durable: bool
) -> None:
    """Put effects there, and read them back; the directory is there whole, or not at all."""
    check(at, place, effects, own)
    with appearing(place, durable=durable) as inside:
        above = {each for path in own for each in parents(path) if os.path.isdir(os.path.join(inside, each))}
        effects = [effect for effect in effects if effect.path not in above]
        source = at(inside)
        staged = source.stage(reader, effects, durable=durable)
        try:
            staged.apply()
        finally:
            staged.discard()
        left = source.unfinished(effects)
        if left:
            raise Integrity(f"{left[0].path} did not come out as stored", hints=["is another program writing there?"])


def unmake(
    at: At, reader: Reader, place: str, effects: Sequence[Effect], own: Sequence[str], noted: Collection[str]
) -> list[str]:
    """Remove what effects put there, and the directory itself if it was not there before; what is left. As soon as anything
    else is there, all of it is left: then somebody has gone to work with it.

    ``noted`` says of the directory that it was ``new``, which may be true of somebody else's, too, and ``made``.
    """
    if not os.path.isdir(place) or os.path.islink(place):
        return []
    source = at(place)
    differing = {effect.path for effect in source.unfinished(effects)}
    ours = [effect for effect in effects if effect.path not in differing]
    made = [effect for effect in effects if effect.after is not None and effect.after.kind == DIRECTORY]
    known = {effect.path for effect in (*ours, *made)}  # a directory is as it should be only when all is in it
    if any(path not in known for path in paths_in(place) if not own or within(own, path)):
        return [place]  # somebody works there, and would miss the rest
    back = [effect.inverse() for effect in ours if not own or within(own, effect.path)]
    if back:
        staged = source.stage(reader, back, durable=False)
        try:
            staged.apply()
        finally:
            staged.discard()
    empty = (
        [os.path.join(place, effect.path) for effect in ours if own and not within(own, effect.path)] if back else []
    )
    empty = sorted(empty, key=len, reverse=True)
    empty += [place] if "made" in noted or ("new" in noted and back) else []
    for each in empty:
        with suppress(OSError):  # something is in it
            os.rmdir(each)
    left = [path for path in paths_in(place) if not own or within(own, path)]
    return [place] if left else []
