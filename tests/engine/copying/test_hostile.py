"""Made-up exports and stores are refused: nothing of them is seen, nothing of the target is harmed."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

import takeback as tb
from support import forged
from support.agent import World
from support.copies import fill, history
from support.forged import MOVE, RULES, SNAPSHOT, Forgery, digest, make_pack, raw_tree
from takeback.model.ids import BlobKind
from takeback.model.tree import Entry, encode_tree
from takeback.store.catalogue import timelines
from takeback.store.packs.chunking import LARGEST
from takeback.store.packs.recipe import Chunk, encode_recipe

FILE = digest(b"content\n")


@pytest.fixture
def target(tmp_path: Path) -> Iterator[tb.Store]:
    with tb.open(tmp_path / "target") as store:
        yield store


def refused(target: tb.Store, file: Path, error: type[tb.TakebackError] = tb.Integrity) -> tb.TakebackError:
    """The error of an import that leaves nothing behind; what is sound can be imported afterwards."""
    with pytest.raises(tb.TakebackError) as caught:
        target.import_(file)
    assert type(caught.value) is error, caught.value
    assert target.timelines() == []
    with target.blobs.database.read() as tx:
        for table in ("snapshots", "labels", "pins", "moves", "takes", "journals"):
            assert tx.execute(f"SELECT count(*) FROM {table}") == [(0,)], table
        assert all(verb == "fold" for (verb,) in tx.execute("SELECT verb FROM operations"))
    assert not target.verify(read_data=True).problems
    target.maintain()
    return caught.value


def test_what_is_forged_without_a_lie_is_taken(target: tb.Store, tmp_path: Path) -> None:
    Forgery().write(tmp_path / "x")
    assert target.import_(tmp_path / "x").snapshots == 1
    log = target.timeline(root=forged.ROOT).log()
    assert log.snapshots[0].labels == ("good",) and log.snapshots[0].pinned and log.moves[0].title == "a turn"
    target.timeline(root=forged.ROOT, sources=[tb.Workspace(tmp_path)]).restore("@", to=tmp_path / "out")
    assert (tmp_path / "out" / "a.txt").read_bytes() == b"content\n"
    assert not target.verify(read_data=True).problems


# -- trees


def _entry(name: bytes, kind: bytes = b"f", mode: int = 0o644, size: int = 8, id: bytes = FILE) -> Any:
    return (name, kind, mode, size, id)


def _nested(depth: int) -> Forgery:
    tree, blobs = encode_tree({}), []
    for _ in range(depth):
        blobs.append((digest(tree), BlobKind.TREE, tree))
        tree = encode_tree({"d": Entry("d", 0o755, 0, digest(tree))})
    return Forgery(tree=tree, blobs=blobs)


def _link(target: bytes) -> Forgery:
    return Forgery(
        tree=raw_tree([_entry(b"link", b"l", 0o777, len(target), digest(target))]),
        blobs=[(digest(target), BlobKind.DATA, target)],
    )


def _same_link() -> Forgery:
    """A link whose target is the content of a file, too."""
    data = b"a\0b"
    entries = [_entry(b"a", size=3, id=digest(data)), _entry(b"b", b"l", 0o777, 3, digest(data))]
    return Forgery(tree=raw_tree(entries), blobs=[(digest(data), BlobKind.DATA, data)])


def _folded(width: int, depth: int) -> Forgery:
    """Few trees, each several times in the next."""
    tree, blobs = encode_tree({"f": Entry("f", 0o644, 8, FILE)}), []
    for _ in range(depth):
        blobs.append((digest(tree), BlobKind.TREE, tree))
        tree = encode_tree({str(number): Entry("d", 0o755, 0, digest(tree)) for number in range(width)})
    return Forgery(tree=tree, blobs=blobs)


def _deep_by_detour() -> Forgery:
    """A tree whose parts are not too deep where they are met first."""
    inner = _nested(200)
    assert inner.tree is not None
    chain, blobs = inner.tree, [*inner.blobs, (digest(inner.tree), int(BlobKind.TREE), inner.tree)]
    for _ in range(100):
        chain = encode_tree({"d": Entry("d", 0o755, 0, digest(chain))})
        blobs.append((digest(chain), BlobKind.TREE, chain))
    top = encode_tree({"a": Entry("d", 0o755, 0, digest(inner.tree)), "b": Entry("d", 0o755, 0, digest(chain))})
    return Forgery(tree=top, blobs=blobs)


def _hidden() -> Forgery:
    """A directory that is a file's content, too, and whose own content is not there."""
    inner = raw_tree([_entry(b"x", id=digest(b"elsewhere"))])
    entries = [_entry(b"a", size=len(inner), id=digest(inner)), _entry(b"b", b"d", 0o755, 0, digest(inner))]
    return Forgery(tree=raw_tree(entries), blobs=[(digest(inner), BlobKind.TREE, inner)])


