"""How many new files are captured that only rules which nobody agreed to would leave out.

An agent may ignore a directory for a good reason and then fill it with a hundred thousand files. So there is an
allowance, counted from the first such file until a person agrees to the rules or they are taken back: what would go
beyond it is listed as not captured. A new directory is taken as a whole or not at all.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from takeback.model.tree import name_bytes
from takeback.sources.workspace.ignore.judged import Judged
from takeback.sources.workspace.ignore.texts import HEAVY
from takeback.sources.workspace.names import is_git_name

if TYPE_CHECKING:
    from takeback.sources.workspace.capture import Decides

FILES = 2000
BYTES = 64 << 20
_LISTED = 500
"""So many refused files are listed one by one; all others as ignored."""


class HiddenAllowance:
    """Counts the new files of one walk, on top of those ``used`` before: files, and their bytes."""

    why = (
        f"an ignore rule that nobody has agreed to hides it, and more than {FILES:,} files or {BYTES >> 20} MiB would be "
        "captured in spite of such rules; `takeback trust` shows the rules"
    )

    def __init__(self, used: tuple[int, int] = (0, 0)) -> None:
        self._used = used
        self.files, self.bytes = used
        self._listed = 0

    def begin_again(self) -> None:
        self.files, self.bytes = self._used
        self._listed = 0

    def refuses_directory(self, rules: Decides, name: str, parent: int) -> bool:
        """Whether a new directory holds more than there is room for."""
        if not (isinstance(rules, Judged) and rules.hides(name, True)):
            return False
        files, size = _measure(name, parent, FILES - self.files, BYTES - self.bytes)
        return self.files + files > FILES or self.bytes + size > BYTES

    def refuses_file(self, rules: Decides, name: str, entry: os.DirEntry[str]) -> bool:
        if not (isinstance(rules, Judged) and rules.hides(name, False)):
            return False
        try:
            size = entry.stat(follow_symlinks=False).st_size
        except OSError:
            return False  # whoever opens it will learn why
        if self.files + 1 > FILES or self.bytes + size > BYTES:
            return True
        self.files += 1
        self.bytes += size
        return False

    def lists_more(self) -> bool:
        self._listed += 1
        return self._listed <= _LISTED


def _measure(name: str, parent: int, most_files: int, most_bytes: int) -> tuple[int, int]:
    """How many files are in a directory, and their bytes; it stops at more than there is room for."""
    try:
        top = os.open(name_bytes(name), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    except OSError:
        return 0, 0
    files = size = 0
    try:
        for _, directories, names, handle in os.fwalk(".", dir_fd=top):
            directories[:] = [each for each in directories if each not in HEAVY and not is_git_name(each)]
            files += len(names)
            if files > most_files:
                break
            size += sum(_size(each, handle) for each in names)
            if size > most_bytes:
                break
    except OSError:
        pass
    finally:
        os.close(top)
    return files, size


def _size(name: str, handle: int) -> int:
    try:
        found = os.stat(name, dir_fd=handle, follow_symlinks=False)
    except OSError:
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0
