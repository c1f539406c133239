"""Where each agent keeps its sessions, and how one is resumed. A new agent whose sessions are files is a line here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

SESSION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,127}")
"""What a session may be called: it becomes a part of a file's name and of a command."""


class Keeps(NamedTuple):
    """An agent whose sessions are files below ``directory`` of its own home, each named after its session."""

    directory: str
    resume: str
    """The command that goes on with the session ``{id}``."""
    named: int = 0
    """How much of the session's id a file's name holds; all of it if 0."""
    needs: bytes = b""
    """What a file must hold to be taken for a session: an answer."""


KEEPS: Mapping[str, Keeps] = {
    "claude-code": Keeps("projects", "claude --resume {id}"),
    "codex": Keeps("sessions", "codex resume {id}"),
    "gemini-cli": Keeps("tmp", "gemini --resume {id}", named=8, needs=b'"type":"gemini"'),
}
