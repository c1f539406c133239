"""Where a session is kept, by its id alone: for who knows of a session and not whose it is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from takeback.sources.transcript.agents import KEEPS, SESSION_ID

_DEPTH = 4
_MOST = 200_000
"""So many names are looked at in an agent's home; no home has as many sessions."""


class Kept(NamedTuple):
    """The agent that keeps a session, and its file."""

    agent: str
    file: str


def find(homes: Mapping[str, str], sessions: Iterable[str]) -> dict[str, Kept]:
    """The files of sessions below the homes of the agents; the newest where there are several. No link is followed."""
    wanted = [session for session in sessions if SESSION_ID.fullmatch(session)]
    found: dict[str, tuple[int, Kept]] = {}
    for agent, keeps in KEEPS.items():
        if not wanted or not homes.get(agent):
            continue
        for time_ns, path in _files(os.path.join(homes[agent], keeps.directory)):
            stem = os.path.splitext(os.path.basename(path))[0]
            for session in wanted:
                if stem.endswith(session[: keeps.named or None]):
                    found[session] = max(found.get(session, (0, Kept("", ""))), (time_ns, Kept(agent, path)))
    return {session: kept for session, (_, kept) in found.items()}


def _files(directory: str) -> Iterator[tuple[int, str]]:
    """All files below a directory, with their times."""
    waiting, seen = [(directory, 0)], 0
    while waiting:
        place, depth = waiting.pop()
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    seen += 1
                    if seen > _MOST:
                        return
                    if entry.is_dir(follow_symlinks=False):
                        waiting += [(entry.path, depth + 1)] if depth + 1 < _DEPTH else []
                    elif entry.is_file(follow_symlinks=False):
                        yield entry.stat(follow_symlinks=False).st_mtime_ns, entry.path
        except OSError:
            continue
