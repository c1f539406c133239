"""What the tests of teams stand on: the installed ClawTeam, and what it says of a team that it made."""

from __future__ import annotations

import json

from support.teams.real import RealTeam


def test_a_real_team_has_something_of_everything(team: RealTeam) -> None:
    state = team.state()
    assert [member["name"] for member in state["config"]["members"]] == ["lead", "ada", "bob", "eve"]
    assert {task["status"] for task in state["tasks"]} == {"completed", "in_progress", "pending", "blocked"}
    # Two of one millisecond are in no order that anybody could foretell.
    assert {inbox: {each.get("content", each["type"]) for each in mail} for inbox, mail in state["mail"].items()} == {
        "lead": {"an answer", "for all", "plan_approval_request"},
        "ada": {"first 0", "first 1", "first 2", "for all", "plan_approved"},
        "bob": {"read and not done with"},
        "guest_eve": {"for a guest", "for all"},
    }
    assert state["spent"]["totalCostCents"] == 3.75
    areas = {path.split("/")[0] for path in team.files()}
    assert areas == {"teams", "tasks", "sessions", "costs", "plans", "harness"}
    assert any("/dead_letters/ada/" in path for path in team.files())
    assert any(path.endswith(".consumed") for path in team.files())
    assert team.everything().keys() > team.files().keys()


def test_its_command_says_the_same_as_its_interface(team: RealTeam) -> None:
    listed = json.loads(team.run("--json", "task", "list", team.name).stdout)
    assert {task["id"] for task in listed} == {task["id"] for task in team.state()["tasks"]}
