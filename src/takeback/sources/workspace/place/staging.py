"""All staging directories of one plan, and the directories that were made writable for it.

New content waits beside its place: in the root, and in each other filesystem that a target lies on, because a rename
cannot cross filesystems.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import ExitStack

from takeback.errors import TakebackError
from takeback.sources.workspace.place.areas import OWNER, Area, new_area_name
from takeback.sources.workspace.place.directories import Directories
from takeback.sources.workspace.place.permissions import change_mode


class Staging:
    """All staging directories of one plan, and the directories that were made writable for it."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.directories = Directories(root, self._permit)
        self.loosened: dict[str, int] = {}
        """Path -> the mode to go back to."""
        self._areas: dict[str, Area] = {}
        self._noted = False
        """Whether a journal holds modes."""

    def area(self, directory: str) -> Area:
        """The staging directory for what goes into ``directory``, or below, once that exists."""
        return self.area_inside(self.directories.mount(directory))

    def area_inside(self, directory: str) -> Area:
        """A staging directory in exactly this one, for when a rename from elsewhere is refused."""
        first = self._areas.get("") or self._make("", new_area_name())
        if directory not in self._areas:
            name = new_area_name()
            first.note(b"area", name, directory)
            self._make(directory, name)
        return self._areas[directory]

    def handles(self) -> list[int]:
        """One descriptor on each filesystem that is written to."""
        return [area.handle for area in self._areas.values()] or [self.directories.root_handle]

    def loosen(self, handle: int, path: str) -> bool:
        """Let us write into an open directory for now; False if we cannot, or that was not what we lacked."""
        return self._loosen(path, os.fstat(handle), lambda mode: os.fchmod(handle, mode))

    def tighten(self) -> None:
        """Give all directories their modes back, as far as they still are as we left them."""
        for path in sorted(self.loosened, reverse=True):
            tighten(self.directories, path, self.loosened.pop(path))

    def settle(self) -> None:
        """All directories have the modes that they shall have: from now on no sweep may give them those of before."""
        if self._noted and "" in self._areas:
            self._areas[""].note(b"settled", b"", "")

    def remove(self) -> None:
        """Remove all that was staged; quiet the second time."""
        with ExitStack() as stack:
            stack.callback(self.directories.close)
            stack.callback(self.tighten)
            while self._areas:
                stack.callback(self._remove, *self._areas.popitem())

    def _remove(self, path: str, area: Area) -> None:
        parent = existing(self.directories, path)
        try:
            if parent is not None:
                self.loosen(parent, path)
        finally:
            area.remove(parent)

    def _make(self, directory: str, name: bytes) -> Area:
        handle = self.directories.open(directory)
        assert handle is not None
        try:
            area = Area(handle, name)
        except PermissionError:
            if not self.loosen(handle, directory):
                raise
            area = Area(handle, name)
        self._areas[directory] = area
        if not directory:
            for path, mode in self.loosened.items():
                self._note_mode(area, path, mode)
        return area

    def _permit(self, above: int, name: bytes, path: str) -> bool:
        if self.loosen(above, path.rpartition("/")[0]):
            return True
        status = os.stat(name, dir_fd=above, follow_symlinks=False)
        return self._loosen(path, status, lambda mode: change_mode(above, name, mode))

    def _loosen(self, path: str, status: os.stat_result, change: Callable[[int], None]) -> bool:
        mode = stat.S_IMODE(status.st_mode)
        if mode & OWNER == OWNER or status.st_uid != os.geteuid() or not stat.S_ISDIR(status.st_mode):
            return False
        self.loosened.setdefault(path, mode)
        if "" in self._areas:
            self._note_mode(self._areas[""], path, mode)
        change(mode | OWNER)
        return True

    def _note_mode(self, area: Area, path: str, mode: int) -> None:
        area.note(b"mode", b"%o" % mode, path)
        self._noted = True


def existing(directories: Directories, path: str) -> int | None:
    """A directory, if it can be reached as it is."""
    try:
        return directories.open(path)
    except (OSError, TakebackError):
        return None


def tighten(directories: Directories, path: str, mode: int) -> None:
    """Take back from a directory what was given to its owner only for a moment."""
    handle = existing(directories, path)
    try:
        if handle is not None and stat.S_IMODE(os.fstat(handle).st_mode) == mode | OWNER:
            os.fchmod(handle, mode)
    except OSError:
        pass
