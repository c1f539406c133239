"""restic with its defaults: encrypted, compressed, everything but `.git`, as one command a backup."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path


def is_there() -> bool:
    return shutil.which("restic") is not None


class Restic:
    """One repository. Its cache is kept beside it and never counted."""

    def __init__(self, directory: Path, project: Path) -> None:
        self.directory = directory
        self.project = project
        self._cache = directory.with_name(directory.name + ".cache")

    def prepare(self) -> None:
        """Make the repository; not counted, because restic takes its time here to choose how slow its key shall be."""
        self._run("init")

    def save(self) -> None:
        self._run("backup", "--exclude=.git", "--exclude=build", ".")

    def restore(self, place: Path) -> None:
        """Everything of the latest snapshot, into an empty directory."""
        self._run("restore", "latest", "--target", str(place))

    def _run(self, *arguments: str) -> None:
        places = ["--repo", str(self.directory), "--cache-dir", str(self._cache)]
        environment = {**os.environ, "RESTIC_PASSWORD": "bench"}
        subprocess.run(
            ["restic", "--quiet", *places, *arguments],
            cwd=self.project,
            env=environment,
            check=True,
            capture_output=True,
        )
