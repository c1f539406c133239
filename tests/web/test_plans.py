"""To plan, to look, to apply: through the API."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from support.web import Client
from takeback.model.progress import Watch


def test_one_file_is_restored_and_that_is_undone(own: tuple[Client, Path]) -> None:
    client, root = own
    wanted = {"verb": "restore", "reference": "begin", "only": ["workspace"], "paths": {"workspace": ["app.py"]}}
    plan = client.post("/api/plan", wanted).json
    assert plan["would"] == [{"path": "app.py", "action": "change"}]
    assert (plan["dry_run"], plan["lane"], plan["verb"], plan["empty"]) == (True, 1, "restore", False)
    ((item,),) = (group["items"] for group in plan["groups"])
    assert (item["part"], item["path"], item["action"]) == ("workspace", "app.py", "change")
    assert all(isinstance(text, str) and isinstance(style, str) for line in plan["lines"] for text, style in line)
    assert (root / "app.py").read_text().endswith("2\n"), "a plan touches nothing"

    job = client.job("/api/apply", {"plan": plan["plan"]})
    assert (job["state"], job["error"], job["result"]["changed"], job["result"]["verified"]) == (
        "done",
        None,
        ["app.py"],
        True,
    )
    assert job["result"]["safety"] and job["result"]["lines"]
    assert (root / "app.py").read_text().endswith("1\n")

    back = client.post("/api/plan", {"verb": "undo", "move": job["result"]["move"]}).json
    assert client.job("/api/apply", {"plan": back["plan"], "lane": 1})["state"] == "done"
    assert (root / "app.py").read_text().endswith("2\n")


def test_a_turn_in_the_middle_is_undone_and_redone(own: tuple[Client, Path]) -> None:
    client, root = own
    row = client.get("/api/rows?session=session-1").json["rows"][0]
    plan = client.post("/api/plan", {"verb": "undo", "lane": 1, "move": row["move"]}).json
    assert plan["moves"] == [row["move"]] and plan["pending"] == ["memory"]
    client.job("/api/apply", {"plan": plan["plan"]})
    assert (root / "app.py").read_text().endswith("1\n") and (root / "new.py").exists()
    redo = client.post("/api/plan", {"verb": "redo"}).json
    assert client.job("/api/apply", {"plan": redo["plan"]})["state"] == "done"
    assert (root / "app.py").read_text().endswith("2\n")


def test_everything_since_a_snapshot_is_taken_back(own: tuple[Client, Path]) -> None:
    client, root = own
    plan = client.post("/api/plan", {"verb": "since", "reference": "begin"}).json
    assert len(plan["moves"]) == 2
    assert client.job("/api/apply", {"plan": plan["plan"]})["state"] == "done"
    assert not (root / "new.py").exists()


def test_a_plan_is_applied_once_and_only_if_it_was_shown(own: tuple[Client, Path]) -> None:
    client, _ = own
    plan = client.post("/api/plan", {"verb": "restore", "reference": "begin", "only": ["workspace"]}).json["plan"]
    other = client.post("/api/apply", {"plan": plan, "lane": 7})
    assert (other.status, other.error["type"]) == (409, "Conflict")
    assert client.job("/api/apply", {"plan": plan})["state"] == "done"
    again = client.post("/api/apply", {"plan": plan})
    assert (again.status, again.error["type"], bool(again.error["hints"])) == (409, "Conflict", True)
    for unknown in ("0" * 32, "x", "../x"):
        got = client.post("/api/apply", {"plan": unknown})
        assert (got.status, got.error["type"], bool(got.error["hints"])) == (404, "NotFound", True)


def test_of_many_plans_the_oldest_are_forgotten(own: tuple[Client, Path]) -> None:
    client, _ = own
    wanted = {"verb": "restore", "reference": "begin", "paths": {"workspace": ["app.py"]}, "only": ["workspace"]}
    first = client.post("/api/plan", wanted).json["plan"]
    *_, last = (client.post("/api/plan", wanted).json["plan"] for _ in range(48))
    assert client.post("/api/apply", {"plan": first}).status == 404
    assert client.job("/api/apply", {"plan": last})["state"] == "done"


def test_a_world_that_moved_is_a_conflict_with_a_new_plan(own: tuple[Client, Path]) -> None:
    client, root = own
    plan = client.post("/api/plan", {"verb": "restore", "reference": "begin", "only": ["workspace"]}).json
    (root / "app.py").write_text("somebody's work\n")
    (root / "other.txt").write_text("more of it\n")
    job = client.job("/api/apply", {"plan": plan["plan"]})
    assert (job["state"], job["error"]["type"], job["error"]["code"]) == ("failed", "Conflict", 14)
    assert (root / "app.py").read_text() == "somebody's work\n", "nothing was done"
    again = job["error"]["again"]
    assert again["plan"] != plan["plan"]
    assert again["differs"]["new"] == [{"path": "other.txt", "action": "delete"}]
    assert client.job("/api/apply", {"plan": again["plan"]})["state"] == "done"
    assert (root / "app.py").read_text().endswith("1\n")
    assert (
        client.job("/api/apply", {"plan": client.post("/api/plan", {"verb": "undo"}).json["plan"]})["state"] == "done"
    )
    assert (root / "app.py").read_text() == "somebody's work\n", "and the present had been saved"


@pytest.mark.parametrize(
    ("wanted", "status"),
    [
        ({}, 400),
        ({"verb": "explode"}, 400),
        ({"verb": 3}, 400),
        ({"verb": "restore"}, 400),
        ({"verb": "restore", "reference": "none"}, 404),
        ({"verb": "restore", "reference": "begin", "only": ["none"]}, 404),
        ({"verb": "restore", "reference": "begin", "only": "workspace"}, 400),
        ({"verb": "restore", "reference": "begin", "paths": ["app.py"]}, 400),
        ({"verb": "restore", "reference": "begin", "paths": {"workspace": "app.py"}}, 400),
        ({"verb": "restore", "reference": "begin", "paths": {"workspace": ["../x"]}}, 400),
        ({"verb": "restore", "reference": "\ud800"}, 400),
        ({"verb": "undo", "move": "none"}, 404),
        ({"verb": "undo", "lane": 99}, 404),
        ({"verb": "undo", "lane": -1}, 400),
        ({"verb": "undo", "lane": 1.0}, 400),
        ({"verb": "undo", "lane": True}, 400),
        ({"verb": "undo", "shared": "maybe"}, 400),
        ({"verb": "redo"}, 404),
        ({"verb": "promote", "fork": "none"}, 404),
        ({"verb": "promote"}, 400),
        ([], 400),
        ("undo", 400),
        (None, 400),
    ],
)
def test_what_cannot_be_planned_says_why(client: Client, wanted: object, status: int) -> None:
    got = client.post("/api/plan", wanted)
    assert got.status == status, got.body


def test_two_who_apply_at_once_do_not_disturb_each_other(own: tuple[Client, Path]) -> None:
    """One of them is first; the other's plan is for a world that is not there any more."""
    client, _ = own
    wanted = [{"verb": "restore", "reference": ref, "only": ["workspace"]} for ref in ("begin", "@-")]
    plans = [client.post("/api/plan", each).json["plan"] for each in wanted]
    jobs = [client.post("/api/apply", {"plan": plan}).json["job"] for plan in plans]
    states: list[str] = []
    for id in jobs:
        while (job := client.get(f"/api/jobs/{id}").json)["state"] == "running":
            threading.Event().wait(0.02)
        states.append(job["state"] if job["error"] is None else job["error"]["type"])
    assert sorted(states) == ["Conflict", "done"]


def test_work_tells_how_much_of_how_much_is_written_and_when_it_cannot_be_stopped(
    own: tuple[Client, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Watch, "INTERVAL", -1.0)  # each tick is heard
    client, root = own
    for number in range(5):
        (root / f"{number}.txt").write_text(f"{number}\n")
    client.job("/api/save", {"label": "five"})
    for number in range(5):
        (root / f"{number}.txt").write_text("broken\n")
    (root / "gone.txt").write_text("to be deleted\n")
    plan = client.post("/api/plan", {"verb": "restore", "reference": "five"}).json
    with client.listening() as events:
        client.post("/api/apply", {"plan": plan["plan"]})
        told = []
        for _, said in events:
            if (job := said.get("job")) is not None:
                progress = job["progress"] or {"phase": "", "done": 0, "total": None}
                told.append((progress["phase"], progress["done"], progress["total"]))
                if job["state"] != "running":
                    break
    assert {("apply", number, 5) for number in range(1, 6)} <= set(told)
    assert told[-1][:2] == ("place", 6), "the last that is told of: it is done to its end"
