"""Twelve processes on one store: eight save, two prune, drop and maintain, one verifies, one copies in and out, all at
once.

What must hold: nobody gets an error (no "database is locked", no lost lease, no conflict), everybody gets on, verify
never gives a false alarm, every snapshot that was reported and not let go restores exactly, here and where it was copied
to, and after a last maintenance nothing is left behind: no unfinished file, no pending pack, no file without a row, no
stage in a root.

It goes on for some seconds, and in `make soak` for two minutes.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

import takeback as tb
from support import campaigns
from support.counts import Tell, tell
from support.processes import at_once
from support.stores import noise
from takeback.sources.workspace.names import STAGE_PREFIX
from takeback.store.catalogue import blobs
from takeback.store.packs.pack import object_name

SECONDS = campaigns.size(2.0, 120.0)
LEAST = 3
"""Rounds that everybody makes, however slow the machine."""
SAVERS, IN_COMMON = 8, 3
"""The last ones of the savers share a root."""
COPIER = 300


@dataclass
class Told:
    """What one process says that it did."""

    rounds: int = 0
    snapshots: dict[str, dict[str, str]] = field(default_factory=dict)
    """What its own files held in each snapshot that it was given: path -> hash."""
    timelines: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Where each of them is: root and name."""
    gone: dict[str, int] = field(default_factory=dict)
    """Snapshots that it dropped or pruned -> when that had ended."""
    back: dict[str, int] = field(default_factory=dict)
    """Snapshots that it brought back -> when that began."""
    removed: int = 0
    restored: int = 0
    waited: int = 0
    """How often it gave up waiting for a root."""


def until(deadline: float, told: Told) -> bool:
    """Whether another round is due."""
    told.rounds += 1
    return told.rounds <= LEAST or time.monotonic() < deadline


@contextmanager
def patience(told: Told) -> Iterator[None]:
    """Who waits for a root for ten seconds is told so, and may try again: on a machine that has no time for anybody."""
    try:
        yield
    except tb.Locked as error:
        assert "is in use" in error.message, error
        told.waited += 1


def own_files(root: Path, who: str) -> dict[str, str]:
    return {
        os.path.relpath(file, root): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted((root / who).rglob("*"))
        if file.is_file()
    }


def chance(number: int) -> random.Random:
    return random.Random(1000 * campaigns.seed() + number)


def edit(dice: random.Random, root: Path, who: str) -> None:
    """Small edits mostly, as turns make them; now and then enough for a pack, or a file that is cut into chunks."""
    top = root / who
    top.mkdir(exist_ok=True)
    for _ in range(dice.randint(1, 4)):
        size = dice.choices([40, 2000, 300_000, 2_500_000], [60, 34, 5, 1])[0]
        file = top / f"d{dice.randint(0, 2)}" / f"f{dice.randint(0, 5)}"
        file.parent.mkdir(exist_ok=True)
        # The same bytes come again, also from others: what was condemned is stored anew, or found again.
        file.write_bytes(noise(size, dice.choice([dice.randint(0, 30), dice.random()])))
    if dice.random() < 0.2:
        shutil.rmtree(top / f"d{dice.randint(0, 2)}", ignore_errors=True)


def saving(base: Path, number: int, deadline: float) -> Told:
    """Edits and saves, and takes back its own turns where it is alone."""
    dice, told, who = chance(number), Told(), f"w{number}"
    alone = number < SAVERS - IN_COMMON
    root = base / ("common" if not alone else who)
    name = "other" if number == SAVERS - 1 else "main"

    def note(snapshot: tb.Snapshot) -> None:
        told.snapshots[snapshot.id] = own_files(root, who)
        told.timelines[snapshot.id] = (str(root), name)

    with tb.open(base / "store") as store:
        line = store.timeline(name, sources=[tb.Workspace(root)])
        while until(deadline, told):
            if alone and dice.random() < 0.3:
                before = own_files(root, who)
                with line.turn(f"turn {told.rounds}"):
                    edit(dice, root, who)
                after = own_files(root, who)
                if before and after != before:
                    line.undo()
                    assert own_files(root, who) == before
                    line.redo()
                    assert own_files(root, who) == after
                    told.restored += 2
            edit(dice, root, who)
            with patience(told):
                note(line.save(trigger=dice.choice(["manual", "interval"])))
            if dice.random() < 0.05:  # another handle, as the next command has it
                store.close()
                store = tb.open(base / "store")
                line = store.timeline(name, sources=[tb.Workspace(root)])
    return told


def letting_go(base: Path, number: int, deadline: float) -> Told:
    """Prunes, drops, brings back, maintains."""
    dice, told = chance(number), Told()
    with tb.open(base / "store") as store:
        while until(deadline, told):
            for row in dice.sample(rows := store.timelines(), min(2, len(rows))):
                line = store.timeline(row.name, root=row.root)
                listed = line.log(30).snapshots
                if older := listed[8:-1]:  # the newest ones are those that are being undone and redone
                    _drop_and_maybe_undrop(store, line, dice.choice(older).id, dice, told)
            if dice.random() < 0.4:
                pruned = store.prune(tb.Policy(keep_last=dice.randint(8, 25)))
                told.gone |= dict.fromkeys(pruned.snapshots, time.monotonic_ns())
                told.waited += len(pruned.busy)
            told.removed += store.maintain().removed
    return told


