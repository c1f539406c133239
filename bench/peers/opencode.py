"""Shadow git as opencode runs it: seeded with the project's own index and objects, tuned for many files.

4 processes for an idle start of a turn, 12 for an end with changes. What it can seed it need not read, so its first
snapshot is nearly free where everything is committed; ignored and non-git projects are not its business.
"""

from __future__ import annotations

import os
import shutil
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
    "feature.manyFiles": "true",
    "index.version": "4",
    "index.threads": "true",
    "core.untrackedCache": "true",
}
FLAGS = ("-c", "core.autocrlf=false", "-c", "core.longpaths=true", "-c", "core.symlinks=true")
QUOTE = (*FLAGS, "-c", "core.quotepath=false")
PATHS_ON_STDIN = ("--pathspec-from-file=-", "--pathspec-file-nul")


class OpenCode:
    """One project's shadow repository."""

    def __init__(self, directory: Path, project: Path) -> None:
        self.directory = directory
        self.project = project
        self.processes = 0
        self._tree = ""
        self._shadow = (f"--git-dir={directory}", f"--work-tree={project}")

    def turn_start(self) -> None:
        self._tree = self._track()

    def turn_end(self) -> None:
        """Take a snapshot, then list what changed since the turn's start."""
        before, self._tree = self._tree, self._track()
        self._stage()
        names = self._git(*QUOTE, *self._shadow, "diff", "--cached", "--no-ext-diff", "--name-only", before, "--", ".")
        self._ignored(names.split(b"\n"))

    def _track(self) -> str:
        if not self.directory.exists():
            self._seed()
        self._stage()
        return self._git(*self._shadow, "write-tree").decode().strip()

    def _seed(self) -> None:
        """A new repository that has the project's objects and index."""
        self.directory.mkdir(parents=True)
        self._git(*self._shadow, "init", "--quiet")
        for name, value in SETTINGS.items():
            self._git(f"--git-dir={self.directory}", "config", name, value)
        found = self._git("rev-parse", "--path-format=absolute", "--git-common-dir")
        source = Path(os.fsdecode(found.strip()))
        alternates = self.directory / "objects" / "info" / "alternates"
        alternates.parent.mkdir(exist_ok=True)
        alternates.write_text(f"{source / 'objects'}\n")
        shutil.copyfile(source / "index", self.directory / "index")

    def _stage(self) -> None:
        self._copy_excludes()
        questions = [("diff-files", "--name-only"), ("ls-files", "--full-name", "--others", "--exclude-standard")]
        running = [self._start(*QUOTE, *self._shadow, *question, "-z", "--", ".") for question in questions]
        changed, new = ([name for name in each.communicate()[0].split(b"\0") if name] for each in running)
        paths = list(dict.fromkeys([*changed, *new]))
        ignored = self._ignored(paths)
        if ignored:
            command = ("rm", "--cached", "-f", "--ignore-unmatch")
            self._git(*FLAGS, *self._shadow, *command, *PATHS_ON_STDIN, paths=_literal(ignored))
        allowed = [path for path in paths if path not in ignored]
        if not allowed:
            return
        large = {path for path in new if self._is_large(path)}
        self._copy_excludes()
        kept = [path for path in allowed if path not in large]
        if kept:
            self._git(*FLAGS, *self._shadow, "add", "--all", "--sparse", *PATHS_ON_STDIN, paths=_literal(kept))

    def _copy_excludes(self) -> None:
        found = self._git("rev-parse", "--path-format=absolute", "--git-path", "info/exclude")
        source = Path(os.fsdecode(found.strip()))
        target = self.directory / "info" / "exclude"
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(source.read_bytes() if source.exists() else b"")

    def _ignored(self, paths: list[bytes]) -> set[bytes]:
        """Those that the project's own rules ignore."""
        paths = [path for path in paths if path]
        if not paths:
            return set()
        project = (f"--git-dir={self.project / '.git'}", f"--work-tree={self.project}")
        found = self._git(*QUOTE, *project, "check-ignore", "--no-index", "--stdin", "-z", paths=paths, fine=(0, 1))
        return set(found.split(b"\0")) - {b""}

    def _is_large(self, path: bytes) -> bool:
        return os.lstat(os.path.join(os.fsencode(self.project), path)).st_size > LARGEST

    def _git(self, *arguments: str, paths: Iterable[bytes] = (), fine: tuple[int, ...] = (0,)) -> bytes:
        process = self._start(*arguments)
        out, error = process.communicate(b"".join(path + b"\0" for path in paths))
        if process.returncode not in fine:
            raise RuntimeError(f"git {' '.join(arguments)}: {error.decode(errors='replace')}")
        return out

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        self.processes += 1
        pipe = subprocess.PIPE
        return subprocess.Popen(["git", *arguments], cwd=self.project, stdin=pipe, stdout=pipe, stderr=pipe)


def _literal(paths: Iterable[bytes]) -> list[bytes]:
    return [b":(top,literal)" + path for path in paths]
