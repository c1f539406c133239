"""Moves in the catalogue, and which move took back which.

``+column`` keeps a database from using an index on that column where another one leads to far fewer rows; that no query
looks at all moves of a long history is counted in ``tests/engine/test_long_history.py``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from takeback.errors import Integrity
from takeback.model.jsontext import parse_json, parse_object
from takeback.model.move import LEVELS, Move
from takeback.store.catalogue.counters import next_value
from takeback.store.catalogue.database import Row, Transaction
from takeback.store.catalogue.rows import OPTIONAL_NUMBER, OPTIONAL_TEXT, checked

_COLUMNS = (
    "id, session, level, title, opening, opening_seq, closing, closing_seq, opened_ns, closed_ns, verb, undone_by, "
    "key, reported, context"
)

_TYPES = (
    str, str, str, str, str, int, OPTIONAL_TEXT, OPTIONAL_NUMBER, int, OPTIONAL_NUMBER, str, OPTIONAL_TEXT, str, str, str
)  # fmt: skip
_VERBS = ("", "restore", "undo", "redo")

_PAGE = 100
_LATELY = 2000
_LAST = 1 << 62


def add(tx: Transaction, timeline: int, move: Move) -> None:
    values = (
        next_value(tx, "moves"), timeline, move.id, move.session, move.level, move.title, move.opening,
        move.opening_seq, move.closing, move.closing_seq, move.opened_ns, move.closed_ns, move.verb, move.undone_by,
        move.key, json.dumps(move.reported), json.dumps(dict(move.context)),
    )  # fmt: skip
    tx.execute(f"INSERT INTO moves (seq, timeline, {_COLUMNS}) VALUES ({', '.join('?' * len(values))})", values)


def update(tx: Transaction, move: Move) -> None:
    """Write back a move's ends, what was reported, its title and its context."""
    tx.execute(
        "UPDATE moves SET title = ?, opening = ?, opening_seq = ?, opened_ns = ?, closing = ?, closing_seq = ?, "
        "closed_ns = ?, reported = ?, context = ? WHERE id = ?",
        (
            move.title, move.opening, move.opening_seq, move.opened_ns, move.closing, move.closing_seq, move.closed_ns,
            json.dumps(move.reported), json.dumps(dict(move.context)), move.id,
        ),
    )  # fmt: skip


def remove(tx: Transaction, id: str) -> None:
    tx.execute("DELETE FROM moves WHERE id = ?", (id,))
    tx.execute("DELETE FROM takes WHERE move = ? OR target = ?", (id, id))


def among(tx: Transaction, ids: Sequence[str], size: int = 500) -> dict[str, int]:
    """Those of some moves that there are, and the timelines that they are on."""
    found: dict[str, int] = {}
    for start in range(0, len(ids), size):
        some = ids[start : start + size]
        found.update(tx.execute(f"SELECT id, timeline FROM moves WHERE id IN ({', '.join('?' * len(some))})", some))
    return found


def by_id(tx: Transaction, id: str) -> Move | None:
    rows = tx.execute(f"SELECT {_COLUMNS} FROM moves WHERE id = ?", (id,))
    return _move(rows[0]) if rows else None


def by_prefix(tx: Transaction, timeline: int, prefix: str, limit: int = 5) -> list[Move]:
    sql = (
        f"SELECT {_COLUMNS} FROM moves WHERE timeline = ? AND id >= ? AND id < ? ORDER BY +seq DESC LIMIT {int(limit)}"
    )
    return [_move(row) for row in tx.execute(sql, (timeline, prefix, prefix + "g"))]


def newest(tx: Transaction, timeline: int, limit: int | None = None, session: str | None = None) -> list[Move]:
    """Moves of a timeline, the last opened first."""
    sql, params = f"SELECT {_COLUMNS} FROM moves WHERE timeline = ?", [timeline]
    arguments: list[object] = list(params)
    if session is not None:
        sql += " AND session = ?"
        arguments.append(session)
    sql += " ORDER BY seq DESC"
    if limit is not None:
        sql += f" LIMIT {int(limit)}"
    return [_move(row) for row in tx.execute(sql, arguments)]


def ended(tx: Transaction, timeline: int, first_seq: int, last_seq: int) -> list[Move]:
    """Moves that ended between two places, both included, the last that ended first; of those, the last opened."""
    sql = (
        f"SELECT {_COLUMNS} FROM moves WHERE timeline = ? AND closing_seq BETWEEN ? AND ? "
        "ORDER BY closing_seq DESC, seq DESC"
    )
    return [_move(row) for row in tx.execute(sql, (timeline, first_seq, last_seq))]


