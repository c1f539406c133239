"""Where repair puts what it replaces: a dated directory in the store, from which everything can be taken back by hand."""

from __future__ import annotations

import os
import time

from takeback.store.durable import sync_directory

NAME = "aside"


class Aside:
    """One repair's own directory, made when something first goes there."""

    def __init__(self, directory: str) -> None:
        self._store = directory
        self.path = os.path.join(
            directory, NAME, f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.urandom(2).hex()}"
        )
        self.kept: list[str] = []
        """What is there, by its name in the store."""

    def keep(self, name: str) -> None:
        """Give a file of the store a second name here; nothing if there is no such file."""
        source, target = os.path.join(self._store, name), os.path.join(self.path, name)
        if not os.path.lexists(source) or os.path.lexists(target):
            return
        self._make(os.path.dirname(target))
        try:
            os.link(source, target, follow_symlinks=False)
        except OSError:
            _copy(source, target)
        sync_directory(os.path.dirname(target))
        self.kept.append(name)

    def _make(self, directory: str) -> None:
        if os.path.isdir(directory):
            return
        self._make(os.path.dirname(directory))
        os.mkdir(directory, 0o700)
        sync_directory(os.path.dirname(directory))


def _copy(source: str, target: str) -> None:
    """For filesystems without hard links."""
    with open(source, "rb") as old, open(target, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as new:
        while piece := old.read(1 << 20):
            new.write(piece)
        new.flush()
        os.fsync(new.fileno())


def place_aside(directory: str | None) -> str | None:
    """Where repairs of a store have put what they replaced; None if none has."""
    path = None if directory is None else os.path.join(directory, NAME)
    return path if path is not None and os.path.isdir(path) else None


def packs_aside(directory: str) -> list[str]:
    """The places of earlier repairs in which packs are kept."""
    top = os.path.join(directory, NAME)
    try:
        names = sorted(os.listdir(top), reverse=True)
    except OSError:
        return []
    return [os.path.join(top, name) for name in names if os.path.isdir(os.path.join(top, name, "packs"))]
