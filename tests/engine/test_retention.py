"""prune and maintain: what stays, what goes, and that nothing is lost while others work or when it is killed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

import takeback as tb
from support.agent import World
from support.processes import at_once
from support.stores import noise
from takeback.store.catalogue import journals, moves, snapshots

DAY = 86400 * 10**9


def ids(world: World) -> list[str]:
    """The snapshots, oldest first."""
    return [row.id for row in reversed(world.line.log().snapshots)]


@pytest.fixture
def ten(world: World) -> World:
    """Ten snapshots, each with 20 kB of its own."""
    for number in range(10):
        world.write("a.txt", f"version {number}\n")
        world.write("own.bin", noise(20_000, number))
        world.line.save(f"v{number}")
    return world


def age(world: World, snapshot: str, days: int) -> None:
    with world.store.blobs.database.write() as tx:
        tx.execute("UPDATE snapshots SET time_ns = ? WHERE id = ?", (time.time_ns() - days * DAY, snapshot))


def test_the_last_ones_stay_and_so_do_the_first_and_the_pinned(ten: World) -> None:
    before = ids(ten)
    ten.line.pin(before[3])
    pruned = ten.store.prune(tb.Policy(keep_last=3))
    assert ids(ten) == [before[0], before[3], *before[7:]]
    assert pruned.snapshots == tuple(id for id in before if id not in ids(ten))
    assert (pruned.kept, pruned.dry_run, pruned.busy) == (5, False, ())
    assert ten.line.show("root").id == before[0]
    assert ten.line.show(before[7]).parent == before[3]


def test_a_dry_run_says_the_same_and_changes_nothing(ten: World) -> None:
    before = ids(ten)
    planned = ten.store.prune(tb.Policy(keep_last=3), dry_run=True)
    assert ids(ten) == before
    done = ten.store.prune(tb.Policy(keep_last=3))
    assert planned.dry_run
    assert (planned.snapshots, planned.bytes, planned.kept) == (done.snapshots, done.bytes, done.kept)


def test_old_ones_go_by_their_age(ten: World) -> None:
    before = ids(ten)
    for number, id in enumerate(before):
        age(ten, id, 49 - number * 5)
    assert ten.store.prune(tb.Policy(max_age="30d")).snapshots == tuple(before[1:4])
    assert ten.store.prune(tb.Policy(max_age=0)).snapshots == tuple(before[4:-1]), "the latest stays, however old"


def test_the_oldest_go_until_the_rest_fits(ten: World) -> None:
    before = ids(ten)
    pruned = ten.store.prune(tb.Policy(max_bytes=110_000))
    assert pruned.snapshots == tuple(before[1:6]), "five of 20 kB and their lists fit: the first and the last four"
    assert 100_000 < pruned.bytes < 115_000
    assert ten.store.prune(tb.Policy(max_bytes="1GiB")).snapshots == ()
    assert ten.store.prune(tb.Policy(max_bytes=0)).snapshots == tuple(before[6:-1])


def test_a_label_protects_nothing(ten: World) -> None:
    ten.line.label("@-5", "good")
    ten.store.prune(tb.Policy(keep_last=1))
    with pytest.raises(tb.NotFound):
        ten.line.show("good")


def test_other_timelines_are_left_alone_unless_all_are_meant(ten: World, tmp_path: Path) -> None:
    fork = ten.line.fork("@-", "other", to={"workspace": str(tmp_path / "elsewhere")})
    for number in range(5):
        (tmp_path / "elsewhere" / "a.txt").write_text(f"{number}")
        fork.save()
    count = len(fork.log().snapshots)
    assert len(ten.store.prune(tb.Policy(keep_last=2), timeline=ten.line).snapshots) == 7
    assert len(fork.log().snapshots) == count
    assert len(ten.store.prune(tb.Policy(keep_last=2)).snapshots) == count - 3
    ten.store.maintain()
    assert fork.read("root", "a.txt") == b"version 8\n"


def test_the_beginning_of_an_open_move_stays(world: World) -> None:
    world.write("a.txt", "one\n")
    world.line.save()
    agent = world.agent()
    world.write("a.txt", "two\n")
    agent.start("a long turn")
    for number in range(4):
        agent.act({"a.txt": f"{number}\n"}, key=str(number))
    world.store.prune(tb.Policy(keep_last=1))
    agent.end()
    world.undo()
    assert world.read("a.txt") == b"two\n"


def test_what_an_unfinished_restore_needs_stays(ten: World) -> None:
    before = ids(ten)
    with ten.store.blobs.database.write() as tx:
        row = snapshots.by_id(tx, before[4])
        assert row is not None
        journals.begin(tx, journals.Journal("/elsewhere", row.timeline, row.manifest, before[4], 0))
    ten.store.prune(tb.Policy(keep_last=1))
    assert ids(ten) == [before[0], before[4], before[-1]]
    with ten.store.blobs.database.write() as tx:
        journals.end(tx, "/elsewhere")


def test_moves_go_with_what_is_pruned_and_do_not_join(world: World) -> None:
    world.write("a.txt", "0\n")
    world.line.save()
    for number in range(1, 8):
        world.turn(f"turn {number}", {"a.txt": f"{number}\n"}, session="s")
    world.store.prune(tb.Policy(keep_last=2))
    with world.store.blobs.database.read() as tx:
        (line,) = world.store.timelines()
        found = [move for move in moves.newest(tx, line.number) if move.level == "turn"]
        known = {row.id for row in snapshots.everywhere(tx)}
    assert all({move.opening, move.closing} <= known for move in found)
    world.undo()
    assert world.read("a.txt") == b"6\n"
    with pytest.raises(tb.NotFound):
        world.undo()
    assert world.read("a.txt") == b"6\n"


@pytest.mark.parametrize(
    "limits",
    [{}, {"keep_last": 0}, {"keep_last": -1}, {"keep_last": True}, {"max_age": "soon"}, {"max_bytes": "-1"}],
    ids=str,
)
def test_a_policy_that_makes_no_sense_is_refused(limits: dict[str, object]) -> None:
    with pytest.raises(tb.InvalidInput) as raised:
        tb.Policy(**limits)  # type: ignore[arg-type]
    assert raised.value.hints


def test_maintain_frees_what_was_pruned_and_undo_still_works(world: World) -> None:
    world.write("a.txt", "start\n")
    world.line.save()
    for number in range(6):
        world.write("big.bin", noise(900_000, number))
        world.line.save()
    world.turn("the last", {"a.txt": "agent\n"}, session="s")
    expected = world.store.prune(tb.Policy(keep_last=2)).bytes
    done = world.store.maintain()
    assert done.removed
    assert done.bytes_before - done.bytes_after > expected * 0.8
    assert world.store.verify(read_data=True).ok
    world.undo()
    assert world.read("a.txt") == b"start\n"
    world.restore("root")
    assert not world.exists("big.bin")
    world.undo()
    assert world.read("big.bin") == noise(900_000, 5)


def test_large_files_of_pruned_snapshots_do_not_trouble_verify(world: World) -> None:
    world.write("keep.txt", "kept\n")
    world.line.save()
    world.write("large.bin", noise(3_000_000))
    world.line.save()
    world.write("large.bin", b"small now")
    world.line.save()
    world.store.prune(tb.Policy(keep_last=1))
    world.store.maintain()
    assert world.store.verify(read_data=True).ok
    world.write("large.bin", noise(3_000_000))
    world.line.save()
    assert world.store.verify(read_data=True).ok
    assert world.line.read("@", "large.bin") == noise(3_000_000)


def test_a_plan_that_waited_through_a_prune_and_a_condemnation_is_applied_safely(world: World) -> None:
    world.write("a.bin", noise(400_000, "a"))
    world.line.save()
    world.write("a.bin", noise(400_000, "b"))
    middle = world.line.save()
    world.write("a.bin", noise(400_000, "c"))
    world.line.save()
    plan = world.line.plan(middle)
    with world.store.blobs.reader():
        world.store.prune(tb.Policy(keep_last=1))
        assert world.store.maintain().waiting, "the reader holds the condemned pack"
        world.line.apply(plan)
    world.store.maintain()
    assert world.read("a.bin") == noise(400_000, "b")
    assert world.store.verify(read_data=True).ok
    assert world.line.read("@", "a.bin") == noise(400_000, "b")


def test_a_plan_whose_content_is_gone_changes_nothing(world: World) -> None:
    world.write("a.bin", noise(400_000, "a"))
    world.line.save()
    world.write("a.bin", noise(400_000, "b"))
    middle = world.line.save()
    world.write("a.bin", noise(400_000, "c"))
    world.line.save()
    plan = world.line.plan(middle)
    world.store.prune(tb.Policy(keep_last=1))
    assert world.store.maintain().removed
    with pytest.raises(tb.Conflict, match="not in the store any more"):
        world.checked(lambda: world.line.apply(plan))


def test_nothing_is_removed_while_a_snapshot_cannot_be_followed(world: World) -> None:
    world.write("a/b.txt", "one\n")
    world.line.save()
    with world.store.blobs.database.write() as tx:
        tx.execute("DELETE FROM blobs WHERE kind = 2")
    with pytest.raises(tb.Integrity, match="nothing was removed"):
        world.store.maintain()
    world.line.drop("@")


def test_saves_go_on_while_others_prune_and_maintain(tmp_path: Path) -> None:
    rounds, deadline, enough = 10, time.monotonic() + 60, tmp_path / "enough"
    bases = [tmp_path / f"agent{number}" for number in range(4)]
    store = tmp_path / "store"
    tb.open(store).close()

    def save(base: Path) -> tuple[str, int]:
        root = base / "project"
        root.mkdir(parents=True)
        with tb.open(store) as opened:
            line = opened.timeline("main", sources=[tb.Workspace(root)])
            latest, count = "", 0
            while not (latest and enough.exists()):
                (root / "small.txt").write_text(f"{base.name} {count}\n")
                (root / "shared.bin").write_bytes(noise(300_000, count % 3))  # what others have, had, or will have
                latest = line.save().id
                count += 1
            return latest, count

    def collect() -> tuple[str, int]:
        removed = done = 0
        try:
            with tb.open(store) as opened:
                while (done < rounds or not removed) and time.monotonic() < deadline:
                    opened.prune(tb.Policy(keep_last=3))
                    removed += opened.maintain().removed
                    done += 1
        finally:
            enough.touch()
        return "", removed

    results = at_once([*(lambda base=base: save(base) for base in bases), collect])
    with tb.open(store) as opened:
        assert opened.verify(read_data=True).ok
        assert results[-1][1], "packs were removed meanwhile"
        for base, (latest, count) in zip(bases, results, strict=False):
            line = opened.timeline("main", sources=[tb.Workspace(base / "project")])
            assert line.show("@").id == latest
            assert line.read("@", "small.txt") == f"{base.name} {count - 1}\n".encode()
            assert not line.diff("@")
        opened.prune(tb.Policy(keep_last=1))
        opened.maintain()
        opened.maintain()
        assert opened.verify(read_data=True).ok
    assert not os.listdir(store / "tmp")
