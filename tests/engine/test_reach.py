"""What snapshots need includes the pieces of everything that is stored in pieces."""

from __future__ import annotations

from pathlib import Path

import pytest

import takeback as tb
from support.agent import World
from support.stores import noise, nothing
from takeback.engine.reach import _MANY, Reach
from takeback.model.ids import BlobKind
from takeback.model.snapshot import Part
from takeback.model.tree import Entry, encode_tree
from takeback.store.blobstore import open_memory
from takeback.store.packs.chunking import LARGE_TREE, LARGEST
from takeback.store.packs.sealing import RAW_LIMIT


def test_a_document_that_was_cut_is_needed_with_its_chunks() -> None:
    with open_memory() as store:
        with store.writer() as writer:
            id = writer.put(b"document " * (RAW_LIMIT // 8), BlobKind.DOCUMENT)
            writer.commit(nothing)
        with store.reader() as reader:
            chunks = {chunk.id for chunk in reader.recipe(id).chunks}
            assert chunks and set(Reach(reader).blob(id)) == {id, *chunks}


def test_a_tree_that_was_cut_is_needed_with_its_chunks() -> None:
    with open_memory() as store:
        with store.writer() as writer:
            file = writer.put(b"x", BlobKind.DATA)
            entry = Entry("f", 0o644, 1, file)
            tree = writer.put(encode_tree({f"{number:0200}": entry for number in range(280_000)}), BlobKind.TREE)
            writer.commit(nothing)
        with store.reader() as reader:
            chunks = {chunk.id for chunk in reader.recipe(tree).chunks}
            assert chunks
            assert set(Reach(reader).of(Part("w", "workspace", {"content": tree}))) == {tree, file, *chunks}


def test_no_tree_that_is_cut_has_fewer_entries() -> None:
    longest = len(encode_tree({"x" * 255: Entry("f", 0o644, 1, bytes(32))}))
    assert _MANY * longest < LARGE_TREE
    assert LARGE_TREE >= LARGEST, "or a chunk, which may have the bytes of a tree, could be in chunks itself"


@pytest.mark.parametrize("entries", [1200, 2000, 3500])
def test_a_maintenance_keeps_the_chunks_of_every_tree_that_was_cut(world: World, entries: int) -> None:
    for number in range(entries):
        world.write(f"many/{number:05}{'x' * (300_000 // entries)}"[:250], b"")
    first = world.line.save("first")
    with world.store.blobs.reader() as reader:
        from takeback.sources import trees

        assert reader.in_chunks(trees.load(reader, first.parts["workspace"].content)["many"].id)
    for number in range(3):
        world.write("other", str(number).encode())
        world.line.save()
        world.store.maintain()
    assert world.store.verify(read_data=True).ok
    with tb.open(":memory:") as other:
        world.store.push(other)
        other.maintain()
        assert other.verify(read_data=True).ok


@pytest.mark.parametrize("file_first", [True, False])
def test_a_file_with_the_bytes_of_a_tree_hides_nothing_of_it(file_first: bool) -> None:
    with open_memory() as store:
        with store.writer() as writer:
            leaf = writer.put(b"leaf", BlobKind.DATA)
            inner = encode_tree({f"{number:0250}": Entry("f", 0o644, 4, leaf) for number in range(4000)})
            id = writer.put(inner, BlobKind.DATA if file_first else BlobKind.TREE)
            assert writer.put(inner, BlobKind.TREE if file_first else BlobKind.DATA) == id
            names = ("a", "b") if file_first else ("b", "a")
            file, directory = Entry("f", 0o644, len(inner), id), Entry("d", 0o755, 0, id)
            top = writer.put(encode_tree(dict(zip(names, (file, directory), strict=True))), BlobKind.TREE)
            writer.commit(nothing)
        with store.reader() as reader:
            chunks = {chunk.id for chunk in reader.recipe(id).chunks}
            assert chunks, "equal bytes are in chunks or are not, whatever they were put as"
            assert set(Reach(reader).of(Part("w", "workspace", {"content": top}))) == {top, id, leaf, *chunks}


def test_a_file_with_the_bytes_of_a_long_tree_does_not_stop_a_maintenance(world: World, tmp_path: Path) -> None:
    for number in range(5000):
        world.write(f"many/{number:05}{'x' * 200}", b"")
    first = world.line.save()
    with world.store.blobs.reader() as reader:
        top = first.parts["workspace"].content
        from takeback.sources import trees

        tree = reader.get(trees.load(reader, top)["many"].id)
    assert len(tree) > 1 << 20
    world.write("same.bin", tree)
    world.write("other.bin", noise(2_000_000))
    world.remove("many")
    last = world.line.save()
    world.line.drop(first)
    world.store.maintain()
    with tb.open(":memory:") as other:
        world.store.push(other)
        assert not other.verify(read_data=True).problems
    world.line.restore(last, to=tmp_path / "out")
    assert (tmp_path / "out" / "same.bin").read_bytes() == tree
