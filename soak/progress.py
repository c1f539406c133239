"""Results of the tests of a campaign that is under way, so that an interrupted one goes on where it was.

One file per campaign below ``.soak/<tree of src/takeback>/``: a line with the seed and the code, a line with the tests that belong to
the campaign, a line for each test that begins and each that ends, and a line for the end of a pytest process. A line is written at once and whole; one that a
kill tore is ignored: its test runs again. Results count for the code that they were made with, and a test that has failed stays failed.
"""

from __future__ import annotations

import fcntl
import json
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

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

    def begin(self, code: str, seed: int | None = None) -> int:
        """The seed: that of the run to go on with. A run of other code or of another seed starts over, and so does one with a
        seed after it has ended."""
        known = next((line for line in self._lines() if "seed" in line), {})
        if known.get("code") == code and seed in (None, known["seed"]) and not (seed is not None and self.ended):
            return int(known["seed"])
        chosen = secrets.randbelow(1_000_000) if seed is None else seed
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps({"seed": chosen, "code": code}) + "\n")
        return chosen

    def collect(self, tests: Sequence[str]) -> None:
        """Note the tests that belong to the campaign."""
        self._add({"collected": list(tests)})

    def start(self, test: str) -> None:
        """Note that a test begins."""
        self._add({"started": test})

    def blame(self, trouble: str) -> None:
        """Record a failure of the test that was running when pytest died."""
        running = None
        for line in self._lines():
            if "started" in line:
                running = line["started"]
            elif line.get("test") == running or "collected" in line:
                running = None
        if running is not None:
            self.add(Result(running, False, 0, 0.0, trouble))

    def add(self, result: Result) -> None:
        self._add(asdict(result))

    def end(self) -> None:
        """Note that pytest came to the end of its tests."""
        self._add({"end": True})

    def forget(self) -> None:
        self.file.unlink(missing_ok=True)

    @property
    def under_way(self) -> bool:
        """Whether it has begun and not ended."""
        return self.file.exists() and not self.ended

    @property
    def ended(self) -> bool:
        """Whether every test of the campaign has a result, and pytest said that it was at the end."""
        collected, results, end = self.collected(), self.results(), False
        for line in self._lines():
            end = "end" in line or (end and "collected" not in line)
        return end and bool(collected) and all(test in results for test in collected)

    def collected(self) -> list[str]:
        """The tests that belong to the campaign, as the last pytest process found them."""
        found: list[str] = []
        for line in self._lines():
            found = line.get("collected", found)
        return found

    def results(self) -> dict[str, Result]:
        """The last result of each test that belongs to the campaign."""
        wanted = set(self.collected())
        return {result.test: result for result in self._results() if result.test in wanted}

    def failed(self) -> dict[str, Result]:
        """The tests that have failed, also if they passed when they ran again."""
        wanted = set(self.collected())
        return {result.test: result for result in self._results() if not result.passed and result.test in wanted}

    def passed(self) -> set[str]:
        last = {result.test: result for result in self._results()}
        return {test for test, result in last.items() if result.passed}

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """A block in which no other process adds results; False if one does already."""
        with self.file.with_suffix(".lock").open("w") as lock:
            yield _locked(lock)

    def _add(self, line: dict[str, Any]) -> None:
        with self.file.open("a") as lines:
            lines.write("\n" + json.dumps(line) + "\n")

    def _results(self) -> Iterator[Result]:
        for line in self._lines():
            if line.keys() == Result.__dataclass_fields__.keys():
                yield Result(**line)

    def _lines(self) -> Iterator[dict[str, Any]]:
        if not self.file.exists():
            return
        for line in self.file.read_text(errors="replace").splitlines():
            try:
                value = json.loads(line)
            except ValueError:  # blank, or torn by a kill
                continue
            if isinstance(value, dict):
                yield value


def _locked(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
