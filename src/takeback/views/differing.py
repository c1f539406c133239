"""What differs in values and in containers, in words: for diff and show. `patch` takes none of these lines for its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from takeback.views.lines import Line
from takeback.views.text import count

if TYPE_CHECKING:
    from takeback.model.diff import Change, Difference

_SIGNS = {"added": ("+", "plus"), "removed": ("-", "minus"), "moved": (">", "name")}
_FILE_SIGNS = {"added": ("+", "plus"), "deleted": ("-", "minus")}


def state_lines(state: Sequence[Difference], most: int | None = None) -> Iterator[Line]:
    """For each value a head, and below it a line for each place that differs."""
    for part in dict.fromkeys(each.part for each in state):
        some = [each for each in state if each.part == part]
        yield [(f"state {part}: {count(len(some), 'difference')}", "head")]
        yield from (_line(each) for each in some[:most])
        if most is not None and len(some) > most:
            yield [(f"  … and {len(some) - most:,} more; --json lists them all", "quiet")]


def container_lines(changes: Sequence[Change], most: int | None = None) -> Iterator[Line]:
    """For each container a head, and below it a line for each path that differs."""
    for part in dict.fromkeys(each.part for each in changes):
        some = [each for each in changes if each.part == part and not each.is_directory]
        name = part if part == "container" else f"container {part}"
        yield [(f"{name}: {count(len(some), 'path')}", "head")]
        for each in some[:most]:
            sign, style = _FILE_SIGNS.get(each.status, ("~", "name"))
            yield ["  ", (sign, style), f" {each.path}"]
        if most is not None and len(some) > most:
            yield [(f"  … and {len(some) - most:,} more; --json lists them all", "quiet")]


def _line(each: Difference) -> Line:
    sign, style = _SIGNS.get(each.status, ("~", "name"))
    path = each.path or "all of it"
    if each.before is not None and each.after is not None and each.status != "moved":
        return ["  ", (sign, style), f" {path}: ", (each.before, "minus"), " → ", (each.after, "plus")]
    text = each.after if each.after is not None else each.before
    return ["  ", (sign, style), f" {path}" + (f": {text}" if text is not None else "")]
