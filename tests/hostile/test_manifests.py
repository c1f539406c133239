"""A snapshot whose manifest, or a document that it refers to, is not one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.enemy import EVERYTHING, REFUSED, Enemy
from takeback.model.ids import BlobKind
from takeback.model.snapshot import Part
from takeback.store.writer import Writer

LOADING = [("show", "evil"), ("restore", "evil", "--yes"), ("maintain",)]
GOOD: dict[str, Any] = {
    "format": 1, "id": "@ID@", "root": "/r", "timeline": "main", "parent": None, "time_ns": 1, "trigger": "manual",
    "context": {}, "parts": {"workspace": {"kind": "workspace", "detail": {}, "refs": {"content": "00" * 32}}},
}  # fmt: skip


def manifests() -> dict[str, bytes]:
    found = {
        "nothing": b" ",
        "no JSON": b"\xff\xfe",
        "a list": b"[]",
        "deep": b"[" * 200_000,
        "deep inside": json.dumps(GOOD).encode().replace(b'"context": {}', b'"context":' + b'{"a":' * 100_000),
        "an endless number": json.dumps(GOOD).encode().replace(b'"time_ns": 1', b'"time_ns":' + b"9" * 100_000),
        "a time that never comes": json.dumps({**GOOD, "time_ns": 1 << 70}).encode(),
        "another's": json.dumps({**GOOD, "id": "0" * 32}).encode(),
    }
    for field in GOOD:
        wrong: list[Any] = [None, -1.5, []]
        for value in wrong if field != "parent" else ():  # which is taken from the row
            found[f"{field} = {value!r}"] = json.dumps({**GOOD, field: value}).encode()
    parts: dict[str, Any] = {
        "no object": 5,
        "no refs": {"kind": "workspace", "detail": {}},
        "no content": {"kind": "workspace", "detail": {}, "refs": {}},
        "no rules": GOOD["parts"]["workspace"],
        "an id that is none": {"kind": "workspace", "detail": {}, "refs": {"content": "zz"}},
        "a kind that is none": {"kind": [], "detail": {}, "refs": {"content": "00" * 32}},
        "a detail that is none": {"kind": "workspace", "detail": 1, "refs": {"content": "00" * 32}},
        "a context that is none": {"kind": "workspace", "detail": {"context": 1}, "refs": {"content": "00" * 32}},
    }
    return found | {
        f"part: {name}": json.dumps({**GOOD, "parts": {"workspace": part}}).encode() for name, part in parts.items()
    }


@pytest.mark.parametrize("raw", manifests().values(), ids=manifests())
def test_a_manifest_that_is_none_is_refused(tmp_path: Path, raw: bytes) -> None:
    enemy = Enemy(tmp_path)
    enemy.manifest(raw)
    for command, ended in enemy.trial(*LOADING).items():
        assert ended.code == REFUSED, (command, ended)


def test_a_part_of_an_unknown_kind_is_shown_and_not_restored(tmp_path: Path) -> None:
    enemy = Enemy(tmp_path)
    enemy.snapshot(lambda writer, part: Part("workspace", "quantum", part.refs, {"x": 1}))
    found = enemy.trial(("show", "evil"), ("maintain",), ("restore", "evil", "--yes"))
    assert found["show", "evil"].code == 0
    assert found["maintain",].code == 15, "what it needs is not known, so nothing may be removed"


_RULES = [b"", b"R1", b"R1\0" + b"\xff" * 40, b"R1\1" + bytes(16), b"R1\2" + bytes(16)]
DOCUMENTS = {
    "not_captured": [b"{}", b'[["a"]]', b"[[1,2,3]]", b"[" * 100_000, b"\xff"],
    "ignored": [b"1", b"[[1,2]]", b'[["a","b"]]', b"[" * 100_000, b"\xff", b"[[[],[]]]"],
    "rules": _RULES,
    "trusted": _RULES,
}


@pytest.mark.parametrize(("ref", "raw"), [(ref, raw) for ref, raws in DOCUMENTS.items() for raw in raws])
def test_a_document_of_a_part_that_is_none_is_refused(tmp_path: Path, ref: str, raw: bytes) -> None:
    enemy = Enemy(tmp_path)

    def make(writer: Writer, part: Part) -> Part:
        return Part(part.name, part.kind, {**part.refs, ref: writer.put(raw, BlobKind.DOCUMENT)}, part.detail)

    enemy.snapshot(make)
    (enemy.root / "newer.txt").write_text("so that something is absent from the snapshot")
    found = enemy.trial(("show", "evil"), ("restore", "evil", "--yes"), ("undo", "--yes"))
    if raw != b"R1\1" + bytes(16):
        assert found["restore", "evil", "--yes"].code == REFUSED


def test_escapes_in_names_titles_and_contexts_are_printed_harmlessly(tmp_path: Path) -> None:
    evil = "\x1b[2J\x1b]0;owned\x07\u202e\nsecond"
    enemy = Enemy(tmp_path)
    enemy.snapshot(
        lambda writer, part: Part(part.name, part.kind, part.refs, {"context": {"git": {"commit": evil, "branch": evil}}}),
        trigger=evil, timeline=evil, root=evil, context={"git": {"commit": evil, "branch": evil}, evil: evil},
    )  # fmt: skip
    enemy.sql(
        ("INSERT INTO labels SELECT id, ?, 1 FROM snapshots", (evil,)),
        ("UPDATE moves SET title = ?, session = ?", (evil, evil)),
        ('UPDATE snapshots SET "trigger" = ?, session = ?', (evil, evil)),
        ("INSERT INTO timelines SELECT 99, x'2f1b5b324a', ?, 1, NULL, head FROM timelines LIMIT 1", (evil,)),
    )
    for command, ended in enemy.trial(*EVERYTHING).items():
        assert not set("\x1b\x07\u202e") & set(ended.out + ended.err), (command, ended)
