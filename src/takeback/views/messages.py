"""Conversations side by side: those lists in an agent's memory that look like messages, before and after."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from takeback.errors import TakebackError

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline
    from takeback.views.desk import Desk
    from takeback.views.differences import Differences

_DEEPEST = 6
_MOST_LISTS = 20
_AROUND = 2
"""Messages that are the same on both sides are shown before and after those that are not."""
_LONGEST = 20_000
_MOST_PIECES = 20_000
_MOST_LEVELS = 100
_OUTLINED = 300
_WHO = ("role", "type", "sender", "source", "author", "kind")
_WHAT = ("content", "text", "parts", "message")


@dataclass(frozen=True, slots=True)
class Message:
    """Who says what."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class MessagePair:
    """A message on one side, or on both."""

    status: str
    """``same``, ``added``, ``removed``, ``changed``; or ``gap``: so many (``index``) are the same and left out."""
    index: int
    before: Message | None = None
    after: Message | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """A list of messages that differs."""

    part: str
    path: str
    """Where in the value it is; empty if it is all of it."""
    pairs: tuple[MessagePair, ...]


def conversations(desk: Desk, lane: int, diff: Differences) -> tuple[Conversation, ...]:
    """All that differ. What lives in another process is, in the present, as the latest snapshot has it."""
    line = desk.look(lane)
    after = diff.b or desk.lane(lane).head
    found: list[Conversation] = []
    for part in dict.fromkeys(each.part for each in diff.state):
        old, new = (_lists(_value(line, id, part)) for id in (diff.a, after))
        for path in dict.fromkeys((*old, *new)):
            pairs = tuple(_shortened(list(paired(old.get(path, []), new.get(path, [])))))
            if any(pair.status in ("added", "removed", "changed") for pair in pairs):
                found.append(Conversation(part, path, pairs))
    return tuple(found)


def paired(old: Sequence[Any], new: Sequence[Any]) -> Iterator[MessagePair]:
    """Two lists of messages in one order; what is gone stands where it was."""
    from takeback.documents.aligning import align

    aligned = align(old, new)
    back = {b: a for a, b in (*aligned.same, *aligned.changed)}
    same, matched, at = set(aligned.same), set(back.values()), 0
    for number, message in enumerate(new):
        place = back.get(number)
        if place is None:
            yield MessagePair("added", number, None, told(message))
            continue
        yield from (MessagePair("removed", each, told(old[each])) for each in range(at, place) if each not in matched)
        at = max(at, place + 1)
        before, after = _told(old[place]), _told(message)
        alike = before == after and not (_is_vast(message) or _is_vast(old[place]))
        status = "same" if (place, number) in same or alike else "changed"
        yield MessagePair(status, number, _clipped(before), _clipped(after))
    yield from (MessagePair("removed", each, told(old[each])) for each in range(at, len(old)) if each not in matched)


def told(message: Any) -> Message:
    """A message of any framework, as who says what; no longer than one reads."""
    return _clipped(_told(message))


def _clipped(message: Message) -> Message:
    return Message(message.role, message.text[:_LONGEST])


def _told(message: Any) -> Message:
    if _is_vast(message):
        from takeback.documents import showing

        return Message("", "\n".join(islice(showing.lines(message), _OUTLINED)))
    fields = _fields(message) or {}
    role = next((str(fields[name]) for name in _WHO if isinstance(fields.get(name), str) and fields[name]), "")
    if not role:
        role = getattr(message, "type", "") if not isinstance(message, Mapping) else ""
    text = next((_text(fields[name]) for name in _WHAT if fields.get(name)), "")
    called = fields.get("tool_calls")
    if isinstance(called, Sequence) and not isinstance(called, str) and called:
        text = "\n".join(filter(None, (text, *(f"→ {_text(each)}" for each in called))))
    return Message(str(role).rpartition(":")[2], text or _said(message))


def _shortened(pairs: Sequence[MessagePair]) -> Iterator[MessagePair]:
    """Without those that are the same and not near any other."""
    shown = set[int]()
    for number, pair in enumerate(pairs):
        if pair.status != "same":
            shown |= set(range(number - _AROUND, number + _AROUND + 1))
    left = 0
    for number, pair in enumerate(pairs):
        if number not in shown:
            left += 1
            continue
        if left:
            yield MessagePair("gap", left)
            left = 0
        yield pair
    if left:
        yield MessagePair("gap", left)


def _value(line: Timeline, id: str | None, part: str) -> Any:
    if id is None:
        return None
    try:
        return line.value(id, part, unknown="record")
    except TakebackError:
        return None  # it is not in that one, or was purged


def _lists(value: Any) -> dict[str, list[Any]]:
    """The lists of messages in a value, by where they are."""
    found: dict[str, list[Any]] = {}
    todo: deque[tuple[str, Any, int]] = deque([("", value, 0)])
    seen: set[int] = set()
    while todo and len(found) < _MOST_LISTS:
        path, each, depth = todo.popleft()
        if id(each) in seen or depth > _DEEPEST:
            continue
        seen.add(id(each))
        if isinstance(each, list | tuple):
            if _are_messages(each):
                found[path] = list(each)
            continue
        fields = _fields(each)
        if fields is not None:
            todo += ((f"{path}.{name}" if path else str(name), inner, depth + 1) for name, inner in fields.items())
    return found


def _are_messages(items: Sequence[Any]) -> bool:
    some = items[:20]
    alike = sum(1 for each in some if _is_message(each))
    return bool(some) and 2 * alike >= len(some)


def _is_message(item: Any) -> bool:
    fields = _fields(item)
    return fields is not None and any(name in fields for name in _WHO) and any(name in fields for name in _WHAT)


def _fields(item: Any) -> Mapping[str, Any] | None:
    from takeback.documents.holes import Record

    if isinstance(item, Record):
        return item.fields
    if isinstance(item, SimpleNamespace):
        return vars(item)
    return item if isinstance(item, Mapping) else None


def _is_vast(value: Any) -> bool:
    """Whether a value, written out, is more than anybody reads: a list may hold itself, or another many times."""
    todo, seen = [iter((value,))], 0
    while todo:
        for each in todo[-1]:
            seen += 1
            if seen > _MOST_PIECES or len(todo) > _MOST_LEVELS:
                return True
            inner = each if isinstance(each, list | tuple | set | frozenset) else (_fields(each) or {}).values()
            todo.append(iter(inner))
            break
        else:
            todo.pop()
    return False


def _text(value: Any) -> str:
    """What a content says: text, or the texts of its blocks."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return "\n".join(filter(None, map(_text, value)))
    fields = _fields(value)
    if fields is not None:
        for name in ("text", "content", "thinking", "output"):
            if isinstance(fields.get(name), str | list | tuple) and fields[name]:
                return _text(fields[name])
        called, given = fields.get("name"), fields.get("input", fields.get("args", fields.get("arguments")))
        if isinstance(called, str) and called:
            return f"{called}({given if isinstance(given, str) else '' if given is None else _said(given)})"
        function = fields.get("function")
        if _fields(function) is not None:
            return _text(function)
    return _said(value)


def _said(value: Any) -> str:
    from takeback.documents.showing import as_json

    return json.dumps(as_json(value), ensure_ascii=False)