def _cycle() -> Forgery:
    """A tree that claims to hold itself under the id that it has."""
    claimed = digest(b"some tree")
    inner = raw_tree([_entry(b"d", b"d", 0o755, 0, claimed)])
    return Forgery(tree=inner, blobs=[(claimed, BlobKind.TREE, inner)])


EMPTY = encode_tree({})

TREES: dict[str, Forgery] = {
    "a way up": Forgery(tree=raw_tree([_entry(b"..")])),
    "itself": Forgery(tree=raw_tree([_entry(b".")])),
    "an absolute path": Forgery(tree=raw_tree([_entry(b"/etc/passwd")])),
    "a path": Forgery(tree=raw_tree([_entry(b"a/../../b")])),
    "a link and what is below it": Forgery(
        tree=raw_tree([_entry(b"link", b"l", 0o777), _entry(b"link/authorized_keys")])
    ),
    "a link and a directory of one name": Forgery(
        tree=raw_tree([_entry(b"link", b"l", 0o777), _entry(b"link", b"d", 0o755, 0, digest(EMPTY))]),
        blobs=[(digest(EMPTY), BlobKind.TREE, EMPTY)],
    ),
    "no name": Forgery(tree=raw_tree([_entry(b"")])),
    "names out of order": Forgery(tree=raw_tree([_entry(b"b"), _entry(b"a")])),
    "git's own directory": Forgery(
        tree=raw_tree([_entry(b".git", b"d", 0o755, 0, digest(EMPTY))]), blobs=[(digest(EMPTY), BlobKind.TREE, EMPTY)]
    ),
    "git's own directory in capitals": Forgery(tree=raw_tree([_entry(b".GiT")])),
    "a staging directory": Forgery(tree=raw_tree([_entry(b".takeback-stage-1")])),
    "the setuid bit": Forgery(tree=raw_tree([_entry(b"a", mode=0o4755)])),
    "an unknown kind": Forgery(tree=raw_tree([_entry(b"a", b"s")])),
    "another size": Forgery(tree=raw_tree([_entry(b"a", size=7)])),
    "a giant size": Forgery(tree=raw_tree([_entry(b"a", size=2**63 + 5)])),
    "two sizes": Forgery(tree=raw_tree([_entry(b"a"), _entry(b"b", size=2**40)])),
    "a directory with a size": Forgery(
        tree=raw_tree([_entry(b"d", b"d", 0o755, 1, digest(EMPTY))]), blobs=[(digest(EMPTY), BlobKind.TREE, EMPTY)]
    ),
    "a count that is too large": Forgery(tree=struct.pack("<2sII", b"T1", 2**32 - 1, 10) + b"x"),
    "nothing a tree is": Forgery(tree=b"no tree"),
    "a depth beyond all": _nested(300),
    "a file that is not there": Forgery(tree=raw_tree([_entry(b"a", id=digest(b"elsewhere"))])),
    "a tree that is not there": Forgery(tree=raw_tree([_entry(b"a", b"d", 0o755, 0, digest(b"elsewhere"))])),
    "a file for a directory": Forgery(tree=raw_tree([_entry(b"a", b"d", 0o755, 0)])),
    "a link to nothing": _link(b""),
    "a link with a NUL": _link(b"a\0b"),
    "a link without end": _link(b"x" * 100_000),
    "a link with a NUL that is a file, too": _same_link(),
    "itself again": _cycle(),
    "itself twice, and again, and again": _folded(2, 60),
    "a depth beyond all, by a detour": _deep_by_detour(),
    "a directory that is a file, too": _hidden(),
}


