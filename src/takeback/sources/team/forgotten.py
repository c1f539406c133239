"""Worktrees whose files are there, or will be, and of which git knows nothing: what a person types to have it know again.

Nothing here runs git, or writes; it is read what git keeps beside its objects.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from typing import Any

from takeback.sources.workspace import git
from takeback.sources.workspace.git.config import read_file

_SHORT = 1 << 12
_NOTED = "repository"


def repository_of(place: str) -> dict[str, str]:
    """What is noted of a worktree: the repository that it is one of."""
    found = git.at(place)
    if found is None:
        return {}
    return {_NOTED: found.common_dir.removesuffix("/.git")}


def how_to_tell_git(place: str, agent: str, context: Mapping[str, Any]) -> str:
    """A note for what was a worktree and is none to git any more, with the commands that make it one again; else empty.

    ``context`` is what was noted of git with its snapshot, which may come from anybody.
    """
    repository = context.get(_NOTED)
    if not isinstance(repository, str) or git.at(place) is not None:
        return ""
    said = f"git does not know {agent}'s files as a worktree any more"
    back = _back(place, repository, git.noted(context)) if repository.isprintable() else ""
    return f"{said}; once they are back: {back}" if back else said


def _back(place: str, repository: str, known: git.Head) -> str:
    git_dir = _git_dir(repository)
    if not git_dir:
        return ""  # it is gone itself
    if _still_listed(place, git_dir):
        return shlex.join(["git", "-C", repository, "worktree", "repair"])
    if known.commit is None:
        return ""
    beside = f"{place}.git-worktree"
    branch = ["-b", known.branch] if known.branch else ["--detach"]
    commands = [
        ["git", "-C", repository, "worktree", "add", "--no-checkout", *branch, beside, known.commit],
        ["mv", f"{beside}/.git", place],
        ["rmdir", beside],
        ["git", "-C", place, "worktree", "repair"],
        ["git", "-C", place, "reset", "--quiet"],
    ]
    return " && ".join(map(shlex.join, commands))


def _git_dir(repository: str) -> str:
    found = git.at(repository)
    return found.common_dir if found is not None else ""


def _still_listed(place: str, git_dir: str) -> bool:
    """Whether git still has its own files of a worktree whose directory went away without it."""
    try:
        names = os.listdir(os.path.join(git_dir, "worktrees"))
    except OSError:
        return False
    pointers = (read_file(os.path.join(git_dir, "worktrees", name, "gitdir"), _SHORT) for name in names)
    return any(pointer is not None and os.fsdecode(pointer.strip()) == f"{place}/.git" for pointer in pointers)
