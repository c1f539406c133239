"""Trees of directories, over a plain dict instead of a store: a model that a reader sees through at once."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.model.tree import DIRECTORY, FILE, LINK, Entry, encode_tree
from takeback.sources import trees
from takeback.sources.trees import MAX_DEPTH, NO_ID, TreeView

Flat = dict[str, Entry]
"""A whole tree by path; directories are bare."""


class Blobs:
    """As much of a store as trees need."""

    def __init__(self) -> None:
        self.blobs: dict[bytes, bytes] = {}
        self.reads = 0

    @property
    def reader(self) -> Blobs:
        return self

    def put(self, data: bytes, kind: BlobKind) -> bytes:
        assert kind is BlobKind.TREE
        id = blake3(data).digest()
        self.blobs[id] = data
        return id

    def get(self, id: bytes, kind: BlobKind | None = None) -> bytes:
        assert kind is BlobKind.TREE
        self.reads += 1
        return self.blobs[id]

    def build(self, flat: Mapping[str, Entry], below: str = "") -> bytes:
        """The tree of a directory, made the simplest way there is."""
        tree = {}
        for path, entry in flat.items():
            directory, _, name = path.rpartition("/")
            if directory == below:
                if entry.kind == DIRECTORY:
                    tree[name] = Entry(DIRECTORY, entry.mode, 0, self.build(flat, path))
                else:
                    tree[name] = entry
        return self.put(encode_tree(tree), BlobKind.TREE)


def file(content: str = "", mode: int = 0o644) -> Entry:
    return Entry(FILE, mode, len(content), blake3(content.encode()).digest())


def directory(mode: int = 0o755) -> Entry:
    return Entry(DIRECTORY, mode, 0, NO_ID)


names = st.sampled_from(["a", "b", "c", "a.txt", "-", "\udcff", "ä", "a b"])
leaves = st.builds(Entry, st.sampled_from([FILE, LINK]), st.sampled_from([0o644, 0o755]), st.integers(0, 3), st.sampled_from([b"1" * 32, b"2" * 32]))  # fmt: skip
flats = st.recursive(
    st.dictionaries(names, leaves, max_size=3),
    lambda inner: st.dictionaries(
        names, st.one_of(leaves, st.tuples(st.sampled_from([0o755, 0o700]), inner)), max_size=3
    ),
    max_leaves=8,
).map(lambda nested: _flatten(nested))


def _flatten(nested: Mapping[str, object], prefix: str = "") -> Flat:
    flat: Flat = {}
    for name, value in nested.items():
        path = trees.join(prefix, name)
        if isinstance(value, Entry):
            flat[path] = value
        else:
            assert isinstance(value, tuple)
            flat[path] = directory(value[0])
            flat |= _flatten(value[1], path)
    return flat


# looking into trees


@given(flats)
def test_a_view_has_every_path_and_no_other(flat: Flat) -> None:
    blobs = Blobs()
    view = TreeView(blobs, blobs.build(flat))
    assert dict(view.below("")) == flat
    for path, entry in flat.items():
        assert view.get(path) == entry
        assert view.get(path + "/x") == flat.get(path + "/x")
    assert view.get("nowhere") is None
    assert view.get("no/where") is None


@given(flats)
def test_below_lists_parents_before_children(flat: Flat) -> None:
    blobs = Blobs()
    seen: set[str] = set()
    for path, _ in TreeView(blobs, blobs.build(flat)).below(""):
        assert set(trees.parents(path)) <= seen
        seen.add(path)


def test_a_view_reads_each_directory_once_and_only_when_it_is_needed() -> None:
    blobs = Blobs()
    view = TreeView(blobs, blobs.build({"a": directory(), "a/b": directory(), "a/b/f": file(), "z": directory()}))
    assert blobs.reads == 0
    assert view.get("a/b/f") == file()
    assert blobs.reads == 3
    assert view.get("a/b/g") is None
    assert view.get("a/b") == directory()
    assert blobs.reads == 3


def test_a_directory_is_read_once_for_each_reader_and_a_patch_leaves_it_alone() -> None:
    blobs = Blobs()
    root = blobs.build({"a": directory(), "a/f": file()})
    assert blobs.reads == 0
    for _ in range(2):
        assert dict(TreeView(blobs, root).below("")) == {"a": directory(), "a/f": file()}
    assert blobs.reads == 2
    trees.patch(blobs, root, {"a/f": None, "a/g": file()})
    assert dict(TreeView(blobs, root).below("")) == {"a": directory(), "a/f": file()}


def test_a_view_of_nothing_is_empty() -> None:
    view = TreeView(Blobs(), None)
    assert view.get("a") is None
    assert list(view.below("")) == []


def test_parents_are_nearest_first_without_the_root() -> None:
    assert list(trees.parents("a/b/c")) == ["a/b", "a"]
    assert list(trees.parents("a")) == []


# comparing


@given(flats, flats)
def test_compare_finds_exactly_the_paths_that_differ(a: Flat, b: Flat) -> None:
    blobs = Blobs()
    found = list(trees.compare(blobs, blobs.build(a), blobs.build(b)))
    assert {path: (old, new) for path, old, new in found} == {
        path: (a.get(path), b.get(path)) for path in a.keys() | b.keys() if a.get(path) != b.get(path)
    }
    assert len({path for path, *_ in found}) == len(found)
    order = [path for path, *_ in found]
    for path in order:
        assert all(order.index(parent) < order.index(path) for parent in trees.parents(path) if parent in order)


def test_compare_does_not_read_what_is_the_same() -> None:
    blobs = Blobs()
    same = {"same": directory(), "same/deep": directory(), "same/deep/f": file("x")}
    a, b = blobs.build({**same, "f": file("1")}), blobs.build({**same, "f": file("2")})
    assert [path for path, *_ in trees.compare(blobs, a, b)] == ["f"]
    assert blobs.reads == 2
    assert list(trees.compare(blobs, a, a)) == []
    assert blobs.reads == 2


def test_a_directory_is_listed_by_itself_only_if_it_came_went_or_changed_its_mode() -> None:
    blobs = Blobs()
    a = blobs.build({"d": directory(), "d/f": file("1"), "e": directory(0o755)})
    b = blobs.build({"d": directory(), "d/f": file("2"), "e": directory(0o700), "n": directory()})
    assert [path for path, *_ in trees.compare(blobs, a, b)] == ["d/f", "e", "n"]


# changing


@given(flats, flats)
def test_a_patch_with_all_differences_makes_the_other_tree(a: Flat, b: Flat) -> None:
    blobs = Blobs()
    before, after = blobs.build(a), blobs.build(b)
    changes = {path: new for path, _, new in trees.compare(blobs, before, after)}
    assert trees.patch(blobs, before, changes) == after


def test_a_patch_makes_missing_parents_and_forgets_what_is_not_there() -> None:
    blobs = Blobs()
    root = blobs.build({"f": file()})
    assert trees.patch(blobs, root, {"a/b/new": file("n")}) == blobs.build(
        {"f": file(), "a": directory(), "a/b": directory(), "a/b/new": file("n")}
    )
    assert trees.patch(blobs, root, {"gone": None, "no/such/path": None}) == root


def test_a_patch_of_a_directory_mode_keeps_what_is_in_it() -> None:
    blobs = Blobs()
    root = blobs.build({"d": directory(), "d/f": file()})
    assert trees.patch(blobs, root, {"d": directory(0o700)}) == blobs.build({"d": directory(0o700), "d/f": file()})


def test_a_patch_turns_a_file_into_a_directory_and_back() -> None:
    blobs = Blobs()
    flat = blobs.build({"x": file("x")})
    deep = blobs.build({"x": directory(), "x/y": file("y")})
    assert trees.patch(blobs, flat, {"x": directory(), "x/y": file("y")}) == deep
    assert trees.patch(blobs, deep, {"x": file("x"), "x/y": None}) == flat


# depth, which a store could lie about


def test_a_tree_deeper_than_any_that_is_written_is_not_believed() -> None:
    blobs = Blobs()
    tree = blobs.put(encode_tree({"f": file()}), BlobKind.TREE)
    for _ in range(MAX_DEPTH + 2):
        tree = blobs.put(encode_tree({"d": Entry(DIRECTORY, 0o755, 0, tree)}), BlobKind.TREE)
    with pytest.raises(Integrity, match="deeper"):
        list(trees.compare(blobs, None, tree))
    with pytest.raises(Integrity, match="deeper"):
        list(TreeView(blobs, tree).below(""))
    with pytest.raises(Integrity, match="deeper"):
        TreeView(blobs, tree).get("/".join("d" * (MAX_DEPTH + 2)))


def test_the_deepest_tree_that_is_written_is_read() -> None:
    blobs = Blobs()
    deepest = {"/".join("d" * depth): directory() for depth in range(1, MAX_DEPTH)}
    bottom = "/".join("d" * (MAX_DEPTH - 1))
    flat = {**deepest, bottom + "/f": file()}
    root = blobs.build(flat)
    assert len(list(trees.compare(blobs, None, root))) == len(flat)
    assert dict(TreeView(blobs, root).below("")) == flat
    assert trees.patch(blobs, root, {bottom + "/f": file("new")}) == blobs.build({**flat, bottom + "/f": file("new")})


# paths


@pytest.mark.parametrize(
    ("wanted", "path", "inside"),
    [
        (None, "a/b", True),
        ([""], "a", True),
        (["a"], "a", True),
        (["a"], "a/b", True),
        (["a"], "ab", False),
        (["a/b"], "a", False),
        (["x", "a"], "a/b/c", True),
        ([], "a", False),
    ],
)
def test_within(wanted: list[str] | None, path: str, inside: bool) -> None:
    assert trees.within(wanted, path) is inside
