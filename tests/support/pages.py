"""Pages that show what was typed and printed, typed again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

HOME = "/home/you"
"""Where whoever wrote the page was at home."""
CHANCE = re.compile(
    r"\d{8}T\d{6}|\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d+p00-00|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|"
    r"\b\d{13}\b|\b[0-9a-f]{12}\b|\b[0-9a-f]{8}\b"
)
"""Times and ids: another time they are others, but each id is always the same."""


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def typed(page: str) -> list[tuple[str, list[str]]]:
    """The commands of a page, and the lines that they print."""
    found: list[tuple[str, list[str]]] = []
    for line in "".join(blocks(page, "console")).splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


class Reader:
    """Somebody who types what the page shows, and takes what chance made of it here for what it made of it there."""

    def __init__(self, home: Path) -> None:
        self.home, self.known = home, dict[str, str]()
        self.project = home / "project"
        self.project.mkdir()
        (self.project / "notes.md").write_text("# Notes\n")

    def type(self, command: str) -> list[str]:
        here = CHANCE.sub(lambda found: self.known.get(found[0], found[0]), command)
        env = {
            key: value for key, value in os.environ.items() if not key.startswith(("CLAWTEAM_", "TAKEBACK_", "XDG_"))
        }
        programs = f"{os.path.dirname(sys.executable)}:{env['PATH']}"
        done = subprocess.run(
            ["/bin/bash", "-c", here],
            cwd=self.project,
            env={**env, "HOME": str(self.home), "PATH": programs, "COLUMNS": "120"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, (here, done.stdout)
        return [line.rstrip().replace(str(self.home), HOME) for line in done.stdout.splitlines()]

    def compare(self, shown: list[str], printed: list[str]) -> None:
        """Line by line the same, but for chance."""
        for line, found in zip(shown, printed, strict=True):
            match = self._pattern(line).fullmatch(found)
            assert match is not None, (line, printed)
            for token, value in zip(CHANCE.findall(line), match.groups(), strict=True):
                self.known.setdefault(token, value)

    def _pattern(self, line: str) -> re.Pattern[str]:
        between = CHANCE.split(line)
        tokens = [self._token(each) for each in CHANCE.findall(line)]
        parts = [
            re.escape(text) + (tokens[number] if number < len(tokens) else "") for number, text in enumerate(between)
        ]
        return re.compile("".join(parts))

    def _token(self, token: str) -> str:
        is_time = ":" in token or len(token) == 13  # two that were the same there need not be so here
        return f"({re.escape(self.known[token])})" if token in self.known and not is_time else f"({CHANCE.pattern})"
