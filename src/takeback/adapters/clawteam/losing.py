"""What a restore of a team takes away: tasks, mail, events, sessions and costs that the snapshot does not have, and what was
done to tasks since.

The safety snapshot keeps them; but whoever restores sees them before they go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from takeback.errors import TakebackError
from takeback.model.jsontext import parse_object
from takeback.model.tree import DIRECTORY, Entry
from takeback.sources.team.layouts import CLAWTEAM, COSTS, EVENTS, MESSAGES, SESSIONS, TASKS

Read = Callable[[str, Entry], bytes]
_LONGEST = 200
_FIELDS = {
    TASKS: {"id": "id", "subject": "subject", "status": "status", "owner": "owner"},
    MESSAGES: {"from": "from", "content": "content", "timestamp": "timestamp"},
    SESSIONS: {"agent": "agentName", "session": "sessionId"},
}
"""What is told of each thing, and where it says so."""


class Step(NamedTuple):
    """One path before and after; None is absence."""

    path: str
    before: Entry | None
    after: Entry | None


def lost(team: str, steps: Iterable[Step], read: Read) -> dict[str, Any]:
    """What goes and does not come back under another name; ``read`` gives the bytes of what is there now."""
    files = [step for step in steps if not any(each and each.kind == DIRECTORY for each in step[1:])]
    coming = Counter(_kept_as(step.path, step.after) for step in files if step.after is not None)
    gone: dict[str, list[Step]] = {what: [] for what in (TASKS, MESSAGES, EVENTS, SESSIONS, COSTS)}
    changed = []
    for step in files:
        area = CLAWTEAM.area_of(team, step.path)
        if step.before is None or area is None or area.what not in gone:
            continue
        if step.after is not None:
            if area.what == TASKS and step.before.id != step.after.id:
                changed.append(_said(TASKS, step, read))
        elif (
            coming[_kept_as(step.path, step.before)] > 0
        ):  # it only has another name there, as mail that was claimed has
            coming[_kept_as(step.path, step.before)] -= 1
        else:
            gone[area.what].append(step)
    said = {what: [_said(what, step, read) for step in gone[what]] for what in (TASKS, MESSAGES, SESSIONS)}
    return {**said, EVENTS: len(gone[EVENTS]), COSTS: len(gone[COSTS]), "changed_tasks": changed}


def _kept_as(path: str, entry: Entry) -> tuple[str, bytes]:
    """What makes two files the same thing: where they are, and what they say."""
    return path.rpartition("/")[0], entry.id


def _said(what: str, step: Step, read: Read) -> dict[str, str]:
    """A few words on something that goes; what cannot be read has only its path."""
    assert step.before is not None
    try:
        data: Mapping[str, Any] = parse_object(read(step.path, step.before), step.path)
    except (TakebackError, OSError):
        data = {}
    told = {key: data[name][:_LONGEST] for key, name in _FIELDS[what].items() if isinstance(data.get(name), str)}
    box = {"to": step.path.split("/")[-2]} if what == MESSAGES else {}
    return {"path": step.path, **box, **told}
