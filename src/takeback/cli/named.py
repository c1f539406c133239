"""``[PART=]NAME``: how an option names what a command is to look at, and what the shell is offered behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from click.shell_completion import CompletionItem

from takeback.errors import InvalidInput


def parsed(kind: str, given: str) -> tuple[str, str]:
    """Part and name; the part is called like its kind unless another name is given."""
    part, equals, name = given.partition("=")
    part, name = (part, name) if equals else (kind, given)
    if not part.strip() or not name.strip():
        raise InvalidInput(f"--{kind} {given!r} names no {kind}", hints=[f"--{kind} NAME, or PART=NAME"])
    return part, name


def offered(known: Callable[[], Iterable[str]], incomplete: str) -> list[CompletionItem]:
    """Names that begin so; whatever goes wrong is silent, because a completion must not disturb who types."""
    part, equals, begun = incomplete.partition("=")
    front, begun = (f"{part}=", begun) if equals else ("", incomplete)
    try:
        names = list(known())
    except Exception:
        return []
    return [CompletionItem(front + name) for name in names if name.startswith(begun) and name.isprintable()]
