"""From an agent's tool call to what no snapshot can take back.

`effects_of` is called after every tool call, so it is fast, it reads no more than a bounded part of what it is given, and
it never raises. What it says is a list to look at, not a judgement: a rule sees the command, not what the command did.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from takeback.adapters.hooks.effects.commands import Budget, Command, split

if TYPE_CHECKING:
    from takeback.model.effect_rule import EffectRule

__all__ = ["Effect", "effects_of", "outside_root"]

MOST = 50
"""So many effects of one tool call are listed; more are counted."""

_NESTED = 8
_SHELL_TOOLS = frozenset("bash exec_command run_shell_command shell local_shell terminal execute_command".split())
_COMMAND_KEYS = ("command", "cmd", "script")


class Effect(NamedTuple):
    """Something that no snapshot can take back."""

    kind: str
    what: str


def effects_of(
    tool: str, input: Mapping[str, Any], rules: Sequence[EffectRule] = (), root: str = "", cwd: str = ""
) -> tuple[Effect, ...]:
    """What a tool call did that no snapshot can take back; ``rules`` are the user's own, which come first.

    With a ``root``, and where the agent stands, commands that write files outside of it count, too.
    """
    if tool.lower() in _SHELL_TOOLS:
        given = next((input[key] for key in _COMMAND_KEYS if input.get(key)), None)
        found = _Found(rules, root, cwd)
        if isinstance(given, str):
            found.text(given, 0)
        elif isinstance(given, list) and all(isinstance(word, str) for word in given):
            found.command(given, Command(given, [], None), 0)
        return found.effects
    from takeback.adapters.hooks.effects.matching import tool_kind

    kind = tool_kind(tool, rules)
    if not kind or kind == "none":
        return ()
    from takeback.adapters.hooks.effects.showing import mask, shorten

    said = " ".join(str(value)[:200] for value in list(input.values())[:6] if isinstance(value, str | int))
    return (Effect(kind, shorten(mask(f"{tool} {said}".strip()))),)


def outside_root(paths: Iterable[str], root: str) -> tuple[Effect, ...]:
    """The files outside the root that a tool has written: they are in no snapshot."""
    from takeback.adapters.hooks.effects.showing import shorten

    found: dict[Effect, None] = {}
    for path in paths:
        whole = os.path.realpath(os.path.join(root, os.path.expanduser(path)))
        if whole != root and not whole.startswith(f"{root.rstrip('/')}/"):
            found[Effect("files", shorten(whole))] = None
    listed = list(found)[:MOST]
    more = len(found) - len(listed)
    return (*listed, Effect("files", f"{more:,} more")) if more else tuple(listed)


class _Found:
    """The effects of one tool call, while it is being read."""

    def __init__(self, rules: Sequence[EffectRule], root: str, cwd: str) -> None:
        self._rules, self._root, self._cwd = rules, root, cwd
        self._budget = Budget()
        self._effects: dict[Effect, None] = {}
        self._more = 0

    @property
    def effects(self) -> tuple[Effect, ...]:
        found = list(self._effects)
        if self._budget.spent:
            found.append(Effect("unread", "the end of a command that is too long to be read"))
        if self._more:
            found.append(Effect("unread", f"{self._more:,} more of the same command"))
        return tuple(found)

    def text(self, text: str, depth: int) -> None:
        """What a shell runs."""
        for command in split(text, self._budget):
            self.command(command.words, command, depth)

    def command(self, words: list[str], command: Command, depth: int) -> None:
        """One simple command, and what it runs in its turn."""
        from takeback.adapters.hooks.effects import matching, programs, writing

        whole = words
        if self._root and any(writing.is_outside(path, self._root, self._cwd) for _, path in command.writes):
            self._note("files", [*whole, *(word for write in command.writes for word in write)])
        for _ in range(_NESTED * 2):
            if not words:
                return
            name = programs.name(words[0])
            kind = matching.command_kind(name, words, command, self._rules)
            if kind:
                self._note(kind, whole)
                return
            if self._root and writing.writes_outside(name, words, self._root, self._cwd):
                self._note("files", whole)
            if programs.downloads(words, command):
                fetched = [*command.before.words, "|", *whole] if command.before is not None else whole
                self._note("script", fetched)
            if depth < _NESTED and not self._budget.spent:
                for inner in programs.told(words, command):
                    self.text(inner, depth + 1)
            run = programs.run_by(words)
            if run is None:
                return
            words = run

    def _note(self, kind: str, words: list[str]) -> None:
        if kind == "none":
            return
        if len(self._effects) >= MOST:
            self._more += 1
            return
        from takeback.adapters.hooks.effects.showing import shown

        what = shown(words)
        if not any(known.kind == kind and known.what.endswith(what) for known in self._effects):
            self._effects[Effect(kind, what)] = None
