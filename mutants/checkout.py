"""Copies of the checkout: each worker has one, plants a fault into it and takes the fault out again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mutants.mutant import Mutant

TOP = Path(__file__).resolve().parents[1]


class Checkout:
    """A copy of all files in the working tree but those that git ignores."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=TOP, check=True, capture_output=True).stdout
        for name in filter(None, listed.decode().split("\0")):
            source, target = TOP / name, directory / name
            if os.path.lexists(source):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target, follow_symlinks=False)

    @property
    def environment(self) -> dict[str, str]:
        """An environment in which every Python process imports the source of this copy."""
        return {**os.environ, "PYTHONPATH": f"{self.directory / 'src'}{os.pathsep}{self.directory}"}

    def check(self) -> None:
        """SystemExit if Python, or the installed command, imports takeback from elsewhere."""
        command = Path(sysconfig.get_path("scripts"), "takeback")
        for words in (["-c", "import takeback"], [str(command), "--version"]):
            told = subprocess.run(
                [sys.executable, "-v", *words], cwd="/", env=self.environment, capture_output=True, text=True
            )
            if f"{self.directory}/src/takeback/__init__.py" not in told.stderr:
                raise SystemExit(f"cannot check mutants: `python {' '.join(words)}` does not import the copied source")

    @contextmanager
    def mutated(self, mutant: Mutant) -> Iterator[None]:
        """A block in which the copy has a fault."""
        path = self.directory / mutant.path
        sound, times = path.read_text(encoding="utf-8"), path.stat()
        _write(path, mutant.applied_to(sound))
        try:
            yield
        finally:
            _write(path, sound)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@contextmanager
def checkout() -> Iterator[Checkout]:
    """A copy for the length of the block. Tests that run as another user have to be able to read it."""
    directory = Path(tempfile.mkdtemp(prefix="takeback-mutants-")).resolve()
    directory.chmod(0o755)
    try:
        yield Checkout(directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _write(path: Path, text: str) -> None:
    """Compiled files go: Python compares whole seconds, and may take the fault for the source."""
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*"):
        compiled.unlink()
    path.write_text(text, encoding="utf-8")
