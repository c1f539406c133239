"""The caller's include patterns: what is kept although other rules leave it out."""

from __future__ import annotations

from takeback.model.tree import name_text
from takeback.sources.workspace.ignore.patterns import Matcher, Pattern, matcher
from takeback.sources.workspace.ignore.texts import as_text
from takeback.sources.workspace.ignore.wildmatch import literal_length


class Includes:
    """Include patterns, and how far each reaches into ignored directories: only if it starts with a literal one."""

    def __init__(self, patterns: tuple[str, ...], ignore_case: bool) -> None:
        self._ignore_case = ignore_case
        self._all = matcher(as_text(patterns), ignore_case)
        reaching = [each for each in self._all.patterns if each.negated or _reaches(each)]
        self._reaching = Matcher(reaching, ignore_case)
        self._ways = [self._fold(name_text(each.text)).split("/") for each in reaching if not each.negated]

    def decide(self, path: str, name: str, is_dir: bool, *, in_ignored: bool) -> bool | None:
        """Whether a path from the root is included; None if no pattern says so or otherwise."""
        return (self._reaching if in_ignored else self._all).decide(path, name, is_dir)

    def may_reach_below(self, path: str) -> bool:
        """Whether something in the ignored directory at ``path`` may be included."""
        names = self._fold(path).split("/")
        return any(_leads(way, names) for way in self._ways)

    def _fold(self, text: str) -> str:
        return text.lower() if self._ignore_case else text


def _reaches(pattern: Pattern) -> bool:
    first, slash, _ = pattern.text.partition(b"/")
    return not pattern.by_name and bool(slash) and literal_length(first) == len(first)


def _leads(way: list[str], names: list[str]) -> bool:
    """Whether a pattern's components may go through, and beyond, the directory of these names."""
    for at, name in enumerate(names):
        if at == len(way):
            return False
        if way[at].startswith("**"):
            return True
        if way[at] != name and not set(way[at]) & set("*?[\\"):
            return False
    return len(way) > len(names)
