"""What a restore takes away, in words: a team's tasks and mail one by one, the rest counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from takeback.views.text import clip, count

if TYPE_CHECKING:
    from takeback.model.plan import Going

_WIDTH = 48
_COUNTED = {"costs": "cost event"}
_WHAT = {"messages": "mail", "dead letters": "dead letter"}


def words(goes: Sequence[Going]) -> list[str]:
    """A line for each member, task and message, and one for the number of everything else of a kind."""
    return [
        *(f"member {clip(each.said['name'], 30)}" for each in goes if each.what == "members"),
        *(_task(each) for each in goes if each.what == "tasks"),
        *(_mail(each) for each in goes if each.what in _WHAT),
        *_counted(each for each in goes if each.what not in ("members", "tasks", *_WHAT)),
    ]


def _task(each: Going) -> str:
    name = each.path.rpartition("/")[2].removeprefix("task-").removesuffix(".json")
    if not each.said:
        return f"task {name}, which is unreadable"
    subject, state = f"“{clip(each.said.get('subject', ''), _WIDTH)}”", _state(each.said)
    if each.becomes is None:
        return f"task {name} {subject} ({state})"
    then = _state(each.becomes)
    return f"what was done to task {name} {subject}: {state}" + (f" → {then}" if then != state else "")


def _state(said: Mapping[str, str]) -> str:
    return clip(said.get("status", "?"), 20) + (f", of {clip(said['owner'], 20)}" if said.get("owner") else "")


def _mail(each: Going) -> str:
    sender = f" from {clip(each.said['from'], 20)}" if each.said.get("from") else ""
    text = each.said.get("content", "")
    said = f": “{clip(text, _WIDTH)}”" if text else "" if sender else ", which is unreadable"
    return f"{_WHAT[each.what]} to {clip(each.said['to'], 30)}{sender}{said}"


def _counted(goes: Iterable[Going]) -> Iterator[str]:
    for what, number in Counter(each.what for each in goes).items():
        yield count(number, _COUNTED.get(what, what.removesuffix("s")))