def last_of_sessions(tx: Transaction, timeline: int, limit: int) -> list[Move]:
    """The last move of each session that an agent made one in, the newest session first; of those that the newest
    moves belong to, because only these can be found without looking at them all."""
    sql = (
        f"SELECT {_COLUMNS} FROM moves WHERE seq IN (SELECT MAX(seq) FROM (SELECT seq, session, level FROM moves "
        f"WHERE timeline = ? ORDER BY seq DESC LIMIT {_LATELY}) AS newest WHERE session <> '' AND level <> 'action' "
        f"GROUP BY session ORDER BY MAX(seq) DESC LIMIT {int(limit)}) ORDER BY seq DESC"
    )
    return [_move(row) for row in tx.execute(sql, (timeline,))]


def everywhere(tx: Transaction) -> list[Move]:
    """The moves of all timelines."""
    return [_move(row) for row in tx.execute(f"SELECT {_COLUMNS} FROM moves ORDER BY seq")]


def open_moves(tx: Transaction, timeline: int, session: str | None = None) -> list[Move]:
    """Moves that nobody has closed, the last opened first."""
    sql, params = f"SELECT {_COLUMNS} FROM moves WHERE timeline = ? AND closing_seq IS NULL", [timeline]
    arguments: list[object] = list(params)
    if session is not None:
        sql += " AND session = ?"
        arguments.append(session)
    return [_move(row) for row in tx.execute(sql + " ORDER BY +seq DESC", arguments)]


def at_time(tx: Transaction, timeline: int, time_ns: int, levels: Sequence[str]) -> list[Move]:
    """Moves of these levels that were open at a time, or that somebody opened or closed then."""
    sql = (
        f"SELECT {_COLUMNS} FROM moves WHERE timeline = ? AND level IN ({', '.join('?' * len(levels))}) "
        "AND opened_ns <= ? AND (closed_ns IS NULL OR closed_ns >= ?)"
    )
    return [_move(row) for row in tx.execute(sql, (timeline, *levels, time_ns, time_ns))]


def effective(
    tx: Transaction,
    timeline: int,
    levels: Sequence[str],
    *,
    verbs: Sequence[str] = (),
    session: str | None = None,
    after_seq: int = 0,
    undone: Sequence[str] = (),
) -> Iterator[Move]:
    """Closed moves that nothing has taken back: of these levels, or takeback's own of these verbs; the last closed first.

    ``after_seq`` leaves out what was closed at or before a place. What one of the undos ``undone`` took back last counts,
    too. Read page by page, as far as the caller goes.
    """
    own = f"(level = 'takeback' AND verb IN ({', '.join('?' * len(verbs))}))"
    some = f"(level IN ({', '.join('?' * len(levels))}) OR {own})" if levels else own
    # Of takeback's own moves alone there are few: they are found by their level, not on the way back through all.
    closing_seq = "closing_seq" if levels else "+closing_seq"
    in_force = (
        f"(undone_by IS NULL OR undone_by IN ({', '.join('?' * len(undone))}))" if undone else "undone_by IS NULL"
    )
    sql = (
        f"SELECT {_COLUMNS}, seq FROM moves WHERE timeline = ? AND {closing_seq} > ? AND {in_force} AND {some} "
        f"AND ({closing_seq} < ? OR ({closing_seq} = ? AND +seq < ?))"
    )
    arguments: list[object] = [timeline, after_seq, *undone, *levels, *verbs]
    tail: list[object] = []
    if session is not None:
        sql, tail = sql + " AND session = ?", [session]
    sql += f" ORDER BY {closing_seq} DESC, +seq DESC LIMIT {_PAGE}"
    closing, seq = _LAST, _LAST
    while rows := tx.execute(sql, [*arguments, closing, closing, seq, *tail]):
        for row in rows:
            yield _move(row[:-1])
        closing, seq = rows[-1][7], rows[-1][-1]


def overlapping(tx: Transaction, timeline: int, first_seq: int, last_seq: int) -> list[Move]:
    """Moves whose window shares at least one step with the snapshots between two places."""
    sql = f"SELECT {_COLUMNS}, seq FROM moves WHERE timeline = ? AND +opening_seq < ? AND closing_seq"
    rows = tx.execute(f"{sql} IS NULL ORDER BY +seq", (timeline, last_seq))
    rows += tx.execute(f"{sql} > ? ORDER BY +seq", (timeline, last_seq, first_seq))
    return [_move(row[:-1]) for row in sorted(rows, key=lambda row: row[-1])]


def over(tx: Transaction, timeline: int, first_seq: int, last_seq: int) -> list[Move]:
    """Moves whose window has a snapshot between two places, the ends of all included."""
    sql = f"SELECT {_COLUMNS}, seq FROM moves WHERE timeline = ? AND +opening_seq <= ? AND closing_seq"
    rows = tx.execute(f"{sql} IS NULL ORDER BY +seq", (timeline, last_seq))
    rows += tx.execute(f"{sql} >= ? ORDER BY +seq", (timeline, last_seq, first_seq))
    return [_move(row[:-1]) for row in sorted(rows, key=lambda row: row[-1])]


