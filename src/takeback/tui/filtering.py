"""What is typed into the filter, as `takeback.views.rows.Filter`: words, and ``session:``, ``agent:`` and ``part:`` before
one. The beginning of a session's or an agent's name is enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from takeback.views.rows import Filter

PREFIXES = ("session", "agent", "part")
_PARTS = {"files": "workspace", "file": "workspace", "memory": "state"}


def typed(text: str, sessions: Sequence[tuple[str, str]] = (), *, actions: bool = False) -> Filter:
    """The filter that somebody typed, for a timeline of these sessions and their agents."""
    wanted = Filter(actions=actions)
    words: list[str] = []
    for word in text.split():
        name, colon, value = word.partition(":")
        if not colon or name not in PREFIXES:
            words.append(word)
        elif not value:
            continue  # it is still being typed
        elif name == "session":
            wanted = replace(wanted, session=_completed(value, [session for session, _ in sessions]))
        elif name == "agent":
            wanted = replace(wanted, agent=_completed(value, [agent for _, agent in sessions]))
        else:
            wanted = replace(wanted, part=_PARTS.get(value, value))
    return replace(wanted, text=" ".join(words))


def _completed(beginning: str, names: Sequence[str]) -> str:
    return beginning if beginning in names else next((name for name in names if name.startswith(beginning)), beginning)
