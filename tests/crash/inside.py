"""What happens in the children of the process that has the fault layer: doing an operation, and checking what it left."""

from __future__ import annotations

import os
import threading
import traceback
from dataclasses import dataclass
from pathlib import Path

import takeback as tb
from crash.operations import OPERATIONS, Operation
from support import faults
from support.agent import World, look
from support.effects import leftovers, open_descriptors
from support.faults import Fault, Point
from support.faults.zygote import say
from support.stores import pack_files
from support.trees import Node
from takeback.sources.workspace.names import STAGE_PREFIX
from takeback.store.catalogue import blobs, journals
from takeback.store.locks import root_lock

Tree = dict[str, Node]

_TOP = set("store.json catalogue.db catalogue.db-wal catalogue.db-shm packs tmp leases derived aside hooks".split())

PACK_SLACK = 16 << 10
CATALOGUE_SLACK = 64 << 10
"""What a second try may add: the safety snapshot of the first one, and its rows."""


@dataclass(frozen=True)
class Failure:
    """An error that an operation raised."""

    kind: str
    """Of takeback's errors it is "ours"."""
    exit_code: int
    message: str
    hints: tuple[str, ...]
    trace: str


@dataclass(frozen=True)
class Outcome:
    """How an operation ended, if its process lived."""

    failure: Failure | None
    points: list[Point]
    failed_calls: int
    tree: Tree
    """The workspace right afterwards."""


@dataclass(frozen=True)
class Clean:
    """The same operation without a fault: what it starts from, its points, and what it leads to."""

    before: Tree
    after: Tree
    ends: tuple[Tree, ...]
    """All that the workspace may be in the end: as planned, or what an operation that is finished may be taken back to."""
    kept: frozenset[str]
    """Snapshots that are there before and afterwards; of a damaged store, those that come back."""
    points: list[Point]
    sizes: tuple[int, int] = (1 << 40, 1 << 40)
    """Bytes of packs and of the catalogue, maintained."""


def prepare(name: str, base: Path) -> None:
    OPERATIONS[name].prepare(base)


def snapshots(base: Path) -> frozenset[str]:
    """The ids of all snapshots; a store is not made for that."""
    if not (base / "store/store.json").exists():
        return frozenset()
    return _ids(World(base))


def workspace(base: Path) -> Tree:
    """The project; staging directories, which no capture looks at and the next command removes, are left out."""
    return {path: node for path, node in look(base / "project").items() if not path.startswith(STAGE_PREFIX)}


def as_in(base: Path, label: str) -> Tree:
    """The workspace as a snapshot has it."""
    World(base).line.restore(label, to=base / "restored")
    return look(base / "restored")


def act(name: str, base: Path, fault: Fault | None, at: int, again: bool) -> Outcome:
    """Do the operation with a fault at a point. With ``again`` this same process, if it failed, must be able to do it
    afterwards, and hold nothing then that it did not hold before."""
    operation = OPERATIONS[name]
    descriptors = open_descriptors()
    failure, world = None, World(base, opened=False)
    faults.arm(base, fault, at)
    try:
        for id in operation.act(world):
            say(id)
        _close(world)
    except (Exception, KeyboardInterrupt) as error:
        failure = _failure(error)
    finally:
        faults.disarm()
    outcome = Outcome(failure, faults.points(), faults.failures(), workspace(base))
    if again:
        if failure is not None:
            _finish(operation, world)
        _close(world)
        assert open_descriptors() == descriptors, "descriptors are left open"
        assert threading.active_count() == 1, "threads are left"
    return outcome


