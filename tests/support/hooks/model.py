"""What must have been recorded, worked out from what was told and what stood on disk when it was: no store, no snapshots."""

from __future__ import annotations

from dataclasses import dataclass, field

Files = dict[str, bytes]


@dataclass(eq=False)
class Action:
    opening: Files
    closing: Files | None = None

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
    marked: bool = False
    """Whether only what happens inside its actions is its own; else all that does in its time is."""

    @property
    def changed(self) -> bool:
        """Whether it must be a move."""
        assert self.closing is not None
        return self.closing != self.opening and (not self.marked or any(action.changed for action in self.actions))


@dataclass(frozen=True, eq=False)
class Change:
    """A path that changed between two saves, and the turns that were open then."""

    path: str
    before: bytes | None
    after: bytes | None
    open: tuple[Turn, ...]
    busy: tuple[Turn, ...]
    """Those in an action."""

    @property
    def acting(self) -> tuple[Turn, ...]:
        """Those that may have made it; if there are none it is a person's."""
        return tuple(turn for turn in self.open if turn in self.busy or not turn.marked)

    def belongs_to(self, turn: Turn) -> bool:
        if self.acting == (turn,):
            return True
        return turn in self.acting and [each for each in self.acting if self.path in each.reported] == [turn]

    @property
    def shared(self) -> bool:
        return len(self.acting) > 1 and not any(self.belongs_to(turn) for turn in self.acting)


class Model:
    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.open: dict[str, Turn] = {}
        self.changes: list[Change] = []
        self.acted: set[str] = set()
        """Sessions that are known to tell of their actions."""
        self.agents: dict[str, str] = {}
        """The agent of each session that has told anything."""
        self.last: Files = {}

    # what happens

    def saved(self, now: Files) -> None:
        """Something was told, so the files were looked at."""
        open = tuple(self.open.values())
        busy = tuple(turn for turn in open if turn.open_actions)
        for path in sorted(self.last.keys() | now.keys()):
            if self.last.get(path) != now.get(path):
                self.changes.append(Change(path, self.last.get(path), now.get(path), open, busy))
        self.last = now

    def heard(self, session: str, agent: str) -> None:
        """A session told something. One that begins after its agent has told of an action is expected to do the same."""
        if session not in self.agents:
            self.acted |= {session} if any(self.agents[each] == agent for each in self.acted) else set()
            self.agents[session] = agent

    def begin_turn(self, session: str, title: str) -> None:
        self.end_turn(session, last_action=True)
        self.open[session] = Turn(session, title, self.last, marked=session in self.acted)
        self.turns.append(self.open[session])

    def begin_action(self, session: str, key: str, path: str = "") -> None:
        turn = self.open[session]
        turn.reported |= {path} if path else set()
        turn.open_actions[key] = Action(self.last)
        turn.marked = True
        self.acted.add(session)

    def end_action(self, session: str, key: str) -> None:
        turn = self.open.get(session)
        if turn is not None and key in turn.open_actions:
            action = turn.open_actions.pop(key)
            action.closing = self.last
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
