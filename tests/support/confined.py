"""Command lines run where neither memory nor time is endless: a child with limits, which tells how each of them ended.

As a program it reads ``{"world": …, "cwd": …, "runs": [{"arguments": […], "to": …}], "memory": bytes, "seconds": CPU
time}`` and writes one object a run; a limit that is hit kills it, so that fewer come out. Each run finds the world as it
was, at the same place; what it made of it is moved to ``to``.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

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
    """Run command lines one after the other in one child, each in a world of its own, which is kept under the path given
    with it."""
    wish = {
        "world": str(world),
        "cwd": str(cwd),
        "runs": [{"arguments": list(arguments), "to": str(to)} for arguments, to in runs],
        "memory": memory,
        "seconds": seconds,
    }
    child = subprocess.run(
        [sys.executable, str(Path(__file__))], input=json.dumps(wish), capture_output=True, text=True, timeout=300
    )
    ended = [json.loads(line) for line in child.stdout.splitlines()]
    if len(ended) != len(runs):
        stopped = runs[len(ended)][0]
        raise AssertionError(f"{stopped} ended with {child.returncode}, out of memory or time: {child.stderr[-2000:]}")
    return [Ended(tuple(each["arguments"]), each["code"], each["out"], each["err"]) for each in ended]


def _main() -> None:
    import resource

    wish = json.load(sys.stdin)
    from takeback.cli import main

    resource.setrlimit(resource.RLIMIT_AS, (wish["memory"], wish["memory"]))
    resource.setrlimit(resource.RLIMIT_CPU, (wish["seconds"], wish["seconds"]))
    world = Path(wish["world"])
    pristine = world.with_name("pristine")
    world.rename(pristine)
    for run in wish["runs"]:
        copy(pristine, world)
        out, err = io.TextIOWrapper(io.BytesIO()), io.TextIOWrapper(io.BytesIO())
        os.chdir(wish["cwd"])
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(run["arguments"])
        texts = []
        for stream in (out, err):
            stream.flush()
            texts.append(stream.buffer.getvalue().decode("utf-8", "backslashreplace"))
        report = {"arguments": run["arguments"], "code": code, "out": texts[0][-20000:], "err": texts[1][-20000:]}
        world.rename(run["to"])
        print(json.dumps(report), flush=True)
    pristine.rename(world)


if __name__ == "__main__":
    _main()
