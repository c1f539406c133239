"""What a fork has made so far, noted while it is being made: if it is killed, the next one removes that.

One file a fork, a JSON value a line, with a kernel lock for as long as its process lives. It is in a directory of the
user's own and never in a store, which may be anybody's: what is noted there is removed.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from takeback.errors import Unavailable
from takeback.store.durable import NotPlain, read_plain_file

_LIMIT = 1 << 22
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


class Thing(NamedTuple):
    """Something that was made for a part: a directory, a container, a volume; or that is about to be."""

    part: str
    place: str
    kind: str
    what: str


class Note:
    """The note of a fork that is being made."""

    def __init__(self, path: str, fd: int) -> None:
        self._path, self._fd = path, fd
        self.things: list[Thing] = []
        self.stays = False
        """Not all of it could be removed: the next fork tries again."""

    def add(self, thing: Thing) -> None:
        """Note something; it is on the disk when this returns."""
        self.things.append(thing)
        _write(self._fd, thing._asdict())


class Left(NamedTuple):
    """What a fork that died has noted."""

    path: str
    target: str
    """The snapshot that it was to begin with."""
    timelines: tuple[tuple[str, str], ...]
    things: tuple[Thing, ...]


def default_directory() -> str:
    """Where notes are if nobody says where."""
    return f"/tmp/takeback-forks-{os.geteuid()}"


@contextmanager
def noting(directory: str, head: Mapping[str, Any]) -> Iterator[Note]:
    """A note, which is gone when this ends; killed inside, it stays."""
    _make(directory)
    path = os.path.join(directory, f"{os.urandom(8).hex()}.jsonl")
    try:
        fd = os.open(path, _CREATE, 0o600)
    except OSError as error:
        raise _cannot(directory, error) from error
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        _write(fd, head)
        note = Note(path, fd)
        try:
            yield note
        finally:
            if not note.stays:
                with suppress(FileNotFoundError):
                    os.unlink(path)
    finally:
        os.close(fd)


@contextmanager
def left(directory: str, store: str, root: str, timeline: str) -> Iterator[list[Left]]:
    """What forks of a timeline noted whose processes are dead. Who is given it holds it, and removes it by `forget`."""
    held: list[int] = []
    found: list[Left] = []
    try:
        for name in _names(directory):
            path = os.path.join(directory, name)
            if _read(path, store, root, timeline) is None:
                continue  # do not lock it: another fork would take it for a note whose process lives
            try:
                fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
            except OSError:
                continue
            held.append(fd)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue  # its process lives
            note = _read(path, store, root, timeline)
            found += [note] if note is not None else []
        yield found
    finally:
        for fd in held:
            os.close(fd)


def forget(note: Left) -> None:
    with suppress(FileNotFoundError):
        os.unlink(note.path)


def _names(directory: str) -> list[str]:
    try:
        _check(directory)
        return sorted(os.listdir(directory))
    except (OSError, Unavailable):
        return []


def _read(path: str, store: str, root: str, timeline: str) -> Left | None:
    """A note of a fork of this timeline; None for any other, and for one that was killed before it noted anything."""
    try:
        lines = read_plain_file(path, _LIMIT).splitlines()
        head = json.loads(lines[0])
        if (head["store"], head["root"], head["timeline"]) != (store, root, timeline):
            return None
        made = tuple((str(root), str(name)) for root, name in head["forks"])
        return Left(path, str(head["target"]), made, tuple(_things(lines[1:])))
    except (OSError, NotPlain, ValueError, KeyError, TypeError, IndexError):
        return None


def _things(lines: list[bytes]) -> Iterator[Thing]:
    for line in lines:
        try:
            raw = json.loads(line)
            yield Thing(str(raw["part"]), str(raw["place"]), str(raw["kind"]), str(raw["what"]))
        except (ValueError, KeyError, TypeError):
            return  # the last line may be torn: nothing was made after it


def _write(fd: int, value: Mapping[str, Any]) -> None:
    os.write(fd, json.dumps(value).encode() + b"\n")
    os.fsync(fd)


def _make(directory: str) -> None:
    try:
        os.makedirs(directory, mode=0o700, exist_ok=True)
        _check(directory)
    except OSError as error:
        raise _cannot(directory, error) from error


def _check(directory: str) -> None:
    """Unavailable for a directory into which somebody else could put a note."""
    status = os.stat(directory, follow_symlinks=False)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise Unavailable(
            f"{directory} is not only this user's, so it cannot be noted there what a fork makes",
            hints=[f"remove it: rm -r {directory}"],
        )


def _cannot(directory: str, error: OSError) -> Unavailable:
    return Unavailable(f"cannot note in {directory} what a fork makes: {error.strerror}")
