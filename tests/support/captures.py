"""Filling a world, and looking into its snapshots with the same values that `support.trees` reads from a directory."""

from __future__ import annotations

from pathlib import Path

from support.agent import World
from support.trees import Node, Spec, make_tree
from takeback.model.snapshot import Snapshot
from takeback.model.tree import DIRECTORY, FILE, Entry
from takeback.sources.trees import TreeView
from takeback.store.reader import Reader


def content(world: World, snapshot: Snapshot) -> dict[str, Node]:
    """Everything in a snapshot's workspace, byte for byte, with modes: equal to `World.tree` if all is captured."""
    with world.store.blobs.reader() as reader:
        view = TreeView(reader, snapshot.parts["workspace"].content)
        return dict(sorted((path, _node(reader, entry)) for path, entry in view.below("")))


def left_out(snapshot: Snapshot) -> dict[str, str]:
    """What was not captured, by path, with the reason."""
    assert len({item.path for item in snapshot.not_captured}) == len(snapshot.not_captured)
    return {item.path: item.reason for item in snapshot.not_captured}


def fill(world: World, tree: dict[str, Spec]) -> None:
    make_tree(world.root, tree)


def empty(directory: Path) -> None:
    for entry in list(directory.iterdir()):
        if entry.is_dir() and not entry.is_symlink():
            entry.chmod(0o755)
            empty(entry)
            entry.rmdir()
        else:
            entry.unlink()


def saved(world: World) -> Snapshot:
    """A snapshot that holds all there is, twice: with and without what was remembered of the first time."""
    first = world.line.save()
    assert content(world, first) == world.tree()
    assert left_out(first) == {}
    assert world.line.save().id == first.id
    return first


def comes_back(world: World) -> None:
    """Everything can be captured, and comes back byte for byte after it was deleted."""
    snapshot, tree = saved(world), world.tree()
    empty(world.root)
    assert world.tree() == {}
    world.restore(snapshot)
    assert world.tree() == tree


def _node(reader: Reader, entry: Entry) -> Node:
    if entry.kind == DIRECTORY:
        return Node("dir", entry.mode, b"")
    data = b"".join(reader.stream(entry.id))
    assert len(data) == entry.size
    return Node("file", entry.mode, data) if entry.kind == FILE else Node("link", 0, data)
