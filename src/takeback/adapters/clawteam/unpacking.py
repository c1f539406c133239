"""A bundle as the files of a team: the same ones that ClawTeam would write, under names that keep their order.

ClawTeam reads events and mail in the order of their names, and gives what it restores names that sort after all that comes
later. Here they get the names that they could have had: ``msg-{ms}-{8 hex}`` of their own time, never before the one that
comes before them in the bundle. The digits count those of one millisecond and then tell the content, so the same
bundle always makes the same files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from blake3 import blake3

from takeback.adapters.clawteam.checking import cost_time, inbox_of, session_agent
from takeback.adapters.clawteam.errors import NoBundle
from takeback.sources.team.layouts import CLAWTEAM, COSTS, EVENTS, MESSAGES, SESSIONS, TASKS

_FIRST, _LAST = 10**12, 10**13 - 1
"""Milliseconds whose digits sort as the times do: from 2001 to 2286."""
_IN_ONE = 0x10000
"""So many things of one millisecond can be told apart."""


def covers(team: str) -> list[str]:
    """The places that a bundle speaks for. What else a team has (plans, dead letters, runtime state) it leaves alone."""
    areas = (CLAWTEAM.area(what).place for what in (TASKS, EVENTS, SESSIONS, COSTS, MESSAGES))
    return [place.format(team=team) for place in (CLAWTEAM.config, *areas)]


def directories(raw: Mapping[str, Any], team: str) -> list[str]:
    """The directories that are there even if they are empty: those that are covered, and an inbox for each member, because
    a broadcast goes to those that have one."""
    inboxes = CLAWTEAM.area(MESSAGES).place.format(team=team)
    members = (inbox_of(member) for member in raw["config"].get("members", []))
    return [*covers(team)[1:], *dict.fromkeys(f"{inboxes}/{box}" for box in (*members, *raw.get("inboxes", {})))]


def files(raw: Mapping[str, Any], team: str) -> dict[str, bytes]:
    """Every file that a checked bundle becomes, by its path in the data directory; NoBundle if one cannot be written."""

    def place(what: str) -> str:
        return CLAWTEAM.area(what).place.format(team=team)

    made = {CLAWTEAM.config.format(team=team): written(raw["config"])}
    made |= {f"{place(TASKS)}/task-{task['id']}.json": written(task) for task in raw.get("tasks", [])}
    made |= {f"{place(EVENTS)}/{name}": data for name, data in _in_order("evt", raw.get("events", []))}
    made |= {f"{place(SESSIONS)}/{session_agent(each)}.json": written(each) for each in raw.get("sessions", [])}
    made |= {f"{place(COSTS)}/cost-{cost_time(cost)}-{cost['id']}.json": written(cost) for cost in raw.get("costs", [])}
    for agent, messages in raw.get("inboxes", {}).items():
        made |= {f"{place(MESSAGES)}/{agent}/{name}": data for name, data in _in_order("msg", messages)}
    return made


def _in_order(prefix: str, things: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, bytes]]:
    """Each thing under a name that sorts after the one before."""
    when, number = 0, 0
    for thing in things:
        own = max(when, _milliseconds(thing))
        number = number + 1 if own == when else 0
        if number == _IN_ONE:
            own, number = own + 1, 0
        when = own
        data = written(thing)
        yield f"{prefix}-{when}-{number:04x}{blake3(data).hexdigest()[:4]}.json", data


def _milliseconds(thing: Mapping[str, Any]) -> int:
    try:
        time = datetime.fromisoformat(thing["timestamp"])
        aware = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
        return min(max(int(aware.timestamp() * 1000), _FIRST), _LAST)
    except (KeyError, ValueError, OverflowError):
        return _FIRST


def written(thing: Mapping[str, Any]) -> bytes:
    """JSON as ClawTeam writes it; NoBundle if that cannot be."""
    try:
        return json.dumps(thing, indent=2, ensure_ascii=False, allow_nan=False).encode()
    except ValueError as error:  # half of a character, which no file can hold
        raise NoBundle(f"it holds what cannot be written: {error}") from None