def last_actions(
    tx: Transaction, timeline: int, session: str, first_seq: int, last_seq: int, most: int = 32
) -> list[Move]:
    """The actions of a session within a window that began last."""
    sql = (
        f"SELECT {_COLUMNS} FROM moves WHERE timeline = ? AND level = 'action' AND opening_seq >= ? AND opening_seq <= ? "
        "AND session = ? AND (closing_seq IS NULL OR closing_seq <= ?) ORDER BY opening_seq DESC LIMIT ?"
    )
    return [_move(row) for row in tx.execute(sql, (timeline, first_seq, last_seq, session, last_seq, most))]


def inside(tx: Transaction, timeline: int, level: str, first_seq: int, last_seq: int) -> bool:
    """Whether a move of a level lies within a window."""
    sql = (
        "SELECT 1 FROM moves WHERE timeline = ? AND level = ? AND opening_seq >= ? AND opening_seq < ? "
        "AND (closing_seq IS NULL OR closing_seq <= ?) LIMIT 1"
    )
    return bool(tx.execute(sql, (timeline, level, first_seq, last_seq, last_seq)))


def around(
    tx: Transaction, timeline: int, level: str, first_seq: int, last_seq: int, session: str | None = None
) -> bool:
    """Whether a move of a level, and of a session if one is given, has a whole window within its own."""
    whose, named = ("", ()) if session is None else ("AND session = ? ", (session,))
    sql = f"SELECT 1 FROM moves WHERE timeline = ? AND level = ? {whose}AND +opening_seq <= ? AND closing_seq"
    ends: tuple[tuple[str, tuple[int, ...]], ...] = (("IS NULL", ()), (">= ?", (last_seq,)))
    return any(
        tx.execute(f"{sql} {end} ORDER BY closing_seq LIMIT 1", (timeline, level, *named, first_seq, *limit))
        for end, limit in ends
    )


def has_level(tx: Transaction, timeline: int, level: str) -> bool:
    return bool(tx.execute("SELECT 1 FROM moves WHERE timeline = ? AND level = ? LIMIT 1", (timeline, level)))


def opened_since(tx: Transaction, timeline: int, move: str, levels: Sequence[str]) -> bool:
    """Whether a move of one of these levels was opened after the given one."""
    marks = ", ".join("?" * len(levels))
    sql = (
        "SELECT 1 FROM moves WHERE timeline = ? AND seq > (SELECT seq FROM moves WHERE id = ?) "
        f"AND level IN ({marks}) LIMIT 1"
    )
    return bool(tx.execute(sql, (timeline, move, *levels)))


def last_turn(tx: Transaction, timeline: int, session: str) -> Move | None:
    """The turn of a session that was opened last."""
    sql = (
        f"SELECT {_COLUMNS} FROM moves WHERE timeline = ? AND level = 'turn' AND session = ? "
        "ORDER BY opening_seq DESC, seq DESC LIMIT 1"
    )
    rows = tx.execute(sql, (timeline, session))
    return _move(rows[0]) if rows else None


def last_undo(tx: Transaction, timeline: int, session: str, first_seq: int) -> Move | None:
    """The last undo, since a place, of a move of a session."""
    columns = ", ".join(f"moves.{column}" for column in _COLUMNS.split(", "))
    sql = (
        f"SELECT {columns} FROM moves JOIN takes ON takes.move = moves.id JOIN moves AS target ON target.id = takes.target "
        "WHERE moves.timeline = ? AND moves.level = 'takeback' AND moves.opening_seq >= ? AND moves.verb = 'undo' "
        "AND target.session = ? ORDER BY moves.opening_seq DESC, moves.seq DESC LIMIT 1"
    )
    rows = tx.execute(sql, (timeline, first_seq, session))
    return _move(rows[0]) if rows else None


def first_of_session(tx: Transaction, timeline: int, session: str) -> Move | None:
    sql = (
        f"SELECT {_COLUMNS} FROM moves WHERE timeline = ? AND session = ? AND level <> 'takeback' ORDER BY seq LIMIT 1"
    )
    rows = tx.execute(sql, (timeline, session))
    return _move(rows[0]) if rows else None


def sessions(tx: Transaction, timeline: int, beginning: str, limit: int = 4) -> list[str]:
    """Sessions of a timeline whose names begin so."""
    sql = (
        "SELECT DISTINCT session FROM moves WHERE timeline = ? AND substr(session, 1, ?) = ? AND session <> '' "
        f"ORDER BY session LIMIT {int(limit)}"
    )
    return [str(row[0]) for row in tx.execute(sql, (timeline, len(beginning), beginning))]


