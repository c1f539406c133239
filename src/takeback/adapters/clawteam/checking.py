"""Whether a bundle may become files: every field that is a path's part, that is counted or that ClawTeam reads.

ClawTeam takes names from a bundle for names of files, so one that holds ``../../x`` writes anywhere. Nothing is made of a
bundle before all of it was looked at here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from takeback.adapters.clawteam.errors import NoBundle
from takeback.adapters.clawteam.meta import SnapshotMeta
from takeback.sources.team.layouts import CLAWTEAM

LISTS = ("tasks", "events", "sessions", "costs")
OURS = "takeback"
"""What we say in a bundle that we wrote: the snapshot, and what a bundle cannot hold of it."""
_KNOWN = {"meta", "config", *LISTS, "inboxes", OURS}
_LONGEST_NAME = 160
"""Bytes; so that a name with what is put around it is one that every file system takes."""

Fields = Mapping[str, type | tuple[type, ...]]
_NUMBER = (int, float)
_CONFIG: Fields = {"description": str, "leadAgentId": str, "createdAt": str, "budgetCents": _NUMBER}
_MEMBER: Fields = {"user": str, "agentId": str, "agentType": str, "joinedAt": str}
_TASK: Fields = {
    "subject": str, "description": str, "status": str, "priority": str, "owner": str, "lockedBy": str, "lockedAt": str,
    "blocks": list, "blockedBy": list, "startedAt": str, "createdAt": str, "updatedAt": str, "metadata": dict,
}  # fmt: skip
_MESSAGE: Fields = {"type": str, "from": str, "timestamp": str}
_SESSION: Fields = {"teamName": str, "sessionId": str, "lastTaskId": str, "savedAt": str, "state": dict}
_COST: Fields = {
    "agentName": str, "provider": str, "model": str, "inputTokens": int, "outputTokens": int, "costCents": _NUMBER,
    "reportedAt": str,
}  # fmt: skip


def check(raw: Mapping[str, Any], team: str, id: str | None = None) -> SnapshotMeta:
    """What a bundle says of itself, if it is one of this team, and of this id if one is given; NoBundle if not."""
    if unknown := sorted(raw.keys() - _KNOWN):
        raise NoBundle(
            f"it holds {unknown[0]!r:.60}, which is not known here",
            hints=["it may be of a newer ClawTeam, whose own `clawteam team restore` knows it"],
        )
    meta = SnapshotMeta.model_validate(raw.get("meta"))
    if meta.team_name != team:
        raise NoBundle(f"it is of the team {meta.team_name!r:.60}, not of {team!r}")
    if id is not None and meta.id != id:
        raise NoBundle(f"its id is {meta.id!r:.60}, though its file is called snap-{id}.json")
    members = _check_config(raw.get("config"), team)
    tasks, events, sessions, costs = (_objects(raw.get(name, []), name) for name in LISTS)
    _check_tasks(tasks)
    for number, event in enumerate(events):
        _check_fields(event, _MESSAGE, f"event {number}")
    _check_sessions(sessions, team)
    _check_costs(costs)
    _check_inboxes(raw.get("inboxes", {}))
    counted = {"memberCount": members, "taskCount": tasks, "eventCount": events, "sessionCount": sessions}
    for name, things in {**counted, "costEventCount": costs}.items():
        if raw["meta"].get(name, len(things)) != len(things):
            raise NoBundle(f"its {name} is {raw['meta'][name]}, but it holds {len(things)}: something was lost")
    return meta


def checked_name(value: Any, what: str) -> str:
    """A text that is the name of one file or directory, whatever stands around it; NoBundle for all else."""
    wrong = ""
    if not isinstance(value, str):
        wrong = "it is no text"
    elif not value or value != value.strip():
        wrong = "it is empty, or has spaces around it"
    elif value.startswith(".") or "/" in value or "\\" in value or not value.isprintable():
        wrong = "it could lead elsewhere"
    elif len(value.encode()) > _LONGEST_NAME:
        wrong = "it is too long"
    elif CLAWTEAM.passes(value):
        wrong = "it is a lock's, or that of a file which is being written"
    if wrong:
        raise NoBundle(f"{value!r:.60} cannot be {what}: {wrong}")
    return str(value)


def session_agent(session: Mapping[str, Any]) -> Any:
    return session.get("agentName", session.get("agent_name"))


def cost_time(cost: Mapping[str, Any]) -> str:
    """When a cost was reported, as the name of its file has it."""
    return str(cost.get("reportedAt", "x")).replace(":", "-").replace("+", "p")


def _check_config(config: Any, team: str) -> list[Mapping[str, Any]]:
    if not isinstance(config, dict):
        raise NoBundle("its `config` is no object")
    if config.get("name") != team:  # ClawTeam takes it for a directory's name
        raise NoBundle(f"its config is of the team {config.get('name')!r:.60}, not of {team!r}")
    _check_fields(config, _CONFIG, "the config")
    members = _objects(config.get("members", []), "members")
    for member in members:
        checked_name(member.get("name"), "a member's name")
        _check_fields(member, _MEMBER, "a member")
        if member.get("user"):
            checked_name(member["user"], "a member's user")
            checked_name(inbox_of(member), "a member's inbox")
    return members


def inbox_of(member: Mapping[str, Any]) -> str:
    return f"{member['user']}_{member['name']}" if member.get("user") else str(member["name"])


def _check_tasks(tasks: Iterable[Mapping[str, Any]]) -> None:
    known: set[str] = set()
    for task in tasks:
        id = checked_name(task.get("id"), "a task's id")
        _once(id, known, "two tasks have the id")
        if not isinstance(task.get("subject"), str):
            raise NoBundle(f"the task {id!r} has no subject")
        _check_fields(task, _TASK, f"the task {id!r}")
        for other in (*task.get("blocks", []), *task.get("blockedBy", [])):
            checked_name(other, f"a task that {id!r} depends on")


def _check_sessions(sessions: Iterable[Mapping[str, Any]], team: str) -> None:
    known: set[str] = set()
    for session in sessions:
        agent = checked_name(session_agent(session), "the agent of a session")
        _once(agent, known, "two sessions are of the agent")
        _check_fields(session, _SESSION, f"the session of {agent!r}")
        if session.get("teamName", team) != team:
            raise NoBundle(f"the session of {agent!r} is of the team {session['teamName']!r:.60}, not of {team!r}")


def _check_costs(costs: Iterable[Mapping[str, Any]]) -> None:
    known: set[str] = set()
    for cost in costs:
        id = checked_name(cost.get("id"), "a cost's id")
        _check_fields(cost, _COST, f"the cost {id!r}")
        when = checked_name(cost_time(cost), "the time of a cost")
        _once(f"{when}-{id}", known, "two costs have the same id and time:")


def _check_inboxes(inboxes: Any) -> None:
    if not isinstance(inboxes, dict):
        raise NoBundle("its `inboxes` are no object")
    for agent, messages in inboxes.items():
        checked_name(agent, "an inbox")
        for number, message in enumerate(_objects(messages, f"the inbox of {agent!r}")):
            _check_fields(message, _MESSAGE, f"message {number} of {agent!r}")


def _objects(value: Any, what: str) -> list[Mapping[str, Any]]:
    if not isinstance(value, list):
        raise NoBundle(f"its {what} are no list")
    for number, each in enumerate(value):
        if not isinstance(each, dict):
            raise NoBundle(f"in its {what}, number {number} is no object")
    return value


def _check_fields(thing: Mapping[str, Any], fields: Fields, what: str) -> None:
    for name, kind in fields.items():
        if name in thing and (not isinstance(thing[name], kind) or isinstance(thing[name], bool)):
            raise NoBundle(f"{what} has {thing[name]!r:.40} as {name}, which cannot be")


def _once(name: str, known: set[str], what: str) -> None:
    if name in known:
        raise NoBundle(f"{what} {name!r}")
    known.add(name)
