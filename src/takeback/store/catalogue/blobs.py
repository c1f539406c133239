"""Where blobs lie: the queries over packs, frames, blobs and hot rows.

A pack is ``pending`` from before its file exists until the commit that makes its blobs known, then ``live``;
collection makes it ``condemned``: still readable, but unknown to writers, who store its blobs again.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from takeback.store.catalogue.counters import next_value
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.rows import all_checked, checked
from takeback.store.packs.pack import FrameSpan, PackEntry

HOT_PACK = 0
_BATCH = 256
_SMALL_BATCH = 16


class Location(NamedTuple):
    """Where one blob lies; in `HOT_PACK` the frame is a hot one."""

    id: bytes
    kind: int
    pack: int
    frame: int
    start: int
    length: int


_LOCATION = (bytes, int, int, int, int, int)
_SPAN = (int, int, int)
_ENTRY = (bytes, int, int, int, int)


class FrameLocation(NamedTuple):
    """Where one frame of a pack lies."""

    name: str
    span: FrameSpan


class PackRow(NamedTuple):
    id: int
    name: str
    state: str
    generation: int
    size: int
    raw_size: int


def any_blob(tx: Transaction) -> bool:
    return bool(tx.execute("SELECT 1 FROM blobs LIMIT 1"))


def condemned(tx: Transaction) -> frozenset[int]:
    return frozenset(row[0] for row in tx.execute("SELECT id FROM packs WHERE state = 'condemned'"))


def known(tx: Transaction, ids: Iterable[bytes], without: frozenset[int]) -> set[bytes]:
    """Those of the ids that are stored anywhere but in the packs ``without``."""
    found: set[bytes] = set()
    for batch in _batches(ids):
        rows = tx.execute(f"SELECT id, pack FROM blobs WHERE id IN ({_marks(batch)})", batch)
        found.update(blob for blob, pack in rows if pack not in without)
    return found


_LOCATE = "SELECT id, kind, pack, frame, start, length FROM blobs WHERE id "


def locate(tx: Transaction, id: bytes) -> Location | None:
    rows = tx.execute(f"{_LOCATE} = ?", (id,))
    return Location(*checked("blobs", rows[0], _LOCATION)) if rows else None


def locate_all(tx: Transaction, ids: Iterable[bytes]) -> list[Location]:
    """The locations of those that are stored, in no order."""
    return [
        Location(*row)
        for batch in _batches(ids)
        for row in all_checked("blobs", tx.execute(f"{_LOCATE} IN ({_marks(batch)})", batch), _LOCATION)
    ]


def locate_frame(tx: Transaction, pack: int, frame: int) -> FrameLocation | None:
    rows = tx.execute(
        "SELECT p.name, f.position, f.length, f.raw_length FROM frames f JOIN packs p ON p.id = f.pack "
        "WHERE f.pack = ? AND f.frame = ?",
        (pack, frame),
    )
    if not rows:
        return None
    name, *span = checked("frames", rows[0], (str, *_SPAN))
    return FrameLocation(name, FrameSpan(*span))


def hot_frame(tx: Transaction, frame: int) -> tuple[bytes, int] | None:
    """The sealed bytes of a hot frame and its raw length."""
    rows = tx.execute("SELECT data, raw_length FROM hot WHERE frame = ?", (frame,))
    if not rows:
        return None
    data, raw_length = checked("hot", rows[0], (bytes, int))
    return data, raw_length


def hot_frames(tx: Transaction, frames: Sequence[int]) -> dict[int, tuple[bytes, int]]:
    """The same of several that there are, by number."""
    sql = f"SELECT frame, data, raw_length FROM hot WHERE frame IN ({','.join('?' * len(frames))})"
    rows = all_checked("hot", tx.execute(sql, frames), (int, bytes, int))
    return {frame: (data, raw_length) for frame, data, raw_length in rows}


def ratios(tx: Transaction) -> dict[tuple[int, int], float]:
    """How many sealed bytes one raw byte takes, by pack and frame; hot frames among them."""
    packed = tx.execute("SELECT pack, frame, length, raw_length FROM frames")
    hot = tx.execute("SELECT 0, frame, LENGTH(data), raw_length FROM hot")
    found = [*all_checked("frames", packed, (int, *_SPAN)), *all_checked("hot", hot, (int, *_SPAN))]
    return {(pack, frame): length / (raw or 1) for pack, frame, length, raw in found}


def add_pending(tx: Transaction, name: str, generation: int) -> int:
    """Announce a pack before its file exists; returns its number."""
    number = next_value(tx, "packs")
    tx.execute(
        "INSERT INTO packs (id, name, state, generation, size, raw_size, created_ns) VALUES (?, ?, 'pending', ?, 0, 0, ?)",
        (number, name, generation, time.time_ns()),
    )
    return number


def forget_pending(tx: Transaction, number: int) -> bool:
    """Whether there was such a pending pack; a live one stays."""
    return bool(tx.execute("DELETE FROM packs WHERE id = ? AND state = 'pending' RETURNING id", (number,)))


def make_live(
    tx: Transaction, number: int, size: int, frames: Sequence[FrameSpan], entries: Iterable[PackEntry]
) -> bool:
    """Record a finished pack and its blobs; False if its pending row is gone."""
    raw_size = sum(span.raw_length for span in frames)
    rows = tx.execute(
        "UPDATE packs SET state = 'live', size = ?, raw_size = ? WHERE id = ? AND state = 'pending' RETURNING id",
        (size, raw_size, number),
    )
    if not rows:
        return False
    tx.executemany(
        "INSERT INTO frames (pack, frame, position, length, raw_length) VALUES (?, ?, ?, ?, ?)",
        ((number, index, *span) for index, span in enumerate(frames)),
    )
    _add_blobs(tx, number, entries)
    return True


def add_hot(tx: Transaction, sealed: bytes, raw_length: int, entries: Iterable[PackEntry]) -> int:
    """Keep one sealed frame in the catalogue; returns its number."""
    frame = next_value(tx, "hot")
    tx.execute("INSERT INTO hot (frame, data, raw_length) VALUES (?, ?, ?)", (frame, sealed, raw_length))
    _add_blobs(tx, HOT_PACK, (entry._replace(frame=frame) for entry in entries))
    return frame


def _add_blobs(tx: Transaction, pack: int, entries: Iterable[PackEntry]) -> None:
    """A blob that another writer stored meanwhile stays where it is, unless that pack is condemned."""
    tx.executemany(
        "INSERT INTO blobs (id, kind, pack, frame, start, length) VALUES (?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, pack = excluded.pack, frame = excluded.frame, "
        "start = excluded.start, length = excluded.length "
        "WHERE blobs.pack IN (SELECT packs.id FROM packs WHERE packs.state = 'condemned')",
        ((id, kind, pack, frame, start, length) for id, kind, frame, start, length in sorted(entries)),
    )


def packs(tx: Transaction) -> list[PackRow]:
    rows = tx.execute("SELECT id, name, state, generation, size, raw_size FROM packs ORDER BY id")
    return [PackRow(*row) for row in all_checked("packs", rows, (int, str, str, int, int, int))]


def frames_of(tx: Transaction, pack: int) -> list[FrameSpan]:
    rows = tx.execute("SELECT position, length, raw_length FROM frames WHERE pack = ? ORDER BY frame", (pack,))
    return [FrameSpan(*row) for row in all_checked("frames", rows, _SPAN)]


def entries_of(tx: Transaction, pack: int) -> list[PackEntry]:
    rows = tx.execute("SELECT id, kind, frame, start, length FROM blobs WHERE pack = ? ORDER BY frame, start", (pack,))
    return [PackEntry(*row) for row in all_checked("blobs", rows, _ENTRY)]


def of_kind(tx: Transaction, kind: int) -> list[bytes]:
    rows = tx.execute("SELECT id FROM blobs WHERE kind = ? ORDER BY pack, frame, start", (kind,))
    return [id for (id,) in all_checked("blobs", rows, (bytes,))]


def lost(tx: Transaction) -> list[bytes]:
    """Blobs that lie in no frame that the catalogue knows."""
    rows = tx.execute(
        "SELECT id FROM blobs WHERE (pack = 0 AND frame NOT IN (SELECT frame FROM hot)) OR (pack <> 0 AND NOT EXISTS "
        "(SELECT 1 FROM frames JOIN packs ON packs.id = frames.pack WHERE frames.pack = blobs.pack "
        "AND frames.frame = blobs.frame AND packs.state <> 'pending'))"
    )
    return [id for (id,) in all_checked("blobs", rows, (bytes,))]


def _batches(ids: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Batches of two fixed lengths (the last id is repeated), so that few different statements are prepared."""
    iterator = iter(ids)
    while batch := list(islice(iterator, _BATCH)):
        length = _SMALL_BATCH if len(batch) <= _SMALL_BATCH else _BATCH
        yield batch + [batch[-1]] * (length - len(batch))


def _marks(batch: Sequence[bytes]) -> str:
    return ",".join("?" * len(batch))
