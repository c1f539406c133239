"""Ids of team snapshots, as ClawTeam makes them: the time to the second, and a tag that is safe in a file name.

Two snapshots of the same second and tag would have the same id there; here the second one gets ``-2``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}")
_LONGEST_TAG = 150


def safe_tag(tag: str) -> str:
    """A tag as a part of a file name; the tag itself is kept beside it."""
    return _UNSAFE.sub("-", tag).strip("-._")[:_LONGEST_TAG].rstrip("-._") or "snapshot"


def new_id(tag: str, now: datetime, is_taken: Callable[[str], bool]) -> str:
    """The id of a snapshot that is made now; one that no other has."""
    return free_id(stamped(now, tag), is_taken)


def stamped(when: datetime, tag: str = "") -> str:
    """A time and a tag as an id."""
    second = when.astimezone(UTC).strftime("%Y%m%dT%H%M%S")
    return f"{second}-{safe_tag(tag)}" if tag else second


def free_id(wanted: str, is_taken: Callable[[str], bool]) -> str:
    """An id, or the first of ``id-2``, ``id-3``, … that no other snapshot has."""
    names = (wanted if number == 1 else f"{wanted}-{number}" for number in count(1))
    return next(name for name in names if not is_taken(name))


def is_id(text: str) -> bool:
    """Whether a text can be an id, and so a part of a file name."""
    return bool(_ID.fullmatch(text))
