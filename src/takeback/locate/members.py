"""What belongs to the members of a team, as sources: their worktrees, and their conversations in the agents' own homes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from takeback.engine.timeline import Timeline
from takeback.locate.agents import agent_homes
from takeback.model.snapshot import Snapshot
from takeback.sources.protocol import Source
from takeback.sources.team.places import Place, can_be_member, places, worktree_of
from takeback.sources.team.source import Team
from takeback.sources.team.worktree import KIND, Worktree
from takeback.sources.transcript.finding import find
from takeback.sources.transcript.source import Transcript


def add_members(line: Timeline, parts: Collection[str] | None = None) -> list[str]:
    """Have what belongs to the members of a timeline's teams at hand, too, of those that are these ``parts`` or of all; what
    is left out of that, and why. What is at hand already stays as it is.

    A worktree that the latest snapshot holds is looked at also where the team knows nothing of it any more: it is gone
    then, and a restore makes it again.
    """
    latest = line.show("@") if line.head is not None else None
    taken = {source.root for source in line.sources.values() if source.kind == "workspace"}
    left_out = []
    teams = [source for source in line.sources.values() if isinstance(source, Team)]
    for team in teams if parts is None else [each for each in teams if each.name in parts]:
        found = places(team.root, team.team)
        left_out += [place.left_out for place in found if place.left_out]
        agents = dict.fromkeys([*(place.agent for place in found if place.worktree), *_known(latest, team)])
        for agent in agents:
            if f"{team.root}/{worktree_of(team.team, agent)}" in taken:
                left_out.append(f"the worktree of {agent} is what is saved here anyway")
            else:
                _add(line, Worktree(team.team, agent, team.root, name=_called(team, "workspace", agent)))
        for source in _conversations(team, found):
            _add(line, source)
    return left_out


def _add(line: Timeline, source: Source) -> None:
    if source.name not in line.sources:
        line.add(source)


def _known(latest: Snapshot | None, team: Team) -> Iterator[str]:
    """The members of a team whose worktrees the latest snapshot holds."""
    for part in latest.parts.values() if latest is not None else ():
        agent = part.detail.get(KIND)
        if part.kind == KIND and part.detail.get("team") == team.team and isinstance(agent, str):
            if can_be_member(agent) and part.name == _called(team, "workspace", agent):
                yield agent


def _conversations(team: Team, found: Sequence[Place]) -> Iterator[Source]:
    homes = agent_homes()
    kept = find(homes, {place.session for place in found if place.session})
    for place in found:
        if place.session:
            agent, file = kept.get(place.session, ("", ""))
            yield Transcript(homes, agent, place.session, file, name=_called(team, "transcript", place.agent))


def _called(team: Team, what: str, agent: str) -> str:
    """A part's name: of the team's own, unless that is one of several."""
    return f"{what}-{agent}" if team.name == team.kind else f"{what}-{team.name}-{agent}"
