"""What is around a root that its file could declare: containers that docker compose made for it, and teams that work in it.

Only looked for, never used: nothing here is captured before a person has agreed.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from takeback.errors import TakebackError
from takeback.locate.declared import CONTAINER, TEAM, Declared, can_be_declared

COMPOSE_FILES = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")
_TEAM_DIR = ".clawteam"


class Around(NamedTuple):
    """What was found."""

    compose: str = ""
    """The project's compose file."""
    containers: tuple[Declared, ...] = ()
    no_containers: str = ""
    """Why none are known, if there is a compose file."""
    teams: tuple[Declared, ...] = ()
    team_dir: str = ""
    """Where below the root the teams are; empty if ClawTeam knows."""


def has_more(root: str) -> bool:
    """Whether there seems to be something to declare, at a glance: nobody is asked."""
    return any(os.path.exists(os.path.join(root, name)) for name in (*COMPOSE_FILES, _TEAM_DIR))


def look_around(root: str) -> Around:
    """Everything that can be told; what cannot be asked is no error."""
    compose = next((name for name in COMPOSE_FILES if os.path.isfile(os.path.join(root, name))), "")
    containers, why = _containers(root) if compose else ((), "")
    teams, team_dir = _teams(root)
    return Around(compose, containers, why, teams, team_dir)


def _containers(root: str) -> tuple[tuple[Declared, ...], str]:
    from takeback.sources.container.composed import composed

    try:
        found = [each for each in composed(root) if can_be_declared(each.name)]
    except TakebackError as error:
        return (), "; ".join((error.message, *error.hints[:1]))
    if not found:
        return (), "docker compose has made no container of it yet"
    services = [each.service for each in found]
    return tuple(
        Declared(CONTAINER, CONTAINER if len(found) == 1 else _part(each.service, each.name, services), each.name)
        for each in found
    ), ""


def _part(service: str, name: str, services: list[str]) -> str:
    """A part is called as its service, where that is one container and a name that a part can have."""
    return service if services.count(service) == 1 and can_be_declared(service, part=True) else name


def _teams(root: str) -> tuple[tuple[Declared, ...], str]:
    from takeback.locate.teams import data_directory
    from takeback.sources.team.source import teams

    inside = os.path.join(root, _TEAM_DIR)
    if os.path.realpath(inside) == inside and (there := teams(inside)):
        return _declared(inside, there), _TEAM_DIR
    place = os.path.realpath(data_directory())
    return _declared(place, [team for team in teams(place) if _works_in(root, place, team)]), ""


def _declared(place: str, names: list[str]) -> tuple[Declared, ...]:
    from takeback.sources.team.places import places

    known = [name for name in names if can_be_declared(name)]
    return tuple(
        Declared(
            TEAM,
            TEAM if len(known) == 1 else name,
            name,
            {"workspaces": True} if any(each.worktree for each in places(place, name)) else {},
        )
        for name in known
    )


def _works_in(root: str, place: str, team: str) -> bool:
    """Whether members of a team have worktrees of a repository in a root."""
    from takeback.sources.team import records

    record = records.read(place, f"workspaces/{team}/workspace-registry.json")
    repository = record.data.get("repo_root") if record is not None else None
    return isinstance(repository, str) and "\0" not in repository and os.path.realpath(repository) == root
