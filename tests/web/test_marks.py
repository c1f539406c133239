"""Saves, names, pins, forks and drops, through the API."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.web import Client


def test_a_snapshot_is_saved_with_a_label(own: tuple[Client, Path]) -> None:
    client, root = own
    (root / "more.txt").write_text("more")
    job = client.job("/api/save", {"lane": 1, "label": "mine"})
    assert (job["state"], job["result"]["new"], job["result"]["labels"]) == ("done", True, ["mine"])
    assert client.job("/api/save", {})["result"]["new"] is False


def test_a_snapshot_is_named_and_pinned_and_not(own: tuple[Client, Path]) -> None:
    client, _ = own
    id = client.get("/api/snapshots/@").json["id"]
    assert client.post("/api/label", {"ref": "@", "name": "good"}).json == {
        "id": id,
        "labels": ["good"],
        "pinned": False,
    }
    assert client.post("/api/pin", {"ref": "good"}).json["pinned"] is True
    assert client.get("/api/rows?limit=1").json["rows"][0]["pinned"] is True
    assert client.post("/api/unpin", {"ref": id[:10], "lane": 1}).json["pinned"] is False
    assert client.post("/api/unlabel", {"ref": "@", "name": "good"}).json["labels"] == []


def test_a_snapshot_is_dropped_unless_it_is_pinned(own: tuple[Client, Path]) -> None:
    client, _ = own
    client.post("/api/pin", {"ref": "begin"})
    assert client.post("/api/drop", {"ref": "begin"}).status in (400, 409)
    client.post("/api/unpin", {"ref": "begin"})
    assert client.post("/api/drop", {"ref": "begin"}).json["dropped"] is True
    assert client.get("/api/snapshots/begin").status == 404


def test_a_dropped_snapshot_is_brought_back_with_its_name(own: tuple[Client, Path]) -> None:
    client, _ = own
    id = client.post("/api/drop", {"ref": "begin"}).json["id"]
    assert client.post("/api/undrop", {"ref": id}).json == {"id": id, "dropped": False}
    assert client.get("/api/snapshots/begin").json["id"] == id
    assert client.post("/api/undrop", {"ref": id}).status == 400, "it is there"
    assert client.post("/api/undrop", {"ref": "none"}).status == 404


def test_a_fork_is_a_timeline_of_its_own_and_is_brought_back(own: tuple[Client, Path]) -> None:
    client, root = own
    job = client.job("/api/fork", {"ref": "begin", "name": "attempt", "to": None})
    assert (job["state"], job["result"]["lane"]) == ("done", 2), job
    fork = root.parent / "attempt"
    assert job["result"]["root"] == str(fork)
    assert (fork / "app.py").read_text().endswith("1\n")
    lanes = client.get("/api/lanes").json["lanes"]
    begin = client.get("/api/snapshots/begin").json
    assert [(each["name"], each["fork_of"]) for each in lanes] == [("main", None), ("attempt", begin["id"])]
    assert begin["forks"] == [[2, "attempt"]]
    (fork / "notes.txt").write_text("done in the fork\n")
    saved = client.job("/api/save", {"lane": 2, "label": "in the fork"})
    assert saved["state"] == "done"
    assert {row["lane"] for row in client.get("/api/rows?lanes=1,2").json["rows"]} == {1, 2}
    plan = client.post("/api/plan", {"verb": "promote", "fork": "attempt"}).json
    assert client.job("/api/apply", {"plan": plan["plan"]})["state"] == "done"
    assert (root / "notes.txt").read_text() == "done in the fork\n"
    again = client.job("/api/fork", {"ref": "begin", "name": "attempt", "to": "../attempt"})
    assert again["state"] == "failed" and again["error"]["message"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"ref": "@"},
        {"ref": "@", "name": "a/b"},
        {"ref": "@", "name": ".."},
        {"ref": "@", "name": "\x07"},
        {"ref": "@", "name": " "},
        {"ref": "none", "name": "x"},
    ],
)
def test_a_fork_that_cannot_be_is_refused_at_once(client: Client, body: dict[str, str]) -> None:
    assert client.post("/api/fork", body).status in (400, 404)


@pytest.mark.parametrize("path", ["label", "unlabel", "pin", "unpin", "drop"])
def test_a_mark_needs_a_snapshot(client: Client, path: str) -> None:
    assert client.post(f"/api/{path}", {"name": "x"}).status == 400
    assert client.post(f"/api/{path}", {"name": "x", "ref": "none"}).status == 404
    assert client.post(f"/api/{path}", {"name": "x", "ref": "@", "lane": 5}).status == 404


def test_a_timeline_whose_directory_is_gone_can_only_be_looked_at(own: tuple[Client, Path]) -> None:
    client, root = own
    client.job("/api/fork", {"ref": "begin", "name": "attempt"})
    for each in (root.parent / "attempt").iterdir():
        each.unlink()
    (root.parent / "attempt").rmdir()
    assert client.get("/api/rows?lanes=2").json["rows"]
    got = client.post("/api/plan", {"verb": "restore", "reference": "@", "lane": 2})
    assert (got.status, got.error["type"], got.error["code"]) == (503, "Unavailable", 15)
