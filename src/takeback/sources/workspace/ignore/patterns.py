"""One text of patterns in gitignore's syntax, and what it decides about a path.

Git's own rules, checked against git itself: the last pattern that matches wins, ``!`` re-includes, a pattern with a
slash before its end is anchored, one that ends with a slash matches directories only, only unescaped trailing spaces
and one CR are cut, a byte order mark is skipped, wildcards match bytes. A malformed pattern matches nothing. Most
patterns are plain names or ``*.ending``; they never become regular expressions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from takeback.model.tree import name_bytes, name_text
from takeback.sources.workspace.ignore.wildmatch import NeverMatches, literal_length, name_regex, path_regex

_LONGEST = 4096
"""A longer pattern matches no path that a system call would take."""
_BOM = b"\xef\xbb\xbf"
_LETTER = re.compile(rb"\\(.)|.", re.DOTALL)
_WILD = re.compile(rb"(?:[^*?\[\\]|\\.)*[*?\[]", re.DOTALL)


class Pattern(NamedTuple):
    """One line. Exactly one of ``literal``, ``ending``, ``beginning`` and ``regex`` is set."""

    negated: bool
    directories: bool
    """It matches directories only."""
    by_name: bool
    """It is matched against the last component, not the whole path."""
    text: bytes
    literal: str | None = None
    ending: str | None = None
    beginning: str | None = None
    regex: bytes | None = None

    def matches(self, path: str, name: str) -> bool:
        subject = name if self.by_name else path
        if self.literal is not None:
            return subject == self.literal
        if self.ending is not None:
            return subject.endswith(self.ending)
        if self.beginning is not None:
            return subject.startswith(self.beginning)
        assert self.regex is not None
        return _compiled(self.regex).fullmatch(name_bytes(subject)) is not None


class Matcher:
    """What the patterns of one text decide. ``None`` is no decision."""

    def __init__(self, patterns: Sequence[Pattern], ignore_case: bool = False) -> None:
        self.patterns = patterns
        self._fold = ignore_case
        names = [each for each in self.patterns if each.by_name]
        paths = [each for each in self.patterns if not each.by_name]
        self._names = frozenset(each.literal for each in names if each.literal is not None)
        self._paths = frozenset(each.literal for each in paths if each.literal is not None)
        self._endings = tuple({each.ending for each in names if each.ending is not None})
        self._beginnings = tuple({each.beginning for each in names if each.beginning is not None})
        self._name_regex = _any({each.regex for each in names if each.regex is not None})
        self._path_regex = _any({each.regex for each in paths if each.regex is not None})

    def decide(self, path: str, name: str, is_dir: bool) -> bool | None:
        """What is said of ``path``, which starts at this text's directory and ends with the component ``name``."""
        if not self.patterns:
            return None
        if self._fold:
            path, name = _fold_text(path), _fold_text(name)
        if (
            name in self._names
            or path in self._paths
            or name.endswith(self._endings)
            or name.startswith(self._beginnings)
            or (self._name_regex and self._name_regex.fullmatch(name_bytes(name)))
            or (self._path_regex and self._path_regex.fullmatch(name_bytes(path)))
        ):
            for pattern in reversed(self.patterns):
                if (is_dir or not pattern.directories) and pattern.matches(path, name):
                    return not pattern.negated
        return None


@lru_cache(maxsize=1024)
def matcher(text: bytes, ignore_case: bool = False) -> Matcher:
    """The matcher of a text; equal texts share one."""
    parsed = (parse_line(line, ignore_case) for line in split_lines(text))
    return Matcher([pattern for pattern in parsed if pattern is not None], ignore_case)


def split_lines(text: bytes) -> list[bytes]:
    """The lines that may be patterns, as git cuts them."""
    lines = []
    for line in text.removeprefix(_BOM).split(b"\n"):
        if line and not line.startswith(b"#"):
            lines.append(_without_trailing_spaces(line.removesuffix(b"\r").split(b"\0", 1)[0]))
    return lines


def parse_line(line: bytes, ignore_case: bool = False) -> Pattern | None:
    """The pattern on a line that `split_lines` gave; None if it can match nothing."""
    negated = line.startswith(b"!")
    text = line[1:] if negated else line
    directories = text.endswith(b"/")
    if directories:
        text = text[:-1]
    by_name = b"/" not in text
    if text.startswith(b"**/") and b"/" not in text[3:]:
        text, by_name = text[3:], True
    elif not by_name:
        text = text.removeprefix(b"/")
    if not text or len(text) > _LONGEST:
        return None
    if not _WILD.match(text):
        if (len(text) - len(text.rstrip(b"\\"))) % 2:
            return None
        return Pattern(negated, directories, by_name, text, literal=_plain(text, ignore_case))
    if by_name and text.isascii():
        if text[0] == ord("*") and literal_length(text[1:]) == len(text) - 1:
            return Pattern(negated, directories, True, text, ending=_plain(text[1:], ignore_case))
        if text[-1] == ord("*") and literal_length(text) == len(text) - 1:
            return Pattern(negated, directories, True, text, beginning=_plain(text[:-1], ignore_case))
    try:
        regex = (name_regex if by_name else path_regex)(text, ignore_case)
    except NeverMatches:
        return None
    return Pattern(negated, directories, by_name, text, regex=regex)


def _plain(text: bytes, ignore_case: bool) -> str:
    """A text without wildcards as what it matches."""
    if ignore_case:
        return name_text(_LETTER.sub(lambda found: found[1] or found[0].lower(), text))
    return name_text(_LETTER.sub(lambda found: found[1] or found[0], text) if b"\\" in text else text)


def _without_trailing_spaces(line: bytes) -> bytes:
    kept = line.rstrip(b" ")
    if kept == line:
        return line
    backslashes = len(kept) - len(kept.rstrip(b"\\"))
    return line[: len(kept) + backslashes % 2]


def _any(regexes: set[bytes]) -> re.Pattern[bytes] | None:
    """What matches if any of the regular expressions does."""
    return re.compile(b"|".join(sorted(regexes)), re.DOTALL) if regexes else None


@lru_cache(maxsize=2048)
def _compiled(regex: bytes) -> re.Pattern[bytes]:
    return re.compile(regex, re.DOTALL)


def _fold_text(text: str) -> str:
    """ASCII letters in lower case, as git folds case."""
    return text.lower() if text.isascii() else name_text(name_bytes(text).lower())
