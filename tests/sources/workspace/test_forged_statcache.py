"""A stat cache that an enemy wrote: who can write into the store's directory cannot put into a snapshot what no file held."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from blake3 import blake3

from support.agent import World
from support.captures import content, fill
from support.trees import Link, Spec
from takeback.model.ids import BlobKind
from takeback.model.tree import DIRECTORY, FILE, encode_records, name_bytes
from takeback.sources.trees import join
from takeback.sources.workspace.source import Workspace
from takeback.sources.workspace.statcache import Row, Section, decode_cache, encode_cache, encode_section

EVIL = b"evil!\n"  # as long as what the files hold
EVIL_ID = blake3(EVIL).digest()
FILES: dict[str, Spec] = {
    "a.txt": "first\n",
    "d/b.txt": "other\n",
    "d/link": Link("b.txt"),
    "d/e/c.txt": "third\n",
    "f/only.txt": "only!\n",
}


@dataclass
class Forged:
    """Every directory of a cache, taken apart: what it says its tree is, and its rows by name."""

    trees: dict[str, bytes]
    fingerprints: dict[str, bytes]
    rows: dict[str, dict[str, Row]]
    planted: list[bytes] = field(default_factory=list)
    """Trees that the enemy stores, so that nothing is missing that a snapshot might refer to."""

    def change(self, directory: str, name: str, **new: object) -> None:
        fields = dict(zip(("name", "kind", "stat", "id"), self.rows[directory][name], strict=True)) | new
        self.rows[directory][name] = tuple(fields.values())  # type: ignore[assignment]

    def seal(self, directory: str) -> bytes:
        """Let a directory's section say that its tree is the one that its rows make."""
        made = encode_records(
            (name_bytes(name), kind, 0o777 if kind == "l" else seen[0] & 0o777, seen[1], id)
            for name, kind, seen, id in self.rows[directory].values()
            if kind in "fld"
        )
        self.planted.append(made)
        self.trees[directory] = blake3(made).digest()
        return self.trees[directory]


def forge(world: World, lie: Callable[[Forged], None]) -> None:
    """Replace the cache by one that lies, and that every file's present stat is put into first: all looks unchanged."""
    line = world.line._line
    source = line.sources["workspace"]
    assert isinstance(source, Workspace)
    with line.writer() as writer:
        key, tree = source._cache_key(writer), world.line.show("@").parts["workspace"].content
        cache = decode_cache(writer.derived.get(key), tree)
        sections = {path: Section(data) for path, data in cache.items()}
        assert set(sections) == {"", "d", "d/e", "f"}
        found = Forged(
            {path: each.tree for path, each in sections.items()},
            {path: each.fingerprint for path, each in sections.items()},
            {path: {row[0]: _seen(world.root, path, row) for row in each.rows()} for path, each in sections.items()},
        )
        lie(found)
        writer.put(EVIL, BlobKind.DATA)
        for planted in found.planted:
            writer.put(planted, BlobKind.TREE)
        forged = {
            path: encode_section(found.trees[path], found.fingerprints[path], list(rows.values()))
            for path, rows in found.rows.items()
        }
        writer.derived.put(key, encode_cache(tree, cache.note, forged))
        writer.commit(lambda tx: None)


def _seen(root: Path, directory: str, row: Row) -> Row:
    if row[1] not in (FILE, "l"):
        return row
    at = os.lstat(root / join(directory, row[0]))
    return row[0], row[1], (at.st_mode, at.st_size, at.st_mtime_ns, at.st_ctime_ns, at.st_ino), row[3]


# lies


def the_truth(forged: Forged) -> None:
    pass


def an_id(forged: Forged) -> None:
    for directory, rows in forged.rows.items():
        for name in [name for name, row in rows.items() if row[1] == FILE]:
            forged.change(directory, name, id=EVIL_ID)


def every_tree(forged: Forged) -> None:
    """Ids that lead to something else, and trees to match, up to the root."""
    an_id(forged)
    deep = forged.seal("d/e")
    forged.change("d", "e", id=deep)
    forged.change("", "f", id=forged.seal("f"))
    forged.change("", "d", id=forged.seal("d"))
    forged.seal("")


