"""Damage, in turn, at many places of every file of a store: verify finds it and names exactly what is harmed, all else
still restores to the byte, and repair brings back all that can be.

`make soak` tries many more places. How many were tried, and what came of it, is printed.
"""

from __future__ import annotations

import os
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import takeback as tb
from support import campaigns, counts
from support.agent import World
from support.stores import noise
from takeback.engine.repair import Repaired, repair
from takeback.engine.store import Store

pytestmark = pytest.mark.campaign("store-damage")

PLACES = campaigns.size(4, 400)
"""How many places of each file are damaged."""

Contents = dict[str, bytes | None]
"""Files by path; None is what cannot be read."""


@dataclass(frozen=True)
class Truth:
    """A store that nothing is wrong with, and what its snapshots hold."""

    base: Path
    snapshots: dict[str, Contents]
    folded: frozenset[str]
    """Those that lie in packs."""


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Truth:
    """Packs of several kinds, a fold, what came after it in a pack and in hot rows, and a log that is not empty."""
    world = World(tmp_path_factory.mktemp("damage"))
    world.write("a.txt", "one\n")
    world.write("d/e/deep.txt", "deep\n")
    world.write("d/large.bin", noise(1_200_000, "large"))
    world.link("link", "a.txt")
    os.mkfifo(world.root / "pipe")
    world.line.save("first")
    world.line.pin("first")
    world.turn("a turn", {"a.txt": "two\n", "d/e/new.txt": "new\n", "medium.bin": noise(300_000, "medium")})
    world.turn("another", {"a.txt": "three\n", "d/e/new.txt": None})
    world.undo()
    world.store.maintain()
    folded = frozenset(row.id for row in world.line.log().snapshots)
    world.turn("packed later", {"later.bin": noise(400_000, "later")})
    for number in range(4):
        world.turn(f"hot {number}", {"a.txt": f"hot {number}\n" * (1 + number), f"d/hot{number}.txt": f"{number}\n"})
    world.line.label("@-", "a label")
    world.store.close()
    found = Truth(world.base, read_all(world.base), folded)
    assert len(found.snapshots) == 9 and not any(None in files.values() for files in found.snapshots.values())
    assert len([path for path in (world.base / "store" / "packs").rglob("*") if path.is_file()]) >= 3
    assert (world.base / "store" / "catalogue.db-wal").stat().st_size > 100_000
    return found


@pytest.fixture(scope="module")
def without_log(truth: Truth, tmp_path_factory: pytest.TempPathFactory) -> Truth:
    """The same store after its log was written into the catalogue: what is damaged there counts."""
    base = tmp_path_factory.mktemp("tidy") / "base"
    shutil.copytree(truth.base, base, symlinks=True, ignore=shutil.ignore_patterns("pipe"))
    with opened(base) as store:
        store.blobs.database.tidy()
    assert not (base / "store" / "catalogue.db-wal").stat().st_size
    return Truth(base, truth.snapshots, truth.folded)


def opened(base: Path) -> Store:
    return tb.open(base / "store", create=False)


def read_all(base: Path) -> dict[str, Contents]:
    """What every snapshot of every timeline holds, as far as it can be read."""
    with opened(base) as store:
        found = {}
        for row in store.timelines():
            line = store.timeline(row.name, sources=[tb.Workspace(base / "project")], root=row.root)
            for snapshot in line.log().snapshots:
                found[snapshot.id] = _contents(line, snapshot.id)
        return found


def _contents(line: tb.Timeline, id: str) -> Contents:
    files: Contents = {}
    try:
        for path, entry in line.files(id):
            if entry.kind != "d":
                try:
                    files[path] = line.read(id, path)
                except tb.TakebackError:
                    files[path] = None
    except tb.TakebackError:
        files["/"] = None
    return files


def read_one(base: Path, id: str, path: str) -> bytes | None:
    """One path of a harmed snapshot, restored by name into an empty directory."""
    to = base / "one"
    shutil.rmtree(to, ignore_errors=True)
    with opened(base) as store:
        line = store.timeline("main", sources=[tb.Workspace(base / "project")], root=store.timelines()[0].root)
        try:
            line.restore(id, paths=[path], to=to)
        except (tb.Integrity, tb.NotFound):
            return None
    file = to / path
    return os.fsencode(os.readlink(file)) if file.is_symlink() else file.read_bytes() if file.exists() else None


@dataclass(frozen=True)
class Place:
    """One damage: what is done to which file, and where."""

    file: str
    how: str
    at: int
    bit: int = 0

    def __str__(self) -> str:
        return f"{self.how} {self.file} at {self.at} (bit {self.bit})"

    def do(self, store: Path) -> None:
        path = store / self.file
        path.chmod(0o600)
        data = bytearray(path.read_bytes())
        if self.how == "flip":
            data[self.at] ^= 1 << self.bit
        elif self.how == "cut":
            del data[self.at :]
        else:
            data[self.at : self.at + 512] = bytes(len(data[self.at : self.at + 512]))
        path.write_bytes(data)


