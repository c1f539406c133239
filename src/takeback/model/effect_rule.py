"""Rules that tell which commands and tools have effects that no snapshot can take back.

A rule is a kind, and a command or a tool. ``tool`` is a regular expression for a tool's whole name. ``command`` is a pattern
that reads like the command itself; its first word is the program, and of every further one:

- ``pr`` is the next word that is no option; ``create|merge``: one of these; ``*``: any; ``list-*``: begins so;
  ``!list|show``: it is there and none of these; ``$``: there is no further word;
- ``-f|--force`` asks for one of these options, ``-X|--request=POST|PUT`` for one with one of these values, and
  ``!-n|--dry-run`` for none of them;
- ``~of=/dev/*`` asks for some argument like this, ``>*:*`` for a last one like this;
- ``?sql`` asks a question that no pattern can ask; only takeback's own rules do that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from takeback.errors import InvalidInput

NONE = "none"
"""The kind of a rule that says that something is no effect after all."""

EXAMPLE = 'write [[effects]] with kind = "deploy" and command = "make deploy", or tool = "mcp__pager__.*"'


class EffectRule(NamedTuple):
    """What kind of effect a command, or else a tool, has."""

    kind: str
    command: str = ""
    tool: str = ""


def effect_rule(table: object) -> EffectRule:
    """A rule as a user's configuration has it; InvalidInput if it is none."""
    if not isinstance(table, Mapping) or not all(isinstance(value, str) for value in table.values()):
        raise InvalidInput(f"{table!r} is not a table of texts", hints=[EXAMPLE])
    unknown = sorted(table.keys() - {"kind", "command", "tool"})
    if unknown:
        raise InvalidInput(f"a rule has no {unknown[0]!r}", hints=[EXAMPLE])
    rule = EffectRule(table.get("kind", ""), table.get("command", ""), table.get("tool", ""))
    if not rule.kind.strip() or not rule.kind.isprintable():
        raise InvalidInput("a rule needs a kind, which is what undo calls its effects", hints=[EXAMPLE])
    if bool(rule.command) is bool(rule.tool):
        raise InvalidInput(
            f"a rule is for a command or for a tool, and the one of kind {rule.kind!r} is not", hints=[EXAMPLE]
        )
    if rule.command and parse_pattern(rule.command).questions:
        raise InvalidInput(f"{rule.command!r} asks a question, which only takeback's own rules may")
    try:
        re.compile(rule.tool)
    except (re.error, RecursionError, OverflowError) as error:
        raise InvalidInput(f"the tool {rule.tool!r} is no regular expression: {error}") from error
    return rule


OptionTest = tuple[bool, tuple[str, ...], tuple[str, ...]]
"""Whether there should be one of some options, with one of some values if there are any."""

WordTest = tuple[bool, tuple[str, ...]]
"""Whether the next word should be one of some."""


class Pattern:
    """A rule's command, taken apart."""

    __slots__ = ("ends", "last", "options", "programs", "questions", "some", "words")

    def __init__(self, programs: tuple[str, ...]) -> None:
        self.programs = programs
        self.words: list[WordTest] = []
        self.options: list[OptionTest] = []
        self.some: tuple[str, ...] = ()
        self.last: tuple[str, ...] = ()
        self.questions: list[str] = []
        self.ends = False
        """No word follows."""


def parse_pattern(text: str) -> Pattern:
    """A rule's command; InvalidInput if it is none."""
    program, *rest = text.split() or [""]
    if not program or program[0] in "-!~>?$":
        raise InvalidInput(f"{text!r} does not begin with a program", hints=['write it as in command = "make deploy"'])
    pattern = Pattern(tuple(program.split("|")))
    for token in rest:
        bare = token.removeprefix("!")
        if bare.startswith("-"):
            names, _, values = bare.partition("=")
            pattern.options.append((bare == token, tuple(names.split("|")), _alternatives(values)))
        elif token[0] == "~":
            pattern.some = _alternatives(token[1:])
        elif token[0] == ">":
            pattern.last = _alternatives(token[1:])
        elif token[0] == "?":
            pattern.questions.append(token[1:])
        elif token == "$":
            pattern.ends = True
        else:
            pattern.words.append((bare == token, _alternatives(bare)))
    return pattern


def _alternatives(text: str) -> tuple[str, ...]:
    return tuple(text.lower().split("|")) if text else ()
