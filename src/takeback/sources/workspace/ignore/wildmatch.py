"""Git's wildcards as regular expressions over bytes, with git's exact meaning, oddities included.

To ignore case, give ``fold`` and match paths whose ASCII letters are lower case. Git then folds letters and ranges in
a pattern, but neither an escaped letter nor a single one in brackets; so does this.

Atomic groups keep the matching polynomial: where a star is followed by another, its first match is as good as any
later one, so a hostile pattern such as ``*a*a*a*a*b`` cannot make it backtrack through all combinations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_SPECIAL = frozenset(b"*?[\\")
_SLASH = ord("/")
_NO_SLASH = b"[^/]"
_DIRECTORIES = b"(?:[^/]*/)*"

_LOWER = b"abcdefghijklmnopqrstuvwxyz"
_DIGITS = b"0123456789"
_ALNUM = _LOWER + _LOWER.upper() + _DIGITS
_GRAPH = bytes(range(33, 127))

_CLASSES: dict[bytes, frozenset[int]] = {
    b"alnum": frozenset(_ALNUM),
    b"alpha": frozenset(_LOWER + _LOWER.upper()),
    b"blank": frozenset(b" \t"),
    b"cntrl": frozenset([*range(32), 127]),
    b"digit": frozenset(_DIGITS),
    b"graph": frozenset(_GRAPH),
    b"lower": frozenset(_LOWER),
    b"print": frozenset(_GRAPH + b" "),
    b"punct": frozenset(_GRAPH) - frozenset(_ALNUM),
    b"space": frozenset(b" \t\n\r"),
    b"upper": frozenset(_LOWER.upper()),
    b"xdigit": frozenset(_DIGITS + b"abcdefABCDEF"),
}


class NeverMatches(ValueError):
    """The pattern is malformed, so that git matches nothing with it."""


def literal_length(pattern: bytes) -> int:
    """How many bytes come before the first wildcard or backslash."""
    return next((at for at, byte in enumerate(pattern) if byte in _SPECIAL), len(pattern))


def name_regex(pattern: bytes, fold: bool = False) -> bytes:
    """A pattern without slashes, for the last component of a path."""
    return _regex(_tokens(pattern, 0, None, fold))


def path_regex(pattern: bytes, fold: bool = False) -> bytes:
    """A pattern with slashes, for a whole path. As in git, ``**`` right after the literal start counts as first."""
    length = literal_length(pattern)
    literal = pattern[:length].lower() if fold else pattern[:length]
    return re.escape(literal) + _regex(_tokens(pattern, length, length, fold))


Token = tuple[str, bytes]
"""``byte``: matches one byte. ``star``: any but slashes. ``dirs``: whole directories. ``rest``: everything."""


def _tokens(pattern: bytes, at: int, first: int | None, fold: bool) -> list[Token]:
    """``first`` is where a double star counts as being first; None: it never is more than a single one."""
    tokens: list[Token] = []
    end = len(pattern)
    while at < end:
        byte = pattern[at]
        if byte == ord("*"):
            after = at
            while after < end and pattern[after] == byte:
                after += 1
            bounded = first is not None and after - at > 1 and (at == first or pattern[at - 1] == _SLASH)
            if bounded and after == end:
                tokens.append(("rest", b""))
            elif bounded and pattern[after] == _SLASH:
                tokens.append(("dirs", _DIRECTORIES))
                after += 1
            elif bounded and pattern[after : after + 2] == b"\\/":
                tokens.append(("dirs", b"(?:[^/]*/)+"))
                after += 2
            else:
                tokens.append(("star", b""))
            at = after
        elif byte == ord("?"):
            tokens.append(("byte", _NO_SLASH))
            at += 1
        elif byte == ord("["):
            allowed, at = _bracket(pattern, at + 1, fold)
            tokens.append(("byte", _class(allowed)))
        elif byte == ord("\\"):
            if at + 1 == end:
                raise NeverMatches
            tokens.append(("byte", re.escape(pattern[at + 1 : at + 2])))
            at += 2
        else:
            letter = pattern[at : at + 1]
            tokens.append(("byte", re.escape(letter.lower() if fold else letter)))
            at += 1
    return tokens


def _regex(tokens: list[Token]) -> bytes:
    last_directories = max((at for at, token in enumerate(tokens) if token[0] == "dirs"), default=-1)
    last_any = max((at for at, token in enumerate(tokens) if token[0] != "byte"), default=-1)
    out: list[bytes] = []
    in_star = in_directories = False
    for at, (kind, text) in enumerate(tokens):
        if kind == "byte":
            out.append(text)
            continue
        if in_star:
            out.append(b")")
            in_star = False
        if kind in ("dirs", "rest") and in_directories:
            out.append(b")")
            in_directories = False
        if kind == "rest":
            out.append(b".*")
        elif kind == "dirs":
            in_directories = at < last_directories
            out.append(b"(?>" + text + b"?" if in_directories else text)
        else:
            in_star = at < last_any
            out.append(b"(?>[^/]*?" if in_star else b"[^/]*")
    return b"".join(out)


def _bracket(pattern: bytes, at: int, fold: bool) -> tuple[frozenset[int], int]:
    """The bytes that a bracket expression allows, and where it ends."""
    text = pattern + b"\0"
    negated = text[at] in b"!^"
    if negated:
        at += 1
    found: set[int] = set()
    before, byte = 0, text[at]
    while True:
        if not byte:
            raise NeverMatches
        if byte == ord("\\"):
            at, byte = at + 1, text[at + 1]
            if not byte:
                raise NeverMatches
            found.add(byte)
        elif byte == ord("-") and before and text[at + 1] not in b"\0]":
            at, byte = at + 1, text[at + 1]
            if byte == ord("\\"):
                at, byte = at + 1, text[at + 1]
                if not byte:
                    raise NeverMatches
            found |= _members(range(before, byte + 1), fold)
            byte = 0
        elif byte == ord("[") and text[at + 1] == ord(":"):
            close = text.find(b"]", at + 2)
            if close < 0:
                raise NeverMatches
            if close == at + 2 or text[close - 1] != ord(":"):
                found.add(byte)
            else:
                members = _CLASSES.get(text[at + 2 : close - 1])
                if members is None:
                    raise NeverMatches
                found |= _members(members, fold)
                at, byte = close, 0
        else:
            found.add(byte)
        before = byte
        at += 1
        byte = text[at]
        if byte == ord("]"):
            break
    allowed = set(range(1, 256)) - found if negated else found
    return frozenset(allowed - {_SLASH}), at + 1


def _members(codes: Iterable[int], fold: bool) -> set[int]:
    return {code + 32 if fold and 65 <= code <= 90 else code for code in codes} | set(codes)


def _class(allowed: frozenset[int]) -> bytes:
    if not allowed:
        return b"(?!)"
    return b"[" + b"".join(b"\\x%02x" % byte for byte in sorted(allowed)) + b"]"