def places(truth: Truth, kind: str) -> Iterator[Place]:
    """Places in every file of a kind: the ends, and some between."""
    store = truth.base / "store"
    files = {
        "pack": sorted(path for path in (store / "packs").rglob("*") if path.is_file()),
        "catalogue": [store / "catalogue.db"],
        "log": [store / "catalogue.db-wal"],
        "header": [store / "store.json"],
    }[kind]
    for number, file in enumerate(files):
        chosen = random.Random(f"{campaigns.seed()} {kind} {number}")
        name, size = str(file.relative_to(store)), file.stat().st_size
        count = max(2, PLACES // len(files))
        ends = [0, 5, 30, size - 1, size - 20, size - 60, size - 300]
        for at in [*ends[: max(2, count // 2)], *(chosen.randrange(size) for _ in range(count))]:
            if 0 <= at < size:
                yield Place(name, "flip", at, chosen.randrange(8))
        for _ in range(max(1, count // 4)):
            yield Place(name, "cut", chosen.randrange(size))
            yield Place(name, "zero", chosen.randrange(size))


def damaged(truth: Truth, place: Place, into: Path) -> Path:
    shutil.rmtree(into, ignore_errors=True)
    shutil.copytree(truth.base, into, symlinks=True, ignore=shutil.ignore_patterns("pipe"))
    place.do(into / "store")
    return into


def check_verify(truth: Truth, base: Path, place: Place) -> str:
    """What verify says of a damaged store must be so; returns what it was.

    A log that ends early is an earlier moment of the store, and nothing tells that there was a later one; so is one whose
    very last commit cannot be read, as a power cut may leave it. Those alone go without a word.
    """
    try:
        with opened(base) as store:
            health = store.verify(read_data=True)
    except tb.TakebackError as error:
        assert error.hints, "it cannot even be opened, but what to do is said"
        return "refused"
    try:
        found = read_all(base)
    except tb.Integrity:
        assert not health.ok
        return "found"
    named = {loss.snapshot: loss for loss in health.losses}
    for id, files in found.items():
        loss = named.get(id)
        if loss is None and files != truth.snapshots[id]:
            # A page of the catalogue is torn: no query can be relied upon before it is repaired.
            assert any(problem.kind == "damaged catalogue" for problem in health.problems), (
                "not named, and not as it was"
            )
            assert None in files.values(), "not named, and not as it was"
            assert all(data in (None, truth.snapshots[id].get(path)) for path, data in files.items()), "wrong bytes"
        elif loss is not None and not loss.broken and not loss.about:
            lost = tuple(loss.paths)
            for path, data in truth.snapshots[id].items():
                inside = path in lost or any(
                    each.endswith("/") and f"/{path}".startswith(f"/{each.lstrip('/')}") for each in lost
                )
                assert read_one(base, id, path) == (None if inside else data), path
    if health.ok:
        missing = truth.snapshots.keys() - found.keys()
        if place.how == "cut" and place.file.endswith("-wal"):
            return "an earlier moment"
        assert len(missing) <= 1, "only a last commit that may have been torn goes without a word"
        return "an earlier moment" if missing else "irrelevant"
    return "found"


def check_repair(truth: Truth, base: Path, lossless: bool) -> tuple[Repaired, int]:
    """Repair, and look at what there is then; ``lossless`` says that no snapshot may be missing that is not told."""
    done = repair(base / "store", apply=True)
    with opened(base) as store:
        health = store.verify(read_data=True)
    assert {problem.kind for problem in health.problems} <= {"missing blob", "broken snapshot"}, health.problems
    assert set(health.losses) == set(done.losses)
    found = read_all(base)
    named = {loss.snapshot: loss for loss in done.losses}
    for id, files in found.items():
        if id not in named:
            assert files == truth.snapshots[id], "whole, it is said, and yet not as it was"
    missing = truth.snapshots.keys() - found.keys()
    if lossless:
        assert missing == set(done.gone)
    assert not repair(base / "store").findings, "a second repair has nothing to do"
    return done, len(missing)


def campaign(
    truth: Truth,
    kind: str,
    base: Path,
    record: counts.Tell,
    check: Callable[[Place, str, Repaired, int], None],
    *,
    lossless: bool,
) -> None:
    outcomes: Counter[str] = Counter()
    for place in places(truth, kind):
        try:
            damaged(truth, place, base)
            outcome = check_verify(truth, base, place)
            done, missing = check_repair(truth, base, lossless)
            check(place, outcome, done, missing)
        except Exception as error:
            error.add_note(f"after: {place}")
            raise
        outcomes[outcome] += 1
        outcomes["snapshots that came back harmed"] += len(done.losses)
        outcomes["snapshots that were lost"] += missing
    tried = sum(outcomes[each] for each in ("refused", "found", "irrelevant", "an earlier moment"))
    campaigns.count_runs(record, tried)
    counts.tell(record, f"{kind}: {tried} places damaged: {dict(outcomes)}")


def test_damage_of_packs(truth: Truth, memory_path: Path, record_property: counts.Tell) -> None:
    def check(place: Place, outcome: str, done: Repaired, missing: int) -> None:
        assert outcome == "found", "no byte of a pack is irrelevant"
        assert done.aside is not None

    campaign(truth, "pack", memory_path / "w", record_property, check, lossless=True)


def test_damage_of_the_catalogue(without_log: Truth, memory_path: Path, record_property: counts.Tell) -> None:
    """All that lies in packs comes back whatever happens to the catalogue."""

    def check(place: Place, outcome: str, done: Repaired, missing: int) -> None:
        assert missing <= len(without_log.snapshots) - len(without_log.folded)

    campaign(without_log, "catalogue", memory_path / "w", record_property, check, lossless=False)


def test_damage_of_the_log(truth: Truth, memory_path: Path, record_property: counts.Tell) -> None:
    def check(place: Place, outcome: str, done: Repaired, missing: int) -> None:
        assert missing <= len(truth.snapshots) - len(truth.folded)

    campaign(truth, "log", memory_path / "w", record_property, check, lossless=False)


def test_damage_of_the_header(truth: Truth, memory_path: Path, record_property: counts.Tell) -> None:
    def check(place: Place, outcome: str, done: Repaired, missing: int) -> None:
        assert missing == 0 and not done.losses

    campaign(truth, "header", memory_path / "w", record_property, check, lossless=True)
