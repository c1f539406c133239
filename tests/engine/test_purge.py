"""purge: a captured secret leaves every snapshot, and no byte of it stays in the store."""

from __future__ import annotations

from pathlib import Path

import pytest

import takeback as tb
from support.agent import World
from support.stores import noise, nothing, residue
from takeback.engine.plandoc import encode_plan
from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.model.snapshot import PURGED
from takeback.store.catalogue import collecting, journals

SECRET = b"token = " + noise(60, "the secret").hex().encode() + noise(40, "secret")
OTHER = noise(3000, "another")


def where_it_is(world: World, *secrets: bytes) -> list[str]:
    """The names of all that still holds a secret, or the hash of one."""
    wanted = [*secrets, *(world.store.blobs.blob_id(secret) for secret in secrets)]
    wanted += [secret[:64] for secret in secrets]
    wanted += [world.store.blobs.blob_id(secret).hex().encode() for secret in secrets]
    return [name for name, data in residue(world.store_path) if any(each in data for each in wanted)]


def assert_gone(world: World, *secrets: bytes) -> None:
    assert where_it_is(world, *secrets) == []
    health = world.store.verify(read_data=True)
    assert health.ok, health.problems
    with world.store.blobs.database.read() as tx:
        assert not collecting.unfinished_purge(tx)


def purged(world: World, ref: str) -> list[str]:
    return [item.path for item in world.line.show(ref).not_captured if item.reason == PURGED]


@pytest.fixture
def three(world: World) -> list[str]:
    """Three snapshots, of which the last two hold the secret, beside what must stay."""
    world.write("a.txt", "one\n")
    ids = [world.line.save("before").id]
    world.write("conf/.env", SECRET)
    world.write("a.txt", "two\n")
    ids.append(world.line.save("with").id)
    world.write("a.txt", "three\n")
    ids.append(world.line.save("later").id)
    return ids


@pytest.mark.parametrize("maintained", [False, True], ids=["in hot rows", "in packs"])
def test_the_secret_leaves_every_snapshot_and_every_file_of_the_store(
    world: World, three: list[str], maintained: bool
) -> None:
    if maintained:
        world.store.maintain()
    assert where_it_is(world, SECRET), "or this test tells nothing"
    done = world.line.purge("conf/.env")
    assert (done.snapshots, done.gone, done.waiting) == (tuple(three[1:]), True, 0)
    assert done.removed == (tb.Trace(str(world.root), "conf/.env", 2),)
    assert_gone(world, SECRET)
    assert [row.id for row in reversed(world.line.log().snapshots)] == three
    assert world.line.read("with", "a.txt") == b"two\n"
    with pytest.raises(tb.NotFound):
        world.line.read("with", "conf/.env")
    assert [purged(world, ref) for ref in ("before", "with", "later")] == [[], ["conf/.env"], ["conf/.env"]]
    with pytest.raises(tb.NotFound, match="no snapshot holds"):
        world.line.purge("conf/.env")


def test_pages_that_an_earlier_fold_left_free_hold_nothing_of_it(world: World, three: list[str]) -> None:
    for number in range(60):
        world.write("a.txt", noise(20_000, number))
        world.line.save()
    world.store.maintain()
    world.line.purge("conf/.env")
    assert_gone(world, SECRET)


def test_a_dry_run_says_the_same_and_changes_nothing(world: World, three: list[str]) -> None:
    planned = world.line.purge("conf/.env", dry_run=True)
    assert planned.dry_run and not planned.gone
    assert world.line.read("with", "conf/.env") == SECRET
    done = world.line.purge("conf/.env")
    assert (planned.snapshots, planned.removed, planned.left) == (done.snapshots, done.removed, done.left)


def test_what_stands_there_is_never_deleted_or_overwritten_by_a_restore(world: World, three: list[str]) -> None:
    world.line.purge("conf/.env")
    world.write("conf/.env", "now\n")
    report = world.restore("with")
    assert world.read("conf/.env") == b"now\n"
    assert {kept.path: kept.reason for kept in report.kept} == {"conf/.env": "it was not captured then (purged)"}
    world.remove("conf/.env")
    world.restore("later")
    assert not world.exists("conf/.env")


def test_a_restore_to_before_the_secret_leaves_the_file_if_the_present_was_saved_before_the_purge(
    world: World, three: list[str]
) -> None:
    world.line.purge("conf/.env")
    world.restore("before")
    assert not world.exists("conf/.env"), "it was not there then, and the present was saved with it first"


