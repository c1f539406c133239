"""Command lines: `Cli` runs them in this process, `takeback` in a fresh one, `program` as a program of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest

from support.faults.zygote import shared
from takeback.cli import main

PROGRAM = [sys.executable, "-m", "takeback"]


@dataclass(frozen=True)
class Result:
    code: int
    raw: bytes
    err: str

    @property
    def out(self) -> str:
        return self.raw.decode()

    @property
    def json(self) -> Any:
        """The one object on stdout; nothing may stand on stderr."""
        assert self.err == "", self.err
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        """The one error on stderr; nothing may stand on stdout."""
        assert self.raw == b"", self.raw
        return json.loads(self.err)["error"]


class Cli:
    """A project directory, its own store, and takeback run in it."""

    def __init__(self, base: Path, capture: pytest.CaptureFixture[bytes]) -> None:
        self.root = base / "project"
        self.root.mkdir()
        self.store = base / "store"
        self._capture = capture

    def __call__(self, *arguments: str, code: int | None = 0) -> Result:
        """Run one command line; ``code`` is the exit code that it must have, or None for any."""
        self._capture.readouterr()
        returned = main(arguments)
        out, err = self._capture.readouterr()
        result = Result(returned, out, err.decode())
        if code is not None:
            assert returned == code, (arguments, result)
        return result

    def json(self, *arguments: str, code: int = 0) -> Any:
        return self(*arguments, "--json", code=code).json

    def error(self, *arguments: str, code: int) -> Any:
        """The error object of a command line that fails; it says what to expect and how."""
        error = self(*arguments, "--json", code=code).error
        assert error["exit_code"] == code
        assert error["message"]
        return error

    def write(self, path: str, content: str | bytes) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)

    def read(self, path: str) -> str:
        return (self.root / path).read_text()


def program(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run the real program; stdin, stdout and stderr are pipes."""
    return subprocess.run(
        [*PROGRAM, *arguments], cwd=cwd, input=stdin, capture_output=True, env={**os.environ, **(env or {})}
    )


def takeback(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process that is forked where takeback is loaded already; stdin, stdout and stderr are files."""
    ended = shared().call(_run, arguments, cwd, {**os.environ, **(env or {})}, stdin)
    assert not ended.trouble, ended.trouble
    return subprocess.CompletedProcess([*PROGRAM, *arguments], *ended.result)


def _run(arguments: Sequence[str], cwd: Path, env: Mapping[str, str], stdin: bytes) -> tuple[int, bytes, bytes]:
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    tempfile.tempdir = None
    sys.argv = ["takeback", *arguments]
    with ExitStack() as stack:
        given, out, err = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
        given.write(stdin)
        given.seek(0)
        for number, file in enumerate((given, out, err)):
            os.dup2(file.fileno(), number)
        code = main(arguments)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        return code, _whole(out), _whole(err)


def _whole(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def modules_of(arguments: Sequence[str], cwd: Path) -> set[str]:
    """The top-level modules that a command line loads."""
    script = (
        "import sys; from takeback.cli import main; code = main(sys.argv[1:])\n"
        "print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", script, *arguments], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())
