"""repair: all that can be comes back, what cannot is named, and nothing that was there is deleted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

import takeback as tb
from support import campaigns
from support.agent import World
from support.counts import Tell, tell
from support.faults.zygote import Zygote
from support.stores import noise, pack_files
from support.template import Template
from takeback.engine.repair import Repaired, repair
from takeback.sources import trees
from takeback.store.catalogue import journals
from takeback.store.packs.sealing import HOT

MIB = 1 << 20


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A store with packs, a fold, and hot rows that came after it."""
    world = World(tmp_path)
    world.write("a.txt", "one\n")
    world.write("d/sound.bin", noise(300_000, "sound"))
    world.write("huge.bin", noise(3 * MIB, "huge"))
    world.line.save("first")
    world.line.pin("first")
    world.turn("folded", {"a.txt": "two\n", "b.txt": "b\n"})
    world.store.maintain()
    yield world
    world.store.close()


def lose_catalogue(world: World) -> None:
    world.store.close()
    for suffix in ("", "-wal", "-shm"):
        (world.store_path / f"catalogue.db{suffix}").unlink(missing_ok=True)


def flip(file: Path, position: int) -> None:
    file.chmod(0o600)
    data = bytearray(file.read_bytes())
    data[position] ^= 0x40
    file.write_bytes(data)


def repaired(world: World) -> tuple[World, Repaired]:
    """A dry run changes nothing and says the same; then it is done, done again there is nothing to do."""
    world.store.close()
    before = {path: path.read_bytes() for path in world.store_path.rglob("*") if path.is_file()}
    planned = repair(world.store_path)
    after = {path: path.read_bytes() for path in world.store_path.rglob("*") if path.is_file()}
    assert {**before, **after} == after and after.keys() - before.keys() <= {
        world.store_path / "catalogue.db-wal",
        world.store_path / "catalogue.db-shm",
        *(world.store_path / "leases").glob("*"),
    }
    done = repair(world.store_path, apply=True)
    assert not planned.applied
    assert (done.losses, done.gone, done.snapshots) == (planned.losses, planned.gone, planned.snapshots)
    assert sorted(done.recovered) == sorted(planned.recovered)
    again = repair(world.store_path)
    assert not again.findings and again.losses == done.losses
    return world.reopened(), done


def test_a_sound_store_has_nothing_to_repair(world: World) -> None:
    world.turn("after the fold", {"a.txt": "three\n"})
    done = world.store.repair(apply=True)
    assert not done.findings and not done.applied and done.whole
    assert not (world.store_path / "aside").exists()
    world.undo()
    assert world.read("a.txt") == b"two\n"


def test_a_lost_catalogue_comes_back_up_to_the_last_fold(world: World) -> None:
    log = world.line.log()
    lose_catalogue(world)
    with pytest.raises(tb.Integrity, match="lost its catalogue"):
        tb.open(world.store_path, create=False).stats()
    world, done = repaired(world)
    assert done.applied and done.whole and not done.recovered
    assert world.line.log() == log
    assert world.line.log().snapshots[-1].pinned
    assert world.store.verify(read_data=True).ok
    world.undo()
    assert world.read("a.txt") == b"one\n" and not world.exists("b.txt")
    world.redo()
    assert world.read("a.txt") == b"two\n"
    world.line.save("it goes on")


def test_snapshots_that_no_timeline_names_are_recovered(world: World) -> None:
    world.write("new.bin", noise(700_000, "new"))
    late = world.line.save("late")
    lose_catalogue(world)
    world, done = repaired(world)
    assert done.recovered == (late.id,)
    assert [row.name for row in world.store.timelines()] == ["main", "recovered"]
    found = world.store.timeline("recovered", sources=[tb.Workspace(world.root)])
    assert found.read("@", "new.bin") == noise(700_000, "new")
    assert world.store.verify(read_data=True).ok


def test_without_any_fold_every_manifest_in_a_pack_is_recovered(tmp_path: Path) -> None:
    world = World(tmp_path)
    saved = []
    for number in range(3):
        world.write("big.bin", noise(400_000, number))
        saved.append(world.line.save().id)
    lose_catalogue(world)
    world, done = repaired(world)
    assert list(done.recovered) == saved
    line = world.store.timeline("recovered", sources=[tb.Workspace(world.root)])
    assert [row.id for row in reversed(line.log().snapshots)] == saved
    assert line.read("@-", "big.bin") == noise(400_000, 1)


