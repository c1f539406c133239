"""What a person has agreed to for a root: which containers and teams that a project's file names are looked at, and what each
of them really is here.

One small file a root below the state directory, where no repository can put one. It stands before the project's file: what is
agreed to holds until the person says otherwise, whatever an agent writes into the file meanwhile. A fork has a record of its
own, by which the names in its copy of the file mean the fork's own containers and teams, on the fork's own timeline.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from takeback.locate import records
from takeback.locate.records import state_directory

__all__ = ["Agreed", "forget", "is_empty", "read", "state_directory", "write"]

_SUBJECT = "roots"


class Agreed(NamedTuple):
    """A record of one root."""

    root: str
    timeline: str | None = None
    """The timeline of the root; None for the one that settings name. Only a fork has one."""
    sources: Mapping[str, Mapping[str, Any]] = {}
    """By `Declared.key`: ``name``, for a team also ``data_dir``, and the options that were agreed to. Nothing at all for one
    that is left out here on purpose."""
    policy: Mapping[str, Any] = {}
    """``keep_last`` and ``max_age``, for this root's own timelines."""


def read(root: str) -> Agreed | None:
    """The record of a root; None if there is none that can be believed."""
    raw = records.read(_SUBJECT, root)
    try:
        sound = raw is not None and _is_sound(raw["timeline"], raw["sources"], raw["policy"])
    except KeyError:
        return None
    return Agreed(root, raw["timeline"], raw["sources"], raw["policy"]) if raw is not None and sound else None


def is_empty() -> bool:
    """Whether there is no record of any root."""
    return records.is_empty(_SUBJECT)


def write(agreed: Agreed) -> None:
    """Note an agreement, in place of the one that there was."""
    shape = {**agreed._asdict(), "sources": {key: dict(each) for key, each in agreed.sources.items()}}
    records.write(_SUBJECT, agreed.root, shape, "what was agreed to")


def forget(root: str) -> bool:
    """Forget what was agreed to; whether anything was."""
    return records.forget(_SUBJECT, root)


def _is_sound(timeline: Any, sources: Any, policy: Any) -> bool:
    named = timeline is None or (isinstance(timeline, str) and bool(timeline.strip()))
    mapped = isinstance(sources, dict) and all(isinstance(each, dict) for each in sources.values())
    return named and mapped and isinstance(policy, dict)
