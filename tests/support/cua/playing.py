"""The process in which the real agent lives, as a test sees it."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from support.containers.boxes import Boxes
from support.cua import installed

PATIENCE = 120.0
_A_MOMENT = 0.05
_READY = "ready"


class Player:
    """Connects with the first scenario that is asked for. All players with the same ``place``, also those of other processes,
    share one server (`support.cua.scenarios`), which the first one starts."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._connection: IO[str] | None = None

    def play(self, scenario: str, container: str, store: Path, boxes: Boxes) -> dict[str, Any]:
        """What came of a scenario; empty if the process died of it. What cannot be noted in the store is noted beside it."""
        if self._connection is None:
            self._connection = self._connected()
        asked = {
            "scenario": scenario,
            "container": container,
            "store": str(store),
            "temporary": str(store.parent),
            "engine": boxes.engine.address,
        }
        self._connection.write(json.dumps(asked) + "\n")
        self._connection.flush()
        answer: dict[str, Any] = json.loads(self._connection.readline() or "{}")
        return answer

    def _connected(self) -> IO[str]:
        with (self._place / "cua.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if (found := self._connect()) is not None:
                return found
            address = self._place / "cua.sock"
            address.unlink(missing_ok=True)
            _start([str(installed.PYTHON), "-m", "support.cua.scenarios", str(address)])
            until = time.monotonic() + PATIENCE
            while (found := self._connect()) is None:
                assert time.monotonic() < until, "the agent does not start"
                time.sleep(_A_MOMENT)
            return found

    def _connect(self) -> IO[str] | None:
        """None if there is no server, or one that is about to end."""
        with socket.socket(socket.AF_UNIX) as connection:
            try:
                connection.connect(str(self._place / "cua.sock"))
                made = connection.makefile("rw")
                if made.readline().strip() == _READY:
                    return made
            except OSError:
                return None
        made.close()
        return None

    def __enter__(self) -> Player:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._connection is not None:
            self._connection.close()


def _start(command: list[str]) -> None:
    """Start a program that nobody waits for: it ends by itself."""
    silent = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
    os.posix_spawn(command[0], command, installed.environment(), file_actions=silent, setsid=True)