def test_a_dropped_snapshot_stays_dropped_where_the_catalogue_is_sound(world: World) -> None:
    world.turn("big", {"new.bin": noise(700_000, "new")})
    world.line.save("last")
    dropped = world.line.drop("@-")
    (world.store_path / "derived").rename(world.store_path / "tmp" / "derived")
    world, done = repaired(world)
    assert [finding.kind for finding in done.findings] == ["directory"] and not done.recovered
    assert dropped not in [row.id for row in world.line.log().snapshots]


def test_what_is_replaced_is_kept_aside(world: World) -> None:
    world.store.close()
    damaged = bytearray((world.store_path / "catalogue.db").read_bytes())
    damaged[:200] = bytes(200)
    (world.store_path / "catalogue.db").write_bytes(damaged)
    world, done = repaired(world)
    assert done.aside is not None and "catalogue.db" in done.kept
    assert (Path(done.aside) / "catalogue.db").read_bytes() == damaged


def test_a_repair_waits_for_nobody_who_is_at_work(world: World) -> None:
    with world.store.blobs.reader(), pytest.raises(tb.Locked) as caught:
        repair(world.store_path, apply=True)
    assert caught.value.hints
    assert not repair(world.store_path, apply=True).findings


def test_whoever_has_the_store_open_never_writes_into_a_catalogue_that_was_replaced(world: World) -> None:
    other = world.reopened()
    other.line.log()
    world.store.close()
    with apsw.Connection(str(world.store_path / "catalogue.db")) as connection:
        connection.execute("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'labels_by_name'")
    assert other.line.log().snapshots, "it can still be used, though not all of it is sound"
    assert repair(world.store_path, apply=True).applied
    other.write("a.txt", "written by the other\n")
    with pytest.raises(tb.Locked, match="replaced"):
        other.line.save("into the old file")
    saved = other.line.save("into the new one")
    assert saved.id in [row.id for row in world.reopened().line.log().snapshots]
    other.store.close()


@pytest.mark.parametrize("name", ["leases", "derived", "tmp"])
def test_lost_directories_are_made_again(world: World, name: str) -> None:
    world.store.close()
    for file in (world.store_path / name).iterdir():
        file.unlink()
    (world.store_path / name).rmdir()
    world, done = repaired(world)
    assert [(finding.kind, finding.what) for finding in done.findings] == [("directory", f"{name}/")]
    world.write("a.txt", "goes on\n")
    world.line.save()


@pytest.mark.parametrize("damage", ["gone", "torn", "flipped"])
def test_a_header_is_made_again(world: World, damage: str) -> None:
    world.store.close()
    header = world.store_path / "store.json"
    whole = header.read_bytes()
    if damage == "gone":
        header.unlink()
    else:
        header.write_bytes(whole[:70] if damage == "torn" else whole.replace(b'"format": 1', b'"format"; 1'))
    with pytest.raises(tb.TakebackError, match="store.json"):
        tb.open(world.store_path)
    world, done = repaired(world)
    assert [finding.kind for finding in done.findings] == ["header"]
    assert damage != "flipped" or header.read_bytes() == whole, "all that matters could still be read"
    world.undo()


def test_a_missing_pack_is_lost_by_name_and_healed_by_the_next_save(world: World) -> None:
    """The second snapshot is in hot rows but for the large file, which it shares with the first."""
    packs = set(pack_files(world.store_path))
    world.write("late.bin", noise(800_000, "late"))
    first = world.line.save()
    (pack,) = set(pack_files(world.store_path)) - packs
    world.write("a.txt", "a little more\n")
    second = world.line.save()
    pack.unlink()
    assert set(world.store.verify().harmed) == {first.id, second.id}
    world, done = repaired(world)
    assert done.gone == (first.id,)
    assert [(loss.snapshot, loss.paths) for loss in done.losses] == [(second.id, ("late.bin",))]
    with pytest.raises(tb.Integrity, match=r"late\.bin"):
        world.line.restore(second.id, to=world.base / "whole")
    world.line.restore(second.id, paths=["a.txt", "d"], to=world.base / "part")
    assert (world.base / "part" / "a.txt").read_text() == "a little more\n"
    world.line.save("nothing changed, and yet it is read again")
    assert world.store.verify(read_data=True).ok, "the file was still there, so it is stored again"
    world.line.restore(second.id, to=world.base / "healed")
    assert (world.base / "healed" / "late.bin").read_bytes() == noise(800_000, "late")


