"""Results of the tests of a campaign that is under way, so that an interrupted one goes on where it was.

One file per campaign below ``.soak/<tree of src/takeback>/``: a line with the seed, then a line per finished test. A line is written
at once and whole; the last one may be torn by a kill, and is then ignored: its test runs again.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

DIRECTORY = ".soak"


@dataclass(frozen=True)
class Result:
    """A finished test."""

    test: str
    passed: bool
    runs: int
    seconds: float
    trouble: str = ""


class Progress:
    """The results of one campaign so far."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def begin(self, seed: int | None = None) -> int:
        """The seed: that of the run to go on with, unless another one is asked for, which starts over."""
        known = self._seed()
        if known is not None and seed in (None, known):
            return known
        chosen = secrets.randbelow(1_000_000) if seed is None else seed
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps({"seed": chosen}) + "\n")
        return chosen

    def add(self, result: Result) -> None:
        with self.file.open("a") as lines:
            lines.write("\n" + json.dumps(asdict(result)) + "\n")

    def results(self) -> dict[str, Result]:
        """The last result of each test."""
        found = (Result(**line) for line in self._lines() if "test" in line)
        return {result.test: result for result in found}

    def passed(self) -> set[str]:
        return {test for test, result in self.results().items() if result.passed}

    def _seed(self) -> int | None:
        return next((int(line["seed"]) for line in self._lines() if "seed" in line), None)

    def _lines(self) -> Iterator[dict[str, Any]]:
        if not self.file.exists():
            return
        for line in self.file.read_text().splitlines():
            try:
                value = json.loads(line)
            except ValueError:  # blank, or torn by a kill
                continue
            if isinstance(value, dict):
                yield value
