"""The page as people start it: `takeback web`, a process of its own, on a port of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.cli import PROGRAM

PATIENCE = 60.0


@dataclass(frozen=True)
class Served:
    url: str
    """With the token that lets a browser in."""

    @property
    def origin(self) -> str:
        return self.url.partition("/?")[0]

    @property
    def port(self) -> int:
        return int(self.origin.rpartition(":")[2])


@contextmanager
def serving(root: Path, env: Mapping[str, str], *options: str) -> Iterator[Served]:
    """A server for the length of the block; Ctrl-C ends it, and it has to end well."""
    process = subprocess.Popen(
        [*PROGRAM, "--json", "web", "--no-open", "--port", "0", *options],
        cwd=root,
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        yield Served(json.loads(line)["url"])
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
        assert process.returncode in (0, 130), said
        assert said == ""
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
