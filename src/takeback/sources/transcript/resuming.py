"""A conversation as a session that its agent can resume: under a new id, or under its own if its file is gone."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

from blake3 import blake3

from takeback.errors import Unavailable
from takeback.model.plan import Effect
from takeback.model.tree import DIRECTORY, FILE, Entry, encode_tree
from takeback.sources import trees
from takeback.sources.transcript.agents import KEEPS
from takeback.sources.transcript.session import Session


class Resumed(NamedTuple):
    """A session to be written below an agent's home."""

    home: str
    session: Session
    data: bytes

    @property
    def command(self) -> str:
        return KEEPS[self.session.agent].resume.format(id=self.session.id)

    def effects(self, part: str) -> Iterator[Effect]:
        """What makes it: the directories that are missing, and the file."""
        for directory in trees.parents(self.session.file):
            if not os.path.lexists(os.path.join(self.home, directory)):
                entry = Entry(DIRECTORY, 0o700, 0, blake3(encode_tree({})).digest())
                yield Effect(part, f"{self.session.agent}/{directory}", None, entry)
        yield file_effect(part, f"{self.session.agent}/{self.session.file}", self.data)


def resume(home: str, session: Session, data: bytes) -> Resumed | None:
    """A conversation as a session beside the one that it was of; None if nothing was said yet."""
    if not data or KEEPS[session.agent].needs not in data:
        return None
    if not os.path.lexists(os.path.join(home, session.file)):
        return Resumed(home, session, data)
    for number in count():
        fresh = _beside(session, data, number)
        if not os.path.lexists(os.path.join(home, fresh.file)):
            # The id stands in every line, and nothing else can look like it.
            return Resumed(home, fresh, data.replace(session.id.encode(), fresh.id.encode()))
    raise AssertionError("there is always another number")


def _beside(session: Session, data: bytes, number: int) -> Session:
    """A new session for a conversation; the same again, so that a dry run names the one that will be."""
    hashed = blake3(f"{session.id} {number} ".encode() + data).digest(16)
    new = str(uuid.UUID(bytes=hashed, version=4))
    directory, name = os.path.split(session.file)
    named = KEEPS[session.agent].named or None
    renamed = name.replace(session.id[:named], new[:named])
    if renamed == name:
        raise Unavailable(
            f"the session's file {name} is not named after it, so a new one cannot be made beside it",
            hints=["`takeback restore REF --only transcript --to DIR` writes the conversation elsewhere"],
        )
    return Session(session.agent, new, os.path.join(directory, renamed))


def file_effect(part: str, path: str, data: bytes) -> Effect:
    return Effect(part, path, None, Entry(FILE, 0o600, len(data), blake3(data).digest()), data)
