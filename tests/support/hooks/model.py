"""What must have been recorded, worked out from what was told and what stood on disk when it was: no store, no snapshots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Files = dict[str, bytes]


@dataclass(eq=False)
class Action:
    opening: Files
    path: str = ""
    """What it writes, and nothing else; empty for a command, which may write anything."""
    closing: Files | None = None
    finished: bool = False
    """Whether it is certain that it ran: its own end was told, and nobody may have been asked about it meanwhile."""

    @property
    def changed(self) -> bool:
        return self.closing is not None and self.closing != self.opening


@dataclass(eq=False)
class Turn:
    session: str
    title: str
    opening: Files
    reported: set[str] = field(default_factory=set)
    open_actions: dict[str, Action] = field(default_factory=dict)
    actions: list[Action] = field(default_factory=list)
    closing: Files | None = None

    def may_write(self, path: str) -> tuple[Action, ...]:
        """Its open actions that may write a path."""
        return tuple(action for action in self.open_actions.values() if action.path in ("", path))

    @property
    def changed(self) -> bool:
        """Whether it must be a move."""
        assert self.closing is not None
        return self.closing != self.opening and any(action.changed for action in self.actions)


@dataclass(frozen=True, eq=False)
class Change:
    """A path that changed between two saves, and the turns that were open then."""

    path: str
    before: bytes | None
    after: bytes | None
    acting: tuple[Turn, ...]
    """The turns in an action, which may have made it; if there are none it is a person's."""
    actions: Mapping[Turn, tuple[Action, ...]]
    """Those actions."""

    def belongs_to(self, turn: Turn) -> bool:
        """Whether the turn made it for certain: an action of its that came to its end."""
        if not any(action.finished for action in self.actions.get(turn, ())):
            return False
        if self.acting == (turn,):
            return True
        return [each for each in self.acting if self.path in each.reported] == [turn]

    @property
    def shared(self) -> bool:
        return bool(self.acting) and not any(self.belongs_to(turn) for turn in self.acting)


class Model:
    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.open: dict[str, Turn] = {}
        self.changes: list[Change] = []
        self.agents: dict[str, str] = {}
        """The agent of each session that has told anything."""
        self.last: Files = {}

    # what happens

    def saved(self, now: Files) -> None:
        """Something was told, so the files were looked at."""
        for path in sorted(self.last.keys() | now.keys()):
            if self.last.get(path) != now.get(path):
                actions = {turn: found for turn in self.open.values() if (found := turn.may_write(path))}
                self.changes.append(Change(path, self.last.get(path), now.get(path), tuple(actions), actions))
        self.last = now

    def heard(self, session: str, agent: str) -> None:
        """A session told something."""
        self.agents.setdefault(session, agent)

    def begin_turn(self, session: str, title: str) -> None:
        self.end_turn(session, last_action=True)
        self.open[session] = Turn(session, title, self.last)
        self.turns.append(self.open[session])

    def begin_action(self, session: str, key: str, path: str = "") -> None:
        turn = self.open[session]
        turn.reported |= {path} if path else set()
        turn.open_actions[key] = Action(self.last, path)

    def end_action(self, session: str, key: str, *, certain: bool = True) -> None:
        turn = self.open.get(session)
        if turn is not None and key in turn.open_actions:
            action = turn.open_actions.pop(key)
            action.closing, action.finished = self.last, certain
            turn.actions.append(action)

    def end_turn(self, session: str, *, last_action: bool = False) -> None:
        """Now; or where its last action ended that changed something, as one ends of which nobody told the end."""
        turn = self.open.pop(session, None)
        if turn is None:
            return
        for key in list(turn.open_actions):
            action = turn.open_actions.pop(key)
            action.closing = self.last
            turn.actions.append(action)
        ended = [action.closing for action in turn.actions if action.changed]
        turn.closing = ended[-1] if last_action and ended else self.last

    # what must be so

    def moves(self, session: str | None = None) -> list[tuple[str, str]]:
        """Session and title of every turn that must be a move, in the order in which they began."""
        return [
            (turn.session, turn.title)
            for turn in self.turns
            if (turn.closing is None or turn.changed) and session in (None, turn.session)
        ]

    def undone(self, turn: Turn, shared: bool) -> Files | None:
        """The files after taking back a turn; None if others have worked on the same ones since, or nothing is its own."""
        mine = [
            change for change in self.changes if change.belongs_to(turn) or (change.shared and turn in change.acting)
        ]
        certain = [change for change in mine if change.belongs_to(turn)]
        result = dict(self.last)
        for path in {change.path for change in mine}:
            history = [change for change in self.changes if change.path == path]
            since = history[history.index(next(change for change in mine if change.path == path)) :]
            if any(change not in mine for change in since) or len({change.shared for change in since}) > 1:
                return None
            if since[0].shared and not shared:
                continue
            result.pop(path, None)
            if since[0].before is not None:
                result[path] = since[0].before
        return result if certain or (shared and mine) else None
