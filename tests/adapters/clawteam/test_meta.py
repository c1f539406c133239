from __future__ import annotations

import json
from typing import Any

import pytest
from clawteam.team.snapshot import SnapshotMeta as Theirs

from takeback.adapters.clawteam import NoBundle, SnapshotMeta

OURS = SnapshotMeta("20260301T120007-go", "alpha", "g/o", "2026-03-01T12:00:07+00:00", 1, 2, 3, 4, 5)


@pytest.mark.parametrize("by_alias", [False, True])
def test_it_dumps_what_clawteam_dumps(by_alias: bool) -> None:
    theirs = Theirs(**OURS.model_dump(by_alias=True))
    assert OURS.model_dump(by_alias=by_alias) == theirs.model_dump(by_alias=by_alias)
    assert OURS.model_dump_json(by_alias=by_alias) == theirs.model_dump_json(by_alias=by_alias)


def test_it_is_read_in_either_spelling() -> None:
    for by_alias in (False, True):
        assert SnapshotMeta.model_validate(json.loads(OURS.model_dump_json(by_alias=by_alias))) == OURS


def test_what_is_not_said_has_clawteam_s_defaults() -> None:
    assert SnapshotMeta.model_validate({"id": "x", "teamName": "alpha"}) == SnapshotMeta("x", "alpha")


@pytest.mark.parametrize(
    "raw",
    [
        None,
        [],
        {},
        {"id": "x"},
        {"teamName": "alpha"},
        {"id": 7, "teamName": "alpha"},
        {"id": "../x", "teamName": "alpha"},
        {"id": "x", "teamName": None},
        {"id": "x", "teamName": "alpha", "tag": ["a"]},
        {"id": "x", "teamName": "alpha", "taskCount": "2"},
        {"id": "x", "teamName": "alpha", "taskCount": True},
        {"id": "x", "teamName": "alpha", "taskCount": -1},
        {"id": "x", "teamName": "alpha", "taskCount": 10**400},
        {"id": "x", "teamName": "alpha", "createdAt": "2" * 10_000},
    ],
)
def test_what_no_bundle_says_is_refused(raw: Any) -> None:
    with pytest.raises(NoBundle):
        SnapshotMeta.model_validate(raw)
