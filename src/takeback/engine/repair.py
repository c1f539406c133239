"""repair: bring back all that can be of a damaged store, and say exactly what cannot.

The store finds out what is there (`takeback.store.repair`) and makes a candidate of it; here its history is completed
and checked (`takeback.engine.mending`) before anything is changed. Blobs that are lost are forgotten, so that the next
save stores them again if the files are still there, which heals the snapshots that need them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from takeback.engine import health
from takeback.engine.losses import Loss
from takeback.engine.mending import mend
from takeback.engine.wanting import wanted
from takeback.errors import Integrity, Unavailable
from takeback.model.progress import Listener, Watch
from takeback.store.blobstore import open_local
from takeback.store.catalogue import snapshots
from takeback.store.creation import CATALOGUE
from takeback.store.durable import storage_error
from takeback.store.repair import places
from takeback.store.repair.alone import Alone, alone
from takeback.store.repair.aside import Aside, packs_aside
from takeback.store.repair.candidate import HISTORY
from takeback.store.repair.found import Finding, Found, check_place, look
from takeback.store.repair.header import write_header
from takeback.store.repair.install import change, finish_swap, half_swapped, swap, write_beside
from takeback.store.repair.regions import Regions
from takeback.store.repair.replacing import bring_back, forget_torn, remove, replace
from takeback.store.repair.rows import read_tables, settle_counters
from takeback.store.repair.survey import FoundPack

_NAMED = ("missing blob", "missing chunk", "broken snapshot")
"""Problems that are left where something is lost for good."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """What a repair found and did, or would do."""

    findings: tuple[Finding, ...] = ()
    """Everything that is wrong, or was."""
    applied: bool = False
    snapshots: int = 0
    losses: tuple[Loss, ...] = ()
    """Snapshots that stay harmed, and what of each is lost."""
    gone: tuple[str, ...] = ()
    """Snapshots that are lost wholly: their manifests cannot be read any more."""
    recovered: tuple[str, ...] = ()
    """Snapshots that no timeline named; they are on timelines called `recovered`."""
    forgotten: int = 0
    """Blobs that are lost. A save that meets the same bytes stores them again, which heals what needs them."""
    aside: str | None = None
    """Where that is kept what was replaced."""
    kept: tuple[str, ...] = ()
    """What is there, by its name in the store."""

    @property
    def whole(self) -> bool:
        """Whether nothing is lost for good."""
        return not (self.losses or self.gone)


def repair(place: str | os.PathLike[str], *, apply: bool = False, listener: Listener | None = None) -> Repaired:
    """Repair the store in a directory, which need not be possible to open. Without ``apply`` nothing is changed.

    Locked if anybody is at work in the store. It can be killed at any moment and run again.
    """
    directory = os.path.abspath(os.fspath(place))
    check_place(directory)
    if apply and not os.access(directory, os.W_OK):
        raise Unavailable(
            f"the store at {directory} cannot be repaired: it is read-only.", hints=["make its directory writable"]
        )
    try:
        return _alone(directory, apply, Watch(listener=listener))
    except OSError as error:
        raise storage_error(error, f"repairing the store at {directory}") from error


def _alone(directory: str, apply: bool, watch: Watch) -> Repaired:
    with alone(directory, "repaired") as held:
        aside = Aside(directory)
        if apply:
            finish_swap(directory, aside)
        elif half_swapped(directory):
            return Repaired((Finding("catalogue", CATALOGUE, "an earlier repair was interrupted; --apply ends it"),))
        with look(directory, held, apply, watch) as found:
            done = _repair(found, held, aside, apply, watch)
        return _ended(done, found.damaged_packs, directory, watch) if done.applied else done


def _repair(found: Found, held: Alone, aside: Aside, apply: bool, watch: Watch) -> Repaired:
    store = found.store
    with store.database.write() as tx:
        settle_counters(tx, max(held.newest, found.old.generation) + 1)
    _carve(found)
    lost = _lost(found)
    lost -= bring_back(store, lost, packs_aside(found.directory), watch) if lost else set()
    lost |= forget_torn(store)
    mended = mend(store, trusted=found.old.sound, strange=found.strange_blobs())
    with store.database.read() as tx:
        rows = snapshots.everywhere(tx)
    with store.reader() as reader:
        followed = health.follow(store, reader, rows, watch)
        losses = tuple(followed.losses(reader, frozenset()))
    findings = (*found.findings, *mended.findings, *_unlisted(found, followed))
    if not findings:
        findings = tuple(_put_right(found))
    if apply and findings:
        _apply(found, aside, bool(lost))
    return Repaired(
        findings,
        apply and bool(findings),
        len(rows),
        losses,
        mended.gone,
        mended.recovered,
        len(lost) if findings else 0,
        aside.path if aside.kept else None,
        tuple(aside.kept),
    )


def _unlisted(found: Found, followed: health.Followed) -> Iterator[Finding]:
    """Blobs that snapshots need and that are there, though a sound catalogue does not say so."""
    if found.old.sound:
        there = followed.seen - followed.missing - {row[0] for row in found.old.tables["blobs"]}
        if there:
            yield Finding(
                "unlisted", f"{len(there)} blobs", "the catalogue does not say where they lie; they were found"
            )


def _put_right(found: Found) -> Iterator[Finding]:
    """Rows of a sound catalogue that the candidate has otherwise, because a manifest contradicts them."""
    with found.store.database.read() as tx:
        now = read_tables(tx)
    for table in HISTORY:
        if wrong := len(set(found.old.tables[table]) - set(now[table])):
            yield Finding(
                "history", f"{wrong} {table}", "the catalogue says otherwise than the snapshots' own manifests"
            )


def _carve(found: Found) -> None:
    """Find blobs again whose place nobody tells; what is found may name more of them."""
    regions = Regions(found)
    lengths = {row[0]: row[5] for row in found.old.tables.get("blobs", [])}
    needed: dict[bytes, int | None] = {id: lengths.get(id) for id in _lost(found)} | wanted(found.store)
    if found.old.sound and not needed:
        return
    while regions and regions.carve(needed):
        needed = wanted(found.store)


def _lost(found: Found) -> set[bytes]:
    """Blobs that the catalogue or a trailer lists, and that are intact nowhere."""
    pending = {row[0] for row in found.old.tables.get("packs", []) if row[2] == "pending"}
    listed = {row[0] for row in found.old.tables.get("blobs", []) if row[2] not in pending}
    listed.update(blob for pack in found.packs for blob in pack.harmed)
    with found.store.database.read() as tx:
        return listed - {blob for (blob,) in tx.execute("SELECT id FROM blobs")}


def _apply(found: Found, aside: Aside, lost: bool) -> None:
    """Change the store, each step such that a kill after it leaves nothing worse than it was. A sound catalogue's
    transaction is committed by whoever began it."""
    places.make_directories(found.directory)
    if lost:
        places.forget_derived(found.directory)
    replace(found.store, found.damaged_packs, aside)
    if found.header_damage:
        write_header(found.directory, found.header, aside)
    with found.store.database.read() as tx:
        if found.old.sound and found.old.transaction is not None:
            change(found.old.transaction, tx)
        else:
            write_beside(found.directory, tx)
            swap(found.directory, aside)


def _ended(done: Repaired, replaced: Sequence[FoundPack], directory: str, watch: Watch) -> Repaired:
    """Remove what was replaced, and look once more at the store as everybody sees it now."""
    with open_local(directory, create=False) as store:
        remove(store, replaced)
        found = health.verify(store, False, watch)
    left = [problem for problem in found.problems if problem.kind not in _NAMED]
    if left:
        raise Integrity(
            f"the store was repaired, but something is still wrong: {left[0].what}: {left[0].detail}",
            hints=["`takeback verify --read-data` shows all of it", f"what was replaced is kept in {done.aside}"],
        )
    return done
