"""What happened while nobody looked: background work and hooks note it here, and the next command of a person says it.

A file of the store's directory, one JSON object a line: ``time_ns``, ``where``, ``message`` and ``hints``. It is not
part of what the store promises: writing it never fails, lines that cannot be read are passed over, and it may be
deleted at any time.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Iterable
from tempfile import gettempdir
from typing import NamedTuple

from takeback.store.durable import NotPlain, read_plain_file

NAME = "notices.jsonl"
_MOST_BYTES = 64 << 10
_MOST = 50
"""A failure that comes again and again fills neither the disk nor the screen."""
_MESSAGE = 1000


class Notice(NamedTuple):
    time_ns: int
    where: str
    """Who noted it: ``upkeep``, or a hook by its name."""
    message: str
    hints: tuple[str, ...] = ()


def note(directory: str | os.PathLike[str], where: str, message: str, hints: Iterable[str] = ()) -> bool:
    """Add a notice, unless it is there already or there are too many; whether it can be read there."""
    message = message[:_MESSAGE]
    line = json.dumps({"time_ns": time.time_ns(), "where": where, "message": message, "hints": list(hints)}) + "\n"
    path = os.path.join(directory, NAME)
    try:
        fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
        try:
            size = os.fstat(fd).st_size
            known = _read(path) if size else ()
            if any((each.where, each.message) == (where, message) for each in known):
                return True
            if size >= _MOST_BYTES or len(known) >= _MOST:
                return True
            whole = ("\n" if size else "") + line  # the line before may be torn
            return os.write(fd, whole.encode()) == len(whole)
        finally:
            os.close(fd)
    except OSError:
        return False


def make_spare() -> str:
    """Make sure that there is a `spare`; empty if there can be none, either."""
    try:
        os.mkdir(_spare(), 0o700)
    except OSError:
        pass  # it is there, or cannot be
    return spare()


def spare() -> str:
    """The directory for notices about a store that cannot be written to; empty if there is none that is ours alone."""
    try:
        path = _spare()
        found = os.lstat(path)
    except OSError:
        return ""
    private = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
    return path if private else ""


def _spare() -> str:
    return os.path.join(gettempdir(), f"takeback-{os.getuid()}")


def any_notices(directory: str | os.PathLike[str]) -> bool:
    return os.path.exists(os.path.join(directory, NAME))


def read(directory: str | os.PathLike[str]) -> tuple[Notice, ...]:
    """All notices, oldest first."""
    return _read(os.path.join(directory, NAME))


def take(directory: str | os.PathLike[str]) -> tuple[Notice, ...]:
    """All notices; they are gone then. What is noted meanwhile stays for the next time."""
    path = os.path.join(directory, NAME)
    aside = f"{path}.{os.urandom(8).hex()}"
    try:
        os.rename(path, aside)
    except FileNotFoundError:
        return ()
    except OSError:
        return read(directory)  # a store that can only be read
    found = _read(aside)
    try:
        os.unlink(aside)
    except OSError:
        pass  # no file that we have written
    return found


def _read(path: str) -> tuple[Notice, ...]:
    try:
        data = read_plain_file(path, 2 * _MOST_BYTES)
    except (OSError, NotPlain):
        return ()
    return tuple(found for line in data.splitlines() if (found := _parse(line)) is not None)


def _parse(line: bytes) -> Notice | None:
    try:
        raw = json.loads(line)
        return Notice(int(raw["time_ns"]), str(raw["where"]), str(raw["message"]), tuple(map(str, raw["hints"])))
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
        return None
