"""Moves: what an agent, a person's save or takeback itself did, between two snapshots."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from takeback.model.ids import short

LEVELS = ("run", "turn", "action", "manual", "takeback")
AGENT_LEVELS = ("run", "turn", "action")

OPENS = {"run_start": "run", "turn_start": "turn", "before_action": "action"}
PARTLY = "partly"
"""In the context of an undo of which something was left out, as asked: plain undo takes the rest."""

LEFT = "left"
"""In the context of an undo that could not take back everything: `undo MOVE` and `undo --since` try the rest again."""

AGAIN = "again"
"""In the context of an undo: paths that it changed and that it left undecided as well, because it took back one change of several.
It has not dealt with them."""

AFTER = "after"
"""In the context of an undo: the snapshot after which it took back what its moves did, if they began before that."""

CUT = "cut"
"""In the context of a move that has lost an end, because its snapshot was dropped: undo says that it is only a part."""

GONE = "gone"
"""In the context of a move that retention let go, and of which only a trace is left: what it did is not taken for somebody
else's, and nothing takes it back."""

RESTORED = "restored"
"""In the context of a restore: the snapshot that the paths it changed were made equal to."""

CAUGHT_UP = "caught_up"
"""In the context of a restore with which the owner of objects put in place what other processes had asked for."""

ASKED = "asked"
"""In the context of an agent's move that undo took back before its end, from another process: the owner of its memory was asked
to put that back as it was recorded last, because it may have changed since."""

BY = "by"
"""In the context of a move of takeback's: the session of the agent that gave the command, in a call of its own."""

CLOSES = {"run_end": "run", "turn_end": "turn", "after_action": "action"}


class Move(NamedTuple):
    """One row of the timeline's moves. Snapshots are given by id and by their place (`seq`) on the timeline."""

    id: str
    session: str
    level: str
    title: str
    opening: str
    opening_seq: int
    closing: str | None
    closing_seq: int | None
    opened_ns: int
    closed_ns: int | None
    verb: str = ""
    """For level ``takeback``: ``undo``, ``redo`` or ``restore``."""
    undone_by: str | None = None
    key: str = ""
    """What tells parallel actions of one session apart (a tool call's id)."""
    reported: tuple[str, ...] = ()
    """Paths that the agent's tool said it would write."""
    context: Mapping[str, Any] = MappingProxyType({})
    """What was known when it was opened (under ``opened``) and closed (``closed``), and the ``actions`` inside."""

    @property
    def about(self) -> str:
        """In words: its title; for a person's own changes, the save since which they were made."""
        if self.level != "manual":
            return self.title
        return f"changes since “{self.title}”" if self.title else f"changes since {short(self.opening)}"

    @property
    def open(self) -> bool:
        return self.closing is None
