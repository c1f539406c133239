"""A command as it is shown to people: short, on one line, and without the secrets that stand in it."""

from __future__ import annotations

import re
from collections.abc import Iterable

SHORT = 200
"""About so many characters of a command are shown."""

_SPARE = 4000
"""So much is looked through for secrets, so that none is cut in two and shown."""

HIDDEN = "***"

_SECRET = r"(?:pass(?:word|wd|phrase)?|pwd|token|secret|api[-_]?key|access[-_]?key|private[-_]?key|credentials?|auth[-_]?key|otp)"
_NAMES = ("pass", "pwd", "token", "secret", "key", "credential", "otp")
_PREFIXES = ("gh", "glpat", "xox", "sk", "rk_", "npm_", "pypi-", "hf_", "dop_", "akia", "asia", "aiza", "ya29", "eyj")

_MASKS = (
    # what must be in a text (in lower case) for it to be worth a look, what is looked for, and what it becomes
    (("@",), r"(?i)\b([a-z][a-z0-9+.-]{0,20}://)[^\s/@'\"]+@", rf"\1{HIDDEN}@"),
    (
        ("authorization",),
        r"(?i)(authorization['\"]?\s*[:=]\s*['\"]?(?:(?:bearer|basic|token|digest|apikey)\s+)?)[^\s'\",]+",
        rf"\1{HIDDEN}",
    ),
    (("cookie",), r"(?i)\b(cookie\s*:\s*)[^'\"\n]+", rf"\1{HIDDEN}"),
    (_NAMES, rf"(?i)({_SECRET}s?['\"]?\s*(?::|=>?|%3d)\s*['\"]?)[^\s'\"&,;}}]+", rf"\1{HIDDEN}"),
    (_NAMES, rf"(?i)(-{_SECRET}\s+)(?!-)(?:'[^']*'|\"[^\"]*\"|\S+)", rf"\1{HIDDEN}"),
    (("key=", "_pat="), r"(?i)((?:[_-]key|_pat)=)[^\s'\"&]+", rf"\1{HIDDEN}"),
    ((":",), r"((?:^|\s)(?:-u|--user|-U|--proxy-user|-a|--auth)[\s=]*['\"]?[^\s:'\"]+:)[^\s'\"]+", rf"\1{HIDDEN}"),
    (("sshpass", "redis-cli", "valkey-cli"), r"(\s-[pa]\s*)(?:'[^']*'|\S+)", rf"\1{HIDDEN}"),
    (("mysql", "mariadb"), r"(\s-p)[^\s'\"]+", rf"\1{HIDDEN}"),
    (("bearer",), r"(?i)(bearer[\s=]+)[^\s'\"]+", rf"\1{HIDDEN}"),
    (
        _PREFIXES,
        r"\b(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|sk-|sk_live_|rk_live_|npm_|pypi-|hf_|dop_v1_|AKIA|ASIA|AIza|ya29\.|eyJ)"
        r"[A-Za-z0-9_.\-]{8,}",
        HIDDEN,
    ),
)


def shown(words: Iterable[str]) -> str:
    """A command from its words."""
    pieces = []
    length = 0
    for word in words:
        piece = " ".join(word[:_SPARE].split())
        piece = f"'{piece}'" if " " in piece or not piece else piece
        pieces.append(piece)
        length += len(piece)
        if length > _SPARE:
            break
    return shorten(mask(" ".join(pieces)))


def mask(text: str) -> str:
    """A text without what looks like a secret."""
    lower = text.lower()
    for signs, expression, instead in _MASKS:
        if any(sign in lower for sign in signs):
            text = re.sub(expression, instead, text)
    return text


def shorten(text: str, most: int = SHORT) -> str:
    """A text on one line that is no longer than ``most``."""
    line = "".join(char if char.isprintable() else " " for char in text)
    return line if len(line) <= most else f"{line[: most - 1]}…"
