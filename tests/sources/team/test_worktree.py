"""A member's worktree as a source: what is not in it is never touched, whatever a store says."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.trees import make_tree, read_tree
from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.model.plan import Effect
from takeback.model.progress import Watch
from takeback.model.snapshot import Part
from takeback.model.tree import DIRECTORY, FILE, Entry, encode_tree
from takeback.sources.team.worktree import Worktree
from takeback.store.blobstore import BlobStore, open_local
from takeback.store.writer import Writer


@pytest.fixture
def store(tmp_path: Path) -> Iterator[BlobStore]:
    with open_local(tmp_path / "store") as store:
        yield store


@pytest.fixture
def worktree(tmp_path: Path) -> Worktree:
    made = Worktree("alpha", "ada", os.path.realpath(tmp_path / "data"))
    make_tree(
        Path(made.root),
        {"workspaces/alpha/ada/app.py": "one\n", "workspaces/alpha/bob/app.py": "bob\n", "config.json": "{}\n"},
    )
    return made


def _tree(writer: Writer, *names: str) -> bytes:
    """A tree with a file at the end of a way."""
    entry = Entry(FILE, 0o644, 2, writer.put(b"x\n", BlobKind.DATA))
    for name in reversed(names):
        tree = writer.put(encode_tree({name: entry}), BlobKind.TREE)
        entry = Entry(DIRECTORY, 0o755, 0, tree)
    return entry.id


@pytest.mark.parametrize(
    "path",
    ["new.json", "workspaces/alpha/bob/new.py", "workspaces/alpha/adam/x", "teams/alpha/config.json", "workspaces/x"],
)
def test_a_stored_part_reaches_nothing_but_its_own_worktree(store: BlobStore, worktree: Worktree, path: str) -> None:
    before = read_tree(worktree.root)
    with store.writer() as writer:
        present = worktree.capture(writer, None, Watch())
        forged = present._replace(refs={**present.refs, "content": _tree(writer, *path.split("/"))})
        with pytest.raises(Integrity, match="ada's worktree"):
            worktree.plan(writer.reader, present, forged, None)
        entry = Entry(FILE, 0o644, 2, writer.put(b"x\n", BlobKind.DATA))
        with pytest.raises(Integrity, match="ada's worktree"):
            worktree.stage(writer.reader, [Effect(worktree.name, path, None, entry)])
    assert read_tree(worktree.root) == before


def test_the_way_to_a_worktree_is_never_changed(store: BlobStore, worktree: Worktree) -> None:
    with store.writer() as writer:
        present = worktree.capture(writer, None, Watch())
        entry = Entry(DIRECTORY, 0o700, 0, bytes(32))
        for after in (None, Entry(DIRECTORY, 0o777, 0, bytes(32))):
            with pytest.raises(Integrity):
                worktree.stage(writer.reader, [Effect(worktree.name, "workspaces/alpha", entry, after)])
        os.chmod(Path(worktree.root) / "workspaces", 0o700)
        assert worktree.capture(writer, present, Watch()).content == present.content


def test_only_what_is_inside_differs_between_two_captures(store: BlobStore, worktree: Worktree) -> None:
    with store.writer() as writer:
        first = worktree.capture(writer, None, Watch())
        (Path(worktree.place) / "new.py").write_text("new\n")
        (Path(worktree.root) / "workspaces/alpha/bob/app.py").write_text("changed\n")
        second = worktree.capture(writer, first, Watch())
        changes = [change.path for change in worktree.diff(writer.reader, first, second)]
    assert changes == ["workspaces/alpha/ada/new.py"]


def test_a_part_that_says_nothing_of_rules_is_no_reason_to_fail(store: BlobStore, worktree: Worktree) -> None:
    with store.writer() as writer:
        present = worktree.capture(writer, None, Watch())
        bare = Part(worktree.name, worktree.kind, {"content": present.content})
        assert worktree.plan(writer.reader, present, bare, None).effects == ()
        assert worktree.capture(writer, bare, Watch()).same_state(present)