def _drop_and_maybe_undrop(store: tb.Store, line: tb.Timeline, id: str, dice: random.Random, told: Told) -> None:
    with patience(told):
        try:
            line.drop(id)
        except (tb.NotFound, tb.InvalidInput):
            return  # the other one was quicker, or a move begins there
        told.gone[id] = time.monotonic_ns()
    if id not in told.gone:
        return
    if dice.random() < 0.3:
        began = time.monotonic_ns()
        try:
            store.undrop(id)
        except tb.NotFound:
            return  # the other one's maintenance has swept it
        told.back[id] = began


def verifying(base: Path, number: int, deadline: float) -> Told:
    told = Told()
    with tb.open(base / "store") as store:
        while until(deadline, told):
            health = store.verify(read_data=True)
            assert health.ok, f"a false alarm: {health.problems}"
    return told


def copying(base: Path, number: int, deadline: float) -> Told:
    """Saves in a store of its own and pushes that here; brings all that is here into two other stores, one through files."""
    dice, told, who = chance(number), Told(), f"w{number}"
    root, file = base / who, base / "export"
    with (
        tb.open(base / "store") as store,
        tb.open(base / "own") as own,
        tb.open(base / "pushed") as pushed,
        tb.open(base / "imported") as imported,
    ):
        line = own.timeline(sources=[tb.Workspace(root)])
        while until(deadline, told):
            edit(dice, root, who)
            snapshot = line.save()
            own.push(store)
            told.snapshots[snapshot.id] = own_files(root, who)
            told.timelines[snapshot.id] = (str(root), "main")
            store.push(pushed)
            if dice.random() < 0.3:
                store.export(file)
                imported.import_(file)
                file.unlink()
    return told


def watched(work: Callable[[Path, int, float], Told], base: Path, number: int, deadline: float) -> Told:
    """Whoever hangs is killed by the clock, and the test sees it."""
    signal.alarm(int(SECONDS * 5) + 240)
    return work(base, number, deadline)


@pytest.mark.campaign("crowd")
def test_a_crowd_on_one_store_loses_nothing(tmp_path: Path, record_property: Tell) -> None:
    base = tmp_path
    for number in (*range(SAVERS - IN_COMMON), COPIER):
        (base / f"w{number}").mkdir()
    (base / "common").mkdir()
    tb.open(base / "store").close()
    deadline = time.monotonic() + SECONDS
    everybody = [
        *(partial(watched, saving, base, number, deadline) for number in range(SAVERS)),
        *(partial(watched, letting_go, base, number, deadline) for number in (100, 101)),
        partial(watched, verifying, base, 200, deadline),
        partial(watched, copying, base, COPIER, deadline),
    ]
    tales: list[Told] = at_once(everybody)
    assert all(told.rounds > LEAST for told in tales)
    saved = sum(len(told.snapshots) for told in tales)
    gone = {id for told in tales for id in told.gone} - _surely_back(tales)
    with tb.open(base / "store") as store:
        kept = _check_contents(store, tales, gone)
        _check_nothing_is_left(store, base)
        assert _check_contents(store, tales, gone) == kept
    copied = sum(_check_copies(base / name, tales) for name in ("pushed", "imported"))
    tell(
        record_property,
        f"crowd: {SECONDS:.0f} s, {saved} snapshots by {SAVERS} savers, {len(gone)} let go by 2, {kept} read back "
        f"exactly; {sum(told.restored for told in tales)} undos and redos; {sum(told.removed for told in tales)} packs "
        f"removed meanwhile; {tales[-2].rounds - 1} verifies, no false alarm; {copied} copies of snapshots in other stores, all exact; "
        f"{sum(told.waited for told in tales)} waits of more than ten seconds for a root",
    )


def _surely_back(tales: list[Told]) -> set[str]:
    """Snapshots that came back after everybody had let them go."""
    ended: dict[str, int] = {}
    for told in tales:
        for id, when in told.gone.items():
            ended[id] = max(ended.get(id, 0), when)
    return {id for told in tales for id, began in told.back.items() if began >= ended[id]}


def _check_contents(store: tb.Store, tales: list[Told], gone: set[str]) -> int:
    """Every snapshot that was reported and not let go holds exactly what its saver wrote."""
    count = 0
    for told in tales:
        for id, files in told.snapshots.items():
            if id in gone:
                continue
            root, name = told.timelines[id]
            line = store.timeline(name, sources=[tb.Workspace(root)])
            own = f"{next(iter(files)).split('/')[0]}/" if files else None
            held = {path for path, entry in line.files(id) if entry.kind != "d" and own and path.startswith(own)}
            assert held == files.keys(), f"snapshot {id} holds other files"
            for path, hash in files.items():
                assert hashlib.sha256(line.read(id, path)).hexdigest() == hash, f"{path} in {id}"
            count += 1
    return count


def _check_copies(place: Path, tales: list[Told]) -> int:
    """Whatever arrived in another store is whole there."""
    with tb.open(place) as store:
        health = store.verify(read_data=True)
        assert health.ok, health.problems
        there = {
            row.id for line in store.timelines() for row in store.timeline(line.name, root=line.root).log().snapshots
        }
        return _check_contents(store, tales, {id for told in tales for id in told.snapshots} - there)


def _check_nothing_is_left(store: tb.Store, base: Path) -> None:
    store.maintain()
    assert list((base / "store" / "tmp").iterdir()) == []
    assert len(list((base / "store" / "leases").iterdir())) <= 1
    with store.blobs.database.read() as tx:
        rows = blobs.packs(tx)
    assert {row.state for row in rows} <= {"live"}
    assert {object_name(row.name) for row in rows} == set(store.blobs.backend.list("packs/"))
    assert list(base.rglob(f"{STAGE_PREFIX}*")) == []
    health = store.verify(read_data=True)
    assert health.ok, health.problems
