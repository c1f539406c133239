"""Manifests, plans, lists, rules, histories, the header: documents that snapshots and stores are made of."""

from __future__ import annotations

from takeback.engine.manifest import canonical, decode_manifest, decode_not_captured, encode_manifest
from takeback.engine.plandoc import decode_plan, encode_plan
from takeback.model.plan import Effect, Plan
from takeback.model.snapshot import Part, Snapshot
from takeback.model.tree import DIRECTORY, FILE, Entry
from takeback.sources.workspace.guard import decode_ignored, encode_ignored
from takeback.sources.workspace.ignore import Patterns, RulesRecord
from takeback.sources.workspace.ignore.texts import GIT_IGNORE, TAKEBACK_IGNORE, Text
from takeback.store.catalogue import tables
from takeback.store.header import decode_header, encode_header, new_header

_ID = "0" * 32
_RULES = RulesRecord("sub/", Patterns((".env",), ("*.log",)), False, (Text("", GIT_IGNORE, b"*.o\n!a\n"),))


def manifest(data: bytes) -> None:
    raw = decode_manifest(data, _ID)
    parts = {
        name: Part(name, part["kind"], {key: bytes.fromhex(blob) for key, blob in part["refs"].items()}, part["detail"])
        for name, part in raw["parts"].items()
    }
    snapshot = Snapshot(_ID, raw["timeline"], raw["root"], None, raw["time_ns"], raw["trigger"], raw["context"], parts)
    again = encode_manifest(snapshot)
    assert canonical(decode_manifest(again, _ID)) == again


def plan(data: bytes) -> None:
    found = decode_plan(data)
    assert decode_plan(encode_plan(found)) == found


def not_captured(data: bytes) -> None:
    found = decode_not_captured(data)
    listed = [[item.path, item.reason, item.detail] for item in found]
    assert decode_not_captured(canonical(listed)) == found


def ignored(data: bytes) -> None:
    found = decode_ignored(data)
    assert decode_ignored(encode_ignored(found.items())) == found


def rules(data: bytes) -> None:
    found = RulesRecord.decode(data)
    assert found.encode() == data
    found.ignored("a/b.log", False)
    found.ignored(".env", True)


def history(data: bytes) -> None:
    for table, rows in tables.decode(data).items():
        assert all(len(row) == len(tables.columns(table)) for row in rows)


def header(data: bytes) -> None:
    found = decode_header(data, "a store")
    assert decode_header(encode_header(found), "a store") == found


def _plans() -> list[bytes]:
    entry = Entry(FILE, 0o644, 5, bytes(range(32)))
    effects = (
        Effect("workspace", "a", None, entry),
        Effect("workspace", "d", Entry(DIRECTORY, 0o755, 0, bytes(32)), None),
    )
    return [encode_plan(Plan("undo", "main", "/root", None, effects, moves=(_ID,), title="a turn"))]


def _manifests() -> list[bytes]:
    part = Part(
        "workspace", "workspace", {"content": bytes(32), "rules": bytes(32)}, {"context": {"git": {"commit": "1"}}}
    )
    return [encode_manifest(Snapshot(_ID, "main", "/r", None, 1, "manual", {"a": [1, None, 2.5]}, {"workspace": part}))]


TARGETS = {
    "manifest": (manifest, _manifests()),
    "plan": (plan, _plans()),
    "not_captured": (not_captured, [b'[["a","socket",""]]', b"[]"]),
    "ignored": (ignored, [b'[["a/",5],["b",6]]', b"[]"]),
    "rules": (
        rules,
        [_RULES.encode(), RulesRecord("", Patterns(), True, (Text("d/", TAKEBACK_IGNORE, b"x"),)).encode()],
    ),
    "history": (history, [tables.encode({}), tables.encode({"pins": [[_ID]], "labels": [[_ID, "good", 5]]})]),
    "header": (header, [encode_header(new_header())]),
}
