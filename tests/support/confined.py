"""Command lines run where neither memory nor time is endless: a child with limits, which tells how each of them ended. A limit that
is hit kills it, so that it tells of fewer.
"""

from __future__ import annotations

import contextlib
import io
import os
import resource
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from support.faults.zygote import say, shared

MEMORY = 1 << 30
SECONDS = 20


@dataclass(frozen=True)
class Ended:
    arguments: tuple[str, ...]
    code: int
    out: str
    err: str

    @property
    def calm(self) -> bool:
        """Whether it ended in words: no bug, no traceback, nothing that a terminal would obey."""
        text = self.out + self.err
        return self.code != 1 and "bug in takeback" not in text and "Traceback" not in text and "\x1b" not in text


def copy(world: Path, other: Path) -> None:
    """A directory with everything in it, pipes and holes as they are."""
    subprocess.run(["cp", "--archive", "--sparse=always", str(world), str(other)], check=True)


def run_confined(
    world: Path,
    cwd: Path,
    runs: Sequence[tuple[Sequence[str], Path]],
    *,
    memory: int = MEMORY,
    seconds: int = SECONDS,
) -> list[Ended]:
    """Run command lines one after the other in one child. Each finds the world as it was, at the same place; what it made of it is
    moved to the path given with it."""
    ended = shared().call(_run_all, world, cwd, [(list(arguments), to) for arguments, to in runs], memory, seconds)
    if len(ended.said) != len(runs):
        stopped = runs[len(ended.said)][0]
        raise AssertionError(f"{stopped} ended with {ended.code}, out of memory or time: {ended.trouble[-2000:]}")
    assert not ended.trouble, ended.trouble
    return [Ended(*each) for each in ended.said]


def _run_all(world: Path, cwd: Path, runs: list[tuple[list[str], Path]], memory: int, seconds: int) -> None:
    from takeback.cli import main

    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    pristine = world.with_name("pristine")
    world.rename(pristine)
    for arguments, to in runs:
        copy(pristine, world)
        out, err = io.TextIOWrapper(io.BytesIO()), io.TextIOWrapper(io.BytesIO())
        os.chdir(cwd)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(arguments)
        texts = []
        for stream in (out, err):
            stream.flush()
            texts.append(stream.buffer.getvalue().decode("utf-8", "backslashreplace"))
        world.rename(to)
        say((tuple(arguments), code, texts[0][-20000:], texts[1][-20000:]))
    pristine.rename(world)