def test_packs_without_trailers_and_without_a_catalogue_still_give_back_everything(world: World) -> None:
    log = world.line.log()
    lose_catalogue(world)
    for pack in pack_files(world.store_path):
        flip(pack, pack.stat().st_size - 100)
    world, done = repaired(world)
    assert done.whole and world.line.log() == log
    assert world.store.verify(read_data=True).ok
    assert world.line.read("first", "huge.bin") == noise(3 * MIB, "huge")
    world.undo()


def test_hot_frames_whose_blobs_nobody_lists_still_give_back_everything(world: World) -> None:
    saved = world.turn("hot", {"a.txt": "three\n", "d/new.txt": "new\n"})
    log = world.line.log()
    with world.store.blobs.database.write() as tx:
        tx.execute("DELETE FROM blobs WHERE pack = 0")
    assert world.store.verify().harmed
    world, done = repaired(world)
    assert done.whole and world.line.log() == log and world.store.verify(read_data=True).ok
    world.undo(saved)
    assert world.read("a.txt") == b"two\n" and not world.exists("d/new.txt")


def test_a_lost_directory_is_named_and_the_next_save_heals_it(world: World) -> None:
    """The tree of a directory is gone, and with it what is known of it; its files are still in the workspace."""
    world.write("d/e/f.txt", "deep\n")
    saved = world.line.save()
    with world.store.blobs.reader() as reader:
        content = saved.parts["workspace"].content
        inner = trees.load(reader, trees.load(reader, content)["d"].id)["e"].id
    with world.store.blobs.database.write() as tx:
        ((frame, start),) = tx.execute("SELECT frame, start FROM blobs WHERE id = ? AND pack = 0", (inner,))
        ((sealed, length),) = tx.execute("SELECT data, raw_length FROM hot WHERE frame = ?", (frame,))
        raw = bytearray(world.store.blobs.sealer.open(sealed, length, HOT))
        raw[start + 12] ^= 1
        tx.execute("UPDATE hot SET data = ? WHERE frame = ?", (world.store.blobs.sealer.seal(bytes(raw), HOT), frame))
    with pytest.raises(tb.Integrity):
        world.line.restore(saved.id, to=world.base / "whole")
    (loss,) = world.store.verify(read_data=True).losses
    assert (loss.snapshot, loss.paths) == (saved.id, ("d/e/",))
    world, done = repaired(world)
    assert done.losses == (loss,)
    with pytest.raises(tb.Integrity, match="the directory d/e is lost"):
        world.line.restore(saved.id, to=world.base / "whole2")
    world.line.restore(saved.id, paths=["a.txt", "d/sound.bin"], to=world.base / "part")
    assert (world.base / "part" / "d" / "sound.bin").read_bytes() == noise(300_000, "sound")
    world.line.save("nothing changed, and yet all is looked at")
    assert world.store.verify(read_data=True).ok


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE moves SET context = 'x' || context", "whose context cannot be read"),
        ("UPDATE operations SET detail = '[]' WHERE seq = 1", "whose detail cannot be read"),
        ("UPDATE snapshots SET timeline = 7 WHERE seq = 1", "of a timeline that does not exist"),
        ("UPDATE timelines SET head = 'nowhere'", "whose latest snapshot is not its last"),
        ("UPDATE moves SET closing_seq = closing_seq + 1", "begins or ends at a snapshot that does not exist"),
        ("UPDATE counters SET value = 0 WHERE name = 'snapshots'", "behind the numbers in use"),
        ("UPDATE snapshots SET parent = 'nowhere' WHERE parent IS NOT NULL", "with a parent that does not exist"),
        (
            "INSERT INTO labels (snapshot, name, added_ns) VALUES ('nowhere', 'x', 0)",
            "of a snapshot that does not exist",
        ),
    ],
)
def test_rows_that_do_not_fit_together_are_found_and_put_right(world: World, statement: str, what: str) -> None:
    log = world.line.log()
    with world.store.blobs.database.write() as tx:
        tx.execute(statement)
    assert any(what in problem.detail for problem in world.store.verify().problems)
    world, done = repaired(world)
    assert done.whole and any(what in finding.detail for finding in done.findings)
    assert world.line.log().snapshots == log.snapshots
    assert [move.closing for move in world.moves()] == [move.closing for move in log.moves]
    world.undo()
    assert world.read("a.txt") == b"one\n"


