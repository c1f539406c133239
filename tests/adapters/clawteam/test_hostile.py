"""Bundles that an enemy wrote: refused with words, and not a byte is written anywhere."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz import run
from fuzz.bundles import TEAM, bundle, made
from support.trees import read_tree
from takeback.adapters.clawteam import NoBundle, NotThere, SnapshotManager, bundles, parsing
from takeback.errors import TakebackError

ID = made()["meta"]["id"]

TRICKS: list[Any] = [
    "../../x", "..", ".", ".hidden", "/etc/x", "a/b", "a\\b", "", " a", "a\0b", "a\nb", "\ud800", "x" * 500, "é" * 100,
    "a.lock", "b.tmp", 7, 1.5, True, None, [], {}, ["a"],
]  # fmt: skip


def _put(*keys: Any) -> Callable[[dict[str, Any], Any], None]:
    def put(raw: dict[str, Any], value: Any) -> None:
        for key in keys[:-1]:
            raw = raw[key]
        raw[keys[-1]] = value

    return put


def _inbox(raw: dict[str, Any], value: Any) -> None:
    raw["inboxes"] = {value: []} if isinstance(value, str) else value


FIELDS: dict[str, Callable[[dict[str, Any], Any], None]] = {
    "meta.id": _put("meta", "id"),
    "meta.teamName": _put("meta", "teamName"),
    "config.name": _put("config", "name"),
    "member.name": _put("config", "members", 0, "name"),
    "member.user": _put("config", "members", 1, "user"),
    "task.id": _put("tasks", 0, "id"),
    "task.blockedBy": _put("tasks", 1, "blockedBy", 0),
    "session.agentName": _put("sessions", 0, "agentName"),
    "session.teamName": _put("sessions", 0, "teamName"),
    "cost.id": _put("costs", 0, "id"),
    "cost.reportedAt": _put("costs", 0, "reportedAt"),
    "inbox": _inbox,
}
FITTING = {("member.user", ""), ("inbox", str({}))}
"""What is no trick there: a member of no user, and a team without mail."""


class Planted:
    """A bundle on disk, and everything around it as it was."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.data = place / "clawteam"
        self.file = self.data / "snapshots" / TEAM / f"snap-{ID}.json"
        self.file.parent.mkdir(parents=True)
        self.manager = SnapshotManager(TEAM, data_dir=self.data, store=place / "store")

    def refused(self, data: bytes) -> str:
        """The words with which every verb refuses it; there is not even a store afterwards."""
        self.file.write_bytes(data)
        before = read_tree(self.place)
        message = ""
        for verb in (
            self._restore,
            self._look,
            self.manager.load_bundle,
            self.manager.plan,
            self.manager.export_bundle,
        ):
            with pytest.raises(NoBundle) as caught:
                verb(ID)
            message = str(caught.value)
        with pytest.raises(NoBundle):
            self.manager.import_bundle(self.file)
        assert read_tree(self.place) == before
        return message

    def _restore(self, id: str) -> None:
        self.manager.restore(id)

    def _look(self, id: str) -> None:
        self.manager.restore(id, dry_run=True)


@pytest.fixture
def planted(tmp_path: Path) -> Planted:
    return Planted(tmp_path / "world")


def _encoded(raw: Any) -> bytes:
    return json.dumps(raw, indent=2).encode()


def test_the_bundle_that_is_twisted_here_is_in_order(planted: Planted) -> None:
    planted.file.write_bytes(_encoded(made()))
    assert planted.manager.restore(ID)["tasks"] == 2
    assert (planted.data / "teams" / TEAM / "config.json").exists()


@pytest.mark.parametrize("field", FIELDS)
def test_no_field_that_becomes_a_path_leads_anywhere(planted: Planted, field: str) -> None:
    for trick in TRICKS:
        if (field, trick if isinstance(trick, str) else str(trick)) in FITTING:
            continue
        raw = copy.deepcopy(made())
        FIELDS[field](raw, trick)
        message = planted.refused(_encoded(raw))
        assert str(planted.file) in message and "hint:" in message
        assert len(message) < 600


@pytest.mark.parametrize("piece", range(50))
def test_the_beginning_of_a_bundle_is_no_bundle(planted: Planted, piece: int) -> None:
    whole = _encoded(made())
    planted.refused(whole[: len(whole) * piece // 50])


@pytest.mark.parametrize(
    ("twist", "words"),
    [
        (_put("tasks", 1, "id"), "two tasks"),
        (lambda raw, _: raw["sessions"].append(raw["sessions"][0]), "two sessions"),
        (lambda raw, _: raw["costs"].append(raw["costs"][0]), "two costs"),
        (lambda raw, _: raw["tasks"].pop(), "something was lost"),
        (lambda raw, _: raw["events"].pop(), "something was lost"),
        (lambda raw, _: raw["tasks"][0].pop("subject"), "no subject"),
        (lambda raw, _: raw.pop("meta"), "meta"),
        (lambda raw, _: raw.pop("config"), "config"),
        (_put("plans"), "not known here"),
        (_put("tasks", 0, "status"), ""),
        (_put("config", "budgetCents"), "budgetCents"),
    ],
)
def test_what_contradicts_itself_is_refused(planted: Planted, twist: Any, words: str) -> None:
    raw = copy.deepcopy(made())
    twist(raw, "1a" if words else 7)
    assert words in planted.refused(_encoded(raw))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5000])
