"""The bytes of a bundle as JSON, under limits: how many, how much is in them, how deep.

A bundle may come from an enemy, and a few megabytes of brackets become gigabytes of objects. So what is outside of strings
is counted before anything is made of it.
"""

from __future__ import annotations

import json
import math
import os
import re
from typing import Any

from takeback.adapters.clawteam.errors import NoBundle
from takeback.model.sizes import format_size
from takeback.store.durable import PLAIN, NotPlain, read_at, read_plain_file

LARGEST = 256 << 20
"""Bytes of a bundle. A team of 10,000 tasks and 50,000 events has some 40 MiB."""
MOST = 5_000_000
"""Values in it, of which such a team has some 800,000."""
DEEPEST = 100

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
"""A string, also one that never ends: else each quote in it would be looked for an end of its own."""
_BRACKETS = b"[]{}"
_NOT_BRACKETS = bytes(set(range(256)) - set(_BRACKETS))
_META = re.compile(rb'\s*\{\s*"meta"\s*:\s*')
_BEGINNING = 64 << 10


def read(path: str, limit: int = LARGEST) -> bytes:
    """A bundle's bytes; NoBundle for what is no file, or too large."""
    try:
        return read_plain_file(path, limit)
    except NotPlain:
        raise NoBundle(
            f"{path} is no bundle: it is no regular file, or longer than {format_size(limit)}",
            hints=["name a file that `clawteam team snapshot` has written"],
        ) from None


def parse(data: bytes) -> dict[str, Any]:
    """The object that a bundle is; NoBundle for everything else."""
    if len(data) > LARGEST:
        raise NoBundle(f"it is longer than {format_size(LARGEST)}")
    _check_outline(_STRING.sub(b"", data))
    try:
        value = json.loads(data.decode(), parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError, MemoryError) as error:
        raise NoBundle(f"it is no JSON, or only the beginning of it: {error}") from None
    if not isinstance(value, dict):
        raise NoBundle("it is no object")
    return value


def peek_meta(path: str) -> Any:
    """What a bundle says of itself, which comes first in it, so that listing bundles need not read them whole."""
    fd = os.open(path, PLAIN)
    try:
        beginning = read_at(fd, 0, _BEGINNING)
    finally:
        os.close(fd)
    found = _META.match(beginning)
    if found is not None:
        try:
            return json.JSONDecoder().raw_decode(beginning.decode("utf-8", "ignore"), found.end())[0]
        except (ValueError, RecursionError):
            pass
    return parse(read(path)).get("meta")


def _check_outline(outline: bytes) -> None:
    """NoBundle if what is left of a JSON text without its strings promises too much."""
    many = outline.count(b",") + outline.count(b"[") + outline.count(b"{")
    if many > MOST:
        raise NoBundle(f"it seems to hold {many:,} values, and no team has more than {MOST:,}")
    depth = 0
    for bracket in outline.translate(None, _NOT_BRACKETS):
        depth += 1 if bracket in b"[{" else -1
        if depth > DEEPEST:
            raise NoBundle(f"it is nested more than {DEEPEST} deep")


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:20]} is too large for a number")
    return value
