"""JSON read piece by piece, from a file that may come from an enemy.

Only a window of the text is in memory at any time: what fits into it is parsed at once in C, and what does not is
entered. What a value's text hashes to is found on the way. Everything that is wrong with the text is
PersistIntegrityError; size, number of values and depth are bounded.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from takeback.adapters.persist.errors import PersistConfigurationError, PersistIntegrityError
from takeback.model.sizes import format_size

WINDOW = 1 << 18
DEEPEST = 216
"""How deep a text is nested at most: an agent's every level (`plain.DEEPEST`) may take two of it."""
LARGEST = 512 << 20
"""Bytes of JSON that are read or written unless the caller says otherwise."""
_SPARSEST = 50
"""A value takes as much memory as some 50 characters, so there may be a 50th as many of them."""

_SPACE = re.compile(r"[ \t\n\r]*")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_scan = json.JSONDecoder(parse_constant=_refuse).raw_decode


class JsonText:
    """A cursor in a text that arrives in pieces. ``path`` names the file in errors."""

    def __init__(self, pieces: Iterable[str], path: str, largest: int) -> None:
        self._pieces = iter(pieces)
        self._path = path
        self._largest = largest
        self._text = ""
        self._at = 0
        self._ended = False
        self._size = 0
        self._values = 0
        self._hashed: tuple[Any, int] | None = None
        """A hash of what is passed over, and from where in the window it is still missing."""
        self.length = 0
        """Bytes of the text that was hashed last."""

    def members(self) -> Iterator[str]:
        """The names in the one object that the text is; the caller takes each value before the next."""
        self._expect("{")
        seen: set[str] = set()
        if self._next() != "}":
            while True:
                name = self.small()
                if not isinstance(name, str) or name in seen:
                    self._damaged("a name in it is wrong")
                seen.add(name)
                self._expect(":")
                yield name
                if self._next() != ",":
                    break
                self._at += 1
        self._expect("}")
        if self._next():
            self._damaged("something follows after its end")

    def small(self) -> Any:
        """A value that must fit into the window."""
        self._next()
        self._fill(WINDOW)
        try:
            value, self._at = _scan(self._text, self._at)
        except (ValueError, RecursionError):
            self._damaged("it is not what a snapshot begins with")
        return value

    def hashed(self, *, keep: bool) -> tuple[Any, str]:
        """The next value (None if it is not to be kept) and the SHA-256 of its text."""
        self._next()
        digest = hashlib.sha256()
        self.length = 0
        self._hashed = (digest, self._at)
        value = self.value(keep=keep)
        self._hash_passed()
        self._hashed = None
        return value, digest.hexdigest()

    def value(self, *, keep: bool = True, depth: int = 0) -> Any:
        """The next value; what is not kept is only checked."""
        first, wanted = self._next(), WINDOW
        while True:
            self._fill(wanted)
            try:
                value, end = _scan(self._text, self._at)
            except RecursionError:
                self._too_deep()
            except ValueError as error:
                if first == "{" or first == "[":
                    return self._entered(first, keep, depth)
                if first != '"' or self._ended:
                    self._damaged(f"it is no JSON ({str(error)[:80]})")
                wanted = 2 * (len(self._text) - self._at)
                continue
            if end == len(self._text) and not self._ended and isinstance(value, int | float):
                self._damaged("a number in it has no end")
            self._at = end
            return value if keep else None

    def _entered(self, first: str, keep: bool, depth: int) -> Any:
        """A container that is too large for the window, or damaged."""
        if depth >= DEEPEST:
            self._too_deep()
        self._at += 1
        found: Any = {} if first == "{" else []
        last = "}" if first == "{" else "]"
        if self._next() == last:
            self._at += 1
            return found
        while True:
            name = None
            if first == "{":
                name = self.value(depth=depth + 1) if self._next() == '"' else None
                if name is None:
                    self._damaged("it is no JSON (a name is missing)")
                self._expect(":")
            inner = self.value(keep=keep, depth=depth + 1)
            if keep and first == "{":
                found[name] = inner
            elif keep:
                found.append(inner)
            if self._next() != ",":
                self._expect(last)
                return found
            self._at += 1

    def _next(self) -> str:
        """The next character that is no space; "" at the end."""
        while True:
            match = _SPACE.match(self._text, self._at)
            assert match is not None
            self._at = match.end()
            if self._at < len(self._text):
                return self._text[self._at]
            if self._ended:
                return ""
            self._fill(WINDOW)

    def _expect(self, character: str) -> None:
        if self._next() != character:
            self._damaged("it is no JSON, or cut off" if self._next() else "it is cut off")
        self._at += 1

    def _fill(self, wanted: int) -> None:
        """Let the window hold ``wanted`` characters from here on, if there are as many."""
        if len(self._text) - self._at >= wanted or self._ended:
            return
        self._hash_passed()
        parts = [self._text[self._at :]]
        have = len(parts[0])
        while have < 2 * wanted:
            piece = next(self._pieces, None)
            if piece is None:
                self._ended = True
                break
            self._count(piece)
            parts.append(piece)
            have += len(piece)
        self._text, self._at = "".join(parts), 0
        if self._hashed:
            self._hashed = (self._hashed[0], 0)

    def _hash_passed(self) -> None:
        if self._hashed:
            digest, start = self._hashed
            passed = self._text[start : self._at].encode()
            digest.update(passed)
            self.length += len(passed)
            self._hashed = (digest, self._at)

    def _count(self, piece: str) -> None:
        self._size += len(piece)
        self._values += piece.count(",") + piece.count("[") + piece.count("{")
        if self._size > self._largest or self._values > self._largest // _SPARSEST:
            raise too_large(self._path, self._largest)

    def _damaged(self, why: str) -> NoReturn:
        raise PersistIntegrityError(
            f"{self._path} is damaged: {why}", hints=["restore from another snapshot, or from a copy of this one"]
        )

    def _too_deep(self) -> NoReturn:
        raise PersistIntegrityError(f"{self._path} is nested more than {DEEPEST} deep, which no agent's snapshot is")


def too_large(what: str, largest: int) -> PersistConfigurationError:
    return PersistConfigurationError(
        f"{what} holds more than the {format_size(largest)} of JSON that are allowed, or too many values for that",
        hints=["if you trust it, allow more: max_size=… (bytes)"],
    )
