"""Whether a simple command, or a tool, meets a rule."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from takeback.adapters.hooks.effects.commands import Command
from takeback.adapters.hooks.effects.options import SINGLE_DASH, VALUED
from takeback.adapters.hooks.effects.rules import RULES, TOOLS
from takeback.model.effect_rule import EffectRule, OptionTest, Pattern, parse_pattern

_LONG = 400
"""So much of a word is compared; whoever names a command does it in fewer characters."""

_SQL_TEXT = 1 << 16


class Arguments:
    """A command's arguments, as its own program would take them apart."""

    __slots__ = ("options", "words")

    def __init__(self, options: Sequence[tuple[str, str]], words: Sequence[str]) -> None:
        self.options = options
        self.words = words


@cache
def built_in() -> dict[str, list[tuple[str, str]]]:
    """The rules that takeback brings along, by program."""
    found: dict[str, list[tuple[str, str]]] = {}
    for rule in RULES:
        for program in rule[1].partition(" ")[0].split("|"):
            found.setdefault(program, []).append(rule)
    return found


pattern: Final = cache(parse_pattern)


def command_kind(program: str, words: Sequence[str], command: Command, own: Sequence[EffectRule]) -> str:
    """The kind of effect that a command has: the user's rules come first; nothing if it meets none."""
    mine = [(rule.kind, rule.command) for rule in own if rule.command and program in pattern(rule.command).programs]
    rules = mine + built_in().get(program, [])
    if not rules:
        return ""
    arguments = _arguments(program, words[1:])
    if ("--help", "") in arguments.options or (("--version", "") in arguments.options and not arguments.words):
        return ""
    return next((kind for kind, text in rules if meets(pattern(text), arguments, command)), "")


def tool_kind(tool: str, own: Sequence[EffectRule]) -> str:
    """The kind of effect that an agent's tool has, from its name."""
    name = tool[:_LONG]
    for rule in own:
        if rule.tool and re.fullmatch(rule.tool, name):
            return rule.kind
    if "_" not in name:  # every tool of a server has one, and hardly any that an agent brings along
        return ""
    return next((kind for kind, expression in TOOLS if re.fullmatch(expression, name)), "")


def meets(rule: Pattern, arguments: Arguments, command: Command) -> bool:
    """Whether arguments are what a rule's command says."""
    words = [word[:_LONG].lower() for word in arguments.words[:64]]
    for at, (wanted, globs) in enumerate(rule.words):
        if at >= len(words) or _like(words[at], globs) is not wanted:
            return False
    if rule.ends and len(words) > len(rule.words):
        return False
    if any(_has(arguments, test) is not test[0] for test in rule.options):
        return False
    if rule.some and not any(_like(word, rule.some) for word in words):
        return False
    if rule.last and not (arguments.words and _like(arguments.words[-1][:_LONG].lower(), rule.last)):
        return False
    return all(_QUESTIONS[name](arguments, command) for name in rule.questions if name in _QUESTIONS)


def _arguments(program: str, words: Sequence[str]) -> Arguments:
    valued = VALUED.get(program, "").split()
    options: list[tuple[str, str]] = []
    plain: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            plain += rest
        elif len(word) < 2 or word[0] != "-":
            plain.append(word)
        elif word[1] == "-" or program in SINGLE_DASH:
            option, equals, value = word.partition("=")
            options.append((option, value if equals or option not in valued else next(rest, "")))
        elif word in valued:
            options.append((word, next(rest, "")))
        else:
            for at, letter in enumerate(word[1:_LONG], 2):
                option = f"-{letter}"
                if option in valued:
                    options.append((option, word[at:] or next(rest, "")))
                    break
                options.append((option, ""))
    return Arguments(options, plain)


def _has(arguments: Arguments, test: OptionTest) -> bool:
    _, names, values = test
    return any(
        option in names and (not values or _like(value[:_SQL_TEXT].lower(), values))
        for option, value in arguments.options
    )


def _like(word: str, globs: Sequence[str]) -> bool:
    for glob in globs:
        if "*" not in glob:
            if word == glob:
                return True
            continue
        head, *middle, tail = glob.split("*")
        if len(word) >= len(head) + len(tail) and word.startswith(head) and word.endswith(tail):
            if all(piece in word for piece in middle):
                return True
    return False


def _sql(arguments: Arguments, command: Command) -> bool:
    """Whether a database is told more than to show something. What it reads from a file may be anything."""
    asked = ("-c", "--command", "-e", "--execute", "-q", "-Q", "--query")
    texts = [value for option, value in arguments.options if option in asked] + command.inputs
    if any(option in ("-l", "--list", "-V", "--version") for option, _ in arguments.options):
        return False
    if not texts or any(option in ("-f", "--file", "-i", "--queries-file") for option, _ in arguments.options):
        return True
    return any(_writes(text) for text in texts)


def _writes(text: str) -> bool:
    if len(text) > _SQL_TEXT:
        return True
    text = re.sub(r"--[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    for statement in text.split(";"):
        first = statement.split(None, 1)[:1]
        if not first or first[0].startswith("\\"):
            continue
        if first[0].lower() not in (
            "select",
            "show",
            "explain",
            "describe",
            "desc",
            "use",
            "with",
            "set",
            "table",
            "values",
        ):
            return True
        if re.search(
            r"(?i)\b(?:insert|update|delete|drop|alter|truncate|create|into|analyze|nextval|pg_terminate_backend)\b",
            statement,
        ):
            return True
    return False


def _items(arguments: Arguments, command: Command) -> bool:
    """Whether httpie is given fields to send."""
    return any(re.match(r"[^=:@?/]+(?::?=(?!=)|@)", word[:_LONG]) is not None for word in arguments.words[1:64])


_QUESTIONS: Final = {"sql": _sql, "items": _items}
