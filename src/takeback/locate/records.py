"""What is noted of a root outside of it: one small file a root below the state directory, where no repository can put one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from blake3 import blake3

from takeback.errors import Unavailable
from takeback.locate.homes import base
from takeback.model.tree import name_bytes

_LIMIT = 1 << 20


def state_directory() -> str:
    """Where takeback notes what is a person's own, and no store's."""
    return os.path.join(base("XDG_STATE_HOME", ".local", "state"), "takeback")


def read(subject: str, root: str) -> dict[str, Any] | None:
    """What is noted of a root on a subject; None if there is nothing that can be believed."""
    try:
        fd = os.open(_path(subject, root), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    import json  # most roots have none

    try:
        with open(fd, "rb") as file:
            raw = json.loads(file.read(_LIMIT))
    except (OSError, ValueError, RecursionError):
        return None
    return raw if isinstance(raw, dict) and raw.get("root") == root else None


def is_empty(subject: str) -> bool:
    """Whether nothing is noted of any root."""
    return not os.path.isdir(os.path.join(state_directory(), subject))


def write(subject: str, root: str, shape: Mapping[str, Any], what: str) -> None:
    """Note something of a root, in place of what there was; Unavailable, with ``what`` it is, if that is not possible."""
    import json

    path = _path(subject, root)
    temporary = f"{path}.{os.urandom(8).hex()}"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(json.dumps({**shape, "root": root}, indent=1, default=dict).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        _remove(temporary)
        raise Unavailable(
            f"cannot note in {os.path.dirname(path)} {what}: {error.strerror}",
            hints=["$XDG_STATE_HOME names another directory"],
        ) from error


def forget(subject: str, root: str) -> bool:
    """Forget what was noted; whether anything was."""
    return _remove(_path(subject, root))


def _path(subject: str, root: str) -> str:
    return os.path.join(state_directory(), subject, f"{blake3(name_bytes(root)).hexdigest()[:32]}.json")


def _remove(path: str) -> bool:
    try:
        os.unlink(path)
    except OSError:
        return False
    return True