def every_tree_but_the_root_s(forged: Forged) -> None:
    root = forged.trees[""]
    every_tree(forged)
    forged.trees[""] = root


def trees_of_which_nobody_knows(forged: Forged) -> None:
    """The sections themselves, under a truth."""
    roots, rows = forged.trees[""], dict(forged.rows[""])
    every_tree(forged)
    forged.trees[""], forged.rows[""] = roots, rows


def a_mode(forged: Forged) -> None:
    for directory, name in (("", "d"), ("d", "e")):
        kind, seen = forged.rows[directory][name][1], forged.rows[directory][name][2]
        forged.change(directory, name, kind=kind, stat=(seen[0] ^ 0o077, *seen[1:]))


def files_that_are_ignored(forged: Forged) -> None:
    for directory, name in (("", "a.txt"), ("d", "b.txt"), ("d/e", "c.txt")):
        forged.change(directory, name, kind="i")


def directories_that_are_ignored(forged: Forged) -> None:
    forged.change("", "d", kind="I")
    forged.change("", "f", kind="I")


def files_that_are_none(forged: Forged) -> None:
    for directory, name in (("", "a.txt"), ("d", "b.txt"), ("f", "only.txt")):
        forged.change(directory, name, kind=DIRECTORY, id=forged.trees["d/e"])


def kinds_that_nothing_has(forged: Forged) -> None:
    for directory, rows in forged.rows.items():
        for name in rows:
            forged.change(directory, name, kind="z")


def nothing_there(forged: Forged) -> None:
    for rows in forged.rows.values():
        rows.clear()


def one_thing_more(forged: Forged) -> None:
    for rows in forged.rows.values():
        rows["more"] = ("more", FILE, (0o100644, len(EVIL), 1, 1, 1), EVIL_ID)


def an_ignored_file_that_was_captured(forged: Forged) -> None:
    forged.change("", "secret.log", kind=FILE, id=EVIL_ID)


HIDING = directories_that_are_ignored
"""What is not looked into is as before, whatever happened in it: the one harm that a forged cache can do."""
LIES = [
    the_truth, an_id, every_tree, every_tree_but_the_root_s, trees_of_which_nobody_knows, a_mode, files_that_are_ignored,
    directories_that_are_ignored, files_that_are_none, kinds_that_nothing_has, nothing_there, one_thing_more,
    an_ignored_file_that_was_captured,
]  # fmt: skip
EDITS: dict[str, dict[str, str | None]] = {
    "nothing": {},
    "the root": {"new": "new\n"},
    "a directory": {"d/new": "new\n"},
    "a deep directory": {"d/e/new": "new\n"},
    "a directory of files": {"f/new": "new\n"},
    "the only file": {"f/only.txt": None},
    "the rules": {".gitignore": "*.log\n*.tmp\n"},
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
@pytest.mark.parametrize("lie", LIES)
def test_a_forged_cache_puts_nothing_into_a_snapshot_that_no_file_holds(
    world: World, lie: Callable[[Forged], None], edit: dict[str, str | None]
) -> None:
    fill(world, {**FILES, ".gitignore": "*.log\n", "secret.log": "secret"})
    before = content(world, world.line.save())
    forge(world, lie)
    world.edit(edit)
    for _ in range(2):
        found, there = content(world, world.line.save()), world.tree()
        del there["secret.log"]
        assert found == there or lie is HIDING
        assert all(node in (there.get(path), before.get(path)) for path, node in found.items())
        world.write("f/later", "later\n")
    assert world.store.verify(read_data=True).ok


def test_a_cache_that_was_found_out_is_written_anew(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(world, FILES)
    world.line.save()
    forge(world, kinds_that_nothing_has)
    world.line.save()
    forge(world, the_truth)
    monkeypatch.delattr("takeback.sources.workspace.capture.store_file")  # nothing is read
    world.line.save()
