"""What is different each time in printed text: for comparing it with what a page shows."""

from __future__ import annotations

import re
from collections.abc import Sequence

_CHANCE = [
    (r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", "SESSION"),
    (r"\b[0-9a-f]{8}\b", "ID"),
    (r"\b[0-9a-f]{10}\b", "COMMIT"),
    (r"\b\d\d:\d\d:\d\d\b", "TIME"),
    (r"(just now|\d+ (s|min) ago) *", "AGE  "),
]
_IDS = r"\b[0-9a-f]{64}\b|\b[0-9a-f]{32}\b|\b\d{13}\b|\b[0-9a-f]{12}\b|\b[0-9a-f]{8}\b"
_TIMES = (
    r"\d{8}T\d{6}|\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d+p00-00|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|"
    r"(?:just now|\d+ (?:s|min) ago) *"
)
_ANY = re.compile(f"{_TIMES}|{_IDS}")


def without_chance(text: str) -> str:
    """The text without ids, times and ages."""
    for pattern, by in _CHANCE:
        text = re.sub(pattern, by, text)
    return text


class Chance:
    """What chance made of ids there, in a page, and here: each of a page's is always the same one here."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def here(self, text: str) -> str:
        """What a page says to type, as it has to be typed here."""
        return _ANY.sub(lambda found: self._known.get(found[0], found[0]), text)

    def compare(self, shown: Sequence[str], printed: Sequence[str]) -> None:
        """Line by line the same, but for chance."""
        assert len(shown) == len(printed), (shown, printed)
        for line, found in zip(shown, printed, strict=True):
            match = self._pattern(line).fullmatch(found)
            assert match is not None, (line, printed)
            for token, value in zip(_ANY.findall(line), match.groups(), strict=True):
                self._known.setdefault(token, value)

    def _pattern(self, line: str) -> re.Pattern[str]:
        tokens = [*map(self._token, _ANY.findall(line)), ""]
        texts = map(re.escape, _ANY.split(line))
        return re.compile("".join(text + token for text, token in zip(texts, tokens, strict=True)))

    def _token(self, token: str) -> str:
        is_time = ":" in token or " " in token or len(token) == 13  # two that were the same there need not be so here
        known = token in self._known and not is_time
        return f"({re.escape(self._known[token])})" if known else f"({_ANY.pattern})"
