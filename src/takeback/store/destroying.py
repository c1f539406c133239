"""Removing a whole store. The one thing here that nothing brings back.

The header gets another name first: from then on nobody can open the store, and whoever finds it knows what was going on;
that name goes last. So a kill in the middle leaves a store that is no more, and a second try ends it. Only what belongs to
a store is removed, and no link is followed: whatever else lies there stays.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from takeback.errors import InvalidInput, NotFound
from takeback.store.creation import CATALOGUE, DESTROYED
from takeback.store.durable import storage_error, sync_directory
from takeback.store.header import NAME
from takeback.store.hooked import DIRECTORY as HOOKS
from takeback.store.hooked import SESSIONS
from takeback.store.notices import NAME as NOTICES
from takeback.store.repair.alone import alone
from takeback.store.repair.aside import NAME as ASIDE

_OWN = re.compile(
    rf"{re.escape(CATALOGUE)}(\.new|\.tmp)?(-wal|-shm|-journal)?|{re.escape(NAME)}\.new|{re.escape(NOTICES)}(\.[0-9a-f]{{16}})?"
)
_FREE = ("tmp", "leases", "derived", f"{HOOKS}/{SESSIONS}", HOOKS)
"""Directories in which every file is the store's."""
_PACK = re.compile(r"[0-9a-f]{32}")
_FAN = re.compile(r"[0-9a-f]{2}")


@dataclass(frozen=True, slots=True)
class Destroyed:
    path: str
    files: int
    bytes: int
    left: tuple[str, ...]
    """What does not belong to a store, and is still there."""


def check_destroyable(directory: str) -> None:
    """Refuse what is no store."""
    if os.path.islink(directory):
        raise InvalidInput(
            f"{directory} is a link, and links are not followed here", hints=[f"name {os.path.realpath(directory)}"]
        )
    if not os.path.isdir(directory):
        raise NotFound(f"there is no store at {directory}", hints=["nothing to remove"])
    names = set(os.listdir(directory))
    if DESTROYED not in names and len(names & {NAME, CATALOGUE, "packs"}) < 2:
        raise InvalidInput(
            f"{directory} is no takeback store, so nothing was removed",
            hints=["name the directory that holds store.json"],
        )


def destroy(directory: str) -> Destroyed:
    """Remove a store. Locked if anybody is at work in it."""
    directory = os.path.abspath(directory)
    check_destroyable(directory)
    with alone(directory, "destroyed"):
        try:
            return _destroy(directory)
        except OSError as error:
            raise storage_error(error, f"removing {error.filename or directory}") from error


def _destroy(directory: str) -> Destroyed:
    if os.path.lexists(os.path.join(directory, NAME)):
        os.rename(os.path.join(directory, NAME), os.path.join(directory, DESTROYED))
    else:
        os.close(os.open(os.path.join(directory, DESTROYED), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
    sync_directory(directory)
    files = size = 0
    for path in _files(directory):
        size += os.lstat(path).st_size
        os.unlink(path)
        files += 1
    for path in _directories(directory):
        try:
            os.rmdir(path)
        except OSError:
            continue  # something that is not ours is in it
    left = tuple(sorted(_left(directory)))
    os.unlink(os.path.join(directory, DESTROYED))
    sync_directory(directory)
    if not left:
        os.rmdir(directory)
    return Destroyed(directory, files + 1, size, left)


def _files(directory: str) -> Iterator[str]:
    """What belongs to a store, the catalogue first: without it the rest is nothing."""
    for name in sorted(os.listdir(directory)):
        if _OWN.fullmatch(name) and _is_file(path := os.path.join(directory, name)):
            yield path
    for name in _FREE:
        yield from (path for path in _inside(os.path.join(directory, name)) if _is_file(path))
    for fan in _inside(os.path.join(directory, "packs")):
        for path in _inside(fan) if _FAN.fullmatch(os.path.basename(fan)) else []:
            if _PACK.fullmatch(os.path.basename(path)) and _is_file(path):
                yield path
    for place, _, files in os.walk(os.path.join(directory, ASIDE)):
        yield from (os.path.join(place, name) for name in files)


def _directories(directory: str) -> Iterator[str]:
    for name in ("packs", ASIDE):
        for place, _, _ in os.walk(os.path.join(directory, name), topdown=False):
            if not os.path.islink(place):
                yield place
    yield from (os.path.join(directory, name) for name in _FREE)


def _left(directory: str) -> Iterator[str]:
    for place, directories, files in os.walk(directory):
        below = os.path.relpath(place, directory)
        names = [*files, *(name for name in directories if os.path.islink(os.path.join(place, name)))]
        names += [f"{name}/" for name in directories if not os.listdir(os.path.join(place, name))]
        yield from (os.path.normpath(os.path.join(below, name)) for name in names if name != DESTROYED)


def _inside(directory: str) -> list[str]:
    """The entries of a directory; none if it is a link, or no directory."""
    if os.path.islink(directory) or not os.path.isdir(directory):
        return []
    return [os.path.join(directory, name) for name in sorted(os.listdir(directory))]


def _is_file(path: str) -> bool:
    return os.path.isfile(path) and not os.path.islink(path)