def take(tx: Transaction, move: str, taken: Iterable[str]) -> None:
    """Record that a move of takeback's took back others; what these had taken back counts again."""
    for target in taken:
        tx.execute("INSERT INTO takes (move, target) VALUES (?, ?) ON CONFLICT DO NOTHING", (move, target))
        _set_taken(tx, move, target)


def _set_taken(tx: Transaction, move: str, target: str) -> None:
    tx.execute("UPDATE moves SET undone_by = ? WHERE id = ?", (move, target))
    if _takes_back(tx, target):
        give_back(tx, target)


def _takes_back(tx: Transaction, move: str) -> bool:
    return bool(tx.execute("SELECT 1 FROM moves WHERE id = ? AND verb IN ('undo', 'redo')", (move,)))


def set_undone(tx: Transaction, move: str, by: str | None) -> None:
    tx.execute("UPDATE moves SET undone_by = ? WHERE id = ?", (by, move))


def give_back(tx: Transaction, undo: str) -> None:
    """An undo was taken back: its targets count again, unless another undo in force took them too. Those that are undos or redos
    take back again what they had taken back."""
    tx.execute(
        "UPDATE moves SET undone_by = (SELECT other.id FROM takes JOIN moves AS other ON other.id = takes.move "
        "WHERE takes.target = moves.id AND other.id <> ? AND other.undone_by IS NULL ORDER BY other.seq DESC LIMIT 1) "
        "WHERE id IN (SELECT target FROM takes WHERE move = ?)",
        (undo, undo),
    )
    again = (
        "SELECT id FROM moves WHERE undone_by IS NULL AND verb IN ('undo', 'redo') "
        "AND id IN (SELECT target FROM takes WHERE move = ?)"
    )
    for (target,) in tx.execute(again, (undo,)):
        for each in targets(tx, str(target)):
            _set_taken(tx, str(target), each)


def taken_by(tx: Transaction, moves: Sequence[str], size: int = 500) -> dict[str, list[str]]:
    """What each of some undos and redos took back."""
    found: dict[str, list[str]] = {}
    for start in range(0, len(moves), size):
        some = moves[start : start + size]
        marks = ", ".join("?" * len(some))
        for move, target in tx.execute(f"SELECT move, target FROM takes WHERE move IN ({marks}) ORDER BY target", some):
            found.setdefault(str(move), []).append(str(target))
    return found


def undos_in_force(tx: Transaction, targets: Sequence[str], size: int = 500) -> dict[str, list[Move]]:
    """The undos of some moves that nothing has taken back."""
    found: dict[str, list[Move]] = {}
    columns = ", ".join(f"moves.{column}" for column in _COLUMNS.split(", "))
    for start in range(0, len(targets), size):
        some = targets[start : start + size]
        marks = ", ".join("?" * len(some))
        sql = (
            f"SELECT {columns}, takes.target FROM takes JOIN moves ON moves.id = takes.move WHERE takes.target IN ({marks}) "
            "AND moves.verb = 'undo' AND moves.undone_by IS NULL ORDER BY moves.seq"
        )
        for *row, target in tx.execute(sql, some):
            found.setdefault(str(target), []).append(_move(tuple(row)))
    return found


def targets(tx: Transaction, move: str) -> list[str]:
    return [target for (target,) in tx.execute("SELECT target FROM takes WHERE move = ?", (move,))]


def touching(tx: Transaction, timeline: int, seq: int) -> list[Move]:
    """Moves that begin or end at a place."""
    marks = ", ".join("?" * len(LEVELS))
    rows = tx.execute(f"SELECT {_COLUMNS}, seq FROM moves WHERE timeline = ? AND closing_seq = ?", (timeline, seq))
    rows += tx.execute(
        f"SELECT {_COLUMNS}, seq FROM moves WHERE timeline = ? AND level IN ({marks}) AND opening_seq = ?",
        (timeline, *LEVELS, seq),  # the level is named because the index begins with it
    )
    return [_move(row[:-1]) for _, row in sorted({row[-1]: row for row in rows}.items())]


def _move(row: Row) -> Move:
    *values, reported, context = checked("moves", row, _TYPES)
    paths = parse_json(reported, "what a move reported") if reported != "[]" else []  # of most, nothing
    is_paths = isinstance(paths, list) and all(isinstance(path, str) for path in paths)
    known = parse_object(context, "the context of a move")
    move = Move._make((*values, tuple(paths) if is_paths else (), known))
    if (
        not is_paths
        or move.level not in LEVELS
        or move.verb not in _VERBS
        or (move.closing is None) != (move.closing_seq is None)
    ):
        raise Integrity(f"the catalogue holds a move {move.id[:8]!r} that cannot be", hints=["takeback store repair"])
    return move
