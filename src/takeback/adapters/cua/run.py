"""One run of an agent, as far as its callbacks tell of it."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

_LONG = 1000
"""So much is kept of one text of an action; the messages have all of it."""
_TITLE = 120


class Run:
    """What is known of a run that is going on."""

    def __init__(
        self, container: str | None, kwargs: Mapping[str, Any], old_items: Sequence[Any], *, held: bool
    ) -> None:
        self.container = container
        given = kwargs.get("run_id")
        self.id = given if isinstance(given, str) and given else f"run-{uuid.uuid4().hex[:12]}"
        self.model = kwargs.get("model")
        self.title = _asked(old_items)
        self.old_items = old_items
        self.new_items: Sequence[Any] = ()
        """The agent's own list, which grows."""
        self.actions = 0
        self.acting: dict[str, Any] | None = None
        """The call that has begun and not ended."""
        self.ended = False
        self._kwargs = _Held(kwargs) if held else None
        """The arguments, which an agent's loop holds for as long as it runs."""

    @property
    def messages(self) -> list[Any]:
        return [*self.old_items, *self.new_items]

    @property
    def is_over(self) -> bool:
        """Whether the agent's loop has ended, said or not: then nobody but this run holds its arguments any more.

        It is left out of account where somebody else holds them, too: then it ends by the next run, or with the program.
        """
        return self.ended or (self._kwargs is not None and self._kwargs.holders <= _Held({}).holders)

    def error_of(self, call: Mapping[str, Any]) -> str:
        """What the agent was told of a call that failed; empty if nothing."""
        id = call.get("call_id")
        for item in reversed(self.new_items):
            if isinstance(item, Mapping) and id and item.get("call_id") == id and "output" in item:
                return str(item["output"])[:_LONG]
        return ""


class _Held:
    def __init__(self, kwargs: Mapping[str, Any]) -> None:
        self._kwargs = kwargs

    @property
    def holders(self) -> int:
        """How many hold the arguments, as the interpreter counts."""
        return sys.getrefcount(self._kwargs)


def _asked(items: Sequence[Any]) -> str:
    """What the agent was asked to do: the last words of a person."""
    for item in reversed(items):
        if isinstance(item, Mapping) and item.get("role") == "user":
            content = item.get("content")
            texts = [content] if isinstance(content, str) else [_text(each) for each in content or ()]
            said = " ".join(" ".join(texts).split())
            if said:
                return said[:_TITLE]
    return "a run of the agent"


def _text(content: Any) -> str:
    said = content.get("text") if isinstance(content, Mapping) else content
    return said if isinstance(said, str) else ""


def named(item: Mapping[str, Any]) -> str:
    """The action of a call in a word: ``click``, or ``function_NAME``."""
    action = item.get("action")
    if isinstance(action, Mapping):
        return str(action.get("type") or "unknown")
    inner = item.get("function")
    name = item.get("name") or (inner.get("name") if isinstance(inner, Mapping) else None)
    return f"function_{name or 'unknown'}"


def told(item: Mapping[str, Any]) -> str:
    """The same for people, with what it was done with."""
    action = item.get("action")
    if isinstance(action, Mapping):
        rest = " ".join(f"{key}={value}" for key, value in action.items() if key != "type")
        return f"{named(item)} {rest}".strip()[:_TITLE]
    return f"{named(item).removeprefix('function_')} {item.get('arguments') or ''}".strip()[:_TITLE]


def kept(item: Mapping[str, Any]) -> dict[str, Any]:
    """What a snapshot's context says of a call."""
    wanted = ("type", "call_id", "action", "name", "arguments", "function")
    return {key: _short(item[key]) for key in wanted if key in item}


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= _LONG else f"{value[:_LONG]}…"
    if isinstance(value, Mapping):
        return {str(key): _short(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_short(each) for each in value]
    return value if value is None or isinstance(value, int | float | bool) else str(value)[:_LONG]
