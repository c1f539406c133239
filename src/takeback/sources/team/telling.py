"""What changed paths of a team mean: which task, whose mail, how much money. Snapshots are read, never the world.

What is no JSON object, or holds something else than it should, is told as unreadable: nothing is passed over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from takeback.model.team import Mail, Spent, Task, TaskChange, TeamDiff
from takeback.model.tree import FILE, Entry
from takeback.sources.team import layouts
from takeback.sources.team.contents import Contents, parsed
from takeback.sources.team.going import renamed
from takeback.sources.team.layouts import Area

if TYPE_CHECKING:
    from takeback.model.diff import Change
    from takeback.model.snapshot import Part
    from takeback.store.reader import Reader

_STATUS = {"added": "added", "deleted": "removed"}


class Told:
    """Reads what files of a team say, each content once; what could not be read is in ``unreadable``."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._known: dict[bytes, Mapping[str, Any] | None] = {}
        self.unreadable: dict[str, None] = {}

    def object(self, path: str, entry: Entry | None) -> Mapping[str, Any] | None:
        """What a file says; None if there is none, or it cannot be read."""
        if entry is None:
            return None
        found = self._read(entry)
        if found is None:
            self.unreadable[path] = None
        return found

    def both(self, change: Change) -> None:
        """Read both sides only to know whether they can be."""
        for entry in (change.before, change.after):
            self.object(change.path, entry)

    def _read(self, entry: Entry) -> Mapping[str, Any] | None:
        if entry.id not in self._known:
            self._known[entry.id] = parsed(self._reader, entry)
        return self._known[entry.id]

    def task(self, path: str, entry: Entry | None) -> Task | None:
        found = self.object(path, entry)
        return None if found is None else Task(*(_text(found.get(key)) for key in ("subject", "status", "owner")))

    def mail(self, area: Area, path: str, entry: Entry | None, status: str) -> Mail:
        found = self.object(path, entry) or {}
        text = next((said for key in ("content", "summary", "type") if (said := _text(found.get(key)))), "")
        dead = area.what == layouts.DEAD_LETTERS
        return Mail(path.split("/")[-2], path, status, _text(found.get("from")), text, dead)


def tell(reader: Reader, a: Part | None, b: Part | None, changes: Sequence[Change]) -> TeamDiff:
    """What the changed paths mean between two parts of a team; None is no team."""
    sides = [Contents(reader, each) for each in (a, b)]
    part = b or a
    assert part is not None
    known = sides[0] if b is None else sides[1]
    team, layout = known.team, known.layout
    told = Told(reader)
    found: dict[str, list[tuple[Area, Change]]] = {}
    other = []
    for change in changes:
        area = layout.area_of(team, change.path)
        if (
            area is not None
            and not _is_mode(change)
            and FILE in (each.kind for each in (change.before, change.after) if each is not None)
        ):
            found.setdefault(area.what, []).append((area, change))
        elif not change.is_directory:
            other.append(change)
    for change in [*(each for _, each in found.get(layouts.SESSIONS, [])), *other]:
        if change.path.endswith(".json"):
            told.both(change)
    config = layout.config.format(team=team)
    joined = any(change.path == config for change in other)
    before, after = (each.members for each in (sides if joined else (known, known)))
    events = sides if layouts.EVENTS in found else (known, known)
    mail = [*found.get(layouts.MESSAGES, []), *found.get(layouts.DEAD_LETTERS, [])]
    return TeamDiff(
        part=part.name,
        team=team,
        members=(len(before), len(after)),
        joined=tuple(each for each in after if each not in before),
        left=tuple(each for each in before if each not in after),
        statuses=_statuses(told, sides) if layouts.TASKS in found else {},
        tasks=tuple(_task(told, change) for _, change in found.get(layouts.TASKS, [])),
        mail=tuple(_mail(told, mail)),
        costs=tuple(_costs(told, sides)) if layouts.COSTS in found else (),
        events=(events[0].count(layouts.EVENTS), events[1].count(layouts.EVENTS)),
        sessions={stem(each.path): _status(each) for _, each in found.get(layouts.SESSIONS, [])},
        plans={stem(each.path): _status(each) for _, each in found.get(layouts.PLANS, [])},
        other=tuple(change.path for change in other),
        unreadable=tuple(told.unreadable),
    )


def _is_mode(change: Change) -> bool:
    """Whether a file says what it said, and only who may read it is another matter."""
    before, after = change.before, change.after
    return (
        before is not None
        and after is not None
        and (before.kind, before.id) == (after.kind, after.id) == (FILE, after.id)
    )


def _status(change: Change) -> str:
    return _STATUS.get(change.status, "changed")


def _task(told: Told, change: Change) -> TaskChange:
    before, after = (told.task(change.path, entry) for entry in (change.before, change.after))
    return TaskChange(stem(change.path).removeprefix("task-"), change.path, _status(change), before, after)


def _mail(told: Told, changes: Sequence[tuple[Area, Change]]) -> Iterator[Mail]:
    """What came and went. A message that is claimed, or given back, has another name and is the same."""
    gone = [(each.path, each.before) for _, each in changes if each.before is not None]
    came = [(each.path, each.after) for _, each in changes if each.after is not None]
    back, again = renamed(gone, came), renamed(came, gone)
    for area, each in changes:
        if each.before is not None and each.path not in back:
            yield told.mail(area, each.path, each.before, "gone")
        if each.after is not None and each.path not in again:
            yield told.mail(area, each.path, each.after, "arrived")


def _statuses(told: Told, sides: Sequence[Contents]) -> dict[str, tuple[int, int]]:
    tasks = [[told.task(path, entry) for path, entry in each.entries(layouts.TASKS)] for each in sides]
    before, after = (Counter(task.status for task in some if task is not None) for some in tasks)
    return {each: (before[each], after[each]) for each in sorted(before.keys() | after.keys())}


def _costs(told: Told, sides: Sequence[Contents]) -> Iterator[Spent]:
    events: list[Counter[str]] = [Counter(), Counter()]
    cents: list[dict[str, float]] = [{}, {}]
    for side, contents in enumerate(sides):
        for path, entry in contents.entries(layouts.COSTS):
            if (found := told.object(path, entry)) is not None:
                agent = _text(found.get("agentName"))
                events[side][agent] += 1
                cents[side][agent] = cents[side].get(agent, 0.0) + _number(found.get("costCents"))
    for agent in sorted(events[0].keys() | events[1].keys()):
        counts = events[0][agent], events[1][agent]
        spent = cents[0].get(agent, 0.0), cents[1].get(agent, 0.0)
        if counts[0] != counts[1] or spent[0] != spent[1]:
            yield Spent(agent, counts, spent)


def stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return 0.0
    try:
        return float(value) if isfinite(value) else 0.0
    except OverflowError:
        return 0.0
