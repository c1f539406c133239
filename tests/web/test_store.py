"""The store's figures and operations, through the API."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from support.web import Client
from takeback.model.progress import Listener
from takeback.store.locks import root_lock
from takeback.views import store_figures
from takeback.views.desk import Desk


def test_the_store_is_measured_by_a_job(client: Client) -> None:
    job = client.job("/api/store")
    assert (job["state"], job["error"]) == ("done", None)
    assert {"usage", "policy"} <= job["result"].keys()


def test_who_asks_while_it_is_measured_waits_for_the_same(
    own: tuple[Client, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, _ = own
    go_on = threading.Event()
    measure = store_figures.figures

    def slowly(desk: Desk, listener: Listener | None = None) -> store_figures.Figures:
        go_on.wait()
        return measure(desk, listener)

    monkeypatch.setattr(store_figures, "figures", slowly)
    first = client.get("/api/store").json["job"]
    assert client.get("/api/store").json["job"] == first
    go_on.set()
    assert client.job("/api/store")["state"] == "done"


def test_operations_come_newest_first_and_page_by_page(client: Client) -> None:
    whole = client.get("/api/operations").json["operations"]
    assert [each["seq"] for each in whole] == sorted((each["seq"] for each in whole), reverse=True)
    assert len(whole) >= 3 and whole[0]["time_ns"].isdigit()
    first = client.get("/api/operations?limit=2").json["operations"]
    rest = client.get(f"/api/operations?before={first[-1]['seq']}").json["operations"]
    assert first + rest == whole
    for wrong in ("limit=0", "limit=501", "limit=-1", "before=x", "limit=٣"):
        assert client.get(f"/api/operations?{wrong.replace('٣', '%D9%A3')}").status == 400


def test_operations_say_what_they_were_about(client: Client) -> None:
    said = client.get("/api/operations").json
    turns = [each for each in said["operations"] if each["verb"] == "turn_end"]
    assert turns and all(said["titles"][str(each["seq"])] for each in turns)


def test_a_job_that_is_unknown_is_said_to_be(client: Client) -> None:
    assert client.get("/api/jobs/none").status == 404
    assert client.post("/api/jobs/none/cancel").status == 404


def test_a_job_that_is_stopped_says_so_and_changes_nothing(own: tuple[Client, Path]) -> None:
    """It is stopped while it waits for the lock of the root, which somebody else holds."""
    client, root = own
    (root / "more.txt").write_text("more")
    before = client.get("/api/operations").json
    with root_lock(str(root), 5, None):
        id = client.post("/api/save").json["job"]
        while not client.get(f"/api/jobs/{id}").json["words"].startswith("waiting"):
            pass
        client.post(f"/api/jobs/{id}/cancel")
        while (job := client.get(f"/api/jobs/{id}").json)["state"] == "running":
            assert job["words"] == "stopping"
    assert (job["state"], job["error"]["type"], job["error"]["code"]) == ("cancelled", "Cancelled", 130)
    assert client.get("/api/operations").json == before
