"""While somebody saves or restores for long, the page answers: what waits for them says so, and holds nothing else up."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.web import Client, opened, record
from takeback.model.progress import Progress
from takeback.store.locks import root_lock
from takeback.web import asked, shared


def test_a_look_that_waits_for_long_says_for_whom(own: tuple[Client, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    client, root = own
    monkeypatch.setattr(asked, "_PATIENCE", 0.0)
    with root_lock(str(root)):
        for answer in (
            client.get("/api/present"),
            client.get("/api/diff?a=@"),
            client.post("/api/plan", {"verb": "undo"}),
        ):
            assert (answer.status, answer.error["type"]) == (423, "Locked")
            assert "in use: process" in answer.error["message"]
    assert client.get("/api/present").status == 200


def test_what_was_recorded_is_shown_however_many_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "_THREADS", 2)
    monkeypatch.setattr(asked, "_PATIENCE", 3600.0)
    waits: set[int] = set()
    enough = threading.Event()
    hear = asked.Asked.hear

    def heard(self: asked.Asked, progress: Progress) -> None:
        waits.add(id(self))
        if len(waits) == 2:
            enough.set()
        hear(self, progress)

    monkeypatch.setattr(asked.Asked, "hear", heard)
    root, store = record(tmp_path)
    with opened(root, store) as client, ThreadPoolExecutor(3) as threads:
        with root_lock(str(root)):
            looks = [threads.submit(client.get, "/api/present") for _ in range(3)]
            assert enough.wait(60)
            assert client.get("/api/rows").json["rows"]
            assert client.post("/api/label", {"ref": "@", "name": "meanwhile"}).status == 200
            assert not any(look.done() for look in looks)
        assert {look.result().status for look in looks} == {200}