@pytest.mark.parametrize("lie", TREES)
def test_a_tree_that_holds(lie: str, target: tb.Store, tmp_path: Path) -> None:
    TREES[lie].write(tmp_path / "x")
    refused(target, tmp_path / "x")


# -- manifests and documents


def _part(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(manifest: dict[str, Any]) -> None:
        manifest["parts"]["workspace"][key] = value

    return change


def _field(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(manifest: dict[str, Any]) -> None:
        manifest[key] = value

    return change


def _ref(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(manifest: dict[str, Any]) -> None:
        manifest["parts"]["workspace"]["refs"][key] = value

    return change


MANIFESTS: dict[str, Forgery] = {
    "no JSON": Forgery(manifest=lambda _: b"\xff\xfe"),
    "a list": Forgery(manifest=lambda _: b"[]"),
    "without end": Forgery(manifest=lambda _: b"[" * 200_000),
    "of another snapshot": Forgery(manifest=_field("id", "9" * 32)),
    "of another time": Forgery(manifest=_field("time_ns", 2)),
    "with a time in words": Forgery(manifest=_field("time_ns", "now")),
    "of another trigger": Forgery(manifest=_field("trigger", "turn_end")),
    "with a list for a context": Forgery(manifest=_field("context", [])),
    "with a number for a root": Forgery(manifest=_field("root", 5)),
    "with a list of parts": Forgery(manifest=_field("parts", [1])),
    "with a part that is none": Forgery(manifest=_field("parts", {"workspace": 5})),
    "with a kind that is none": Forgery(manifest=_part("kind", 5)),
    "with a detail that is none": Forgery(manifest=_part("detail", "x")),
    "that talks nonsense about git": Forgery(manifest=_part("detail", {"context": {"git": [1]}})),
    "that talks more nonsense about git": Forgery(manifest=_part("detail", {"context": {"git": {"commit": 5}}})),
    "that talks nonsense about everything": Forgery(manifest=_part("detail", {"context": 5})),
    "with refs that are none": Forgery(manifest=_part("refs", ["x"])),
    "with a short ref": Forgery(manifest=_ref("content", "ab")),
    "with a ref that is no number": Forgery(manifest=_ref("content", "z" * 64)),
    "without rules": Forgery(manifest=lambda value: value["parts"]["workspace"]["refs"].pop("rules") and None),
    "without content": Forgery(manifest=lambda value: value["parts"]["workspace"]["refs"].pop("content") and None),
    "with rules that are none": Forgery(refs={"rules": b"R1 and nothing"}),
    "with a count of rules without end": Forgery(refs={"rules": b"R1\0" + struct.pack("<II", 0, 2**32 - 1)}),
    "with a wrong list of what was ignored": Forgery(refs={"ignored": b'[["a","b"]]'}),
    "with a list of what was ignored without end": Forgery(refs={"ignored": b"[" * 200_000}),
    "with a wrong list of what was not captured": Forgery(refs={"not_captured": b"[5]"}),
    "with a list of what was not captured without end": Forgery(refs={"not_captured": b"[" * 200_000}),
    "whose rules are not there": Forgery(without={digest(RULES)}),
}


@pytest.mark.parametrize("lie", MANIFESTS)
def test_a_manifest(lie: str, target: tb.Store, tmp_path: Path) -> None:
    MANIFESTS[lie].write(tmp_path / "x")
    refused(target, tmp_path / "x")


def test_a_part_or_a_manifest_of_the_future_asks_for_an_upgrade(target: tb.Store, tmp_path: Path) -> None:
    Forgery(manifest=_part("kind", "hologram")).write(tmp_path / "x")
    assert "upgrade" in refused(target, tmp_path / "x", tb.Unavailable).hints[0]
    Forgery(manifest=_field("format", 99)).write(tmp_path / "y")
    assert "upgrade" in refused(target, tmp_path / "y", tb.Unavailable).hints[0]


# -- rows


def _row(table: str, column: str, value: Any) -> Forgery:
    return Forgery(rows={table: [(0, column, value)]})


OTHER = "a" * 32
_MOVE = [2, OTHER, 1, "", "turn", "", "", "", "[]", SNAPSHOT, 1, SNAPSHOT, 1, 1, 1, None, "{}"]

ROWS: dict[str, Forgery] = {
    "no JSON": Forgery(history=b"{"),
    "JSON without end": Forgery(history=b"[" * 500_000),
    "a list": Forgery(history=b"[]"),
    "no format": Forgery(history=b"{}"),
    "a format in words": Forgery(history=b'{"format":"1"}'),
    "an unknown table": Forgery(history=b'{"format":1,"sqlite_master":{"columns":[],"rows":[]}}'),
    "a table that is none": Forgery(history=b'{"format":1,"pins":[]}'),
    "other columns": Forgery(history=b'{"format":1,"pins":{"columns":["snapshot, x"],"rows":[]}}'),
    "no rows": Forgery(history=b'{"format":1,"pins":{"columns":["snapshot"]}}'),
    "a row that is none": Forgery(history=b'{"format":1,"pins":{"columns":["snapshot"],"rows":[5]}}'),
    "a short row": Forgery(more={"pins": [[]]}),
    "a long row": Forgery(more={"pins": [[OTHER, 1]]}),
    "a list for a value": Forgery(more={"pins": [[[1]]]}),
    "a truth": Forgery(more={"pins": [[True]]}),
    "a fraction": _row("snapshots", "time_ns", 1.5),
    "a giant number": _row("snapshots", "time_ns", 10**30),
    "a place beyond all": _row("snapshots", "seq", 2**63),
    "a time before all": _row("snapshots", "time_ns", -5),
    "a time in words": _row("snapshots", "time_ns", "now"),
    "half a character": _row("moves", "title", "\ud800"),
    "a NUL in a title": _row("moves", "title", "a\0b"),
    "no snapshot's id": _row("snapshots", "id", "../../etc"),
    "a number for an id": _row("snapshots", "id", 5),
    "no id": _row("snapshots", "id", None),
    "a manifest that is no blob": _row("snapshots", "manifest", "abcd"),
    "a manifest that is no number": _row("snapshots", "manifest", "xyz"),
    "a manifest that is not there": _row("snapshots", "manifest", "ab" * 32),
    "itself for a parent": _row("snapshots", "parent", SNAPSHOT),
    "nonsense for a parent": _row("snapshots", "parent", "root"),
    "an unknown trigger": _row("snapshots", "trigger", "magic"),
    "a session that is none": _row("snapshots", "session", 5),
    "a change of less than nothing": _row("snapshots", "changed", -1),
    "a mark that is none": _row("snapshots", "mixed", 7),
    "a snapshot twice": Forgery(more={"snapshots": [[2, SNAPSHOT, 1, None, 1, "manual", "", "ab" * 32, 1, 0]]}),
    "a place twice": Forgery(more={"snapshots": [[1, OTHER, 1, None, 1, "manual", "", "ab" * 32, 1, 0]]}),
    "a label that moves the cursor": _row("labels", "name", "\x1b[2J"),
    "a label that means another": _row("labels", "name", "@"),
    "an empty label": _row("labels", "name", " "),
    "a label that is a number": _row("labels", "name", 5),
    "a root with a NUL": _row("timelines", "root", b"/a\0b".hex()),
    "a relative root": _row("timelines", "root", b"a/b".hex()),
    "a root with a way up": _row("timelines", "root", b"/a/../etc".hex()),
    "a root that is no bytes": _row("timelines", "root", "root"),
    "no root": _row("timelines", "root", None),
    "a name that cannot be printed": _row("timelines", "name", "a\nb"),
    "an empty name": _row("timelines", "name", " "),
    "a number for a name": _row("timelines", "name", 5),
    "nonsense for a fork": _row("timelines", "fork_of", "x"),
    "a time that is none": _row("timelines", "created_ns", "x"),
    "a timeline twice": Forgery(more={"timelines": [[2, b"/forged".hex(), "main", 1, None, None]]}),
    "a move's id that is none": _row("moves", "id", "x"),
    "a move to what is not there": _row("moves", "closing", OTHER),
    "a move from what is not there": _row("moves", "opening", OTHER),
    "a move of no level": _row("moves", "level", "god"),
    "a move of no verb": _row("moves", "verb", "sudo"),
    "a move without a time": _row("moves", "opened_ns", "x"),
    "a move that ended at no time": _row("moves", "closed_ns", "x"),
    "a move that nonsense undid": _row("moves", "undone_by", "x"),
    "a move whose session is none": _row("moves", "session", 5),
    "reported paths that are no list": _row("moves", "reported", "5"),
    "reported paths that are no text": _row("moves", "reported", "[5]"),
    "reported paths that are no JSON": _row("moves", "reported", "["),
    "a context that is no JSON": _row("moves", "context", "{"),
    "a context that is no object": _row("moves", "context", "[]"),
    "a context without end": _row("moves", "context", "[" * 200_000),
    "a context that is a number": _row("moves", "context", 5),
    "a move twice": Forgery(more={"moves": [[2, MOVE, *_MOVE[2:]]]}),
    "nonsense that was taken back": Forgery(
        rows={"moves": [(0, "level", "takeback"), (0, "verb", "undo")]}, more={"takes": [[MOVE, "x"]]}
    ),
}


@pytest.mark.parametrize("lie", ROWS)
def test_a_history_with(lie: str, target: tb.Store, tmp_path: Path) -> None:
    ROWS[lie].write(tmp_path / "x")
    refused(target, tmp_path / "x")


def test_a_move_that_ends_before_it_begins(target: tb.Store, tmp_path: Path) -> None:
    second = [2, OTHER, 1, SNAPSHOT, 1, "manual", "", "ab" * 32, 1, 0]
    Forgery(more={"snapshots": [second]}, rows={"moves": [(0, "opening", OTHER)]}).write(tmp_path / "x")
    assert "a move's end" in refused(target, tmp_path / "x").message


def test_a_history_of_the_future_asks_for_an_upgrade(target: tb.Store, tmp_path: Path) -> None:
    Forgery(history=b'{"format":2}').write(tmp_path / "x")
    refused(target, tmp_path / "x", tb.Unavailable)


def test_rows_that_nothing_leads_to_are_not_taken(target: tb.Store, tmp_path: Path) -> None:
    orphan = [2, OTHER, 9, None, 1, "manual", "", "ab" * 32, 1, 0]
    Forgery(more={"snapshots": [orphan], "labels": [[OTHER, "x", 1]], "pins": [[OTHER]]}).write(tmp_path / "x")
    assert target.import_(tmp_path / "x").snapshots == 1
    with target.blobs.database.read() as tx:
        assert tx.execute("SELECT snapshot FROM pins") == [(SNAPSHOT,)]
        assert len(timelines.every(tx)) == 1


# -- blobs


def _recipe(whole: bytes, chunks: list[Chunk], kind: BlobKind = BlobKind.DATA) -> tuple[bytes, int, bytes]:
    return whole, BlobKind.RECIPE, encode_recipe(whole, kind, chunks)


def _of_size(size: int, id: bytes) -> bytes:
    return raw_tree([_entry(b"a", size=size, id=id)])


CHUNK = b"c" * LARGEST
WHOLE = digest(b"a whole")


def _giant() -> list[Chunk]:
    return [Chunk(digest(CHUNK), LARGEST)] * 100_000


def _chunk() -> tuple[bytes, int, bytes]:
    return digest(CHUNK), BlobKind.DATA, CHUNK


BLOBS: dict[str, Callable[[], Forgery]] = {
    "other bytes": lambda: Forgery(tree=_of_size(8, WHOLE), blobs=[(WHOLE, BlobKind.DATA, b"contents")]),
    "a recipe of itself": lambda: Forgery(
        tree=_of_size(8 * LARGEST, WHOLE), blobs=[_recipe(WHOLE, [Chunk(WHOLE, LARGEST)] * 8)]
    ),
    "a recipe of a recipe": lambda: Forgery(
        tree=_of_size(8 * LARGEST, WHOLE),
        blobs=[
            _recipe(WHOLE, [Chunk(digest(b"x"), LARGEST)] * 8),
            _recipe(digest(b"x"), [Chunk(digest(CHUNK), LARGEST)]),
            _chunk(),
        ],
    ),
    "a recipe of something else": lambda: Forgery(
        tree=_of_size(8 * LARGEST, WHOLE), blobs=[_recipe(WHOLE, [Chunk(digest(CHUNK), LARGEST)] * 8), _chunk()]
    ),
    "a recipe without its chunks": lambda: Forgery(
        tree=_of_size(8 * LARGEST, WHOLE), blobs=[_recipe(WHOLE, [Chunk(digest(CHUNK), LARGEST)] * 8)]
    ),
    "a recipe without a checksum": lambda: Forgery(
        tree=_of_size(8 * LARGEST, WHOLE), blobs=[(WHOLE, BlobKind.RECIPE, b"R1" + bytes(34))]
    ),
    "a recipe of other lengths": lambda: Forgery(
        tree=_of_size(8 * 100, WHOLE), blobs=[_recipe(WHOLE, [Chunk(digest(CHUNK), 100)] * 8), _chunk()]
    ),
    "a giant in a small file's place": lambda: Forgery(
        tree=_of_size(8, WHOLE), blobs=[_recipe(WHOLE, _giant()), _chunk()]
    ),
    "a giant for a tree": lambda: Forgery(
        tree=raw_tree([_entry(b"d", b"d", 0o755, 0, WHOLE)]), blobs=[_recipe(WHOLE, _giant(), BlobKind.TREE), _chunk()]
    ),
    "a giant for rules": lambda: Forgery(
        manifest=_ref("rules", WHOLE.hex()), blobs=[_recipe(WHOLE, _giant(), BlobKind.DOCUMENT), _chunk()]
    ),
    "a giant for what was ignored": lambda: Forgery(
        manifest=_ref("ignored", WHOLE.hex()), blobs=[_recipe(WHOLE, _giant(), BlobKind.DOCUMENT), _chunk()]
    ),
    "a giant for what was not captured": lambda: Forgery(
        manifest=_ref("not_captured", WHOLE.hex()), blobs=[_recipe(WHOLE, _giant(), BlobKind.DOCUMENT), _chunk()]
    ),
    "a giant for a manifest": lambda: Forgery(
        rows={"snapshots": [(0, "manifest", WHOLE.hex())]},
        blobs=[_recipe(WHOLE, _giant(), BlobKind.MANIFEST), _chunk()],
    ),
    "a giant for a history": lambda: Forgery(
        pages=lambda _: [WHOLE], blobs=[_recipe(WHOLE, _giant(), BlobKind.HISTORY), _chunk()]
    ),
    "a long history": lambda: Forgery(history=b" " * (17 << 20)),
    "a history that is not there": lambda: Forgery(pages=lambda pages: [*pages, WHOLE]),
    "a history twice": lambda: Forgery(pages=lambda pages: pages * 2),
    "a file's bytes for a history": lambda: Forgery(pages=lambda pages: [*pages, FILE]),
}


@pytest.mark.parametrize("lie", BLOBS)
def test_blobs_with(lie: str, target: tb.Store, tmp_path: Path) -> None:
    BLOBS[lie]().write(tmp_path / "x")
    refused(target, tmp_path / "x")


def test_a_large_tree_and_a_file_of_the_same_bytes_can_still_be_maintained(target: tb.Store, tmp_path: Path) -> None:
    inner = encode_tree({f"{number:06}{'x' * 200}": Entry("f", 0o644, 8, FILE) for number in range(5000)})
    outer = encode_tree({"d": Entry("d", 0o755, 0, digest(inner)), "f": Entry("f", 0o644, len(inner), digest(inner))})
    Forgery(tree=outer, blobs=[(digest(inner), BlobKind.TREE, inner)]).write(tmp_path / "x")
    assert len(inner) > 1 << 20
    target.import_(tmp_path / "x")
    target.maintain()
    assert not target.verify(read_data=True).problems


# -- packs and the file itself

DATA = [(FILE, BlobKind.DATA, b"content\n")]


def _bomb() -> bytes:
    return zstandard.ZstdCompressor(level=3).compress(bytes(60 << 20))


def _claims(size: int) -> bytes:
    """A zstd frame whose header claims a size that is not in it."""
    return b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", size) + b"\x01\0\0"


PACKS: dict[str, Callable[[], tuple[str, bytes]]] = {
    "a frame that is larger than it says": lambda: make_pack(DATA, sealed=_bomb()),
    "a frame that is larger than any": lambda: make_pack(
        DATA, frames=lambda spans: [spans[0]._replace(raw_length=2**32 - 1)]
    ),
    "a frame that claims what it has not": lambda: make_pack(DATA, sealed=_claims(60 << 20), raw_length=60 << 20),
    "a frame that claims everything": lambda: make_pack(DATA, sealed=_claims(2**60), raw_length=8),
    "a frame beyond the end": lambda: make_pack(DATA, frames=lambda spans: [spans[0]._replace(length=2**32 - 1)]),
    "a frame elsewhere": lambda: make_pack(DATA, frames=lambda spans: [spans[0]._replace(position=2**60)]),
    "a blob outside of its frame": lambda: make_pack(DATA, entries=lambda all: [all[0]._replace(length=2**32 - 1)]),
    "a blob in no frame": lambda: make_pack(DATA, entries=lambda all: [all[0]._replace(frame=7)]),
    "a blob of no kind": lambda: make_pack(DATA, entries=lambda all: [all[0]._replace(kind=99)]),
    "a blob twice": lambda: make_pack(DATA, entries=lambda all: all * 2),
    "a million blobs that are one": lambda: make_pack(DATA, entries=lambda all: all * 400_000),
    "another name": lambda: ("9" * 32, make_pack(DATA)[1]),
    "too few bytes": lambda: (forged.PACK, b"TBPK"),
}


@pytest.mark.parametrize("lie", PACKS)
def test_a_pack_with(lie: str, target: tb.Store, tmp_path: Path) -> None:
    forged.write(tmp_path / "x", [PACKS[lie]()], [FILE])
    refused(target, tmp_path / "x")


def test_two_packs_with_the_same_blob_or_name(target: tb.Store, tmp_path: Path) -> None:
    forged.write(tmp_path / "x", [make_pack(DATA), make_pack(DATA, name="9" * 32)], [])
    refused(target, tmp_path / "x")
    forged.write(tmp_path / "y", [make_pack(DATA), make_pack(DATA)], [])
    refused(target, tmp_path / "y")


def test_a_file_that_is_cut_anywhere(target: tb.Store, tmp_path: Path) -> None:
    Forgery().write(tmp_path / "x")
    whole = (tmp_path / "x").read_bytes()
    for length in {*range(4, 60), *range(60, len(whole), 37), *range(len(whole) - 60, len(whole))}:
        (tmp_path / "x").write_bytes(whole[:length])
        refused(target, tmp_path / "x")
    for length in range(4):
        (tmp_path / "x").write_bytes(whole[:length])
        refused(target, tmp_path / "x", tb.InvalidInput)
    (tmp_path / "x").write_bytes(whole + b"\0")
    refused(target, tmp_path / "x")


def test_a_file_with_any_byte_changed(target: tb.Store, tmp_path: Path) -> None:
    Forgery().write(tmp_path / "x")
    whole = (tmp_path / "x").read_bytes()
    for place in range(0, len(whole), 3):
        changed = bytearray(whole)
        changed[place] ^= 0x55
        (tmp_path / "x").write_bytes(changed)
        with pytest.raises((tb.Integrity, tb.InvalidInput, tb.Unavailable)):
            target.import_(tmp_path / "x")
        assert target.timelines() == []
    (tmp_path / "x").write_bytes(whole)
    assert target.import_(tmp_path / "x").snapshots == 1


def test_counts_without_end(target: tb.Store, tmp_path: Path) -> None:
    Forgery().write(tmp_path / "x")
    whole = (tmp_path / "x").read_bytes()
    for pages, packs in ((2**32 - 1, 1), (1, 2**32 - 1), (2**32 - 1, 2**32 - 1)):
        (tmp_path / "x").write_bytes(whole[:-12] + struct.pack("<II", pages, packs) + b"TBEE")
        refused(target, tmp_path / "x")


def test_a_file_of_the_future_asks_for_an_upgrade(target: tb.Store, tmp_path: Path) -> None:
    Forgery().write(tmp_path / "x")
    whole = (tmp_path / "x").read_bytes()
    (tmp_path / "x").write_bytes(whole[:4] + struct.pack("<H", 2) + whole[6:])
    assert "upgrade" in refused(target, tmp_path / "x", tb.Unavailable).hints[0]


# -- stores

STORES = {
    "reported paths that are no list": "UPDATE moves SET reported = '5'",
    "a context that is no JSON": "UPDATE moves SET context = '{'",
    "a title of bytes": "UPDATE moves SET title = x'00ff'",
    "a root of text": "UPDATE timelines SET root = '/etc'",
    "a name that moves the cursor": "UPDATE timelines SET name = char(27) || '[2J'",
    "a manifest of text": "UPDATE snapshots SET manifest = 'x'",
    "a manifest of another": "UPDATE snapshots SET manifest = (SELECT manifest FROM snapshots LIMIT 1)",
    "an id that leads away": "UPDATE snapshots SET id = '../../etc' WHERE seq = 1",
    "a time in words": "UPDATE snapshots SET time_ns = 'now'",
    "a label that means another": "UPDATE labels SET name = '@' WHERE name = 'good'",
    "a kind that is none": "UPDATE blobs SET kind = 99",
    "blobs that are elsewhere": "UPDATE blobs SET start = start + 1 WHERE length > 1",
    "blobs that are longer": "UPDATE blobs SET length = length + 1000000000000",
    "frames that are longer": "UPDATE hot SET raw_length = raw_length + 1",
    "packs that lead away": "UPDATE packs SET name = '../../../../etc/passwd'",
}


@pytest.mark.parametrize("lie", STORES)
def test_a_store_with(lie: str, world: World, target: tb.Store) -> None:
    fill(world)
    with world.store.blobs.database.write() as tx:
        tx.execute(STORES[lie])
    try:
        with pytest.raises(tb.Integrity):
            target.pull(world.store)
        assert target.timelines() == []
        assert not target.verify(read_data=True).problems
    finally:
        world.store_path = Path("/nowhere")  # it does not verify, on purpose


def test_who_knows_our_ids_changes_nothing_of_ours(world: World, tmp_path: Path) -> None:
    """A file that claims ids of the target: what is there stays, whatever else the file says about it."""
    fill(world)
    before = history(world.store, world.line.root)
    head, move = world.line.log().snapshots[0].id, world.line.log().moves[0].id

    def claim(manifest: dict[str, Any]) -> None:
        manifest["id"] = head

    Forgery(
        manifest=claim,
        rows={
            "timelines": [(0, "root", world.line.root.encode().hex()), (0, "head", head)],
            "snapshots": [(0, "id", head)],
            "labels": [(0, "snapshot", head), (0, "name", "evil")],
            "moves": [(0, "id", move), (0, "opening", head), (0, "closing", head), (0, "title", "evil")],
        },
    ).write(tmp_path / "x")
    copied = world.store.import_(tmp_path / "x")
    assert (copied.snapshots, copied.moves, copied.blobs) == (0, 0, 0)
    assert history(world.store, world.line.root) == before
