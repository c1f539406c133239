"""A team as one look at it has it, and what of that can never have been so at any instant.

What is asked follows from the order in which ClawTeam writes, and in which the writers (`writers`) call it: a letter is
delivered before its event is logged, tasks change under their lock, a cost is there before the summary counts it, a plan
before the letter that names it. Who looks at different files at different times finds an effect without its cause.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from support.teams.writers import BATCH, BROADCASTS, NAMES, PACE, REPORTER, Letter
from takeback.model.snapshot import Part
from takeback.model.tree import Entry
from takeback.sources import trees
from takeback.sources.team.contents import Contents, Item
from takeback.store.reader import Reader

Data = Mapping[str, Any]


@dataclass
class Seen:
    """What was seen, in ClawTeam's words; None where a way of looking does not look."""

    config: Data | None
    tasks: Sequence[Data]
    events: Sequence[Data]
    sessions: Sequence[Data]
    costs: Sequence[Data]
    mail: Mapping[str, Sequence[Data]]
    summary: Data | None = None
    plans: frozenset[str] | None = None
    torn: Sequence[str] = ()
    """Files that are no JSON, or should not have been looked at."""
    letters: list[tuple[str, Data]] = field(init=False)
    """Who has it, and what the writer of it said of it: all that is in the mail."""

    def __post_init__(self) -> None:
        self.letters = [(inbox, said) for inbox, mail in self.mail.items() for said in map(_said, mail) if said]

    def note(self, name: str) -> Data:
        """What a writer noted of itself."""
        for session in self.sessions:
            if session["agentName"] == name:
                state: Data = session["state"]
                return state
        return {"n": 0, "heard": {}, "latest": {}, "reported": 0}


def of_bundle(bundle: Data) -> Seen:
    """What ClawTeam's own snapshot has."""
    return Seen(
        bundle["config"], bundle["tasks"], bundle["events"], bundle["sessions"], bundle["costs"], bundle["inboxes"]
    )


def of_files(team: str, files: Mapping[str, bytes]) -> Seen:
    """What files have, by their path below the data directory."""
    found: dict[str, list[Data]] = {}
    mail: dict[str, list[Data]] = {}
    torn, plans = [], set()
    for path, data in files.items():
        area, name = path.replace(f"/{team}", "", 1).rpartition("/")[::2]
        if _is_passing(path):
            torn.append(path)
        elif area == "plans":
            plans.add(name)
        else:
            try:
                value = json.loads(data)
            except ValueError:
                torn.append(path)
                continue
            if area.startswith("teams/inboxes/"):
                mail.setdefault(area.removeprefix("teams/inboxes/"), []).append(value)
            else:
                found.setdefault(name if name in ("summary.json", "config.json") else area, []).append(value)
    return Seen(
        next(iter(found.get("config.json", ())), None),
        found.get("tasks", ()),
        found.get("teams/events", ()),
        found.get("sessions", ()),
        found.get("costs", ()),
        mail,
        next(iter(found.get("summary.json", ())), None),
        frozenset(plans),
        torn,
    )


def of_part(reader: Reader, part: Part, known: dict[bytes, Data]) -> Seen:
    """What a snapshot has of a team. What was read once is ``known``: a thousand of them share most of it."""
    held = _Held(reader, part, known)
    mail: dict[str, list[Data]] = {}
    for item in held.some("messages"):
        mail.setdefault(item.box, []).append(item.data or {})
    summary = held.item(f"costs/{held.team}/summary.json")
    return Seen(
        held.config,
        [item.data or {} for item in held.some("tasks")],
        [item.data or {} for item in held.some("events")],
        [item.data or {} for item in held.some("sessions")],
        [item.data or {} for item in held.some("costs")],
        mail,
        summary and summary.data,
        frozenset(item.name for item in held.items("plans")),
        [*held.torn, *(path for path, _, _ in trees.compare(reader, None, part.content) if _is_passing(path))],
    )


class _Held(Contents):
    def __init__(self, reader: Reader, part: Part, known: dict[bytes, Data]) -> None:
        super().__init__(reader, part)
        self._known = known
        self.torn: list[str] = []

    def some(self, what: str) -> list[Item]:
        found = list(self.items(what))
        self.torn += [item.path for item in found if item.data is None]
        return [item for item in found if item.data is not None]

    def _parsed(self, entry: Entry) -> Data | None:
        if entry.id not in self._known:
            value = super()._parsed(entry)
            if value is None:
                return None
            self._known[entry.id] = value
        return self._known[entry.id]


