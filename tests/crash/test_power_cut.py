"""Power cuts at every moment: the disk keeps what was flushed, and any part of the rest.

A day's work (saves of all sizes, undo, redo, restore, drop, prune, maintenance) is done on a real filesystem whose disk
is recorded. Then the power is cut between any two writes, and the filesystem is mounted again. What must hold every
time: the store opens and verifies to the last byte; every snapshot that was reported reads back exactly; the next
command leaves the workspace as it was before the interrupted one or as that planned it, with what it replaced saved;
and after a maintenance nothing is left over.

`make soak` cuts at many more moments, on every filesystem that can be made here.
"""

from __future__ import annotations

import random
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

import takeback as tb
from support import campaigns, services
from support.agent import World, held, look
from support.counts import Tell, tell
from support.power_cut import FILESYSTEMS, WAYS, Cuts, Filesystem, Recording, booted, impossible, recorded
from support.processes import in_child
from support.stores import noise
from support.trees import Node

CUTS = campaigns.size(20, 600)
"""About how many a filesystem."""

Tree = dict[str, Node]


@dataclass
class Act:
    """One operation between two positions of the log, and what it promised when it returned."""

    name: str
    begin: int
    end: int
    before: Tree
    after: Tree
    adds: dict[str, Tree] = field(default_factory=dict)
    removes: frozenset[str] = frozenset()