def test_undo_says_that_it_cannot_bring_back_what_was_purged(world: World) -> None:
    world.write("a.txt", "one\n")
    world.write(".env", SECRET)
    world.line.save()
    move = world.turn("rotate", {"a.txt": "two\n", ".env": OTHER})
    only = world.turn("rotate again", {".env": SECRET + b"3"})
    untouched = world.turn("elsewhere", {"a.txt": "three\n"})
    world.line.purge(".env")
    assert_gone(world, SECRET, OTHER, SECRET + b"3")
    report = world.undo(untouched)
    assert [kept.path for kept in report.kept] == []
    with pytest.raises(tb.Conflict, match="purged"):
        world.undo(only)
    report = world.undo(move)
    assert world.read("a.txt") == b"one\n"
    assert [kept.path for kept in report.kept] == [".env"]
    assert "purged" in report.kept[0].reason
    assert world.read(".env") == SECRET + b"3"


def test_copies_go_too_in_every_timeline_and_root(world: World, tmp_path: Path) -> None:
    world.write(".env", SECRET)
    world.line.save()
    world.rename(".env", "old/env.bak")
    world.line.save()
    other = tmp_path / "other"
    other.mkdir()
    (other / "leaked").write_bytes(SECRET)
    (other / ".env").write_bytes(OTHER)
    beside = world.store.timeline("main", sources=[tb.Workspace(other)])
    beside.save()
    world.store.timeline("second", sources=[tb.Workspace(world.root)]).save()
    done = world.line.purge(".env")
    assert done.gone and done.left == ()
    assert {(trace.path, trace.snapshots) for trace in done.removed} == {(".env", 1), ("old/env.bak", 2), ("leaked", 1)}
    assert_gone(world, SECRET)
    assert beside.read("@", ".env") == OTHER, "another root's file of that name is another file"
    assert world.store.purge(".env").snapshots == (beside.show("@").id,)
    assert_gone(world, SECRET, OTHER)


def test_copies_stay_if_that_is_wished_and_are_named(world: World) -> None:
    world.write(".env", SECRET)
    world.write("copy", SECRET)
    world.line.save()
    done = world.line.purge(".env", copies=False)
    assert done.left == (tb.Trace(str(world.root), "copy", 1),)
    assert world.line.read("@", "copy") == SECRET
    assert purged(world, "@") == [".env"]


def test_what_is_also_elsewhere_stays_when_a_directory_goes(world: World) -> None:
    world.write("dist/secret", SECRET)
    world.write("dist/LICENSE", OTHER)
    world.write("LICENSE", OTHER)
    world.line.save()
    done = world.line.purge("dist")
    assert [trace.path for trace in done.left] == ["LICENSE"]
    assert purged(world, "@") == ["dist"]
    assert_gone(world, SECRET)
    assert world.line.read("@", "LICENSE") == OTHER
    world.restore("@")
    assert world.read("dist/secret") == SECRET, "a restore never touches what is below a purged directory"


def test_a_directory_goes_with_all_copies_if_that_is_wished(world: World) -> None:
    world.write("dist/LICENSE", OTHER)
    world.write("LICENSE", OTHER)
    world.line.save()
    assert world.line.purge("dist", copies=True).left == ()
    assert_gone(world, OTHER)


def test_few_bytes_may_be_equal_by_chance(world: World) -> None:
    world.write("pin", "1234\n")
    world.write("version", "1234\n")
    world.write("empty", "")
    world.write("also-empty", "")
    world.line.save()
    assert [trace.path for trace in world.line.purge("pin").left] == ["version"]
    assert world.line.read("@", "version") == b"1234\n"
    assert world.line.purge("empty").left == ()
    assert world.line.read("@", "also-empty") == b""


def test_a_large_file_goes_with_all_its_chunks(world: World) -> None:
    large = noise(3_000_000, "large")
    world.write("dump.sql", large)
    world.write("appended.sql", large + noise(500_000, "more"))
    world.line.save()
    done = world.line.purge("dump.sql")
    assert [trace.path for trace in done.left] == ["appended.sql"], "it has most of the same bytes"
    assert world.line.purge("appended.sql").gone
    for start in range(0, len(large), 100_000):
        assert where_it_is(world, large[start : start + 100]) == []


def test_the_ignore_rules_of_a_purged_directory_go_and_others_cannot(world: World) -> None:
    world.write("vendor/.gitignore", b"# " + SECRET.hex().encode() + b"\n*.log\n")
    world.write(".gitignore", "*.log\n")
    world.write("vendor/a.log", "kept\n")
    world.line.save()
    with pytest.raises(tb.InvalidInput, match="ignore rules"):
        world.line.purge("vendor/.gitignore")
    world.line.purge("vendor")
    assert where_it_is(world, SECRET.hex().encode()) == []


