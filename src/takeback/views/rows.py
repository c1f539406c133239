"""The list of a history, newest first: moves, and the snapshots that no move ends with.

It is read a page at a time, over one timeline or several, and a page costs the same however long the history is. What is
searched for may be rare: a page then ends after so many snapshots, short or empty, and its cursor says where to go on.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from takeback.engine import listing
from takeback.errors import InvalidInput
from takeback.model.ids import short

if TYPE_CHECKING:
    from takeback.engine.listing import Stretch
    from takeback.model.move import Move
    from takeback.store.catalogue.snapshots import SnapshotRow
    from takeback.views.desk import Desk

MOST = 500
"""Rows that one page may be asked for."""

_SCANNED = 4000
"""Snapshots that are looked at for one page, at most."""
_OPENED = 200
"""The same, where each of them has to be read."""
_CHUNK = 50
_SESSIONS = 100
_TOP = 1 << 62
_UNREAD = _TOP + 1
"""In a cursor: of this timeline not even what is under way was given yet."""

_INSIDE = frozenset({"before_action", "after_action"})
"""What an agent's tools leave in the middle of a turn."""


@dataclass(frozen=True, slots=True)
class Row:
    """One entry of the list."""

    kind: str
    """``present``, ``move``, ``snapshot`` (which no move ends with) or ``original``."""
    lane: int
    seq: int
    """Its place on its timeline: newer ones are larger."""
    snapshot: str | None
    """What it led to; None for the present, and for a move that has not ended."""
    before: str | None
    """The snapshot that it began with."""
    time_ns: int
    move: str | None = None
    level: str = ""
    verb: str = ""
    title: str = ""
    session: str = ""
    agent: str = ""
    undone_by: str | None = None
    open: bool = False
    takes: tuple[str, ...] = ()
    """The moves that it took back."""
    trigger: str = ""
    labels: tuple[str, ...] = ()
    pinned: bool = False
    changed: int = 0
    """Files, as the last snapshot counted them."""
    forks: tuple[tuple[int, str], ...] = ()
    """Timelines that begin here: number and name."""


@dataclass(frozen=True, slots=True)
class Filter:
    """What is wanted of a list; what is empty wants everything."""

    text: str = ""
    """Words, each of which is somewhere in a row."""
    session: str = ""
    agent: str = ""
    part: str = ""
    """Only what changed this part."""
    actions: bool = False
    """Each of an agent's calls inside its turns, too."""

    @property
    def narrows(self) -> bool:
        return bool(self.text.split() or self.session or self.agent or self.part)


