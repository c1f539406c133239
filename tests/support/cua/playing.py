"""The process in which the real agent lives, as a test sees it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any

from support.containers.boxes import Boxes
from support.cua import installed


class Player:
    """Starts with the first scenario that is asked for: importing the agent takes seconds."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def play(self, scenario: str, container: str, store: Path, boxes: Boxes) -> dict[str, Any]:
        """What came of a scenario; empty if the process died of it. What cannot be noted in the store is noted beside it."""
        process = self._process or self._started()
        asked = {
            "scenario": scenario,
            "container": container,
            "store": str(store),
            "temporary": str(store.parent),
            "engine": boxes.engine.address,
        }
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(asked) + "\n")
        process.stdin.flush()
        for line in process.stdout:
            if line.startswith("answer "):
                answer: dict[str, Any] = json.loads(line.removeprefix("answer "))
                return answer
        return {}

    def _started(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            [installed.PYTHON, "-m", "support.cua.scenarios"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=installed.environment(),
        )
        return self._process

    def __enter__(self) -> Player:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.__exit__(kind, error, trace)
