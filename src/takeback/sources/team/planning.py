"""Which effects bring a team to where it should be. They are a workspace's, but for two things: files of a team are whole or
nothing, so none is merged from two texts; and mail that came since can be told to stay."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from takeback.model.plan import Kept
from takeback.model.snapshot import Part
from takeback.sources import trees
from takeback.sources.protocol import Proposal, Step
from takeback.sources.team.going import going, renamed
from takeback.sources.workspace import planning

if TYPE_CHECKING:
    from takeback.sources.team.source import Team
    from takeback.store.reader import Reader

NEWER_MAIL = "newer mail, kept"
BOTH_CHANGED = "it was changed since, and only one of the two can be"


def plan(reader: Reader, team: Team, present: Part, target: Part, paths: Sequence[str] | None) -> Proposal:
    proposal = planning.plan(reader, team.name, present, target, paths, team.disk, team.guard)
    return _told(reader, team, proposal)


def revert(reader: Reader, team: Team, present: Part, steps: Sequence[Step]) -> Proposal:
    proposal = planning.revert(reader, team.name, present, steps, team.disk, team.guard)
    effects, conflicts = [], list(proposal.conflicts)
    for effect in proposal.effects:
        if effect.merged is None:
            effects.append(effect)
        else:
            conflicts.append(Kept(effect.part, effect.path, BOTH_CHANGED))
    proposal = proposal._replace(effects=tuple(effects), conflicts=tuple(sorted(conflicts, key=attrgetter("path"))))
    return _told(reader, team, proposal)


def _told(reader: Reader, team: Team, proposal: Proposal) -> Proposal:
    """The same, with what goes; mail does not if it was told to stay. Directories that lead to several teams come and go
    with what is in them; the modes of those that stay are not the team's to change."""
    modes = [each for each in proposal.effects if each.before and each.after and team.leads_to_own(each.path)]
    if modes:
        proposal = proposal._replace(effects=tuple(each for each in proposal.effects if each not in modes))
    if team.merge:
        proposal = _with_mail(team, proposal)
    return proposal._replace(goes=going(reader, team.layout, team.team, proposal.effects))


def _with_mail(team: Team, proposal: Proposal) -> Proposal:
    """The same, but for mail: what would go stays, and with it the directories that it is in. What is only claimed by now
    does not: it comes back as it was, and a message is never in two places."""
    mail = [effect for effect in proposal.effects if team.layout.is_mail(team.team, effect.path)]
    newer = [(effect.path, effect.before) for effect in mail if effect.after is None and effect.before is not None]
    back = renamed(newer, [(effect.path, effect.after) for effect in mail if effect.after is not None])
    staying = {path for path, _ in newer if path not in back}
    above = {parent for path in staying for parent in trees.parents(path)}
    effects = tuple(
        effect
        for effect in proposal.effects
        if effect.path not in staying and not (effect.after is None and effect.path in above)
    )
    kept = [Kept(team.name, path, NEWER_MAIL) for path in sorted(staying)]
    return proposal._replace(effects=effects, kept=(*proposal.kept, *kept))
