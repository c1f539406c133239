"""Shadow git as docker-agent runs it: a bare index and object store beside the project, driven by git commands.

The sequence of commands is that of its snapshot hook, with the same number of processes: 14 for the first snapshot,
6 for an idle turn_start, 10 for an idle turn_end. A turn_end with changes takes 14 there and 13 here, in git's favour.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

LARGEST = 2 * 1024 * 1024
"""Bytes; new files over this are left out."""

SETTINGS = {
    "core.autocrlf": "false",
    "core.longpaths": "true",
    "core.symlinks": "true",
    "core.fsmonitor": "false",
    "core.quotepath": "false",
}

BATCH = 100
"""Files that one command of an undo puts back."""

PATHS_ON_STDIN = ("--pathspec-from-file=-", "--pathspec-file-nul")


class ShadowGit:
    """One project's shadow repository."""

    def __init__(self, directory: Path, project: Path) -> None:
        self.directory = directory
        self.project = project
        self.processes = 0
        self._tree = b""
        self._start = b""
        self._changed: list[bytes] = []

    def turn_start(self) -> None:
        """Take a snapshot."""
        self._tree = self._snapshot()

    def turn_end(self) -> None:
        """Take a snapshot, then list what changed since the turn's start."""
        self._start, self._tree = self._tree, self._snapshot()
        self._stage()
        names = self._shadow("diff", "--cached", "--name-only", "-z", self._start.decode(), "--", ".")
        changed = [name for name in names.split(b"\0") if name]
        ignored = self._ignored(changed)
        self._changed = [name for name in changed if name not in ignored]

    def undo(self) -> None:
        """Take a snapshot, as a safe undo would, then put the turn's files back: in batches, absent ones deleted."""
        self._snapshot()
        for begin in range(0, len(self._changed), BATCH):
            batch = self._changed[begin : begin + BATCH]
            names = [os.fsdecode(name) for name in batch]
            listed = self._shadow("ls-tree", "--name-only", "-z", self._start.decode(), "--", *names)
            there = set(listed.split(b"\0"))
            kept = [name for name in names if os.fsencode(name) in there]
            if kept:
                self._shadow("checkout", self._start.decode(), "--", *kept)
            for name in batch:
                if name not in there:
                    os.unlink(os.path.join(os.fsencode(self.project), name))

    def checkout(self, place: Path) -> None:
        """Everything of the latest snapshot, into an empty directory, with an index of its own."""
        place.mkdir()
        index = self.directory / "index.of-checkout"
        command = [
            "git",
            f"--git-dir={self.directory}",
            f"--work-tree={place}",
            "checkout",
            self._tree.decode(),
            "--",
            ".",
        ]
        subprocess.run(
            command, cwd=place, env={**os.environ, "GIT_INDEX_FILE": str(index)}, check=True, capture_output=True
        )
        index.unlink()

    def collect_garbage(self) -> None:
        """What runs after every response."""
        self._shadow("gc", "--prune=7.days", "--quiet")

    def _snapshot(self) -> bytes:
        self._source("rev-parse", "--show-toplevel")
        self._source("rev-parse", "--git-dir")
        if not self.directory.exists():
            self.directory.mkdir(parents=True)
            self._shadow("init", "--quiet")
            for name, value in SETTINGS.items():
                self._shadow("config", name, value)
        self._stage()
        return self._shadow("write-tree").strip()

    def _stage(self) -> None:
        """Bring the shadow index up to date with the project."""
        exclude = self.project / os.fsdecode(self._source("rev-parse", "--git-path", "info/exclude").strip())
        target = self.directory / "info" / "exclude"
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(exclude.read_bytes() if exclude.exists() else b"")
        changed = self._shadow("diff-files", "--name-only", "-z", "--", ".").split(b"\0")
        new = set(self._shadow("ls-files", "--others", "--exclude-standard", "-z", "--", ".").split(b"\0"))
        paths = sorted({*changed, *new} - {b""})
        ignored = self._ignored(paths)
        if ignored:
            self._shadow("rm", "--cached", "-r", "-f", "--ignore-unmatch", *PATHS_ON_STDIN, paths=ignored)
        kept = [path for path in paths if path not in ignored and not (path in new and self._is_large(path))]
        if kept:
            self._shadow("add", "--all", "--sparse", *PATHS_ON_STDIN, paths=kept)

    def _ignored(self, paths: list[bytes]) -> set[bytes]:
        """Those that the project's own rules ignore."""
        if not paths:
            return set()
        found = self._source("check-ignore", "--no-index", "--stdin", "-z", paths=paths, fine=(0, 1))
        return set(found.split(b"\0")) - {b""}

    def _is_large(self, path: bytes) -> bool:
        return os.lstat(os.path.join(os.fsencode(self.project), path)).st_size > LARGEST

    def _source(self, *arguments: str, paths: Iterable[bytes] = (), fine: tuple[int, ...] = (0,)) -> bytes:
        """Git in the project's own repository."""
        return self._git(["git", *arguments], paths, fine)

    def _shadow(self, *arguments: str, paths: Iterable[bytes] = ()) -> bytes:
        """Git in the shadow repository, on the project's files."""
        return self._git(["git", f"--git-dir={self.directory}", f"--work-tree={self.project}", *arguments], paths, (0,))

    def _git(self, command: list[str], paths: Iterable[bytes], fine: tuple[int, ...]) -> bytes:
        self.processes += 1
        done = subprocess.run(command, cwd=self.project, input=b"\0".join(paths), capture_output=True)
        if done.returncode not in fine:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.decode(errors='replace')}")
        return done.stdout
