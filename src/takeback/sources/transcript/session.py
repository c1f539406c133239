"""What a transcript's part says about its session. It may come from anybody's store, so all of it is checked."""

from __future__ import annotations

import os
from typing import NamedTuple

from takeback.errors import Integrity, NotFound
from takeback.model.snapshot import Part
from takeback.sources.transcript import segments
from takeback.sources.transcript.agents import KEEPS, SESSION_ID
from takeback.store.reader import Reader


class Session(NamedTuple):
    """One session of an agent; ``file`` is relative to the agent's own home."""

    agent: str
    id: str
    file: str


def said(part: Part) -> Session:
    """The session that a part is of; Integrity if it says anything that could lead elsewhere."""
    agent, id, file = (part.detail.get(key) for key in ("agent", "session", "file"))
    if not (isinstance(agent, str) and isinstance(id, str) and isinstance(file, str)):
        raise _not_one(part)
    if not file:
        raise NotFound(f"the conversation is of {agent or 'an agent'} that keeps it where it cannot be put back")
    keeps = KEEPS.get(agent)
    if keeps is None or not SESSION_ID.fullmatch(id):
        raise _not_one(part)
    if os.path.normpath(file) != file or not file.startswith(f"{keeps.directory}/") or "\0" in file:
        raise _not_one(part)
    return Session(agent, id, file)


def lines(reader: Reader, part: Part) -> bytes:
    """The conversation in whole lines, up to the length that the part gives it."""
    length = part.detail.get("length")
    data = segments.get(reader, part.content, length if isinstance(length, int) else None)
    return data[: data.rfind(b"\n") + 1]


def _not_one(part: Part) -> Integrity:
    return Integrity(f"the part {part.name!r} is no conversation of an agent that is known here")
