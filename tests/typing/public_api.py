"""The public API as a caller uses it. Never run: mypy checks it, here with `assert_type` for what each call gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import Any, assert_type

import takeback as tb


def stores(path: Path) -> None:
    assert_type(tb.open(), tb.Store)
    assert_type(tb.open(":memory:"), tb.Store)
    with tb.open(path, create=False, readonly=True) as store:
        assert_type(store, tb.Store)
        health = assert_type(store.verify(read_data=True), tb.Health)
        assert_type(health.ok, bool)
        assert_type(health.losses, tuple[tb.Loss, ...])
        assert_type(store.stats(), tb.Usage)
        assert_type(store.repair(), tb.Repaired)
        assert_type(store.repair(apply=True, listener=lambda event: None).losses, tuple[tb.Loss, ...])


def keeping_it_small(store: tb.Store, line: tb.Timeline) -> None:
    policy = tb.Policy(keep_last=50, max_age="30d", max_bytes="5GiB")
    assert_type(store.prune(policy), tb.Pruned)
    pruned = store.prune(tb.Policy(max_age=86400, max_bytes=1 << 30), timeline=line, dry_run=True)
    assert_type(pruned.snapshots, tuple[str, ...])
    assert_type(pruned.bytes, int)
    assert_type(store.undrop("4f2a"), str)
    assert_type(store.maintain(), tb.Maintained)
    assert_type(store.export("/tmp/x.takeback", timeline=line, refs=["good", "@"]), tb.Copied)
    copied = store.import_("/tmp/x.takeback", root="/elsewhere")
    assert_type(copied.timelines, tuple[tb.Landed, ...])
    assert_type((copied.snapshots, copied.blobs, copied.diverged), tuple[int, int, bool])
    with tb.open("/another/store") as other:
        assert_type(store.push(other, timeline=line), tb.Copied)
        assert_type(store.pull(other), tb.Copied)


def timelines(store: tb.Store) -> None:
    assert_type(tb.here(), tb.Timeline)
    assert_type(tb.here(Path("src"), listener=lambda event: None), tb.Timeline)
    workspace = tb.Workspace(
        ".", name="code", include=[".env"], exclude=("*.log",), max_file_size="1GiB", time_budget="5s"
    )
    memory = tb.State("memory", ["hello"], Lock(), holes=["memory.client"], types=[Path])
    line = assert_type(store.timeline("coder", sources=[workspace, memory]), tb.Timeline)
    assert_type(line.name, str)
    assert_type(line.root, str)


def documents() -> None:
    document = assert_type(tb.capture({"a": 1}, holes=True), tb.Document)
    assert_type(document.restore_into({}), None)
    assert_type(document.diff(document), tuple[tb.Difference, ...])
    assert_type(document.holes, tuple[tb.NotCaptured, ...])


def saving(line: tb.Timeline) -> None:
    snapshot = assert_type(line.save("before the migration"), tb.Snapshot)
    assert_type(line.save(trigger="turn_end", session="s", paths=["a"], context={"tool": "edit"}), tb.Snapshot)
    assert_type(snapshot.id, str)
    assert_type(snapshot.parent, str | None)
    assert_type(snapshot.labels, tuple[str, ...])
    assert_type(snapshot.context, Mapping[str, Any])
    assert_type(snapshot.parts, Mapping[str, tb.Part])
    assert_type(snapshot.not_captured, tuple[tb.NotCaptured, ...])
    line.label(snapshot, "good")
    line.pin("good")
    line.unpin("@-3")
    assert_type(line.drop("10m ago"), str)


def looking(line: tb.Timeline) -> None:
    log = assert_type(line.log(20, session="s", path="src"), tb.Log)
    for move in log.moves:
        assert_type(move, tb.Move)
    for snapshot in log.snapshots:
        assert_type(snapshot.time_ns, int)
    assert_type(line.show("@"), tb.Snapshot)
    assert_type(line.read("@", "a"), bytes)
    assert_type(line.stream("@", "a"), Iterator[bytes])
    for change in assert_type(line.diff("@-", "@", paths=["src/"]), tb.Diff).files:
        assert_type(change, tb.Change)
        assert_type(change.status, str)


def taking_back(line: tb.Timeline, snapshot: tb.Snapshot) -> None:
    plan = assert_type(line.plan(snapshot, only=["workspace"], paths=["src/"]), tb.Plan)
    assert_type(plan.effects, tuple[tb.Effect, ...])
    assert_type(plan.conflicts, tuple[tb.Kept, ...])
    assert_type(plan.outside, tuple[tb.Outside, ...])
    assert_type(line.plan_undo(since="original"), tb.Plan)
    report = assert_type(line.apply(plan), tb.Report)
    assert_type(report.verified, bool)
    assert_type(line.restore("root", to={"workspace": "/elsewhere"}), tb.Report)
    assert_type(line.undo(), tb.Report)
    assert_type(line.undo("4f2a", shared=True), tb.Report)
    assert_type(line.redo(), tb.Report)
    assert_type(line.fork(snapshot, "attempt-2", to={"workspace": "/elsewhere"}), tb.Timeline)
    assert_type(line.fork(snapshot, "attempt-2", "/elsewhere", without=["sandbox"]), tb.Timeline)
    assert_type(line.forks(snapshot, "attempt", 3, "/elsewhere"), list[tb.Timeline])
    assert_type(line.plan_promote("attempt-1", only=["workspace"]), tb.Plan)
    assert_type(line.promote(line), tb.Report)


def blocks(line: tb.Timeline) -> None:
    with line.turn("fix the test", session="s"), line.every("5m"):
        with line.action("edit", paths=["a"], key="call-1"):
            pass


def memory(line: tb.Timeline, agent: object) -> None:
    line.add(tb.State("memory", agent, Lock(), holes=["memory.client"], types=[Path]))
    assert_type(line.value("@", "memory", types=[Path]), Any)
    assert_type(line.value("@", "memory", unknown="record"), Any)
    assert_type(line.sync(), tb.Report | None)
    assert_type(line.diff("@-", "@").state, tuple[tb.Difference, ...])
    assert_type(line.step("@"), tb.Diff | None)


async def blocks_in_async_code(line: tb.Timeline) -> None:
    async with line.turn("fix the test"):
        assert_type(await line.aio.save(), tb.Snapshot)
        assert_type(await line.aio.undo(), tb.Report)


def progress(event: tb.Progress) -> tuple[str, int, int | None]:
    return event.phase, event.done, event.total


def errors(line: tb.Timeline) -> tuple[str, ...]:
    try:
        line.undo()
    except (tb.NotFound, tb.Conflict, tb.Locked) as error:
        return error.hints
    except tb.TakebackError as error:
        raise SystemExit(error.exit_code) from error
    return ()
