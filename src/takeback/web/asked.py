"""What a request asks for, checked: every value that a handler gets is of the kind and within the bounds that it names, and
anything else is InvalidInput.

Names of files may be any bytes. In an address they are percent-encoded bytes; in JSON what is not UTF-8 is a lone
surrogate from U+DC80 to U+DCFF, as everywhere in Python. Any other lone surrogate is nobody's name.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from takeback.errors import Cancelled, InvalidInput, Locked

if TYPE_CHECKING:
    from takeback.model.progress import Progress

MOST_BYTES = 8 << 20
"""What a body may have: a choice among the paths of a large restore names each of them."""

_MOST_FIELDS = 40
_LARGEST = 2**53 - 1
"""The largest integer that JavaScript has."""
_LONGEST = 8192
_DEEPEST = 12
_PATIENCE = 10.0
"""Seconds for which an answer waits for somebody who saves or restores: a page that waits cannot say for whom."""


class Asked:
    """The query of a GET, or the object in the body of a POST; and the names in the path."""

    def __init__(
        self,
        given: Mapping[str, Any],
        path: Mapping[str, str] | None = None,
        gone: threading.Event | None = None,
    ) -> None:
        self._given = given
        self._gone = gone
        self._waits_since: float | None = None
        self.path = path or {}

    @classmethod
    def of_query(
        cls, query: bytes, path: Mapping[str, str] | None = None, gone: threading.Event | None = None
    ) -> Asked:
        try:
            pairs = parse_qsl(
                query.decode("ascii", "surrogateescape"),
                keep_blank_values=True,
                errors="surrogateescape",
                max_num_fields=_MOST_FIELDS,
            )
        except ValueError:
            raise InvalidInput(f"an address has at most {_MOST_FIELDS} parameters") from None
        given = dict(pairs)
        if len(given) < len(pairs):
            raise InvalidInput("a parameter is given twice")
        return cls(given, path, gone)

    @classmethod
    def of_body(cls, body: bytes, path: Mapping[str, str] | None = None, gone: threading.Event | None = None) -> Asked:
        try:
            given = json.loads(body.decode("utf-8") or "{}", parse_constant=_no_number, object_pairs_hook=_once)
        except (ValueError, RecursionError):
            raise InvalidInput("the body is not JSON", hints=["an object, in UTF-8"]) from None
        if not isinstance(given, dict):
            raise InvalidInput("the body is JSON, but not an object")
        if not _is_flat(given):
            raise InvalidInput("the body is nested too deeply")
        return cls(given, path, gone)

    def has(self, name: str) -> bool:
        return self._given.get(name) not in (None, "")

    def text(self, name: str, default: str = "", *, longest: int = _LONGEST) -> str:
        value = self._given.get(name)
        return default if value is None else _text(name, value, longest)

    def maybe(self, name: str) -> str | None:
        """A text that need not be there; None for an empty one, too."""
        return self.text(name) or None

    def must(self, name: str) -> str:
        if not self.has(name):
            raise InvalidInput(f"{name} is missing")
        return self.text(name)

    def number(self, name: str, default: int, *, least: int = 0, most: int = _LARGEST) -> int:
        return default if not self.has(name) else _number(name, self._given[name], least, most)

    def maybe_number(self, name: str, *, least: int = 0, most: int = _LARGEST) -> int | None:
        return None if not self.has(name) else _number(name, self._given[name], least, most)

    def numbers(self, name: str, *, most: int = 64) -> list[int] | None:
        """Numbers with commas between them, each once; None if there are none."""
        if not self.has(name):
            return None
        words = _text(name, self._given[name], _LONGEST).split(",")
        if len(words) > most:
            raise InvalidInput(f"{name} names more than {most}")
        return list(dict.fromkeys(_number(name, word, 0, _LARGEST) for word in words))

    def flag(self, name: str) -> bool:
        value = self._given.get(name)
        if value in (None, "", "0", "false") or value is False:
            return False
        if value in ("1", "true") or value is True:
            return True
        raise InvalidInput(f"{name} is neither true nor false")

    def texts(self, name: str) -> tuple[str, ...] | None:
        """A list of texts; None if it is not there."""
        value = self._given.get(name)
        if value is None:
            return None
        if not isinstance(value, list):
            raise InvalidInput(f"{name} is not a list")
        return tuple(_text(name, each, _LONGEST) for each in value)

    def texts_by_name(self, name: str) -> dict[str, tuple[str, ...]] | None:
        """Lists of texts, each under a name."""
        value = self._given.get(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise InvalidInput(f"{name} is not an object")
        return {_text(name, key, _LONGEST): Asked({name: each}).texts(name) or () for key, each in value.items()}

    def path_text(self, name: str) -> str:
        """What stands in the address itself."""
        return _text(name, self.path[name], _LONGEST)

    def hear(self, progress: Progress) -> None:
        """The listener of work that is done for an answer; Cancelled once nobody waits for it any more, and Locked if it has
        to wait itself for long."""
        if self._gone is not None and self._gone.is_set():
            raise Cancelled("whoever asked has gone")
        if progress.phase == "wait":
            self._waits_since = self._waits_since or time.monotonic()
            if time.monotonic() - self._waits_since >= _PATIENCE:
                raise Locked(
                    f"this timeline is in use: {progress.text} is saving or restoring the same",
                    hints=["wait for it and try again"],
                )

    @property
    def lane(self) -> int | None:
        return self.maybe_number("lane")


def _text(name: str, value: Any, longest: int) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{name} is not a text")
    if len(value) > longest:
        raise InvalidInput(f"{name} is longer than {longest:,} characters")
    if "\0" in value:
        raise InvalidInput(f"{name} holds a NUL character, which no name has")
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise InvalidInput(f"{name} holds half a character") from None
    return value


def _number(name: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 16:
        value = int(value)
    if type(value) is not int or not least <= value <= most:
        raise InvalidInput(f"{name} is not a whole number from {least:,} to {most:,}")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a name is there twice")
    return made


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number")


def _is_flat(value: Any) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return True
    return False
