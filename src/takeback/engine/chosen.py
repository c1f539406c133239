"""Some paths of what a source proposes: exactly those effects that were chosen, as they would be among all the others.

A directory that has to be there for one of them comes with it. What would need more than that, because something else stands
in the way that was not chosen, is a conflict.
"""

from __future__ import annotations

from collections.abc import Sequence

from takeback.engine.paths import inside
from takeback.model.plan import Effect, Kept
from takeback.model.snapshot import Part
from takeback.model.tree import DIRECTORY
from takeback.sources import trees
from takeback.sources.protocol import Proposal
from takeback.store.reader import Reader


def named(reader: Reader, part: Part, paths: Sequence[str]) -> list[str]:
    """Clean paths as the effects on a part have them."""
    mine = inside(reader, part, paths)
    if part.kind != "container":
        return mine
    from takeback.sources.container.planning import with_attributes  # only who names such a path needs it

    return list(with_attributes(mine))


def chosen(proposal: Proposal, paths: Sequence[str]) -> tuple[Proposal, list[str]]:
    """What is done of a proposal, and the paths that are left as they are."""
    is_meant = trees.named(paths)
    stands = {effect.path for effect in proposal.effects if _makes_room(effect) and not is_meant(effect.path)}
    blocked = {
        effect.path
        for effect in proposal.effects
        if is_meant(effect.path) and effect.after is not None and not stands.isdisjoint(trees.parents(effect.path))
    }
    done = {effect.path for effect in proposal.effects if is_meant(effect.path)} - blocked
    needed = {above for path in done for above in trees.parents(path)}
    effects = [each for each in proposal.effects if each.path in done or (each.path in needed and _is_new(each))]
    made = {effect.path for effect in effects}
    rest = [
        *(effect.path for effect in proposal.effects),
        *(item.path for item in (*proposal.conflicts, *proposal.kept)),
    ]
    left = [path for path in rest if not is_meant(path) and path not in made]
    conflicts = [item for item in proposal.conflicts if is_meant(item.path)]
    conflicts += (
        Kept(effect.part, effect.path, "something that was left as it is stands in its way")
        for effect in proposal.effects
        if effect.path in blocked
    )
    kept = tuple(item for item in proposal.kept if is_meant(item.path))
    lost = tuple(item for item in proposal.lost if is_meant(item.path.rstrip("/")))
    return proposal._replace(effects=tuple(effects), conflicts=tuple(conflicts), kept=kept, lost=lost), left


def _makes_room(effect: Effect) -> bool:
    """Whether it makes a directory of what is something else."""
    before, after = effect.before, effect.after
    return before is not None and before.kind != DIRECTORY and after is not None and after.kind == DIRECTORY


def _is_new(effect: Effect) -> bool:
    return effect.before is None and effect.after is not None and effect.after.kind == DIRECTORY
