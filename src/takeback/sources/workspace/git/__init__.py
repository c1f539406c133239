"""What git says about a directory: read only, without a git process, and without touching anything in ``.git``.

Whatever is missing, damaged or of a kind that is not understood (reftables, say) counts as absent; nothing here raises.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

from takeback.model.tree import name_text
from takeback.sources.workspace.git import config as gitconfig
from takeback.sources.workspace.git import index
from takeback.sources.workspace.git.config import Settings, read_file
from takeback.sources.workspace.git.index import Signature, Tracked

_OBJECT_ID = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_INDIRECTIONS = 5
_SHORT_FILE = 1 << 16


class Head(NamedTuple):
    """What is checked out. An unborn branch has no commit, a detached head no branch."""

    commit: str | None = None
    branch: str | None = None


def noted(context: Mapping[str, Any]) -> Head:
    """What a context says about git, which may be anything."""
    said = context.get("git")
    values = [said.get(key) if isinstance(said, dict) else None for key in ("commit", "branch")]
    commit, branch = (value if isinstance(value, str) else None for value in values)
    return Head(commit, branch)


class Repository:
    """One working tree: where it starts, its own git directory, and the one that all working trees share."""

    def __init__(self, top_level: str, git_dir: str, common_dir: str) -> None:
        self.top_level, self.git_dir, self.common_dir = top_level, git_dir, common_dir

    @cached_property
    def settings(self) -> Settings:
        return gitconfig.settings(self.common_dir)

    def head(self) -> Head:
        ref = b"HEAD"
        branch = None
        for _ in range(_INDIRECTIONS):
            value = self._ref(ref)
            if value is None:
                break
            if _OBJECT_ID.fullmatch(value):
                return Head(value.decode(), branch)
            if not value.startswith(b"ref:"):
                return Head()
            ref = value[4:].strip()
            if not ref.startswith(b"refs/") or b".." in ref or ref.endswith(b"/.invalid"):
                return Head()
            if ref.startswith(b"refs/heads/") and branch is None:
                branch = name_text(ref.removeprefix(b"refs/heads/"))
        return Head(None, branch)

    def _ref(self, ref: bytes) -> bytes | None:
        """What a ref holds: an object id, or the name of another ref."""
        for directory in dict.fromkeys((self.git_dir, self.common_dir)):
            value = read_file(os.path.join(directory, name_text(ref)), _SHORT_FILE)
            if value is not None:
                return value.strip()
        packed = b"\n" + (read_file(os.path.join(self.common_dir, "packed-refs")) or b"") + b"\n"
        end = packed.find(b" " + ref + b"\n")
        return packed[packed.rfind(b"\n", 0, end) + 1 : end] if end >= 0 else None

    def exclude_text(self) -> bytes:
        return read_file(os.path.join(self.common_dir, "info", "exclude")) or b""

    def index_signature(self) -> Signature:
        return index.signature(self.git_dir)

    def tracked(self) -> Tracked:
        return index.read_index(self.git_dir, self.settings.sha256)


def find(path: str) -> Repository | None:
    """The repository whose working tree ``path`` lies in; like git, it is not looked for on another filesystem."""
    directory = os.path.realpath(path)
    try:
        device = os.stat(directory).st_dev
        while os.stat(directory).st_dev == device:
            repository = at(directory)
            parent = os.path.dirname(directory)
            if repository is not None or parent == directory:
                return repository
            directory = parent
    except (OSError, ValueError):
        pass
    return None


def at(directory: str) -> Repository | None:
    """The repository whose top level is exactly this directory."""
    entry = os.path.join(directory, ".git")
    pointer = read_file(entry, _SHORT_FILE)
    if pointer is not None:
        if not pointer.startswith(b"gitdir:"):
            return None
        entry = os.path.normpath(os.path.join(directory, name_text(pointer[7:].strip())))
    try:
        if not os.path.lexists(os.path.join(entry, "HEAD")):
            return None
    except ValueError:
        return None
    common = read_file(os.path.join(entry, "commondir"), _SHORT_FILE)
    shared = os.path.normpath(os.path.join(entry, name_text(common.strip()))) if common else entry
    return Repository(directory, entry, shared)


def global_excludes_text(repository: Repository | None = None) -> bytes:
    """The user's global excludes file, from git's own configuration under ``$HOME`` or ``$XDG_CONFIG_HOME``."""
    return gitconfig.global_excludes_text(repository.settings if repository else gitconfig.settings(None))
