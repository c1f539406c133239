"""A snapshot whose trees are not what a workspace can be."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from support.enemy import EVERYTHING, REFUSED, Enemy, blob_id, with_content
from takeback.model.ids import BlobKind
from takeback.model.tree import DIRECTORY, FILE, LINK, Entry, encode_tree, name_bytes
from takeback.store.writer import Writer

DATA = b"evil\n"
FOLLOWING = [
    ("show", "evil:"),
    ("diff", "evil", "@"),
    ("restore", "evil", "--dry-run"),
    ("restore", "evil", "--yes"),
    ("restore", "evil", "--to", "../elsewhere"),
    ("fork", "evil", "other", "--to", "../elsewhere"),
    ("undo", "--yes"),
    ("maintain",),
    ("stats",),
]
"""What has to look into the tree."""
WRITING = FOLLOWING[3:7]


def raw_tree(*entries: tuple[bytes, bytes, int, int, bytes]) -> bytes:
    """A tree exactly as given: name, kind, mode, size, id; in this order."""
    names = b"\0".join(name for name, *_ in entries)
    records = b"".join(struct.pack("<cHQ32s", kind, mode, size, id) for _, kind, mode, size, id in entries)
    return struct.pack("<2sII", b"T1", len(entries), len(names)) + names + records


def file(name: bytes, **other: int) -> tuple[bytes, bytes, int, int, bytes]:
    return (name, b"f", other.get("mode", 0o644), other.get("size", len(DATA)), blob_id(DATA))


IMPOSSIBLE = {
    "..": raw_tree(file(b"..")),
    ".": raw_tree(file(b".")),
    "no name": raw_tree(file(b"")),
    "absolute": raw_tree(file(b"/etc/passwd")),
    "a slash": raw_tree(file(b"../outside/precious")),
    "NUL": raw_tree(file(b"a\0b")),
    "twice": raw_tree(file(b"a"), file(b"a")),
    "out of order": raw_tree(file(b"b"), file(b"a")),
    "a device": raw_tree((b"a", b"c", 0o644, 0, blob_id(DATA))),
    "file type in the mode": raw_tree(file(b"a", mode=0o60644)),
    "counts": struct.pack("<2sII", b"T1", 0xFFFFFFFF, 0) + b"\0" * 43,
    "names": struct.pack("<2sII", b"T1", 1, 0xFFFFFFFF),
    "cut": raw_tree(file(b"a"))[:-1],
    "other bytes": b"\x7fELF" + bytes(100),
    "nothing": b"",
}


@pytest.mark.parametrize("raw", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_a_tree_that_no_directory_can_be_is_refused(tmp_path: Path, raw: bytes) -> None:
    enemy = Enemy(tmp_path)
    enemy.tree(raw)
    found = enemy.trial(*FOLLOWING, ("verify",), ("save",))
    assert {command: found[command].code for command in FOLLOWING} == dict.fromkeys(FOLLOWING, REFUSED)
    assert found["verify",].code == REFUSED
    assert found["save",].code == 0, "a bad snapshot of the past keeps nobody from saving"


def put_tree(enemy: Enemy, tree: dict[str, Entry], *blobs: bytes) -> None:
    """A snapshot with a tree that is well formed."""

    def make(writer: Writer) -> bytes:
        for blob in (DATA, *blobs):
            writer.put(blob, BlobKind.DATA)
        return writer.put(encode_tree(tree), BlobKind.TREE)

    enemy.snapshot(lambda writer, part: with_content(part, make(writer)))


GIT = [
    ".git",
    ".GIT",
    ".Git",
    ".git ",
    ".git.",
    "git~1",
    "GIT~1",
    ".git::$INDEX_ALLOCATION",
    ".g\u200cit",
    ".gi\ufefft",
]
OURS = [".takeback-stage-0123456789abcdef", ".takeback-stage-x"]


@pytest.mark.parametrize("name", GIT + OURS)
def test_nothing_is_ever_written_to_a_name_that_is_git_s_or_our_own(tmp_path: Path, name: str) -> None:
    enemy = Enemy(tmp_path)
    hooks = encode_tree({"post-checkout": Entry(FILE, 0o755, len(DATA), blob_id(DATA))})
    put_tree(enemy, {name: Entry(DIRECTORY, 0o755, 0, blob_id(hooks))})
    with enemy.store.blobs.writer() as writer:
        writer.put(hooks, BlobKind.TREE)
        writer.commit(lambda tx: None)
    for command, ended in enemy.trial(*WRITING).items():
        assert ended.code == REFUSED, (command, ended)
    for trial in (tmp_path / "trials").iterdir():
        assert not (trial / "project" / name).exists()


@pytest.mark.parametrize("size", [0, len(DATA) - 1, len(DATA) + 1, 2 << 20, 1 << 62, (1 << 64) - 1])
def test_a_size_that_is_not_the_content_s_is_refused(tmp_path: Path, size: int) -> None:
    enemy = Enemy(tmp_path)
    put_tree(enemy, {"a.txt": Entry(FILE, 0o644, size, blob_id(DATA))})
    for command, ended in enemy.trial(*WRITING).items():
        assert ended.code in (REFUSED, 15), (command, ended)


@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o1777, 0o7777])
def test_setuid_setgid_and_sticky_bits_are_never_set(tmp_path: Path, mode: int) -> None:
    enemy = Enemy(tmp_path)
    put_tree(
        enemy,
        {
            "a.txt": Entry(FILE, mode, len(DATA), blob_id(DATA)),
            "d": Entry(DIRECTORY, mode, 0, blob_id(encode_tree({}))),
        },
    )
    with enemy.store.blobs.writer() as writer:
        writer.put(encode_tree({}), BlobKind.TREE)
        writer.commit(lambda tx: None)
    for command, ended in enemy.trial(*WRITING).items():
        assert ended.code == 0, (command, ended)
    for trial in (tmp_path / "trials").iterdir():
        for path in trial.rglob("*"):
            if "store" not in path.parts:
                assert not path.lstat().st_mode & 0o7000, path


def test_a_link_and_then_a_write_through_it_touches_nothing_behind_it(tmp_path: Path) -> None:
    """A link in one snapshot, entries below the same name in another: the link is never followed."""
    enemy = Enemy(tmp_path)
    target = b"../outside"
    below = encode_tree({"precious": Entry(FILE, 0o644, len(DATA), blob_id(DATA))})

    def make(writer: Writer) -> bytes:
        for blob in (DATA, target):
            writer.put(blob, BlobKind.DATA)
        inside = writer.put(below, BlobKind.TREE)
        return writer.put(encode_tree({"d": Entry(DIRECTORY, 0o755, 0, inside)}), BlobKind.TREE)

    enemy.snapshot(lambda writer, part: with_content(part, make(writer)))
    (enemy.root / "d" / "b.txt").unlink()
    (enemy.root / "d").rmdir()
    (enemy.root / "d").symlink_to("../outside")
    assert enemy.trial(*WRITING)["restore", "evil", "--yes"].code == 0
    for trial in (tmp_path / "trials").iterdir():
        world = trial
        if (world / "project" / "d" / "precious").exists() and not (world / "project" / "d").is_symlink():
            assert (world / "project" / "d" / "precious").read_bytes() == DATA


@pytest.mark.parametrize("target", [b"", b"a\0b", b"x" * (1 << 17)], ids=["empty", "NUL", "endless"])
def test_a_link_that_cannot_be_is_refused(tmp_path: Path, target: bytes) -> None:
    enemy = Enemy(tmp_path)
    put_tree(enemy, {"link": Entry(LINK, 0o777, len(target), blob_id(target))}, target)
    for command, ended in enemy.trial(*WRITING).items():
        assert ended.code in (REFUSED, 15), (command, ended)


def chain(writer: Writer, depth: int, width: int = 1) -> bytes:
    """Directories in each other, each so many times."""
    inner = writer.put(encode_tree({}), BlobKind.TREE)
    for _ in range(depth):
        entries = {f"{number:02}": Entry(DIRECTORY, 0o755, 0, inner) for number in range(width)}
        inner = writer.put(encode_tree(entries), BlobKind.TREE)
    return inner


@pytest.mark.parametrize(
    ("depth", "width"), [(300, 1), (10_000, 1), (40, 2), (20, 16)], ids=["deep", "endless", "doubling", "wide"]
)
def test_a_tree_deeper_or_wider_than_any_workspace_is_refused(tmp_path: Path, depth: int, width: int) -> None:
    enemy = Enemy(tmp_path)
    enemy.snapshot(lambda writer, part: with_content(part, chain(writer, depth, width)))
    followers = FOLLOWING if width == 1 else [FOLLOWING[0], WRITING[0]]
    for command, ended in enemy.trial(*followers, seconds=60).items():
        assert ended.code == REFUSED, (command, ended)


def test_a_tree_that_claims_to_hold_itself_is_found_out_by_its_hash(tmp_path: Path) -> None:
    """A cycle can only be faked by a row that leads to other bytes than its id names."""
    enemy = Enemy(tmp_path)
    held = blob_id(b"the tree that holds itself")
    raw = encode_tree({"again": Entry(DIRECTORY, 0o755, 0, held)})
    enemy.snapshot(lambda writer, part: with_content(part, writer.put(raw, BlobKind.TREE)))
    enemy.sql(
        (
            "INSERT INTO blobs (id, kind, pack, frame, start, length) "
            "SELECT ?, kind, pack, frame, start, length FROM blobs WHERE id = ?",
            (held, blob_id(raw)),
        )
    )
    for command, ended in enemy.trial(*FOLLOWING, ("verify", "--read-data")).items():
        assert ended.code == REFUSED, (command, ended)


def test_names_of_any_bytes_are_printed_harmlessly(tmp_path: Path) -> None:
    enemy = Enemy(tmp_path)
    names = ["\x1b[2J\x1b]0;owned\x07", "\u202egpj.exe", "a\nb", "\udcff", "-rf"]
    put_tree(enemy, {name: Entry(FILE, 0o644, len(DATA), blob_id(DATA)) for name in sorted(names, key=name_bytes)})
    found = enemy.trial(*EVERYTHING)
    for command, ended in found.items():
        signs = "\x1b\x07\x9b" if command[0] == "diff" else "\x1b\x07\x9b\u202e"  # a patch must name it as it is
        assert not set(signs) & set(ended.out + ended.err), ended
