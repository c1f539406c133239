"""What differs in a team, in words: tasks, mail, costs, members. For diff and show, as `takeback.views.differing`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from takeback.views.lines import Line
from takeback.views.text import clip, count

if TYPE_CHECKING:
    from takeback.model.diff import Change
    from takeback.model.team import Mail, Spent, Task, TaskChange, TeamDiff

_PLUS, _MINUS, _CHANGED = ("+", "plus"), ("-", "minus"), ("~", "name")
_SIGNS = {"added": _PLUS, "arrived": _PLUS, "removed": _MINUS, "gone": _MINUS}
_WIDTH = 48


def team_lines(teams: Sequence[TeamDiff], changes: Sequence[Change], most: int | None = None) -> Iterator[Line]:
    """For each team a head, and below it what became of its tasks, mail, costs and members."""
    for each in teams:
        number = sum(change.part == each.part and not change.is_directory for change in changes)
        name = f"team {each.team}" + (f" as {each.part}" if each.part != "team" else "")
        yield [(f"{name}: {count(number, 'path')}", "head")]
        yield from _lines(each, most)


def _lines(each: TeamDiff, most: int | None) -> Iterator[Line]:
    if each.joined or each.left:
        yield ["  members ", _ends(each.members)]
        yield from _named({**dict.fromkeys(each.joined, "added"), **dict.fromkeys(each.left, "removed")})
    if each.tasks:
        counted = (f"{status or '?'} {_ends(ends)}" for status, ends in each.statuses.items())
        yield [f"  tasks  {', '.join(counted)}"]
        yield from _some(map(_task, each.tasks), len(each.tasks), most)
    if each.mail:
        yield ["  mail"]
        yield from _some(map(_mail, each.mail), len(each.mail), most)
    if each.costs:
        yield ["  costs"]
        yield from (_spent(one) for one in each.costs)
    if each.events[0] != each.events[1]:
        yield [f"  events {_ends(each.events)}"]
    for what, named in (("sessions", each.sessions), ("plans", each.plans)):
        if named:
            yield [f"  {what}"]
            yield from _some(_named(named), len(named), most)
    if each.other:
        yield ["  other files"]
        yield from _some((["    ", _CHANGED, f" {path}"] for path in each.other), len(each.other), most)
    if each.unreadable:
        yield [("  unreadable: no JSON as ClawTeam writes it", "warn")]
        yield from _some(([f"    {path}"] for path in each.unreadable), len(each.unreadable), most)


def _task(each: TaskChange) -> Line:
    sign = _SIGNS.get(each.status, _CHANGED)
    return ["    ", sign, f" {each.id} ", *_about(each)]


def _about(each: TaskChange) -> Line:
    now = each.after or each.before
    if now is None:
        return [("unreadable", "warn")]
    front = f"“{clip(now.subject, _WIDTH)}”"
    if each.before is None or each.after is None:
        lost = [] if each.status != "changed" else [(" unreadable on one side", "warn")]
        return [f"{front} ({_state(now)})", *lost]
    if _state(each.before) == _state(each.after):
        return [f"{front} ({_state(now)}): other fields"]
    return [f"{front}: ", (_state(each.before), "minus"), " → ", (_state(each.after), "plus")]


def _state(task: Task) -> str:
    return f"{task.status or '?'}{f', of {task.owner}' if task.owner else ''}"


def _mail(each: Mail) -> Line:
    what = "dead letter " if each.dead else ""
    sender = f" from {each.sender}" if each.sender else ""
    said = f": “{clip(each.text, _WIDTH)}”" if each.text else ""
    return ["    ", _SIGNS[each.status], f" {what}to {each.inbox}{sender}{said}"]


def _spent(each: Spent) -> Line:
    return [
        f"    {each.agent or '?'}: {_ends(each.events)} {'event' if each.events[1] == 1 else 'events'}, {each.cents[0]:,.2f} → {each.cents[1]:,.2f} cents"
    ]


def _named(named: Mapping[str, str]) -> Iterator[Line]:
    for name, status in named.items():
        yield ["    ", _SIGNS.get(status, _CHANGED), f" {name}"]


def _ends(pair: tuple[int, int]) -> str:
    return f"{pair[0]:,} → {pair[1]:,}" if pair[0] != pair[1] else f"{pair[0]:,}"


def _some(lines: Iterable[Line], total: int, most: int | None) -> Iterator[Line]:
    for number, line in enumerate(lines):
        if most is not None and number >= most:
            yield [(f"    … and {total - most:,} more; --json lists them all", "quiet")]
            return
        yield line
