"""``--read-only``: everything can be looked at, nothing changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.web import Client, opened


@pytest.fixture(scope="module")
def looking(project: tuple[Path, Path]) -> Iterator[Client]:
    with opened(*project, read_only=True) as client:
        yield client


@pytest.mark.parametrize(
    "path", ["apply", "save", "label", "unlabel", "pin", "unpin", "fork", "drop", "undrop", "nothing"]
)
def test_nothing_can_be_changed(looking: Client, project: tuple[Path, Path], path: str) -> None:
    fork = project[0].parent / "fork"
    plan = looking.post("/api/plan", {"verb": "restore", "reference": "begin"}).json["plan"]
    before = looking.get("/api/operations").json
    body = {"plan": plan, "lane": 1, "ref": "@", "name": "x", "label": "x", "to": str(fork)}
    got = looking.post(f"/api/{path}", body)
    assert got.status == 403
    assert "--read-only" in got.error["message"]
    assert looking.get("/api/operations").json == before
    assert not fork.exists()


def test_looking_works_and_says_that_it_is_all(looking: Client) -> None:
    assert looking.get("/api/about").json["read_only"] is True
    assert looking.get("/api/diff?a=@").status == 200
    assert looking.post("/api/plan", {"verb": "undo"}).status == 200
    assert looking.post("/api/plan", {"verb": "promote", "fork": "x"}).status == 400, "it would save the fork"
    assert looking.job("/api/store")["state"] == "done"
    assert looking.post("/api/jobs/none/cancel", {}).status == 404
