"""Which snapshots of containers go, and which never do."""

from __future__ import annotations

import time

import pytest

import takeback as tb
from support.containers.boxes import Boxes
from support.cua.managing import MakeManager, wait
from takeback.adapters.cua import SnapshotManager, SnapshotMetadata

pytestmark = pytest.mark.service("docker")

_DAY = 86_400


def ids(some: list[SnapshotMetadata]) -> list[str]:
    return [each.snapshot_id for each in some]


def aged(manager: SnapshotManager, snapshot: SnapshotMetadata, days: float) -> None:
    """As if a snapshot had been made so long ago."""
    then = time.time_ns() - int(days * _DAY * 1e9)
    with manager.storage.open().blobs.database.write() as tx:
        tx.execute("UPDATE snapshots SET time_ns = ? WHERE id = ?", (then, snapshot.snapshot_id))


def test_a_container_keeps_as_many_as_it_may(boxes: Boxes, make_manager: MakeManager) -> None:
    manager = make_manager(max_snapshots_per_container=3)
    one, other = boxes.run("one"), boxes.run("other")
    made = [wait(manager.create_snapshot(one)) for _ in range(5)]
    apart = wait(manager.create_snapshot(other))
    assert ids(wait(manager.list_snapshots(one))) == ids(made[:1:-1])
    assert ids(wait(manager.list_snapshots(other))) == [apart.snapshot_id]


def test_all_together_are_as_many_as_they_may(boxes: Boxes, make_manager: MakeManager) -> None:
    manager = make_manager(max_total_snapshots=3)
    one, other = boxes.run("one"), boxes.run("other")
    first = wait(manager.create_snapshot(other))
    made = [wait(manager.create_snapshot(one)) for _ in range(4)]
    left = ids(wait(manager.list_snapshots()))
    assert left == [made[3].snapshot_id, made[2].snapshot_id, first.snapshot_id], "the latest of each stays"


def test_pinned_ones_and_the_start_of_an_open_run_stay(boxes: Boxes, make_manager: MakeManager) -> None:
    manager = make_manager(max_snapshots_per_container=1)
    box = boxes.run()
    pinned = wait(manager.create_snapshot(box))
    manager.storage.line(box).pin(pinned.snapshot_id)
    begun = wait(manager.create_snapshot(box, "run_start", "a run"))
    wait(manager.create_snapshot(box, "after_action"))
    latest = wait(manager.create_snapshot(box, "after_action"))
    assert ids(wait(manager.list_snapshots())) == ids([latest, begun, pinned])
    boxes.sh(box, "echo > /file")
    ended = wait(manager.create_snapshot(box, "run_end"))
    after = wait(manager.create_snapshot(box))
    assert ids(wait(manager.list_snapshots())) == ids([after, pinned])
    assert ended.snapshot_id not in ids(wait(manager.list_snapshots()))


def run(manager: SnapshotManager, boxes: Boxes, box: str, title: str, actions: int) -> None:
    """A run whose actions each make a file."""
    wait(manager.create_snapshot(box, "run_start", title, title=title))
    for number in range(actions):
        wait(manager.create_snapshot(box, "before_action"))
        boxes.sh(box, f"echo {title} > /{title}{number}")
        wait(manager.create_snapshot(box, "after_action"))
    wait(manager.create_snapshot(box, "run_end"))


def test_a_run_with_more_snapshots_than_may_be_kept_is_taken_back_as_a_whole(
    boxes: Boxes, make_manager: MakeManager
) -> None:
    manager = make_manager(max_snapshots_per_container=4)
    box = boxes.run()
    for title in ("one", "two"):
        run(manager, boxes, box, title, actions=4)
    assert len(wait(manager.list_snapshots(box))) == 4
    line = manager.storage.line(box, [manager.provider.source(box, manager.config)])
    report = line.undo()
    assert (report.title, report.partial) == ("two", ())
    assert boxes.sh(box, "cd / && ls -d one* two* 2>/dev/null || true").split() == [
        f"one{number}" for number in range(4)
    ]
    with pytest.raises(tb.NotFound):
        line.undo()
    line.redo()
    assert len(boxes.sh(box, "ls -d /two*").split()) == 4


def test_an_old_run_stays_whole_while_its_end_is_young(boxes: Boxes, make_manager: MakeManager) -> None:
    manager = make_manager(auto_cleanup_days=100, max_snapshots_per_container=100)
    box = boxes.run()
    run(manager, boxes, box, "run", actions=2)
    listed = wait(manager.list_snapshots(box))
    for snapshot in listed[2:]:
        aged(manager, snapshot, 9)
    assert wait(manager.cleanup_old_snapshots(max_age_days=7)) > 0
    left = ids(wait(manager.list_snapshots(box)))
    assert left == ids([listed[0], listed[1], listed[-1]])
    line = manager.storage.line(box, [manager.provider.source(box, manager.config)])
    assert line.undo().partial == ()
    assert boxes.sh(box, "ls -d /run0 /run1 2>/dev/null || true") == ""


def test_old_ones_go_and_a_dry_run_lists_exactly_those(boxes: Boxes, make_manager: MakeManager) -> None:
    manager = make_manager(auto_cleanup_days=100)
    box = boxes.run()
    made = [wait(manager.create_snapshot(box)) for _ in range(5)]
    for snapshot, days in zip(made, (40, 30, 20, 10, 9), strict=True):
        aged(manager, snapshot, days)
    manager.storage.line(box).pin(made[1].snapshot_id)
    listed = ids(wait(manager.find_old_snapshots(max_age_days=15)))
    assert listed == ids([made[0], made[2]])
    assert len(wait(manager.list_snapshots())) == 5
    assert wait(manager.cleanup_old_snapshots(max_age_days=15)) == 2
    assert ids(wait(manager.list_snapshots())) == ids([made[4], made[3], made[1]])
    assert wait(manager.cleanup_old_snapshots(0)) == 1, "the latest stays"
    assert wait(manager.cleanup_old_snapshots(0)) == 0
    with pytest.raises(tb.TakebackError):
        wait(manager.cleanup_old_snapshots(-1))


def test_a_new_snapshot_lets_those_go_that_are_too_old(boxes: Boxes, make_manager: MakeManager) -> None:
    manager = make_manager(auto_cleanup_days=7)
    box = boxes.run()
    old, young = (wait(manager.create_snapshot(box)) for _ in range(2))
    aged(manager, old, 8)
    aged(manager, young, 6)
    new = wait(manager.create_snapshot(box))
    assert ids(wait(manager.list_snapshots())) == ids([new, young])


def test_closing_a_manager_lets_them_go_too_unless_told_otherwise(boxes: Boxes, make_manager: MakeManager) -> None:
    box = boxes.run()
    for keep in (True, False):
        manager = make_manager(cleanup_on_exit=not keep)
        old = wait(manager.create_snapshot(box))
        wait(manager.create_snapshot(box))
        aged(manager, old, 8)
        wait(manager.close())
        there = ids(wait(make_manager().list_snapshots()))
        assert (old.snapshot_id in there) is keep


def test_the_store_stays_within_its_size(boxes: Boxes, make_manager: MakeManager) -> None:
    manager = make_manager(max_storage_size_gb=5 / 1024)
    box = boxes.run()
    made = []
    for _ in range(4):
        boxes.sh(box, "head -c 2000000 /dev/urandom > /large")
        made.append(wait(manager.create_snapshot(box)))
    left = ids(wait(manager.list_snapshots()))
    assert made[3].snapshot_id in left
    assert len(left) < 4
    assert wait(manager.get_storage_stats())["total_size_bytes"] <= 5 << 20
