"""A part whose content is a document is kept, weighed, checked, copied and purged like any other, with all of its pieces."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from support.agent import World
from support.owners import Memory, Owner
from support.processes import KILLED, in_child
from support.stores import noise, nothing, residue
from takeback.documents.blobs import Links, join
from takeback.documents.walking import load, walk
from takeback.engine import apply
from takeback.engine.reach import Reach, Sizes
from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.model.snapshot import Part
from takeback.store.blobstore import open_memory
from takeback.store.packs.chunking import LARGE
from takeback.store.writer import Writer

HUGE = noise(LARGE * 3, "huge")
"""A note that is stored in chunks."""
FULL = [b"short", noise(20_000, "long"), HUGE, *(noise(100, number) for number in range(300))]
"""So many that they need several documents."""


@pytest.fixture
def owner(world: World) -> Owner:
    world.write("a.txt", "1")
    owner = Owner(world, FULL)
    owner.line.save("full")
    owner.notes[:] = [b"short", b"new"]
    owner.line.save("later")
    return owner


def blobs_of(owner: Owner, reference: str) -> set[bytes]:
    with owner.world.store.blobs.reader() as reader:
        return set(Reach(reader).of(owner.line.show(reference).parts["memory"]))


def test_a_document_is_needed_with_all_that_it_leads_to_each_once() -> None:
    with open_memory() as store:
        with store.writer() as writer:
            contents = [writer.put(b"content", BlobKind.DATA), writer.put(HUGE, BlobKind.DATA)]
            leaf = writer.put(join((), contents, b"leaf"), BlobKind.DOCUMENT)
            middle = writer.put(join([leaf, leaf], (), b"middle"), BlobKind.DOCUMENT)
            root = writer.put(join([middle, leaf], contents[:1], b"root"), BlobKind.DOCUMENT)
            writer.commit(nothing)
        part = Part("memory", "state", {"content": root})
        with store.reader() as reader:
            chunks = {chunk.id for chunk in reader.recipe(contents[1]).chunks}
            reach = Reach(reader)
            found = list(reach.of(part))
            assert chunks and set(found) == {root, middle, leaf, *contents, *chunks} and len(found) == len(set(found))
            assert list(reach.of(part)) == []
            assert [blob for blob, _ in walk(lambda blob: load(reader, blob), root, ())] == [leaf, middle, root]
            inside = sum(map(reader.size, (leaf, *contents)))
            assert Sizes(reader).of(part) == sum(map(reader.size, (root, middle, contents[0]))) + 3 * inside


def test_few_documents_that_lead_to_each_other_again_and_again_are_walked_over_once() -> None:
    with open_memory() as store:
        with store.writer() as writer:
            blob = writer.put(join((), (), b"leaf"), BlobKind.DOCUMENT)
            for _ in range(3000):
                blob = writer.put(join([blob, blob], (), b""), BlobKind.DOCUMENT)
            writer.commit(nothing)
        with store.reader() as reader:
            part = Part("memory", "state", {"content": blob})
            assert len(list(Reach(reader).of(part))) == 3001
            assert Sizes(reader).of(part) > 2**3000


def test_what_is_still_held_stays_through_prune_and_maintain_and_the_rest_goes(owner: Owner) -> None:
    store = owner.world.store
    kept, all_of_it = blobs_of(owner, "later"), blobs_of(owner, "full")
    full = owner.line.drop("full")
    store.undrop(full)
    assert blobs_of(owner, "full") == all_of_it
    owner.line.drop("full")
    store.maintain()
    assert store.verify(read_data=True).ok
    assert owner.recorded("later") == [b"short", b"new"]
    with store.blobs.reader() as reader:
        assert all(map(reader.holds, kept))
        assert not any(map(reader.holds, all_of_it - kept))


def test_the_space_that_memory_takes_is_counted(owner: Owner) -> None:
    usage = owner.world.store.stats()
    (share,) = (each for each in usage.shares if each.part == "memory")
    assert share.snapshots == 2 and share.raw > len(HUGE)
    assert usage.logical > len(HUGE) + 20_000
    pruned = owner.world.store.prune(tb.Policy(max_bytes=1), dry_run=True)
    assert pruned.snapshots == () and pruned.kept == 2  # the first and the latest always stay


@pytest.mark.parametrize("which", ["root", "leaf", "content", "chunk", "recipe"])
def test_a_lost_piece_is_named_as_the_part_and_a_save_of_the_same_heals_it(owner: Owner, which: str) -> None:
    store = owner.world.store
    root = owner.line.show("full").parts["memory"].content
    with store.blobs.reader() as reader:
        found = dict(walk(lambda blob: load(reader, blob), root, ()))
        leaf = next(blob for blob in found if blob != root)
        contents = {content for links in found.values() for content in links.contents}
        content, recipe = sorted(contents, key=reader.size)
        chunk = reader.recipe(recipe).chunks[1].id
    lost = {"root": root, "leaf": leaf, "content": content, "chunk": chunk, "recipe": recipe}[which]
    with store.blobs.database.write() as tx:
        tx.execute("DELETE FROM blobs WHERE id = ?", (lost,))
    health = store.verify()
    assert not health.ok
    (loss,) = health.losses
    assert loss.about == ("memory: content",) and not loss.paths
    with pytest.raises(tb.Integrity):
        owner.line.restore("full")
    assert owner.notes == [b"short", b"new"]
    with pytest.raises(tb.Integrity):
        owner.world.line.restore("full")
    assert not owner.pending()
    if which == "chunk":
        store.repair(apply=True)  # which forgets, or finds again, what is only in part there
    owner.notes[:] = FULL
    owner.line.save()
    assert store.verify(read_data=True).ok


def test_repair_names_what_is_lost_of_a_memory_and_brings_back_the_rest(owner: Owner) -> None:
    world = owner.world
    root = owner.line.show("full").parts["memory"].content
    world.store.maintain()
    with world.store.blobs.reader() as reader:
        leaf = next(blob for blob, _ in walk(lambda blob: load(reader, blob), root, ()))
    with world.store.blobs.database.write() as tx:
        tx.execute("DELETE FROM blobs WHERE id = ?", (leaf,))
    done = world.store.repair(apply=True)
    assert done.whole, "it lies in a pack, from where repair brings it back"
    assert world.store.verify(read_data=True).ok


@pytest.mark.parametrize("live", [True, False], ids=["with the object", "from elsewhere"])
def test_a_plan_that_waited_through_a_condemnation_keeps_all_of_a_document(owner: Owner, live: bool) -> None:
    store = owner.world.store
    line = owner.line if live else owner.world.line
    owner.notes[:] = [noise(300_000, "a"), HUGE[:-1], b"x"]
    owner.line.save("middle")
    owner.notes[:] = [b"last"]
    owner.line.save()
    plan = line.plan("middle", only=["memory"])
    with store.blobs.reader():
        store.prune(tb.Policy(keep_last=1))
        assert store.maintain().waiting, "the reader holds the condemned packs"
        line.apply(plan)
    store.maintain()
    assert store.verify(read_data=True).ok
    owner.line.sync()
    assert owner.notes == [noise(300_000, "a"), HUGE[:-1], b"x"]


@pytest.mark.parametrize("way", ["push", "export"])
def test_memory_goes_along_to_another_store(owner: Owner, tmp_path: Path, way: str) -> None:
    owner.world.line.restore("full", only=["memory"])  # what is pending is so there, too
    store = owner.world.store
    with tb.open(tmp_path / "other") as other:
        if way == "push":
            store.push(other)
            assert store.push(other).blobs == 0
        else:
            store.export(tmp_path / "file")
            other.import_(tmp_path / "file")
        assert other.verify(read_data=True).ok
        there = Memory()
        line = other.timeline(sources=[tb.Workspace(owner.world.root), tb.State("memory", there)])
        line.save()
        assert there.notes == FULL


def test_a_kind_that_is_not_known_is_still_refused(owner: Owner, tmp_path: Path) -> None:
    class Strange(tb.State):
        kind = "hologram"

        def capture(self, writer: Writer, previous: Part | None, watch: Watch) -> Part:
            return super().capture(writer, previous, watch)._replace(kind=self.kind)

    line = owner.world.store.timeline("strange", sources=[Strange("strange", Memory([b"x"]))])
    line.save()
    with pytest.raises(tb.Unavailable, match="of the kind 'hologram'"):
        owner.world.store.maintain()
    with pytest.raises(tb.Unavailable, match="of the kind 'hologram'"):
        owner.world.store.export(tmp_path / "file")


# -- purge

SECRET = "token=sk-live-51Habc/é\\9xZq0123"
WORD = SECRET.partition("=")[2]


@pytest.mark.parametrize("note", [b"I saw %s there", b"x" * 5000 + b" %s " + b"y" * 5000], ids=["short", "long"])
def test_a_memory_that_quotes_a_purged_secret_is_not_captured_any_more(world: World, note: bytes) -> None:
    owner = Owner(world, [b"before"])
    world.write("env", SECRET)
    clean = owner.line.save()
    owner.notes.append(note % WORD.encode())
    quoting = owner.line.save()
    owner.notes[:] = [b"after"]
    owner.line.save()
    planned = owner.line.purge("env", dry_run=True)
    assert any("memory" in trace.path for trace in planned.removed)
    done = owner.line.purge("env")
    assert done.gone
    assert [name for name, data in residue(world.store_path) if WORD.encode() in data] == []
    part = owner.line.show(quoting.id).parts["memory"]
    assert part.purged and [item.reason for item in part.not_captured] == ["purged"]
    assert owner.recorded(clean.id) == [b"before"]
    report = owner.line.restore(quoting.id)
    assert owner.notes == [b"after"] and [item.path for item in report.kept if item.part == "memory"] == ["memory"]
    with pytest.raises(tb.NotFound, match="purged"):
        owner.line.value(quoting.id, "memory")
    assert world.store.verify(read_data=True).ok
    world.store.maintain()
    with tb.open(world.base / "other") as other:
        world.store.push(other)
        assert other.verify(read_data=True).ok


def test_a_file_that_memory_holds_as_a_whole_is_found_whatever_its_words(world: World) -> None:
    text = b"a b c d " * 1000
    owner = Owner(world, [text])
    world.write("secret", text)
    owner.line.save()
    owner.notes.clear()
    owner.line.save()
    assert owner.line.purge("secret").gone


def test_undo_of_a_turn_whose_memory_was_purged_takes_back_the_files_and_says_so(world: World) -> None:
    owner = Owner(world, [b"before"])
    world.write("env", SECRET)
    owner.line.save()
    owner.turn("quotes", f"it is {WORD}".encode(), **{"a.txt": "2"})
    owner.notes[:] = [b"clean"]
    owner.line.save(trigger="interval")
    owner.line.purge("env")
    (move,) = (each.id for each in owner.line.log().moves if each.title == "quotes")
    report = owner.line.undo(move)
    assert not world.exists("a.txt") and owner.notes == [b"clean"]
    assert [(item.path, item.reason) for item in report.kept] == [("memory", "it held something that was purged")]


# -- all or nothing


@pytest.fixture
def both(world: World) -> Owner:
    owner = Owner(world, [b"one"])
    world.write("a.txt", "1")
    world.write("d/b.txt", "1")
    owner.line.save("first")
    owner.notes[:] = [b"two"]
    world.write("a.txt", "2")
    world.write("d/b.txt", "2")
    owner.line.save("second")
    return owner


def as_second(owner: Owner) -> bool:
    world = owner.world
    return owner.notes == [b"two"] and world.read("a.txt") == world.read("d/b.txt") == b"2"


def test_a_memory_that_cannot_be_put_back_leaves_the_files_as_they_were(both: Owner) -> None:
    both.state.refuses = tb.InvalidInput("no")
    with pytest.raises(tb.InvalidInput, match="no"):
        both.line.restore("first")
    assert as_second(both) and both.line.interrupted() is None
    both.state.refuses = None
    both.line.restore("first")
    assert both.notes == [b"one"] and both.world.read("a.txt") == b"1"
    both.line.undo()
    assert as_second(both)


def test_files_that_cannot_be_written_leave_memory_as_it_was(both: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    root, sync, put_back = os.stat(both.world.root), os.fsync, []

    def fail_for_the_root(descriptor: int) -> None:
        if os.path.samestat(os.fstat(descriptor), root):
            put_back.append(list(both.notes))
            monkeypatch.undo()
            raise OSError(5, "Input/output error")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", fail_for_the_root)
    with pytest.raises(tb.Unavailable, match="Input/output error"):
        both.line.restore("first")
    assert put_back == [[b"one"]], "memory had been put back already"
    assert as_second(both) and both.line.interrupted() is None
    both.line.save()
    assert as_second(both)
    assert both.world.store.verify(read_data=True).ok


def test_an_object_that_raises_anything_at_all_is_no_reason_to_leave_files_in_between(both: Owner) -> None:
    both.state.refuses = RuntimeError("I am angry")
    with pytest.raises(RuntimeError, match="angry"):
        both.line.restore("first")
    assert as_second(both)


# -- killed


def die(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_after(module: Any, name: str) -> None:
    function = getattr(module, name)

    def then_die(*arguments: Any, **options: Any) -> Any:
        function(*arguments, **options)
        die()

    setattr(module, name, then_die)


KILLS: dict[str, Callable[[], None]] = {
    "before the journal": lambda: setattr(apply, "_begin", die),
    "after the journal": lambda: kill_after(apply, "_begin"),
    "before it is recorded": lambda: setattr(apply, "conclude", die),
    "after it is recorded": lambda: kill_after(apply, "conclude"),
}


@pytest.mark.parametrize("live", [True, False], ids=["by the owner", "by another"])
@pytest.mark.parametrize("then", ["owner", "another"])
@pytest.mark.parametrize("when", KILLS)
def test_a_restore_that_was_killed_is_finished_by_whoever_comes_next(
    both: Owner, when: str, live: bool, then: str
) -> None:
    world = both.world

    def work() -> None:
        again = World(world.base)
        line = Owner(again, [b"two"]).line if live else again.line
        KILLS[when]()
        line.restore("first")

    assert in_child(work)[0] == KILLED
    world = world.reopened()
    owner = Owner(world, [b"two"])
    if then == "another":
        world.line.save()
    owner.line.save()
    assert world.read("d/b.txt") == world.read("a.txt") == (b"2" if when == "before the journal" else b"1")
    died_with_it = when == "before the journal" or (live and when == "after it is recorded")
    assert owner.notes == ([b"two"] if died_with_it else [b"one"])
    assert owner.recorded() == owner.notes and not owner.pending()
    with world.store.blobs.database.read() as tx:
        assert not list(tx.execute("SELECT 1 FROM journals"))
    assert world.store.verify(read_data=True).ok


def test_an_owner_that_is_killed_while_it_catches_up_leaves_it_pending(both: Owner) -> None:
    world = both.world
    world.line.restore("first")

    def work() -> None:
        owner = Owner(World(world.base), [b"two"])
        kill_after(apply, "_begin")
        owner.line.save()

    assert in_child(work)[0] == KILLED
    world = world.reopened()
    world.line.save()
    owner = Owner(world, [b"two"])
    assert owner.pending() and owner.recorded() == [b"one"]
    owner.line.save()
    assert owner.notes == [b"one"] and not owner.pending()


def test_a_maintenance_keeps_what_an_unfinished_restore_needs_of_a_document(both: Owner) -> None:
    world = both.world
    both.notes[:] = [HUGE, b"x"]
    both.line.save("third")
    world.line.restore("first")

    def work() -> None:
        again = World(world.base)
        kill_after(apply, "_begin")
        again.line.restore("third", only=["memory"])

    assert in_child(work)[0] == KILLED
    world = world.reopened()
    world.store.maintain()
    owner = Owner(world)
    owner.line.save()
    assert owner.notes == [HUGE, b"x"]
    assert world.store.verify(read_data=True).ok


def test_a_journal_whose_document_is_not_there_is_taken_back(both: Owner) -> None:
    world = both.world
    root = both.line.show("first").parts["memory"].content

    def work() -> None:
        again = World(world.base)
        kill_after(apply, "_begin")
        again.line.restore("first", only=["memory"])

    assert in_child(work)[0] == KILLED
    world = world.reopened()
    with world.store.blobs.database.write() as tx:
        tx.execute("DELETE FROM blobs WHERE id = ?", (root,))
    owner = Owner(world, [b"two"])
    owner.line.save()
    assert owner.notes == [b"two"] and not owner.pending()
    owner.notes[:] = [b"one"]
    owner.line.save()  # which heals the store


def test_a_walk_goes_as_deep_as_documents_do() -> None:
    below = {bytes([number]) * 32: Links((bytes([number + 1]) * 32,)) for number in range(200)}
    below[bytes([200]) * 32] = Links()
    assert len(list(walk(below.__getitem__, bytes(32), ()))) == 201