def check(name: str, base: Path, clean: Clean, reported: list[str]) -> tuple[int, int]:
    """All that must hold once a process has died or failed, seen by the next; the sizes that the store has then."""
    operation, world = OPERATIONS[name], World(base, opened=False)
    _whole_files(base, clean)
    if not operation.first:
        _whole_store(world, clean, reported)
    _unlocked(base)
    _finish(operation, world, clean)
    tree = workspace(base)
    assert tree in clean.ends, f"done again, and not as planned: {_differing(tree, clean)}"
    world.line.save(trigger="interval")
    assert not world.line.diff()
    assert operation.holds(world), "what the operation is for is not so"
    world.store.maintain()
    world.store.maintain()
    _whole_store(world, clean, reported)
    assert operation.holds(world), "what the operation is for is not so any more"
    _nothing_left(world)
    _close(world)
    sizes = _sizes(base)
    assert sizes[0] <= clean.sizes[0] + PACK_SLACK, f"packs have {sizes[0]} bytes instead of {clean.sizes[0]}"
    assert sizes[1] <= clean.sizes[1] + CATALOGUE_SLACK, f"the catalogue has {sizes[1]} bytes, not {clean.sizes[1]}"
    return sizes


def _finish(operation: Operation, world: World, clean: Clean | None = None) -> None:
    """Let the next command finish what was begun, and do the operation if that has not done it."""
    if not operation.first:
        world.line.save(trigger="interval")
        if clean is not None:
            tree = world.tree()
            assert tree in (clean.before, *clean.ends), f"neither as before nor as planned: {_differing(tree, clean)}"
    if not operation.done(world):
        for id in operation.act(world):
            say(id)


def _whole_store(world: World, clean: Clean, reported: list[str]) -> None:
    health = world.store.verify(read_data=True)
    assert health.ok, f"verify finds: {health.problems}"
    missing = (clean.kept | set(reported)) - _ids(world)
    assert not missing, f"{len(missing)} snapshots are missing"


def _unlocked(base: Path) -> None:
    for place in ("project", "store", "store/packs"):
        if (base / place).exists():
            with root_lock(str(base / place), 0):
                pass


def _close(world: World) -> None:
    if "store" in vars(world):
        world.store.close()
        del world.store
        vars(world).pop("line", None)


def _failure(error: BaseException) -> Failure:
    trace = "".join(traceback.format_exception(error))
    if isinstance(error, tb.TakebackError):
        return Failure("ours", error.exit_code, error.message, error.hints, trace)
    return Failure(type(error).__name__, 1, str(error), (), trace)


def _ids(world: World) -> frozenset[str]:
    try:
        return frozenset(world.line.show(snapshot.id).id for snapshot in world.line.log().snapshots)
    except tb.NotFound:
        return frozenset()


def _whole_files(base: Path, clean: Clean) -> None:
    """Nobody ever sees half a file."""
    for path, node in workspace(base).items():
        known = {tree[path].data for tree in (clean.before, *clean.ends) if path in tree}
        assert node.kind != "file" or node.data in known, f"{path} holds neither what it held nor what it was to hold"


def _nothing_left(world: World) -> None:
    store = world.store_path
    assert not os.listdir(store / "tmp"), "files are left in tmp/"
    assert not leftovers(world.root), "staging directories are left in the workspace"
    assert len(os.listdir(store / "leases")) <= 1, "lease files are left"
    assert not [name for name in os.listdir(store / "derived") if name.startswith(".")], "half derived files are left"
    assert set(os.listdir(store)) <= _TOP, f"{set(os.listdir(store)) - _TOP} is left in the store"
    with world.store.blobs.database.read() as tx:
        assert not journals.every(tx), "a journal is left"
        packs = blobs.packs(tx)
    assert {row.state for row in packs} <= {"live"}, "packs are left that are not live"
    assert {row.name for row in packs} == {file.name for file in pack_files(store)}, "pack files without a row"


def _sizes(base: Path) -> tuple[int, int]:
    store = base / "store"
    return sum(file.stat().st_size for file in pack_files(store)), (store / "catalogue.db").stat().st_size


def _differing(tree: Tree, clean: Clean) -> list[str]:
    """Paths that are not as planned; those first that are not even as before."""
    paths = sorted(path for path in tree.keys() | clean.after.keys() if tree.get(path) != clean.after.get(path))
    return sorted(paths, key=lambda path: tree.get(path) == clean.before.get(path))
