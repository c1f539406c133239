"""Which snapshots begin and end which moves.

`note` is called inside the transaction of every save. Its rules: a start closes what the same session left open at
that level and below; an end closes its level and below; a manual save outside any agent's move opens a manual one;
interval saves do nothing. A move whose two ends are the same state is dropped, and so is a turn of an agent that marks its
actions (its context says ``marks``) and made none that changed anything: what changed meanwhile is a person's. Only what an
agent remembers is its own, also between its actions, unless it said at the beginning that it marks `ALL` that it does. One
that is alone in its world (a sandbox) says ``marks: False``: what changes between its actions is its doing, too.

A move of an agent whose process is gone ends at the next save of anybody, and so does what the agent left open in it. A person's
save ends nothing of an agent that lives. When the command of a move ran is noted in its context (`takeback.engine.stretches`).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from takeback.engine import stretches
from takeback.engine.processes import Ancestry
from takeback.engine.stretches import AGENT, OPENER, RAN, Ran
from takeback.model.ids import new_id
from takeback.model.move import AGENT_LEVELS, ASKED, CLOSES, OPENS, Move
from takeback.sources.clock import Reading
from takeback.store.catalogue import moves, snapshots
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow

ALL = "all"
"""Says of a move's marks that its agent does nothing outside of its actions."""

HELPER = "helper"
"""In an action's context: which of the session's subagents acts."""

MAX_ACTIONS = 1000
"""So many actions are remembered in a turn's context; later ones are not."""


class Event(NamedTuple):
    """What a save says about the agent: the trigger, whose it is, and what is known about it."""

    trigger: str
    session: str = ""
    title: str = ""
    key: str = ""
    paths: tuple[str, ...] = ()
    context: Mapping[str, Any] = MappingProxyType({})
    noted: Mapping[str, Any] = MappingProxyType({})
    """What the sources say beside their content, such as git's HEAD."""
    ran: Ran = Ran()
    """What it proves of when a command ran."""
    agent: Ancestry | None = None
    """The process of the agent, and those above it."""
    opener: Ancestry | None = None
    """The process that saves, where nobody says which one the agent is."""
    helper: str = ""
    """The subagent that acts."""
    ends: str = ""
    """A subagent that has ended, and with it the actions that it left open."""
    closes: Mapping[str, Ran] = MappingProxyType({})
    """Other actions of the session, by key, of which the event says that they have ended."""
    follow: str = ""
    """Opens an action of this key where this one ends: what the agent's own hooks do after it."""
    keeps: frozenset[str] | None = None
    """Keys of actions that go on although a new turn begins; None if a person has begun it, so that none does."""

    @property
    def everything(self) -> dict[str, Any]:
        return {**self.context, **self.noted}


class Same(Protocol):
    """Whether two snapshots, given by id, hold the same state, or remember the same: agents' ``memory`` alone."""

    def __call__(self, a: str, b: str, *, memory: bool = False) -> bool: ...


def note(
    tx: Transaction,
    timeline: int,
    event: Event,
    at: SnapshotRow,
    now: Reading,
    same: Same,
    before: SnapshotRow | None = None,
) -> Move | None:
    """Open and close moves as a save's trigger says; the move that was opened or closed, if it is still there.

    ``before`` is the snapshot that was the latest one, if the save made another.
    """
    book = _Book(tx, timeline, at, now, same, before)
    book.close_left(moves.open_moves(tx, timeline))
    opened = moves.open_moves(tx, timeline)
    ended = [move for move in opened if _is_ended_by(move, event)]
    for move in ended:
        book.close(move, at, event.closes.get(move.key))
    opened = [move for move in opened if move not in ended]
    if event.trigger in OPENS:
        return book.start(OPENS[event.trigger], event, opened)
    if event.trigger in CLOSES or event.trigger == "session_end":
        return book.end(CLOSES.get(event.trigger, "run"), event, opened)
    if event.trigger == "manual" and not any(move.level in AGENT_LEVELS for move in opened):
        book.close_all([move for move in opened if move.level == "manual"])
        return book.open("manual", event)
    return None


