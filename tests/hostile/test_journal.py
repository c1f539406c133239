"""A journal that an enemy wrote: the next command would finish the restore that it tells of."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

import takeback as tb
from support.enemy import REFUSED, Enemy, blob_id
from takeback.engine.plandoc import encode_plan
from takeback.model.ids import BlobKind
from takeback.model.plan import Effect, Plan
from takeback.model.tree import DIRECTORY, FILE, LINK, Entry

EVIL = b"evil\n"
EVIL_FILE = Entry(FILE, 0o644, len(EVIL), blob_id(EVIL))
PRECIOUS = Entry(FILE, 0o644, 9, blob_id(b"precious\n"))
FINISHING = [("save",), ("restore", "first", "--yes"), ("undo", "--yes"), ("redo", "--yes")]


def forge(enemy: Enemy, effects: tuple[Effect, ...], **altered: object) -> None:
    """A journal for the project's root, with a plan of these effects; ``altered`` are fields of the plan, or of the row."""
    enemy.nothing_special()
    line = enemy.line._line
    head = line.head()
    assert head is not None
    row = {name: altered.pop(name) for name in ("safety", "timeline_number", "document") if name in altered}
    plan = replace(Plan("restore", line.name, line.root, None, effects, title="x"), **altered)  # type: ignore[arg-type]
    with line.writer() as writer:
        writer.put(EVIL, BlobKind.DATA)
        document = writer.put(row.get("document") or encode_plan(plan), BlobKind.DOCUMENT)  # type: ignore[arg-type]
        writer.commit(lambda tx: None)
    enemy.sql(
        (
            "INSERT INTO journals (root, timeline, plan, safety, started_ns) VALUES (?, ?, ?, ?, 1)",
            (os.fsencode(line.root), row.get("timeline_number", head.timeline), document, row.get("safety", head.id)),
        )
    )


def refused(enemy: Enemy) -> None:
    for command, ended in enemy.trial(*FINISHING, ("status",), ("log",), ("maintain",)).items():
        if command in FINISHING:
            assert ended.code == REFUSED, (command, ended)


PATHS = [
    "../outside/precious", "/etc/takeback-was-here", "a/../../outside/x", ".git/hooks/post-checkout", "a\0b", "",
    "d//b.txt", ".", "d/./x", ".takeback-stage-0123456789abcdef/1", "/".join("d" * 3000), "\ud800",
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS, ids=[ascii(path)[:30] for path in PATHS])
def test_a_journal_that_leads_out_of_the_root_is_refused(tmp_path: Path, path: str) -> None:
    enemy = Enemy(tmp_path)
    forge(enemy, (Effect("workspace", path, None, EVIL_FILE),))
    refused(enemy)


def test_a_journal_through_a_link_writes_nothing_behind_it(tmp_path: Path) -> None:
    enemy = Enemy(tmp_path)
    (enemy.root / "out").symlink_to("../outside")
    forge(enemy, (Effect("workspace", "out/precious", PRECIOUS, EVIL_FILE),))
    refused(enemy)


def test_a_journal_may_only_change_what_its_safety_snapshot_holds(tmp_path: Path) -> None:
    """Else a file that was never saved could be replaced or deleted by a mere save."""
    enemy = Enemy(tmp_path)
    (enemy.root / "unsaved").write_text("precious\n")
    forge(enemy, (Effect("workspace", "unsaved", PRECIOUS, EVIL_FILE), Effect("workspace", "a.txt", None, EVIL_FILE)))
    refused(enemy)


def test_what_a_journal_does_after_all_can_be_undone(tmp_path: Path) -> None:
    """It may create a file: the safety snapshot tells that it was not there."""
    enemy = Enemy(tmp_path)
    forge(enemy, (Effect("workspace", "new", None, EVIL_FILE),))
    found = enemy.trial(("save",), ("undo", "--yes"))
    assert found["save",].code == 0
    assert found["undo", "--yes"].code == 0
    worlds = sorted((tmp_path / "trials").iterdir(), key=lambda path: int(path.name))
    assert not (worlds[1] / "project" / "new").exists()


def strange_documents() -> dict[str, bytes]:
    head = b'{"effects":[],"moves":[],"root":"r","target":null,"timeline":"main","title":"","verb":"restore"}'
    return {
        "nothing": b"",
        "no JSON": b"\xff",
        "a number": b"1",
        "deep": b"[" * 200_000,
        "no fields": b"{}",
        "a verb of its own": head.replace(b'"restore"', b'"rm -rf"'),
        "effects that are none": head.replace(b"[]", b'[["workspace"]]', 1),
        "a path that is none": head.replace(b"[]", b'[["workspace",5,null,null]]', 1),
        "an id that is none": head.replace(b"[]", b'[["workspace","a",null,["f",420,5,"zz"]]]', 1),
        "a short id": head.replace(b"[]", b'[["workspace","a",null,["f",420,5,"00"]]]', 1),
        "a giant": head.replace(b"[]", b'[["workspace","a",null,["f",420,1e999,"' + b"00" * 32 + b'"]]]', 1),
        "moves that are none": head.replace(b'"moves":[]', b'"moves":[1,{}]'),
    }


@pytest.mark.parametrize("document", strange_documents().values(), ids=strange_documents())
def test_a_journal_that_cannot_be_read_is_refused(tmp_path: Path, document: bytes) -> None:
    enemy = Enemy(tmp_path)
    forge(enemy, (), document=document or b" ")
    refused(enemy)


OTHERS = {
    "another's timeline": {"timeline_number": 2},
    "a timeline that is not there": {"timeline_number": 77},
    "a safety snapshot that is not there": {"safety": "0" * 32},
}


@pytest.mark.parametrize("altered", OTHERS.values(), ids=OTHERS)
def test_a_journal_of_another_place_is_refused(tmp_path: Path, altered: dict[str, object]) -> None:
    enemy = Enemy(tmp_path)
    (tmp_path / "second").mkdir()
    enemy.store.timeline("main", sources=[tb.Workspace(tmp_path / "second")]).save()
    forge(enemy, (Effect("workspace", "new", None, EVIL_FILE),), **altered)
    for command, ended in enemy.trial(*FINISHING).items():
        assert ended.code in (REFUSED, 15), (command, ended)


def test_a_journal_with_content_that_is_not_there_changes_nothing(tmp_path: Path) -> None:
    enemy = Enemy(tmp_path)
    missing = Entry(FILE, 0o644, 5, bytes(32))
    link = Entry(LINK, 0o777, 3, blob_id(b"abc"))
    made = Entry(DIRECTORY, 0o755, 0, bytes(32))
    forge(
        enemy,
        (
            Effect("workspace", "new", None, missing),
            Effect("workspace", "link", None, link),
            Effect("workspace", "made", None, made),
        ),
    )
    found = enemy.trial(*FINISHING)
    assert found["save",].code == 0, "it is rolled back"
    for trial in (tmp_path / "trials").iterdir():
        assert {"new", "link", "made"}.isdisjoint(os.listdir(trial / "project"))
