"""A container's part: what was found comes back from the store exactly, and nothing else is believed."""

from __future__ import annotations

import pytest

from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.model.tree import DIRECTORY, FILE, LINK, Entry, encode_tree
from takeback.sources.container import attributes, content
from takeback.sources.container.attributes import Attributes
from takeback.sources.container.found import BLOCK, CHARACTER, FIFO, FILESYSTEM, WHITEOUT, Found
from takeback.store.blobstore import BlobStore, open_memory


@pytest.fixture
def store() -> BlobStore:
    return open_memory()


def test_everything_that_was_found_is_found_again(store: BlobStore) -> None:
    with store.writer() as writer:
        text, target = writer.put(b"text", BlobKind.DATA), writer.put(b"a/b", BlobKind.DATA)
        files = [
            Found("", DIRECTORY, 0o755, mtime=5),
            Found("a", DIRECTORY, 0o1777, 1, 2, 3, opaque=True),
            Found("a/b", FILE, 0o4755, 7, 8, 9, 4, text, xattrs={"user.x": b"\0\xff"}, link="a/b"),
            Found("a/c", FILE, 0o4755, 7, 8, 9, 4, text, xattrs={"user.x": b"\0\xff"}, link="a/b"),
            Found("a-b", LINK, 0o777, size=3, id=target),
            Found("\udcff\n", FILE, 0o644, size=4, id=text),
            Found("block", BLOCK, 0o600, device=(8, 1)),
            Found("gone", WHITEOUT),
            Found("pipe", FIFO, 0o644, 3, 4, 5),
            Found("zero", CHARACTER, 0o666, device=(1, 5)),
        ]
        files.sort(key=lambda each: each.path.split("/"))
        volume = [Found("", DIRECTORY, 0o700, 9, 9, 9), Found("x", FILE, 0o600, size=4, id=text)]
        tree = content.build(writer, b"{}", {FILESYSTEM: files, "volumes/data": volume})
        reader = writer.reader
        assert content.areas_in(reader, tree) == [FILESYSTEM, "volumes/data"]
        assert list(content.found_in(reader, tree, FILESYSTEM)) == files
        assert list(content.found_in(reader, tree, "volumes/data")) == volume
        assert content.settings_in(reader, tree) == b"{}"


def test_areas_of_paths() -> None:
    assert content.area_of("filesystem/etc/hosts") == "filesystem"
    assert content.area_of("volumes/data/x/y") == "volumes/data"
    assert content.area_of("attributes/volumes/data/x=") == "volumes/data"
    assert content.area_of("volumes") == content.area_of("settings") == ""


@pytest.mark.parametrize(
    "data",
    [
        b"[",
        b"{}",
        b"[0,0]",
        b"[-1,0,0]",
        b"[0,4294967296,0]",
        b'[0,0,"now"]',
        b"[0,0,0,[]]",
        b'[0,0,0,{"kind":"x"}]',
        b'[0,0,0,{"kind":[]}]',
        b'[0,0,0,{"kind":"c","mode":65536}]',
        b'[0,0,0,{"device":[1]}]',
        b'[0,0,0,{"device":[1,-1]}]',
        b'[0,0,0,{"link":"../../etc/passwd"}]',
        b'[0,0,0,{"link":"/etc/passwd"}]',
        b'[0,0,0,{"link":"a\\u0000b"}]',
        b'[0,0,0,{"link":"\\ud800"}]',
        b'[0,0,0,{"xattrs":{"user.a":"zz"}}]',
        b'[0,0,0,{"xattrs":[]}]',
    ],
)
def test_attributes_that_nobody_wrote_are_refused(data: bytes) -> None:
    with pytest.raises(Integrity):
        attributes.decode(data)


@pytest.mark.parametrize("path", ["", "a", "etc/hosts", "a+/b=", "a=", "+/="])
def test_where_attributes_stand_leads_back_to_their_path(path: str) -> None:
    assert attributes.of_path(FILESYSTEM, attributes.beside(FILESYSTEM, path)) == path


def test_a_path_that_is_two_things_is_refused(store: BlobStore) -> None:
    with store.writer() as writer:
        blob = writer.put(b"x", BlobKind.DATA)
        inner = writer.put(encode_tree({"a": Entry(FILE, 0o644, 1, blob)}), BlobKind.TREE)
        said = attributes.encode(Attributes(kind=WHITEOUT))
        line = Entry(FILE, 0o600, len(said), writer.put(said, BlobKind.DATA))
        beside = writer.put(encode_tree({"a=": line}), BlobKind.TREE)
        listed = writer.put(encode_tree({FILESYSTEM: Entry(DIRECTORY, 0o755, 0, beside)}), BlobKind.TREE)
        tree = writer.put(
            encode_tree(
                {"attributes": Entry(DIRECTORY, 0o755, 0, listed), FILESYSTEM: Entry(DIRECTORY, 0o755, 0, inner)}
            ),
            BlobKind.TREE,
        )
        with pytest.raises(Integrity, match="two things at filesystem/a"):
            list(content.found_in(writer.reader, tree, FILESYSTEM))