ALL = Filter()


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows, newest first."""

    rows: tuple[Row, ...]
    next: str | None
    """Where the next page begins; None if this was the last."""
    scanned: int
    """How many snapshots were looked at."""


def page(
    desk: Desk, lanes: Sequence[int], *, cursor: str | None = None, limit: int = _CHUNK, wanted: Filter = ALL
) -> Page:
    """The newest rows of some timelines, or those after a cursor. Rows that end at one snapshot come together."""
    if not 1 <= limit <= MOST:
        raise InvalidInput(f"{limit} is not a number of rows from 1 to {MOST}")
    reading = [_Lane(desk, number, at, wanted) for number, at in _beginnings(lanes, cursor).items()]
    budget = _OPENED if wanted.part else _SCANNED
    waiting = [(_turn(group), place, group) for place, lane in enumerate(reading) if (group := lane.next())]
    heapq.heapify(waiting)
    rows: list[Row] = []
    scanned = 0
    while waiting and len(rows) < limit and scanned < budget:
        _, place, group = waiting[0]
        scanned += 1
        rows += (row for row in group if _is_wanted(desk, row, wanted))
        reading[place].passed(group)
        following = reading[place].next()
        if following:
            heapq.heapreplace(waiting, (_turn(following), place, following))
        else:
            heapq.heappop(waiting)
    after = ",".join(f"{lane.number}:{lane.at}" for lane in reading if not lane.ended) if waiting else ""
    return Page(tuple(rows), after or None, scanned)


def present(desk: Desk, lane: int | None = None) -> Row:
    """What is there now, as a row: nothing is looked at yet."""
    found = desk.lane(lane)
    import time

    return Row("present", found.number, _TOP, None, found.head, time.time_ns(), title="present")


def sessions(desk: Desk, lane: int | None = None) -> list[tuple[str, str]]:
    """The sessions of a timeline, the newest first, each with its agent."""
    found = listing.sessions(desk.store.blobs, desk.lane(lane).number, _SESSIONS)
    return [(move.session, _agent(move)) for move in found]


class _Lane:
    """One timeline, from the newest to the oldest. A group is what ends at one snapshot."""

    def __init__(self, desk: Desk, number: int, at: int | None, wanted: Filter) -> None:
        self.number = number
        self.at = _UNREAD if at is None else at
        """All before this place is still to come."""
        self.ended = False
        self._desk, self._wanted = desk, wanted
        self._agents: dict[str, str] = {}
        self._forks = _forks(desk)
        self._groups = self._read(at)
        self._ahead: list[Row] | None = None

    def next(self) -> list[Row]:
        """What comes next; nothing at the end."""
        if self._ahead is None:
            self._ahead = next(self._groups, [])
            self.ended = not self._ahead
        return self._ahead

    def passed(self, group: Sequence[Row]) -> None:
        """That has been dealt with."""
        self.at, self._ahead = min(row.seq for row in group), None

    def _read(self, at: int | None) -> Iterator[list[Row]]:
        blobs, chunk = self._desk.store.blobs, _CHUNK
        if at in (None, _UNREAD):
            under_way = listing.under_way(blobs, self.number)
            if opened := [self._open(each) for each in under_way if each.level != "action" or self._wanted.actions]:
                yield opened
        before = None if at is None or at >= _TOP else at
        while True:
            found = listing.stretch(blobs, self.number, before, chunk)
            yield from self._groups_of(found)
            if found.whole:
                return
            before = found.snapshots[-1].seq
            chunk = min(2 * chunk, 10 * _CHUNK) if self._wanted.narrows else chunk

    def _groups_of(self, found: Stretch) -> Iterator[list[Row]]:
        ended: dict[int, list[Move]] = {}
        for move in found.moves:
            if move.session and (agent := _agent(move)):
                self._agents[move.session] = agent
            if move.closing_seq is not None and (move.level != "action" or self._shows_action(move)):
                ended.setdefault(move.closing_seq, []).append(move)
        for number, row in enumerate(found.snapshots):
            is_first = found.whole and number == len(found.snapshots) - 1
            group = [self._move(move, row, found.takes.get(move.id, ())) for move in ended.get(row.seq, ())]
            group.sort(key=lambda each: each.level == "action")  # what happened in a turn stands below it
            if is_first:
                group.append(self._snapshot("original", row))
            elif not group and (row.trigger not in _INSIDE or row.labels or row.pinned or self._wanted.actions):
                group = [self._snapshot("snapshot", row)]
            if group:
                yield group

    def _shows_action(self, move: Move) -> bool:
        return self._wanted.actions or not move.session

    def _move(self, move: Move, row: SnapshotRow, takes: Sequence[str]) -> Row:
        made = self._snapshot("move", row)
        return replace(
            made,
            before=move.opening,
            time_ns=move.closed_ns or row.time_ns,
            move=move.id,
            level=move.level,
            verb=move.verb,
            title=move.about,
            session=move.session,
            agent=_agent(move) or self._agents.get(move.session, ""),
            undone_by=move.undone_by,
            takes=tuple(takes),
        )

    def _open(self, move: Move) -> Row:
        return Row(
            "move",
            self.number,
            _TOP,
            None,
            move.opening,
            move.opened_ns,
            move=move.id,
            level=move.level,
            title=move.about,
            session=move.session,
            agent=_agent(move),
            open=True,
        )

    def _snapshot(self, kind: str, row: SnapshotRow) -> Row:
        return Row(
            kind,
            self.number,
            row.seq,
            row.id,
            row.parent,
            row.time_ns,
            session=row.session,
            agent=self._agents.get(row.session, ""),
            trigger=row.trigger,
            labels=row.labels,
            pinned=row.pinned,
            changed=row.changed,
            forks=self._forks.get(row.id, ()),
        )


def _turn(group: Sequence[Row]) -> int:
    """What comes first among several timelines: what is under way, however long ago it began, then what is newest."""
    return -_UNREAD if group[0].open else -group[0].time_ns


def _agent(move: Move) -> str:
    """Which agent made a move, as its hooks or its adapter said."""
    for when in ("opened", "closed"):
        said = move.context.get(when)
        agent = said.get("agent") if isinstance(said, dict) else None
        if isinstance(agent, str) and agent:
            return agent
    return ""


def _forks(desk: Desk) -> dict[str, tuple[tuple[int, str], ...]]:
    found: dict[str, tuple[tuple[int, str], ...]] = {}
    for row in desk.store.timelines():
        if row.fork_of is not None:
            found[row.fork_of] = (*found.get(row.fork_of, ()), (row.number, row.name))
    return found


def _is_wanted(desk: Desk, row: Row, wanted: Filter) -> bool:
    if not wanted.narrows:
        return True
    if wanted.session and row.session != wanted.session:
        return False
    if wanted.agent and row.agent != wanted.agent:
        return False
    about = (row.title, row.session, row.agent, row.trigger, row.level, row.verb, *row.labels)
    words = "\n".join(about).casefold()
    ids = [id for id in (row.move, row.snapshot) if id]
    for word in wanted.text.casefold().split():
        if word not in words and not (len(word) >= 4 and any(id.startswith(word) for id in ids)):
            return False
    return not wanted.part or _touches(desk, row, wanted.part)


def _touches(desk: Desk, row: Row, part: str) -> bool:
    """Whether a part, by its name or kind, is not the same as before; of what has not ended, nobody knows yet."""
    if row.snapshot is None:
        return True
    then = desk.parts(row.before) if row.before is not None else {}
    now = desk.parts(row.snapshot)
    return any(not each.same_state(then.get(name)) for name, each in now.items() if part in (name, each.kind))


def _beginnings(lanes: Sequence[int], cursor: str | None) -> dict[int, int | None]:
    """Where each timeline goes on; those that have ended are not in a cursor."""
    if cursor is None:
        return dict.fromkeys(lanes)
    try:
        places = [(int(lane), int(seq)) for lane, _, seq in (each.partition(":") for each in cursor.split(","))]
    except ValueError:
        raise InvalidInput(f"{cursor[:40]!r} is not where a page of rows begins") from None
    return {lane: at for lane, at in places if lane in lanes and 0 <= at <= _UNREAD}


def named(row: Row) -> str:
    """What a row is called where there is no room for more."""
    if row.kind == "move":
        return row.title or f"{row.verb or row.level} {short(row.move or '')}"
    return row.labels[0] if row.labels else row.kind if row.kind != "snapshot" else short(row.snapshot or "")
