"""Real git: what takeback is compared with, and what it must never disturb. Mark tests ``@pytest.mark.service("git")``."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

StrPath = str | os.PathLike[str]


def git(repository: StrPath, *arguments: str | bytes, stdin: bytes | None = None) -> bytes:
    """Run git in ``repository`` and return what it printed; fails the test with git's own words if it fails."""
    done = subprocess.run(["git", *arguments], cwd=repository, input=stdin or b"", capture_output=True)
    assert done.returncode == 0, f"git {arguments}: {done.stderr.decode(errors='replace')}"
    return done.stdout


def init_repository(path: StrPath) -> Path:
    """A new repository on branch ``main``."""
    os.makedirs(path, exist_ok=True)
    git(path, "init", "--quiet", "--initial-branch=main")
    return Path(path)


def commit_all(repository: StrPath, message: str = "commit") -> str:
    """Commit everything that is not ignored and return the commit's id."""
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--allow-empty", "--message", message)
    return git(repository, "rev-parse", "HEAD").decode().strip()
