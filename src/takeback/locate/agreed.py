"""What a person has agreed to for a root: which containers and teams that a project's file names are looked at, and what each
of them really is here.

One small file a root below the state directory, where no repository can put one. It stands before the project's file: what is
agreed to holds until the person says otherwise, whatever an agent writes into the file meanwhile. A fork has a record of its
own, by which the names in its copy of the file mean the fork's own containers and teams, on the fork's own timeline.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from blake3 import blake3

from takeback.errors import Unavailable
from takeback.locate.homes import base
from takeback.model.tree import name_bytes

_LIMIT = 1 << 20
_ROOTS = "roots"


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
    try:
        fd = os.open(_path(root), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    import json  # most roots have none

    try:
        with open(fd, "rb") as file:
            raw = json.loads(file.read(_LIMIT))
        sound = raw["root"] == root and _is_sound(raw["timeline"], raw["sources"], raw["policy"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return Agreed(root, raw["timeline"], raw["sources"], raw["policy"]) if sound else None


def is_empty() -> bool:
    """Whether there is no record of any root."""
    return not os.path.isdir(os.path.join(state_directory(), _ROOTS))


def write(agreed: Agreed) -> None:
    """Note an agreement, in place of the one that there was."""
    import json

    path = _path(agreed.root)
    temporary = f"{path}.{os.urandom(8).hex()}"
    shape = {**agreed._asdict(), "sources": {key: dict(each) for key, each in agreed.sources.items()}}
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(json.dumps(shape, indent=1, default=dict).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        _remove(temporary)
        raise Unavailable(
            f"cannot note in {os.path.dirname(path)} what was agreed to: {error.strerror}",
            hints=["$XDG_STATE_HOME names another directory"],
        ) from error


def forget(root: str) -> bool:
    """Forget what was agreed to; whether anything was."""
    return _remove(_path(root))


def state_directory() -> str:
    """Where takeback notes what is a person's own, and no store's."""
    return os.path.join(base("XDG_STATE_HOME", ".local", "state"), "takeback")


def _path(root: str) -> str:
    return os.path.join(state_directory(), _ROOTS, f"{blake3(name_bytes(root)).hexdigest()[:32]}.json")


def _is_sound(timeline: Any, sources: Any, policy: Any) -> bool:
    named = timeline is None or (isinstance(timeline, str) and bool(timeline.strip()))
    mapped = isinstance(sources, dict) and all(isinstance(each, dict) for each in sources.values())
    return named and mapped and isinstance(policy, dict)


def _remove(path: str) -> bool:
    try:
        os.unlink(path)
    except OSError:
        return False
    return True
