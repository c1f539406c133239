"""Where an adapter remembers: a store, or a timeline that is there already."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

from takeback.adapters.remembering.part import Remembered
from takeback.engine.store import Store
from takeback.engine.timeline import Timeline
from takeback.errors import Unavailable

Where = Store | Timeline | str | os.PathLike[str]
"""A store, which may be given by its path, or a timeline."""


class Room:
    """In a store each session has a timeline of its own, ``<framework>:<session>``; on a timeline it is one more part,
    beside the files that the agent works on."""

    def __init__(self, where: Where, framework: str) -> None:
        self._prefix = f"{framework}:"
        self._line = where if isinstance(where, Timeline) else None
        self._store = where if isinstance(where, Store) else None
        self._opened: Store | None = None
        if isinstance(where, str | os.PathLike):
            from takeback.locate import open

            self._store = self._opened = open(where)
        self._lines: dict[str, Timeline] = {}
        self._guard = threading.Lock()

    def remembered(self, session: str, part: str, empty: Callable[[], Any]) -> Remembered:
        """A part of a session; the same one each time."""
        with self._guard:
            line = self._line_of(session)
            there = line.sources.get(part)
            if not isinstance(there, Remembered):
                there = Remembered(line, part, empty)
                line.add(there)
            return there

    def sessions(self, part: str, beginning: str) -> list[str]:
        """The sessions that begin so and have, or may have, a part ``<part>:<session>``."""
        if self._store is not None:
            names, prefix = [row.name for row in self._store.timelines() if not row.root], self._prefix
        else:
            assert self._line is not None
            names, prefix = [] if self._line.head is None else list(self._line.show("@").parts), f"{part}:"
        return [name.removeprefix(prefix) for name in names if name.startswith(prefix + beginning)]

    def close(self) -> None:
        """Close the store, if it was opened here."""
        if self._opened is not None:
            self._opened.close()

    def _line_of(self, session: str) -> Timeline:
        if self._line is not None:
            return self._line
        assert self._store is not None
        if session not in self._lines:
            self._lines[session] = self._store.timeline(self._prefix + session)
        return self._lines[session]


def missing(package: str, extra: str) -> Unavailable:
    return Unavailable(
        f"this adapter needs {package}, which is not installed", hints=[f"pip install 'takeback[{extra}]'"]
    )
