"""The figures by which upkeep decides: cheap enough to be asked for after every save, whatever the store holds."""

from __future__ import annotations

from typing import NamedTuple

from takeback.store.catalogue import counters
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.rows import OPTIONAL_NUMBER, all_checked, checked

_MAINTAINED, _ASKED, _QUIET = "maintained", "upkeep_asked", "upkeep_quiet"


class Figures(NamedTuple):
    hot_frames: int
    """At most: from the first to the last. A damaged one, which is never folded, makes it more than there are."""
    snapshots: int
    """How many there ever were."""
    maintained_ns: int
    """When the last maintenance ended; 0 before the first."""
    asked_ns: int
    """When upkeep was last asked for."""
    quiet_ns: int
    """Until when it is of no use to look at the limits again."""


def figures(tx: Transaction) -> Figures:
    ends = tx.execute("SELECT (SELECT MIN(frame) FROM hot), (SELECT MAX(frame) FROM hot)")[0]
    first, last = checked("hot", ends, (OPTIONAL_NUMBER, OPTIONAL_NUMBER))
    names = ("snapshots", _MAINTAINED, _ASKED, _QUIET)
    rows = tx.execute("SELECT name, value FROM counters WHERE name IN (?, ?, ?, ?)", names)
    found: dict[str, int] = dict(all_checked("counters", rows, (str, int)))
    return Figures(0 if first is None else last - first + 1, *(found.get(name, 0) for name in names))


def hot_frames(tx: Transaction) -> int:
    """How many there are: counts them."""
    return int(tx.execute("SELECT COUNT(*) FROM hot")[0][0])


def hot_bytes(tx: Transaction) -> int:
    """What hot rows take: looks at each of them."""
    return int(tx.execute("SELECT COALESCE(SUM(LENGTH(data)), 0) FROM hot")[0][0])


def packed_bytes(tx: Transaction) -> int:
    return int(tx.execute("SELECT COALESCE(SUM(size), 0) FROM packs WHERE state <> 'pending'")[0][0])


def note_maintained(tx: Transaction, time_ns: int) -> None:
    counters.put(tx, _MAINTAINED, time_ns)


def note_asked(tx: Transaction, time_ns: int) -> None:
    counters.put(tx, _ASKED, time_ns)


def note_quiet(tx: Transaction, until_ns: int) -> None:
    counters.put(tx, _QUIET, until_ns)