def test_dropped_snapshots_that_held_it_cannot_come_back(world: World, three: list[str]) -> None:
    world.write("a.txt", "four\n")
    world.remove("conf/.env")
    last = world.line.save().id
    world.write("a.txt", "five\n")
    world.line.save()
    for id in (*three[1:], last):
        world.line.drop(id)
    done = world.line.purge("conf/.env")
    assert done.snapshots == () and done.dropped == tuple(three[1:])
    assert_gone(world, SECRET)
    for id in three[1:]:
        with pytest.raises(tb.NotFound, match="purged"):
            world.store.undrop(id)


def test_one_that_was_dropped_and_came_back_keeps_nothing_of_it(world: World, three: list[str]) -> None:
    world.line.drop(three[1])
    world.store.undrop(three[1])
    assert world.line.purge("conf/.env").gone
    assert_gone(world, SECRET)
    world.line.drop(three[1])
    world.store.undrop(three[1])
    assert purged(world, three[1]) == ["conf/.env"]


def test_who_still_reads_it_delays_the_end_and_maintain_finishes_it(world: World, three: list[str]) -> None:
    world.store.maintain()
    with world.store.blobs.reader():
        done = world.line.purge("conf/.env")
        assert not done.gone and done.waiting == 1
        with pytest.raises(tb.NotFound):
            world.line.read("with", "conf/.env")
        assert world.store.maintain().purging
    assert not world.store.maintain().purging
    assert_gone(world, SECRET)


def test_running_it_again_finishes_it(world: World, three: list[str]) -> None:
    with world.store.blobs.reader():
        assert not world.line.purge("conf/.env").gone
    assert world.line.purge("conf/.env").gone
    assert_gone(world, SECRET)


def test_a_second_copy_that_the_catalogue_does_not_list_goes_too(world: World) -> None:
    big = noise(400_000, "needed")
    with world.store.blobs.writer() as slow:
        slow.put(SECRET, BlobKind.DATA)
        slow.put(big, BlobKind.DATA)
        world.write(".env", SECRET)
        world.line.save()
        slow.commit(nothing)  # into a pack of which nearly all is needed, by the next snapshot
    world.write("big.bin", big)
    world.line.save()
    assert world.line.purge(".env").gone
    assert_gone(world, SECRET)
    assert world.line.read("@", "big.bin") == big


def test_an_interrupted_restore_elsewhere_that_needs_it_comes_first(world: World, three: list[str]) -> None:
    world.remove("conf/.env")
    with world.store.blobs.writer() as writer:
        plan = writer.put(encode_plan(world.line.plan("later")), BlobKind.DOCUMENT)
        writer.commit(lambda tx: journals.begin(tx, journals.Journal("/elsewhere", 1, plan, three[2], 0)))
    with pytest.raises(tb.Conflict, match="interrupted"):
        world.line.purge("conf/.env")
    assert world.line.read("with", "conf/.env") == SECRET
    with world.store.blobs.database.write() as tx:
        journals.end(tx, "/elsewhere")
    assert world.line.purge("conf/.env").gone


@pytest.mark.parametrize("path", ["", ".", "/etc/passwd", "../x", "conf/../..", "/"])
def test_only_what_is_inside_the_root_can_be_purged(world: World, three: list[str], path: str) -> None:
    with pytest.raises(tb.InvalidInput):
        world.line.purge(path)


def test_a_purge_of_what_nobody_captured_finds_nothing(world: World, three: list[str]) -> None:
    for path in ("nowhere", "conf/.env/below", "a.txt/x"):
        with pytest.raises(tb.NotFound):
            world.line.purge(path)


def test_a_file_that_still_stands_is_captured_again_unless_it_is_ignored(world: World, three: list[str]) -> None:
    world.line.purge("conf/.env")
    world.write(".takebackignore", ".env\n")
    world.line.save()
    assert_gone(world, SECRET)
    world.remove(".takebackignore")
    world.line.save()
    assert world.line.read("@", "conf/.env") == SECRET
    assert world.line.purge("conf/.env").gone
    assert_gone(world, SECRET)


def test_snapshots_that_come_meanwhile_are_looked_at_too(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.write(".env", SECRET)
    world.line.save()
    other = tmp_path / "other"
    other.mkdir()
    beside = world.store.timeline("main", sources=[tb.Workspace(other)])
    came: list[str] = []

    def listener(progress: tb.Progress) -> None:
        if progress.phase == "purge" and not came:  # after the search, before the transaction
            (other / "leaked").write_bytes(SECRET)
            came.append(beside.save().id)

    monkeypatch.setattr(Watch, "INTERVAL", -1.0)
    done = world.store.timeline("main", sources=[tb.Workspace(world.root)], listener=listener).purge(".env")
    assert came and set(came) < set(done.snapshots)
    assert_gone(world, SECRET)
