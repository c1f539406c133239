"""Where a team's members work, and in which sessions: as ClawTeam's registries say, as far as that can be believed.

A member's worktree is the directory of its name in the team's own place, ``workspaces/TEAM/AGENT``, and nothing else: what
a registry says of other directories is said to be left out, never looked at, let alone written to.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from takeback.errors import Unavailable
from takeback.model.tree import name_bytes, name_text
from takeback.sources.team import records
from takeback.sources.team.records import shown
from takeback.sources.transcript.agents import SESSION_ID

_AGENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
"""A name that can be a directory's, and a part's."""

_MOST = 1000


class Place(NamedTuple):
    """What belongs to one member."""

    agent: str
    worktree: str = ""
    """Below the data directory, whether or not it is there now; empty if the member has none there."""
    session: str = ""
    left_out: str = ""
    """What of it is not taken, and why."""


def check_real(root: str) -> None:
    """Unavailable if a data directory is not the one any more that it was when its source was made: whoever works in it can
    put a link in its place, and nothing behind that is looked at or written to."""
    leads = os.path.realpath(name_bytes(root))
    if leads != name_bytes(root):
        raise Unavailable(
            f"{root}, where the team was, leads to {shown(name_text(leads))} now", hints=["put the directory back"]
        )


def worktree_of(team: str, agent: str) -> str:
    """Where a member's worktree is, below the data directory."""
    return f"workspaces/{team}/{agent}"


def can_be_member(agent: str) -> bool:
    """Whether a name can be that of a member here."""
    return _AGENT.fullmatch(agent) is not None


def places(root: str, team: str) -> tuple[Place, ...]:
    """What belongs to the members of a team in the data directory ``root``, by their names; nothing here raises."""
    found: dict[str, Place] = {}
    for agent, path in _registered(root, team):
        found[agent] = _checked(root, team, agent, path)
    for agent, session in _sessions(root, team):
        place = found.get(agent, Place(agent))
        if can_be_member(agent) and SESSION_ID.fullmatch(session):
            found[agent] = place._replace(session=session)
        else:
            found[agent] = place._replace(
                left_out=place.left_out
                or f"the conversation of {shown(agent)}: no agent names a session {shown(session)!r}"
            )
    return tuple(found[agent] for agent in sorted(found))


def _registered(root: str, team: str) -> Iterator[tuple[str, str]]:
    """Agents and the worktrees that they are said to have."""
    record = records.read(root, f"workspaces/{team}/workspace-registry.json")
    listed = record.data.get("workspaces") if record is not None else None
    for each in listed[:_MOST] if isinstance(listed, list) else ():
        if isinstance(each, dict):
            agent, path = each.get("agent_name"), each.get("worktree_path")
            if isinstance(agent, str) and isinstance(path, str):
                yield agent, path


def _checked(root: str, team: str, agent: str, path: str) -> Place:
    if not can_be_member(agent):
        return Place(agent, left_out=f"the worktree {shown(path)}: its member has no name that a part can have")
    own = worktree_of(team, agent)
    try:
        real = os.path.realpath(name_bytes(path))
    except (ValueError, OSError):
        real = b""
    if real != name_bytes(f"{root}/{own}"):
        return Place(agent, left_out=f"the worktree {shown(path)} of {agent}: it is not {own} below {root}")
    return Place(agent, own)


def _sessions(root: str, team: str) -> Iterator[tuple[str, str]]:
    """Agents and the sessions that they were last in."""
    for agent in records.names(root, f"sessions/{team}", ".json", _MOST):
        record = records.read(root, f"sessions/{team}/{agent}.json")
        session = record.data.get("sessionId") if record is not None else None
        if isinstance(session, str) and session:
            yield agent, session
