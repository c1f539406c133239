"""The list of a history, newest first: moves, and the snapshots that no move ends with.

It is read a page at a time, over one timeline or several, and a page costs the same however long the history is. What is
searched for may be rare: a page then ends after so many snapshots, short or empty, and its cursor says where to go on.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from takeback.engine import listing
from takeback.errors import InvalidInput
from takeback.model.ids import short

if TYPE_CHECKING:
    from takeback.engine.listing import Stretch
    from takeback.model.move import Move
    from takeback.store.catalogue.snapshots import SnapshotRow
    from takeback.views.desk import Desk

MOST = 4000
"""Rows that one page may be asked for: many, so that whoever wants the end of a long history soon has it."""

_SCANNED = 4000
"""Snapshots that are looked at for one page, at most."""
_OPENED = 200
"""The same, where each of them has to be read."""
_CHUNK, _LARGEST_CHUNK = 50, 500
"""Snapshots that are read at a time."""
_SESSIONS = 100
_TOP = 1 << 62
_UNREAD = _TOP + 1
"""In a cursor: of this timeline not even what is under way was given yet."""

_INSIDE = frozenset({"before_action", "after_action"})
"""What an agent's tools leave in the middle of a turn."""


class Row(NamedTuple):
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
    beginnings = _beginnings(lanes, cursor)
    chunk = min(max(_CHUNK, -(-limit // max(1, len(beginnings)))), _LARGEST_CHUNK)
    reading = [_Lane(desk, number, at, wanted, chunk) for number, at in beginnings.items()]
    budget = _OPENED if wanted.part else _SCANNED
    rows: list[Row] = []
    scanned = 0
    waiting: list[tuple[int, int]] = []
    due = list(range(len(reading)))
    while len(rows) < limit and scanned < budget:
        for place in due:
            if group := reading[place].next():
                heapq.heappush(waiting, (_turn(group), place))
        if not waiting:
            break
        _, place = heapq.heappop(waiting)
        due = [place]
        scanned += 1
        group = reading[place].take()
        rows += [row for row in group if _is_wanted(desk, row, wanted)] if wanted.narrows else group
    after = ",".join(f"{lane.number}:{lane.at}" for lane in reading if not lane.ended)
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

    def __init__(self, desk: Desk, number: int, at: int | None, wanted: Filter, chunk: int) -> None:
        self.number = number
        self.at = _UNREAD if at is None else at
        """All before this place is still to come."""
        self._desk, self._wanted, self._chunk = desk, wanted, chunk
        self._agents: dict[str, str] = {}
        self._forks = _forks(desk)
        self._ahead: deque[list[Row]] = deque()
        self._before = None if at is None or at >= _TOP else at
        self._whole = False
        if self.at == _UNREAD:
            opened = listing.under_way(desk.store.blobs, number)
            if rows := [self._open(move) for move in opened if move.level != "action" or wanted.actions]:
                self._ahead.append(rows)

    @property
    def ended(self) -> bool:
        """Whether nothing is to come any more."""
        return self._whole and not self._ahead

    def next(self) -> list[Row]:
        """What comes next; nothing at the end."""
        while not self._ahead and not self._whole:
            self._read()
        return self._ahead[0] if self._ahead else []

    def take(self) -> list[Row]:
        """The same, and go on behind it."""
        group = self._ahead.popleft()
        self.at = group[0].seq
        return group

    def _read(self) -> None:
        found = listing.stretch(self._desk.store.blobs, self.number, self._before, self._chunk)
        self._ahead.extend(self._groups_of(found))
        self._whole = found.whole
        if found.snapshots:
            self._before = found.snapshots[-1].seq
        self._chunk = min(2 * self._chunk, _LARGEST_CHUNK)

    def _groups_of(self, found: Stretch) -> Iterator[list[Row]]:
        ended: dict[int, list[tuple[Move, str]]] = {}
        for move in found.moves:
            agent = _agent(move)
            if move.session and agent:
                self._agents[move.session] = agent
            if move.closing_seq is not None and (move.level != "action" or self._shows_action(move)):
                ended.setdefault(move.closing_seq, []).append((move, agent))
        for number, row in enumerate(found.snapshots):
            is_first = found.whole and number == len(found.snapshots) - 1
            group = [self._move(*made, row, found.takes.get(made[0].id, ())) for made in ended.get(row.seq, ())]
            if len(group) > 1:
                group.sort(key=lambda each: each.level == "action")  # what happened in a turn stands below it
            if is_first:
                group.append(self._snapshot("original", row))
            elif not group and (row.trigger not in _INSIDE or row.labels or row.pinned or self._wanted.actions):
                group = [self._snapshot("snapshot", row)]
            if group:
                yield group

    def _shows_action(self, move: Move) -> bool:
        return self._wanted.actions or not move.session

    def _move(self, move: Move, agent: str, row: SnapshotRow, takes: Sequence[str]) -> Row:
        return Row(
            "move",
            self.number,
            row.seq,
            row.id,
            move.opening,
            move.closed_ns or row.time_ns,
            move.id,
            move.level,
            move.verb,
            move.about,
            move.session,
            agent or self._agents.get(move.session, ""),
            move.undone_by,
            takes=tuple(takes),
            trigger=row.trigger,
            labels=row.labels,
            pinned=row.pinned,
            changed=row.changed,
            forks=self._forks.get(row.id, ()),
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
