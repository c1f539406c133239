"""The list of what no snapshot holds: what it says, and what two of them say together."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

import takeback as tb
from support.agent import World
from support.git import init_repository
from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.model.snapshot import NotCaptured, Part
from takeback.model.tree import encode_tree, name_text
from takeback.sources.workspace.guard import Guard
from takeback.sources.workspace.lost import has_lost, lost
from takeback.sources.workspace.uncaptured import Identity, Listed, decode, encode
from takeback.store.blobstore import open_memory
from takeback.store.writer import Writer

numbers = st.integers(min_value=-(2**63), max_value=2**64)
paths = st.binary(min_size=1).filter(lambda raw: not raw.endswith(b"/")).map(name_text)
identities = st.builds(Identity, numbers, st.booleans(), numbers, numbers, numbers)


def rows(listed: Mapping[str, Identity]) -> Iterator[Listed]:
    for path, (inode, is_directory, ctime_ns, mtime_ns, size) in listed.items():
        yield path + "/" * is_directory, inode, ctime_ns, mtime_ns, size


@given(st.dictionaries(paths, identities))
def test_a_list_comes_back_whatever_bytes_its_paths_are(listed: dict[str, Identity]) -> None:
    assert decode(encode(rows(listed))) == listed


@pytest.mark.parametrize(
    "data", [b"", b"1", b"[1]", b'"a"', b"\xff", b"[[]]", b'[["a",1]]', b'[["a",1,2,3,"4"]]', b'[["a",1,2,3,4.5]]', b'[["a",1,2,3,true]]', b'[[1,1,2,3,4]]', b"[" * 100_000]
)  # fmt: skip
def test_a_damaged_list_is_refused(data: bytes) -> None:
    with pytest.raises(Integrity):
        decode(data)


@given(st.binary())
def test_other_bytes_are_no_list(data: bytes) -> None:
    try:
        assert all(isinstance(path, str) for path in decode(data))
    except Integrity:
        pass


def test_a_snapshot_lists_what_it_does_not_hold(world: World) -> None:
    init_repository(world.root)
    world.edit({".gitignore": "*.log\nout/\n", "a.log": "text", "out/x": "x", "kept": "k", "sub/b.log": ""})
    os.mkfifo(world.root / "pipe")
    snapshot = world.line.save()
    with world.store.blobs.reader() as reader:
        part = snapshot.parts["workspace"]
        raw = json.loads(reader.get(part.refs["uncaptured"], BlobKind.DOCUMENT))
        seen = Guard(reader, part).seen()
    of_git = [".git/", ".git/HEAD", ".git/config", ".git/objects/", ".git/refs/"]
    assert [row[0] for row in raw] == [*of_git, "a.log", "out/", "sub/b.log"]
    status = (world.root / "a.log").stat()
    assert seen["a.log"] == Identity(status.st_ino, False, status.st_ctime_ns, status.st_mtime_ns, 4)
    assert seen["out"].is_directory and seen["out"].inode == (world.root / "out").stat().st_ino
    assert seen[".git"].ctime_ns == min(each.stat().st_ctime_ns for each in (world.root / ".git").iterdir())


def test_it_is_the_same_list_whether_or_not_the_directory_is_remembered(world: World) -> None:
    world.edit({".takebackignore": "*.log\n", "d/a": "a", "d/x.log": "x", "d/y.log": "y", "e/only.log": "z"})
    world.line.save()
    for file in (world.store_path / "derived").iterdir():
        file.unlink()
    world.write("d/a", "b")
    forgot = world.line.save().parts["workspace"].refs
    world.write("f", "f")  # d is as it was, to the last stat
    remembers = world.line.save().parts["workspace"].refs
    assert forgot["uncaptured"] == remembers["uncaptured"] and forgot["ignored"] == remembers["ignored"]


def test_a_snapshot_is_made_where_a_move_begins_if_something_else_is_listed_and_otherwise_not(world: World) -> None:
    world.edit({".takebackignore": "*.log\n", "a": "a", "x.log": "x"})
    first = world.line.save()
    with open(world.root / "x.log", "a") as file:
        file.write("more\n")
    assert world.line.save(trigger="turn_start").id == first.id
    world.line.save(trigger="turn_end")
    world.write("y.log", "y")
    assert world.line.save(trigger="interval").id == first.id
    assert world.line.save(trigger="turn_start").id != first.id
    world.line.save(trigger="turn_end")
    assert world.line.log().moves == ()


@pytest.fixture
def writer() -> Iterator[Writer]:
    with open_memory() as store, store.writer() as writer:
        yield writer


def part(writer: Writer, listed: Mapping[str, Identity], *left_out: NotCaptured) -> Part:
    refs = {"content": writer.put(encode_tree({}), BlobKind.TREE)}
    if listed:
        refs["uncaptured"] = writer.put(encode(rows(listed)), BlobKind.DOCUMENT)
    return Part("workspace", "workspace", refs, {}, left_out)


def told(writer: Writer, before: Mapping[str, Identity], after: Mapping[str, Identity]) -> dict[str, str]:
    old, new = part(writer, before), part(writer, after)
    found = lost("workspace", Guard(writer.reader, old), Guard(writer.reader, new))
    assert has_lost(writer.reader, old, new) == any(each.counts for each in found)
    return {each.path: f"{each.how} {each.to}".rstrip() for each in found}


FILE = Identity(5, False, 100, 100, 10)
DIRECTORY = Identity(6, True, 100, 100, 4096)


@pytest.mark.parametrize(
    ("after", "how"),
    [
        ({"a": FILE}, None),
        ({}, "removed"),
        ({"a": FILE._replace(inode=7)}, "replaced"),
        ({"a": FILE._replace(is_directory=True)}, "replaced"),
        ({"a": FILE._replace(ctime_ns=200)}, None),
        ({"a": FILE._replace(ctime_ns=200, mtime_ns=200)}, "written"),
        ({"a": FILE._replace(ctime_ns=200, mtime_ns=200, size=11)}, "written"),
        ({"a": FILE._replace(ctime_ns=200, mtime_ns=200, size=9)}, "replaced"),
        ({"b": FILE._replace(ctime_ns=200)}, "moved b"),
        ({"b": FILE._replace(ctime_ns=200, size=11)}, "removed"),
        ({"b": FILE._replace(ctime_ns=50)}, "removed"),
        ({"b": FILE._replace(ctime_ns=200, is_directory=True)}, "removed"),
        ({"a": FILE._replace(ctime_ns=0, mtime_ns=0, size=0)}, None),
    ],
)
def test_a_file_is_compared_by_all_that_is_known_of_it(
    writer: Writer, after: dict[str, Identity], how: str | None
) -> None:
    assert told(writer, {"a": FILE}, after) == ({} if how is None else {"a": how})


def test_a_directory_is_compared_by_its_inode(writer: Writer) -> None:
    assert told(writer, {"d": DIRECTORY}, {"d": DIRECTORY._replace(ctime_ns=300, size=8192)}) == {}
    assert told(writer, {"d": DIRECTORY}, {"d": DIRECTORY._replace(inode=9)}) == {"d/": "replaced"}
    assert told(writer, {"d": DIRECTORY}, {"e": DIRECTORY._replace(ctime_ns=300)}) == {"d/": "moved e"}


def test_git_is_another_one_once_nothing_in_it_is_as_old(writer: Writer) -> None:
    git = {".git": DIRECTORY, ".git/HEAD": FILE, ".git/index": FILE._replace(inode=8)}
    assert told(writer, git, {**git, ".git/HEAD": FILE._replace(inode=20)}) == {}
    assert told(writer, git, {".git": DIRECTORY, ".git/HEAD": FILE}) == {".git/index": "removed"}
    assert told(writer, git, {**git, ".git": DIRECTORY._replace(ctime_ns=300)}) == {".git/": "replaced"}
    assert told(writer, git, {}) == {".git/": "removed"}


def test_what_is_in_a_directory_that_nobody_can_look_into_is_not_known(writer: Writer) -> None:
    before = Guard(writer.reader, part(writer, {"d/a": FILE, "e": FILE}))
    after = Guard(writer.reader, part(writer, {}, NotCaptured("d", "unreadable")))
    assert [each.path for each in lost("workspace", before, after)] == ["e"]


def test_what_is_listed_as_a_whole_by_now_is_still_there(writer: Writer) -> None:
    assert told(writer, {"d/a": FILE}, {"d": DIRECTORY}) == {}


def test_a_store_that_an_enemy_wrote_is_refused_when_it_is_copied(world: World) -> None:
    """The list is checked like the others beside a tree."""
    world.edit({".takebackignore": "*.log\n", "a": "a", "x.log": "x"})
    snapshot = world.line.save()
    with world.store.blobs.reader() as reader:
        from takeback.sources.workspace.checking import check_documents

        checked = snapshot.parts["workspace"]
        check_documents(reader, checked)
        wrong = {**checked.refs, "uncaptured": checked.refs["ignored"]}
        with pytest.raises(tb.Integrity):
            check_documents(reader, checked._replace(refs=wrong))