def _is_passing(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.endswith((".tmp", ".lock")) or name.startswith(".tmp-")


def letters_in(seen: Seen) -> set[Letter]:
    """All that writers sent and that is in the mail."""
    return {Letter(said["by"], said["k"], inbox) for inbox, said in seen.letters}


def impossible(seen: Seen) -> list[str]:
    """What cannot be, in words; nothing of a team at one instant."""
    return [text for check in _CHECKS for text in check(seen)]


def _whole(seen: Seen) -> Iterator[str]:
    yield from (f"{path} is not whole" for path in seen.torn)
    if seen.config is None or not {member["name"] for member in seen.config["members"]} >= {"lead", *NAMES}:
        yield "the configuration is not that of the team"


def _tasks(seen: Seen) -> Iterator[str]:
    tasks = {task["id"]: task for task in seen.tasks}
    for task in seen.tasks:
        for other in (*task["blockedBy"], *task["blocks"]):
            if other not in tasks:
                yield f"a task depends on {other}, which is not there"
        if (task["status"] == "blocked") != bool(task["blockedBy"]):
            yield f"a task is {task['status']} and waits for {task['blockedBy']}"
        first = task["metadata"].get("after")
        if first in tasks and (tasks[first]["status"] == "completed") == (first in task["blockedBy"]):
            yield f"a task waits for {task['blockedBy']}, and {first} is {tasks[first]['status']}"
    for _, said in [*seen.letters, *_logged(seen)]:
        if said["task"] not in tasks:
            yield f"a letter names the task {said['task']}, which is not there"


def _one_place(seen: Seen) -> Iterator[str]:
    places = Counter((inbox, said["by"], said["k"]) for inbox, said in seen.letters)
    yield from (f"letter {letter} is there {times} times" for letter, times in places.items() if times > 1)


def _order(seen: Seen) -> Iterator[str]:
    """Session, then task, then letter, then event; and nobody has heard what was not said."""
    pulses = {task["metadata"]["of"]: task["metadata"]["n"] for task in seen.tasks if "n" in task["metadata"]}
    said = {name: [each["k"] for _, each in _logged(seen) if each["by"] == name] for name in NAMES}
    for name in NAMES:
        noted, logged = seen.note(name)["n"], max(said[name], default=0)
        if not noted - 1 <= logged <= noted:
            yield f"{name} is in round {noted}, and has logged letter {logged}"
        if name in pulses and not noted - PACE <= pulses[name] <= noted:
            yield f"{name} is in round {noted}, and its task is of {pulses[name]}"
        if name in pulses and pulses[name] < logged // PACE * PACE:
            yield f"{name} has logged letter {logged}, and its task is of {pulses[name]}"
        if said[name] and set(said[name]) != set(range(min(said[name]), logged + 1)):
            yield f"letters of {name} are missing in the log"
        for inbox, each in seen.letters:
            if each["by"] == name and each["k"] > noted:
                yield f"{inbox} has letter {each['k']} of {name}, who is in round {noted}"
        for other in NAMES:
            if seen.note(other)["latest"].get(name, 0) > noted:
                yield f"{other} has heard of a round of {name}'s that is yet to come"


def _conserved(seen: Seen) -> Iterator[str]:
    """Every letter that was sent is in the mail, or was noted by who read it, or is one of those that it is reading."""
    last = {name: max((each["k"] for _, each in _logged(seen) if each["by"] == name), default=0) for name in NAMES}
    for reader in NAMES:
        missing = 0
        for name in NAMES:
            if name == reader:
                continue
            there = sum(1 for inbox, said in seen.letters if inbox == reader and said["by"] == name)
            total = there + seen.note(reader)["heard"].get(name, 0)
            if total > _sent(name, reader, last[name] + 1):
                yield f"{reader} has {total} letters of {name}, who has sent {_sent(name, reader, last[name])}"
            missing += max(0, _sent(name, reader, last[name] - 1) - total)
        if missing > BATCH:
            yield f"{missing} letters to {reader} are nowhere"


def _sent(name: str, reader: str, until: int) -> int:
    """How many letters a writer has sent to another in its first rounds (`writers.Writer._write`)."""
    turn = [other for other in NAMES if other != name].index(reader)
    return sum(1 for k in range(1, until + 1) if k % BROADCASTS == 0 or k % (len(NAMES) - 1) == turn)


def _costs(seen: Seen) -> Iterator[str]:
    noted = seen.note(REPORTER)["reported"]
    if not noted <= len(seen.costs) <= noted + 1 + _GROWTH:
        yield f"{noted} costs were reported, and {len(seen.costs)} are there"
    if seen.summary is None:
        return
    counted, there = seen.summary["files"], {cost["id"]: cost for cost in seen.costs}
    for name, entry in counted.items():
        cost = there.get(name.removesuffix(".json").rpartition("-")[2])
        if cost is None or (cost["costCents"], cost["inputTokens"]) != (entry["costCents"], entry["inputTokens"]):
            yield f"the summary counts {name}, which is not there"
    if not len(there) - 1 <= len(counted) <= len(there):
        yield f"the summary counts {len(counted)} of {len(there)} costs"
    total = sum(entry["costCents"] for entry in counted.values())
    if seen.summary["totalCostCents"] != total or seen.summary["eventCount"] != len(counted):
        yield f"the summary says {seen.summary['totalCostCents']} cents, and its costs are {total}"


def _plans(seen: Seen) -> Iterator[str]:
    if seen.plans is None:
        return
    for each in (*seen.events, *(each for mail in seen.mail.values() for each in mail)):
        if each["type"] == "plan_approval_request" and PurePath(each["planFile"]).name not in seen.plans:
            yield f"a letter names the plan {each['planFile']}, which is not there"


_GROWTH = 64
"""Costs that may be reported before the next round is noted: a writer may have been given several tokens at once."""
_CHECKS: tuple[Callable[[Seen], Iterator[str]], ...] = (_whole, _tasks, _one_place, _order, _conserved, _costs, _plans)


def _logged(seen: Seen) -> list[tuple[str, Data]]:
    return [("", said) for said in map(_said, seen.events) if said]


def _said(letter: Data) -> Data | None:
    """What a writer wrote into a letter; of other letters nothing."""
    if letter["type"] not in ("message", "broadcast") or letter["from"] not in NAMES:
        return None
    said: Data = json.loads(letter["content"])
    return said
