"""Another swarm framework is another description: nothing but a `Layout` says where its things are."""

from __future__ import annotations

import os
from pathlib import Path

import takeback as tb
from takeback.sources.team.contents import Contents
from takeback.sources.team.layouts import CLAWTEAM, LAYOUTS, Area, Layout, Lock

HIVE = Layout(
    name="hive",
    config="{team}/hive.json",
    directories=("{team}", "post/{team}"),
    files=("ledger-{team}.json",),
    live=("{team}/running.json",),
    passing=("*.part", "*.lck"),
    locks=(Lock("{team}/hive.lck", made=True),),
    areas=(
        Area("tasks", "{team}/jobs", "*.job"),
        Area("messages", "post/{team}", "*.letter", boxes=True, mail=True),
        Area("events", "{team}/log", "*.entry", appended=True),
        Area("sessions", "{team}/sessions", "*.json"),
        Area("costs", "{team}/bills", "*.bill", appended=True),
    ),
)


def test_a_team_of_another_framework_is_saved_and_put_back(tmp_path: Path) -> None:
    data = tmp_path / "hives"
    for place in ("red/jobs", "post/red/bee", "blue/jobs"):
        (data / place).mkdir(parents=True)
    files = {"red/hive.json": '{"members": [{"name": "bee"}]}', "red/jobs/1.job": "{}", "ledger-red.json": "{}"}
    files |= {"post/red/bee/a.letter": '{"from": "queen"}', "red/running.json": "{}", "red/jobs/2.part": "half"}
    for path, text in {**files, "blue/jobs/1.job": "{}", "ledger-blue.json": "{}"}.items():
        (data / path).write_text(text)
    store = tb.open(tmp_path / "store")
    line = store.timeline("red", sources=[tb.Team("red", data, layout=HIVE)])
    snapshot = line.save()
    part = snapshot.parts["team"]
    assert sorted(path for path, at in line.files(snapshot, "", "team") if at.kind == "f") == [
        "ledger-red.json",
        "post/red/bee/a.letter",
        "red/hive.json",
        "red/jobs/1.job",
    ]
    assert part.detail["counts"] == {"members": 1, "tasks": 1, "messages": 1, "events": 0, "sessions": 0, "costs": 0}

    lock = os.stat(data / "red/hive.lck").st_ino
    (data / "red/jobs/1.job").unlink()
    (data / "post/red/bee/b.letter").write_text("{}")
    line.restore(snapshot)
    assert (data / "red/jobs/1.job").exists()
    assert not (data / "post/red/bee/b.letter").exists()
    assert (data / "red/jobs/2.part").read_text() == "half"
    assert (data / "red/running.json").exists()
    assert os.stat(data / "red/hive.lck").st_ino == lock
    store.close()


def test_what_a_path_is_follows_from_its_place_and_name() -> None:
    what = {
        "tasks/alpha/task-1.json": "tasks",
        "tasks/alpha/notes.json": None,
        "tasks/beta/task-1.json": None,
        "teams/alpha/events/evt-1.json": "events",
        "teams/alpha/inboxes/bob/msg-1.consumed": "messages",
        "teams/alpha/inboxes/msg-1.json": None,
        "teams/alpha/config.json": None,
        "costs/alpha/summary.json": None,
        "plans/alpha/bob-1.md": "plans",
    }
    found = {path: CLAWTEAM.area_of("alpha", path) for path in what}
    assert {path: area.what if area else None for path, area in found.items()} == what


def test_no_part_is_no_team() -> None:
    assert set(LAYOUTS) == {"clawteam"}
    nothing = Contents(None, None)  # type: ignore[arg-type]  # nothing is read
    assert nothing.config is None
    assert [list(nothing.items(area.what)) for area in CLAWTEAM.areas] == [[]] * len(CLAWTEAM.areas)
