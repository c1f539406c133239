"""borg with its defaults, unencrypted as takeback is by default: everything but `.git`, as one command a backup."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path


def is_there() -> bool:
    return shutil.which("borg") is not None


class Borg:
    """One repository. Its cache is kept beside it and never counted."""

    def __init__(self, directory: Path, project: Path) -> None:
        self.directory = directory
        self.project = project
        self._base = directory.with_name(directory.name + ".base")

    def prepare(self) -> None:
        """Make the repository."""
        self._run("init", "--encryption=none", str(self.directory))

    def first(self) -> None:
        self._run("create", "--exclude=.git", "--exclude=build", f"{self.directory}::first", ".")

    def _run(self, *arguments: str) -> None:
        environment = {
            **os.environ,
            "BORG_BASE_DIR": str(self._base),
            "BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK": "yes",
        }
        subprocess.run(["borg", *arguments], cwd=self.project, env=environment, check=True, capture_output=True)