def test_what_is_no_number_is_refused(planted: Planted, number: str) -> None:
    planted.refused(_encoded(made()).replace(b'"costCents": 1.5', f'"costCents": {number}'.encode()))


@pytest.mark.parametrize(
    "data",
    [
        b"", b"null", b"[]", b"7", b'"x"', b"\xff\xfe", b"\x00" * 4096, b"{}" * 2, b"[" * 100_000, b'{"a":' * 100_000,
        b'{"meta": ' + b"[" * 101 + b"]" * 101 + b"}",
    ],
)  # fmt: skip
def test_what_is_no_bundle_at_all_is_refused(planted: Planted, data: bytes) -> None:
    planted.refused(data)


def test_a_bundle_of_another_team_is_refused(planted: Planted) -> None:
    raw = json.loads(_encoded(made()).replace(b'"alpha"', b'"beta"'))
    assert "of the team 'beta', not of 'alpha'" in planted.refused(_encoded(raw))


def test_a_bundle_under_another_id_s_name_is_refused(planted: Planted) -> None:
    raw = made()
    raw["meta"] = {**raw["meta"], "id": "another"}
    assert "though its file is called" in planted.refused(_encoded(raw))


def test_a_link_is_not_followed_and_a_pipe_not_waited_for(planted: Planted, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_bytes(_encoded(made()))
    planted.file.symlink_to(elsewhere)
    with pytest.raises(NoBundle):
        planted.manager.restore(ID)
    assert planted.manager.list_snapshots() == []
    planted.file.unlink()
    os.mkfifo(planted.file)
    with pytest.raises(NotThere):
        planted.manager.restore(ID)
    with pytest.raises(NoBundle):
        planted.manager.import_bundle(planted.file)
    assert planted.manager.list_snapshots() == []
    assert elsewhere.exists() and not (planted.place / "store").exists()


def test_a_file_that_is_too_large_is_not_even_read(planted: Planted) -> None:
    with planted.file.open("wb") as file:
        file.truncate(parsing.LARGEST + 1)
    with pytest.raises(NoBundle, match="256"):
        planted.manager.restore(ID)


def test_a_bundle_that_would_fill_the_memory_is_refused_before_it_does() -> None:
    """Six million empty lists are 18 MB of text and half a gigabyte of objects."""
    script = """
import resource
from takeback.adapters.clawteam import NoBundle, bundles
resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))
for data in (b'{"meta": [' + b"[]," * 6_000_000 + b"0]}", b'{"meta": "' + b"\\\\" * 20_000_001 + b'"}', b"[" * 20_000_000,
             b'{"meta": "' + b'\\\\"' * 10_000_000):
    try:
        bundles.parse(data, "alpha")
    except NoBundle as error:
        print(error.message)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    first, second, third, fourth = done.stdout.splitlines()
    assert "12,000,002 values" in first and "no JSON" in second and "20,000,000 values" in third
    assert "no JSON" in fourth


def test_a_team_of_ten_thousand_tasks_and_fifty_thousand_events_is_no_enemy() -> None:
    raw = made()
    task, event = {**raw["tasks"][1], "description": "d, " * 100}, {**raw["events"][0], "content": "[a, {b}], " * 40}
    raw["tasks"] = [{**task, "id": f"{number:08x}"} for number in range(10_000)]
    raw["events"] = [event] * 50_000
    raw["meta"] |= {"taskCount": 10_000, "eventCount": 50_000}
    assert len(bundles.parse(json.dumps(raw).encode(), TEAM).files) == 60_005


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.sampled_from(TRICKS[:17])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=6,
)


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_wrong_types_anywhere_end_in_words_or_in_files_of_the_team(data: st.DataObject) -> None:
    """Whatever stands wherever: it is refused, or becomes files in the team's own places and nowhere else."""
    raw = copy.deepcopy(made())
    for _ in range(data.draw(st.integers(1, 3))):
        at: Any = raw
        while True:
            keys = list(at) if isinstance(at, dict) else list(range(len(at)))
            if not keys:
                break
            key = data.draw(st.sampled_from(keys))
            if isinstance(at[key], dict | list) and data.draw(st.booleans()):
                at = at[key]
            elif isinstance(at, dict) and data.draw(st.booleans()):
                at[data.draw(st.text(max_size=8))] = at.pop(key)
                break
            else:
                at[key] = data.draw(VALUES)
                break
    run(bundle, json.dumps(raw).encode())


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_listing_bundles_never_fails(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    planted = Planted(tmp_path_factory.mktemp("listing"))
    for content in (data, b'{"meta": ' + data, _encoded(made())[:300] + data):
        planted.file.write_bytes(content)
        try:
            found = planted.manager.list_snapshots()
        except TakebackError as error:
            pytest.fail(str(error))
        assert len(found) + len(planted.manager.unreadable()) == 1