def close_at(tx: Transaction, timeline: int, move: Move, at: SnapshotRow, now: Reading, same: Same) -> Move | None:
    """Close one move at a snapshot, as undo does with the one that it takes back."""
    return _Book(tx, timeline, at, now, same).close(move, at)


def _is_ended_by(move: Move, event: Event) -> bool:
    """Whether an action ends with what an event says beside its own."""
    if move.level != "action" or move.session != event.session:
        return False
    return move.key in event.closes or (event.ends != "" and move.context.get(HELPER) == event.ends)


class _Book:
    def __init__(
        self,
        tx: Transaction,
        timeline: int,
        at: SnapshotRow,
        now: Reading,
        same: Same,
        before: SnapshotRow | None = None,
    ) -> None:
        self._tx, self._timeline, self._at, self._now, self._same = tx, timeline, at, now, same
        self._before = before
        self._time_ns = time.time_ns()

    def close_left(self, opened: list[Move]) -> None:
        """Close what agents have left open that are gone."""
        for move in _from("run", [move for move in opened if stretches.is_left(move)]):
            self.close(move, self._last_action(move) or self._at)

    def start(self, level: str, event: Event, opened: list[Move]) -> Move:
        own = [move for move in opened if move.session == event.session]
        for move in _from(level, own):
            if move.level == "action" and level == "action" and move.key != event.key:
                continue
            if event.keeps is not None and move.level == "action" and move.key in event.keeps:
                continue
            self.close(move, self._last_action(move) or self._at)
        self.close_all([move for move in opened if move.level == "manual"])
        if level == "action":
            own = self._with_turn(own, event)
            self._tell_frames(own, event._replace(context={}))
        return self.open(level, event)

    def _with_turn(self, own: list[Move], event: Event) -> list[Move]:
        """The open moves of a session, with its last turn open again if a subagent goes on after that has ended."""
        if not event.helper or any(move.level == "turn" for move in own):
            return own
        last = moves.last_turn(self._tx, self._timeline, event.session)
        if last is None or last.undone_by is not None:
            return own
        again = last._replace(closing=None, closing_seq=None, closed_ns=None)
        moves.update(self._tx, again)
        return [again, *own]

    def end(self, level: str, event: Event, opened: list[Move]) -> Move | None:
        own = [move for move in opened if move.session == event.session]
        ending = _from(level, own)
        if level == "action":
            own = self._with_turn(own, event)
            self._tell_frames(own, event)
            ending = [move for move in ending if move.key == event.key][:1] or self._begun_unseen(own, event)
        closed = None
        for move in ending:
            if move.level == level:
                move = move._replace(reported=_union(move.reported, event.paths))
            is_told = move.level == level or move.level != "action"
            context = event.everything if move.level == level else None
            closed = self.close(move, self._at, event.ran if is_told else None, context)
        if event.follow:
            self.open(
                "action", event._replace(key=event.follow, context={}, noted={}, ran=Ran(lives=False, only_named=True))
            )
        return closed

    def _begun_unseen(self, own: list[Move], event: Event) -> list[Move]:
        """An action whose beginning could not be recorded: it began after the snapshot before this one."""
        turn = next((move for move in own if move.level == "turn"), None)
        if turn is None and event.key:
            return self._went_on(event)
        if turn is None or not event.key or self._before is None or self._before.seq < turn.opening_seq:
            return []
        begun = self.open("action", event._replace(context={}, noted={}), self._before)
        since = {**begun.context[RAN], "from": self._before.time_ns, "unseen": True}
        return [begun._replace(context={**begun.context, RAN: since})]

    def _went_on(self, event: Event) -> list[Move]:
        """A call that an undo has ended, and that went on all the same: what it did since."""
        turn = moves.last_turn(self._tx, self._timeline, event.session)
        first = turn.closing_seq if turn is not None else 0
        undo = moves.last_undo(self._tx, self._timeline, event.session, first) if first is not None else None
        if undo is None:
            return []
        since = snapshots.by_id(self._tx, undo.closing) if undo.closing is not None else None
        if since is None:
            return []
        begun = self.open("action", event._replace(context={}, noted={}), since)
        since_undo = {**begun.context[RAN], "from": undo.opened_ns, "unseen": True}
        return [begun._replace(context={**begun.context, RAN: since_undo})]

    def open(self, level: str, event: Event, since: SnapshotRow | None = None) -> Move:
        since = since or self._at
        known = event.everything
        said = known.pop("marks", None)
        context: dict[str, Any] = {"marks": ALL} if said is True else {"marks": False} if said is False else {}
        if level in AGENT_LEVELS:
            context[RAN] = stretches.begun(event.ran, self._now)
            if event.agent is not None:
                context[AGENT] = event.agent.encoded()
            elif event.opener is not None:
                context[OPENER] = event.opener.encoded()
            if event.helper:
                context[HELPER] = event.helper
        move = Move(
            id=new_id(),
            session=event.session,
            level=level,
            title=event.title.encode("utf-8", "replace").decode("utf-8"),
            opening=since.id,
            opening_seq=since.seq,
            closing=None,
            closing_seq=None,
            opened_ns=self._time_ns,
            closed_ns=None,
            key=event.key,
            reported=event.paths,
            context={"opened": known, **context} if known else context,
        )
        moves.add(self._tx, self._timeline, move)
        return move

    def close_all(self, some: list[Move]) -> None:
        for move in some:
            self.close(move, self._at)

    def close(
        self, move: Move, at: SnapshotRow, ran: Ran | None = None, context: Mapping[str, Any] | None = None
    ) -> Move | None:
        """Close a move; ``ran`` says that an event of its own ended it, and what that proves."""
        if ASKED not in move.context and (self._same(move.opening, at.id) or self._did_nothing(move, at)):
            moves.remove(self._tx, move.id)
            return None
        if context:
            move = move._replace(context={**move.context, "closed": dict(context)})
        if RAN in move.context:
            known = move.context[RAN]
            if ran is None and stretches.lives(move):
                ran = Ran()
            told = stretches.cut(known, self._now) if ran is None else stretches.ended(known, ran, self._now)
            move = move._replace(context={**move.context, RAN: told})
        move = move._replace(closing=at.id, closing_seq=at.seq, closed_ns=self._time_ns)
        moves.update(self._tx, move)
        return move

    def _did_nothing(self, turn: Move, at: SnapshotRow) -> bool:
        """Whether a turn whose agent marks its actions has none: those that changed nothing are dropped."""
        marks = turn.context.get("marks")
        if turn.level != "turn" or not marks or self._actions(turn, at):
            return False
        return marks == ALL or self._same(turn.opening, at.id, memory=True)

    def _actions(self, turn: Move, until: SnapshotRow) -> list[Move]:
        inside = moves.overlapping(self._tx, self._timeline, turn.opening_seq, until.seq + 1)
        return [
            move
            for move in inside
            if move.level == "action" and move.session == turn.session and move.opening_seq >= turn.opening_seq
        ]

    def _last_action(self, turn: Move) -> SnapshotRow | None:
        """Where an unfinished turn's last finished action ended."""
        ends = [move.closing_seq for move in self._actions(turn, self._at) if move.closing_seq is not None]
        if turn.level == "action" or not ends:
            return None
        found = snapshots.between(self._tx, self._timeline, max(ends), max(ends))
        return found[0] if found else None

    def _tell_frames(self, own: list[Move], event: Event) -> None:
        """Tell the turn and the run around an action that actions are marked, and what this one said: an action that
        changed no file leaves no move behind."""
        for around in own:
            if around.level == "action":
                continue
            known = around.context.get("actions")
            actions = list(known) if isinstance(known, list) else []
            if event.context and len(actions) < MAX_ACTIONS:
                actions.append({**event.context, "title": event.title, "time_ns": self._time_ns})
            marks = around.context.get("marks")
            context = {**around.context, "marks": True if marks is None else marks, "actions": actions}
            if context != around.context or event.paths:
                reported = _union(around.reported, event.paths)
                moves.update(self._tx, around._replace(reported=reported, context=context))


def _from(level: str, some: list[Move]) -> list[Move]:
    """Moves at a level and below it, the innermost first."""
    levels = AGENT_LEVELS[AGENT_LEVELS.index(level) :]
    return sorted((move for move in some if move.level in levels), key=lambda move: -AGENT_LEVELS.index(move.level))


def _union(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*a, *b)))