@pytest.mark.parametrize(
    "change",
    [
        "manifest = zeroblob(32)",
        "manifest = (SELECT manifest FROM snapshots ORDER BY seq DESC LIMIT 1)",
        "\"trigger\" = 'restore'",
    ],
)
def test_a_row_that_contradicts_a_manifest_is_found_and_put_right(world: World, change: str) -> None:
    log = world.line.log()
    with world.store.blobs.database.write() as tx:
        tx.execute(f"UPDATE snapshots SET {change} WHERE seq = 1")
    assert not world.store.verify().ok
    world, done = repaired(world)
    assert done.whole and [(each.kind, each.what) for each in done.findings] == [("history", "1 snapshots")]
    assert world.store.verify(read_data=True).ok
    assert world.line.log() == log


def test_a_pack_with_a_name_that_none_can_have_is_named_and_found_again(world: World) -> None:
    log = world.line.log()
    with world.store.blobs.database.write() as tx:
        tx.execute("UPDATE packs SET name = 'm' || substr(name, 2) WHERE id = 1")
    problems = {problem.kind: problem for problem in world.store.verify().problems}
    assert problems["missing pack"].detail == "the catalogue gives it a name that no pack can have"
    assert "unknown pack" in problems
    with pytest.raises(tb.Integrity, match="which no pack can be called") as failed:
        world.line.restore("root", to=world.base / "elsewhere")
    assert any("takeback store repair" in hint for hint in failed.value.hints)
    world, done = repaired(world)
    assert done.whole and world.store.verify(read_data=True).ok
    assert world.line.log() == log


def test_an_interrupted_restore_whose_plan_is_lost_is_not_in_the_way_for_ever(world: World) -> None:
    head = world.line.log().snapshots[0].id
    with world.store.blobs.database.write() as tx:
        journals.begin(tx, journals.Journal(str(world.root), 1, bytes(32), head, 1))
    with pytest.raises(tb.Integrity):
        world.line.save()
    assert [problem.what for problem in world.store.verify().problems] == [f"the restore of {world.root}"]
    world, done = repaired(world)
    assert [finding.kind for finding in done.findings] == ["unfinished restore"]
    world.write("a.txt", "goes on\n")
    world.line.save()


def test_it_refuses_what_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(tb.InvalidInput):
        repair(tmp_path)
    with pytest.raises(tb.NotFound):
        repair(tmp_path / "nowhere")
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.campaign("repair-killed")
@pytest.mark.parametrize("what", ["a pack", "the catalogue"])
def test_a_repair_that_was_killed_anywhere_is_done_by_the_next(
    zygote: Zygote, memory_path: Path, what: str, record_property: Tell
) -> None:
    """Killed before any of its steps, nothing that could be read before cannot be read then, and the next repair ends in
    the same store as if there had been none before it."""
    (memory_path / "world").mkdir()
    world = World(memory_path / "world")
    world.write("a.txt", "one\n")
    world.write("big.bin", noise(300_000, "big"))
    world.line.save("first")
    world.write("a.txt", "two\n")
    world.line.save("second")
    world.store.blobs.database.tidy()  # what is damaged counts, and is not still in the log
    world.store.close()
    damaged = pack_files(world.store_path)[0] if what == "a pack" else world.store_path / "catalogue.db"
    flip(damaged, damaged.stat().st_size - 100 if what == "a pack" else 1)
    original = damaged.read_bytes()
    template = Template(memory_path / "template", world.base)
    points = zygote.points(world.base, applied, world.store_path)
    whole = look_at(world)
    chosen = campaigns.pick(range(1, len(points) + 1), 6)
    killed = 0
    for at in chosen:
        template.reset()
        killed += zygote.killed(world.base, at, applied, world.store_path)
        assert look_at(world) == whole, f"killed before {points[at - 1].text}"
        kept = [path for path in (world.store_path / "aside").rglob(damaged.name) if path.read_bytes() == original]
        assert kept, "what was damaged is still there, aside"
    campaigns.count_runs(record_property, len(chosen))
    tell(record_property, f"repair of {what}: killed at {killed} of {len(points)} steps")
    assert killed > len(chosen) // 2 and len(points) > 40


def applied(store: Path) -> None:
    repair(store, apply=True)


def look_at(world: World) -> dict[str, bytes]:
    """Repair, and what is in the newest snapshot then."""
    applied(world.store_path)
    with tb.open(world.store_path, create=False) as store:
        assert store.verify(read_data=True).ok
        line = store.timeline("main", sources=[tb.Workspace(world.root)])
        assert [row.labels for row in line.log().snapshots] == [("second",), ("first",)]
        found = {path: line.read("@", path) for path, entry in line.files("@") if entry.kind == "f"}
        line.save("it goes on")
        return found