class Day:
    """The work that is recorded."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self.acts: list[Act] = []
        (recording.place / "project").mkdir(mode=0o755)
        self._dice = random.Random(7)
        self._root = recording.place / "project"
        self._write("notes.txt", b"first line\n")
        self._write("run.sh", b"#!/bin/sh\n", 0o755)
        self._world: World
        self._number = 0

    def live(self) -> list[Act]:
        self._act("open", self._open)
        first = self._act("save", lambda: self._saved("first"))
        self._edit()
        self._act("save", lambda: self._saved())
        self._turn("small")
        self._act("undo", lambda: self._report(self._world.line.undo()))
        self._act("redo", lambda: self._report(self._world.line.redo()))
        self._write("data/big", noise(400_000, "big"))
        self._write("data/huge", noise(1_500_000, "huge"))
        self._act("save into a pack", lambda: self._saved())
        self._act("maintain", self._maintained)
        self._turn("large")
        self._act("undo into a directory", lambda: self._report(self._world.line.undo()))
        self._begin_the_log_again()
        self._write("data/later", noise(400_000, "later"))
        self._act("save into a pack", lambda: self._saved())
        self._edit()
        self._act("restore", lambda: self._report(self._world.line.restore(first)))
        for _ in range(4):
            self._edit()
            self._act("save", lambda: self._saved())
        self._act("drop", self._dropped)
        self._act("prune", self._pruned)
        self._act("maintain", self._maintained)
        self._edit()
        self._act("save after all", lambda: self._saved())
        return self.acts

    def _begin_the_log_again(self) -> None:
        """The catalogue writes over its log from here on, as after a week: its own syncs write no names of files then."""
        connection = self._world.store.blobs.database._connection()  # type: ignore[attr-defined]
        connection.execute("PRAGMA wal_checkpoint(RESTART)")

    def _act(self, name: str, do: Callable[[], Act]) -> str:
        """What was edited before is on the disk: only what takeback does is to be cut."""
        self._recording.sync()
        before, begin = look(self._root), self._recording.position()
        act = do()
        act.name, act.before, act.begin = name, before, begin
        self.acts.append(act)
        return next(iter(act.adds), "")

    def _done(self, adds: dict[str, Tree] | None = None, removes: Iterable[str] = ()) -> Act:
        """As an operation returns, before anything else is done."""
        end = self._recording.position()
        return Act("", 0, end, {}, look(self._root), adds or {}, frozenset(removes))

    def _open(self) -> Act:
        self._world = World(self._recording.place)
        return self._done()

    def _saved(self, label: str | None = None) -> Act:
        snapshot = self._world.line.save(label)
        act = self._done()
        act.adds[snapshot.id] = act.after
        return act

    def _report(self, report: tb.Report) -> Act:
        act = self._done()
        act.adds[report.snapshot] = act.after
        return act

    def _maintained(self) -> Act:
        self._world.store.maintain()
        return self._done()

    def _dropped(self) -> Act:
        return self._done(removes=[self._world.line.drop("@-2")])

    def _pruned(self) -> Act:
        gone = self._world.store.prune(tb.Policy(keep_last=6)).snapshots
        assert gone
        return self._done(removes=gone)

    def _turn(self, size: str) -> None:
        def start() -> Act:
            self._world.line.save(trigger="turn_start", title=size)
            return self._done()

        def end() -> Act:
            snapshot = self._world.line.save(trigger="turn_end")
            act = self._done()
            act.adds[snapshot.id] = act.after
            return act

        self._act("turn_start", start)
        self._edit()
        if size == "large":
            (self._root / "data" / "big").unlink()
            (self._root / "data" / "huge").rename(self._root / "moved")
            for number in range(6):
                self._write(f"made/by/agent{number}", noise(30_000, (size, number)))
            (self._root / "link").symlink_to("notes.txt")
        self._act("turn_end", end)

    def _edit(self) -> None:
        self._number += 1
        self._write("notes.txt", b"".join(b"line %d\n" % number for number in range(self._number)))
        self._write(f"file{self._number % 3}", noise(self._dice.choice([10, 5000]), self._number))

    def _write(self, path: str, data: bytes, mode: int = 0o644) -> None:
        target = self._root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        target.chmod(mode)


def outcome(place: Path, acts: list[Act], position: int) -> str | None:
    """What `check` found wrong, in a form that leaves the process."""
    try:
        check(place, acts, position)
    except Exception:
        return traceback.format_exc()
    return None


def check(place: Path, acts: list[Act], position: int) -> None:
    """Everything that must hold when the power came back."""
    removed = {id for act in acts if act.begin <= position for id in act.removes}
    promised = {id: tree for act in acts if act.end <= position for id, tree in act.adds.items() if id not in removed}
    begun = [act for act in acts if act.begin <= position]
    world = World(place)
    _check_snapshots(world, promised)
    if begun and position <= begun[-1].end:
        act = begun[-1]
        world.line.save(trigger="interval")
        now = world.tree()
        wanted = [act.after] if act.end == position else [act.before, act.after]
        assert now in wanted, f"the workspace is neither as before nor as planned: {_differences(act, now)}"
        if act.before != act.after and now == act.after:
            saved = [held(world.line, row.id) for row in world.line.log(4).snapshots]
            assert act.before in saved, f"{act.name!r} did not save what it replaced"
    world.store.maintain()
    assert list((place / "store" / "tmp").iterdir()) == []
    _check_snapshots(world, promised)
    world.store.close()


def _differences(act: Act, now: Tree) -> dict[str, list[str]]:
    """What stands at the paths in question, shortly: before, as planned, now."""
    trees = (act.before, act.after, now)
    every = {path for tree in trees for path in tree}
    wrong = sorted(path for path in every if now.get(path) not in (act.before.get(path), act.after.get(path)))
    mixed = sorted(path for path in every if act.before.get(path) != act.after.get(path))
    return {path: [repr(tree.get(path))[:60] for tree in trees] for path in wrong or mixed}


def _check_snapshots(world: World, promised: dict[str, Tree]) -> None:
    health = world.store.verify(read_data=True)
    assert health.ok, health.problems
    for id, tree in promised.items():
        assert held(world.line, id) == tree, f"snapshot {id} does not hold what was saved"


def chosen(positions: list[int], acts: list[Act]) -> list[tuple[int, str]]:
    """The moment at which each operation returned, whatever is left of what it did not flush; and many others."""
    dice = random.Random(campaigns.seed())
    ends = [(act.end, way) for act in acts for way in ("none", "some")]
    first, last = acts[0].begin, acts[-1].end
    others = [(position, way) for position in positions if first <= position <= last for way in WAYS]
    few = dice.sample(others, min(len(others), max(CUTS - len(ends), 0)))
    dice.shuffle(ends)
    if campaigns.running():
        return sorted({*ends, *few})
    return sorted({*ends[: CUTS // 2], *dice.sample(others, CUTS // 2)})


@pytest.mark.campaign("power-cuts")
@pytest.mark.parametrize(
    "filesystem",
    [
        pytest.param(each, id=each.name, marks=[] if each.name.startswith("ext4") else [pytest.mark.soak])
        for each in FILESYSTEMS
    ],
)
def test_after_a_power_cut_at_any_moment_nothing_reported_is_missing(
    filesystem: Filesystem, tmp_path: Path, record_property: Tell
) -> None:
    if reason := impossible(filesystem):
        pytest.fail(reason) if services.required() else pytest.skip(reason)
    with recorded(filesystem, tmp_path) as recording:
        code, acts = in_child(lambda: Day(recording).live())
        assert code == 0
    cuts = Cuts(recording, tmp_path, filesystem)
    tried = chosen(cuts.positions, acts)
    for position, way in tried:
        image = cuts.at(position, way)
        with booted(filesystem, image, recording.place):
            code, wrong = in_child(partial(outcome, recording.place, acts, position))
        doing = next((act.name for act in reversed(acts) if act.begin <= position), "")
        assert (code, wrong) == (0, None), (
            f"cut at {position} ({way} of what was not flushed), during {doing!r}\n{wrong}"
        )
    campaigns.count_runs(record_property, len(tried))
    tell(
        record_property,
        f"power cuts: block by block on {filesystem.name} over a loop device: {len(cuts.positions)} writes and "
        f"flushes recorded in {len(acts)} operations, {len(tried)} states mounted and checked",
    )
