"""When something in a workspace may have changed. Only *when*: what changed is for a save to see, which looks at the tree.

So nothing is lost by what the system does not tell, as long as somebody looks now and then anyway: events that overflow,
a name that is not UTF-8, a file system without events, a file that is captured although it is ignored by now. Each
directory that is not ignored is watched by itself: watching recursively would follow links out of the workspace, and
spend the system's few watches on node_modules and .git.
"""

from __future__ import annotations

import os
import stat
import sys
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from takeback.errors import Unavailable
from takeback.model.tree import name_bytes
from takeback.sources.workspace.counted import Counted, full
from takeback.sources.workspace.ignore import Patterns

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

_MODIFIED = 2
_ROUNDS = 5
"""How often directories that appear while others begin to be watched are looked for."""
_RECURSIVE = sys.platform == "darwin"
"""There the system watches whole trees, without following links, and many directories one by one are slow."""

Events = set[tuple[int, str]]


class Gone(Exception):
    """The workspace's directory is not there."""


class Watcher:
    """Tells of changes since it was made. What is ignored, ``.git``, our own staging directories and takeback stores do
    not count."""

    def __init__(self, root: str, patterns: Patterns) -> None:
        self._make = _library()
        self._root = root
        self._directories: set[str] = set()
        self._counted = Counted(root, patterns)
        self._notify: RustNotify | None = None
        self._early: Events = set()
        self._identity = (0, 0)
        self.blind = ""
        """Why nothing can be watched, if so: then `wait` never tells of anything."""
        self._begin()

    def wait(self, seconds: float, stop: threading.Event) -> bool:
        """Wait so long, or less if something happens; whether something that counts may have changed.

        Gone if the directory is not there any more.
        """
        if self._identify() != self._identity:
            self._begin()
            return True
        if self._notify is None:
            stop.wait(seconds)
            if not self.blind:
                self._begin()
            return not self.blind
        try:
            happened = self._early | _events(self._notify, seconds, stop)
        except (OSError, RuntimeError):  # among them: a name that it cannot decode, and too many directories
            self._begin()
            return True
        self._early = set()
        return self._sort_out(happened)

    def looked(self) -> None:
        """Somebody looks at the tree: rules are read anew for what happens from now on."""
        self._counted.forget()

    def close(self) -> None:
        if self._notify is not None:
            self._notify.close()
            self._notify = None

    def _begin(self) -> None:
        """Watch the whole tree as it is now."""
        self.close()
        self._identity = self._identify()
        self._counted.forget()
        self._early = set()
        self._directories = set()
        self._follow([""])

    def _identify(self) -> tuple[int, int]:
        try:
            found = os.stat(name_bytes(self._root))
        except OSError:
            raise Gone from None
        return found.st_dev, found.st_ino

    def _follow(self, tops: Iterable[str]) -> None:
        """Watch directories and all below them, also what comes while that begins."""
        for _ in range(_ROUNDS):
            found = {each for top in tops for each in self._counted.below(top)}
            if found <= self._directories:
                return
            self._directories |= found
            self._watch()

    def _watch(self) -> None:
        """Watch the directories that are known; no event is lost between the old watch and the new one."""
        before, self._notify = self._notify, None
        for _ in range(_ROUNDS):
            try:
                places = [self._root] if _RECURSIVE else [self._full(path) for path in self._directories]
                self._notify = self._make(_nameable(places), False, False, 300, _RECURSIVE, True)
                self.blind = ""
            except FileNotFoundError:  # one of them is gone again
                self._directories = {path for path in self._directories if self._is_directory(path)}
                continue
            except (OSError, RuntimeError) as error:
                self.blind = str(error) or type(error).__name__
            break
        if before is not None:
            try:
                self._early |= _events(before, 0.001, threading.Event())
            except (OSError, RuntimeError):
                pass  # a look follows whatever it was
            before.close()

    def _sort_out(self, happened: Events) -> bool:
        """Whether anything of it counts; what became of directories is noted."""
        counts = False
        new: list[str] = []
        start, known = len(self._root.rstrip("/")) + 1, len(self._directories)
        for kind, place in happened:
            path = place[start:]
            is_directory = self._is_directory(path)
            if path and not self._counted.counts(path, is_directory):
                continue
            counts = True
            if path in self._directories and path and (kind != _MODIFIED or not is_directory):
                below = path + "/"
                self._directories = {each for each in self._directories if each != path and not each.startswith(below)}
            if is_directory and path not in self._directories:
                new.append(path)
        if new:
            self._follow(new)
        elif len(self._directories) != known:
            self._watch()
        return counts

    def _is_directory(self, path: str) -> bool:
        try:
            return stat.S_ISDIR(os.lstat(self._full(path)).st_mode)
        except OSError:
            return False

    def _full(self, path: str) -> str:
        return full(self._root, path)


def _events(notify: RustNotify, seconds: float, stop: threading.Event) -> Events:
    milliseconds = max(1, int(seconds * 1000))
    found = notify.watch(milliseconds, max(1, milliseconds // 4), milliseconds, stop)
    if found == "signal":
        raise KeyboardInterrupt
    return set() if isinstance(found, str) else found


def _library() -> Any:
    try:
        from watchfiles._rust_notify import RustNotify
    except ImportError:
        raise Unavailable(
            "watching for changes needs watchfiles, which is not installed", hints=["pip install 'takeback[watch]'"]
        ) from None
    return RustNotify


def _nameable(places: Iterable[str]) -> list[str]:
    """Those that the library has names for; OSError if it has for none."""
    found = [place for place in places if place.isprintable() or _is_utf8(place)]
    if not found:
        raise OSError("its name is not UTF-8")
    return found


def _is_utf8(place: str) -> bool:
    try:
        place.encode()
    except UnicodeEncodeError:
        return False
    return True
