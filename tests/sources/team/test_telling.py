"""What changed paths of a team mean, for everything that they can hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import takeback as tb
from takeback.model.team import Mail, Spent, Task, TaskChange, TeamDiff

if TYPE_CHECKING:
    from support.teams.real import RealTeam


class Seen:
    """A team, and what a diff tells of it since the snapshot before."""

    def __init__(self, team: RealTeam) -> None:
        self.team = team
        self.line = tb.open(":memory:").timeline("alpha", sources=[tb.Team("alpha", team.data)])
        self.line.save()

    def told(self) -> TeamDiff:
        (now,) = self.line.diff().teams
        self.line.save()
        (then,) = self.line.diff("@-", "@").teams
        assert now == then, "the present is told as the snapshot that it becomes"
        return now

    def write(self, path: str, value: object) -> None:
        target = self.team.path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(value if isinstance(value, str) else json.dumps(value))


@pytest.fixture
def seen(team: RealTeam) -> Seen:
    return Seen(team)


def test_tasks_are_told_by_status_and_one_by_one(seen: Seen) -> None:
    tasks = seen.team.tasks
    by_subject = {each.subject: each for each in tasks.list_tasks()}
    tasks.update(by_subject["write"].id, status=type(by_subject["write"].status).completed, caller="ada")
    seen.team.path(f"tasks/{{}}/task-{by_subject['test'].id}.json").unlink()
    new = tasks.create("new", owner="eve")
    told = seen.told()
    assert told.statuses == {"blocked": (1, 0), "completed": (1, 2), "in_progress": (1, 0), "pending": (1, 2)}
    changed = {each.id: each for each in told.tasks}
    assert changed[by_subject["write"].id].before == Task("write", "in_progress", "ada")
    assert changed[by_subject["write"].id].after == Task("write", "completed", "ada")
    assert changed[by_subject["test"].id].status == "removed"
    path = f"tasks/alpha/task-{new.id}.json"
    assert changed[new.id] == TaskChange(new.id, path, "added", None, Task("new", "pending", "eve"))
    assert not told.mail and not told.costs and not told.unreadable


def test_mail_is_told_by_inbox_and_a_claim_changes_nothing(seen: Seen) -> None:
    inbox = seen.team.path("teams/{}/inboxes/ada")
    first, second, *_ = sorted(inbox.glob("msg-*.json"))
    first.rename(first.with_suffix(".consumed"))
    gone = json.loads(second.read_bytes())["content"]
    second.unlink()
    seen.team.mail.send("bob", "ada", "look at this")
    seen.write("teams/{}/dead_letters/ada/msg-1-x.json", "no JSON")
    told = {(each.status, each.sender, each.text, each.dead) for each in seen.told().mail}
    assert told == {
        ("gone", "lead", gone, False),
        ("arrived", "bob", "look at this", False),
        ("arrived", "", "", True),
    }


def test_costs_are_told_by_agent(seen: Seen) -> None:
    seen.team.costs.report("bob", "some", "model", 7, 3, 0.5)
    seen.team.costs.report("ada", "some", "model", 7, 3, 0.25)
    told = seen.told()
    assert told.costs == (Spent("ada", (2, 3), (3.75, 4.0)), Spent("bob", (0, 1), (0.0, 0.5)))
    assert told.other == ("costs/alpha/summary.json",)


def test_members_sessions_and_plans_are_told(seen: Seen) -> None:
    from clawteam.team.manager import TeamManager

    TeamManager.add_member("alpha", "zoe", "id-zoe")
    TeamManager.remove_member("alpha", "bob")
    seen.team.sessions.save("ada", "session-9", "", {})
    seen.team.path("sessions/{}/bob.json").unlink()
    seen.write("plans/{}/ada-1.md", "# Another plan")
    told = seen.told()
    assert (told.members, told.joined, told.left) == ((4, 4), ("zoe",), ("bob",))
    assert told.sessions == {"ada": "changed", "bob": "removed"} and told.plans == {"ada-1": "added"}


@pytest.mark.parametrize("damaged", ["", "{", "[1]", "nul", '"text"', "[" * 100_000, "\udcff"])
def test_what_is_no_object_is_told_to_be_unreadable(seen: Seen, damaged: str) -> None:
    places = ["tasks/{}/task-00000000.json", "teams/{}/inboxes/ada/msg-9-9.json", "costs/{}/cost-9.json"]
    for place in [*places, "sessions/{}/x.json", "teams/{}/config.json"]:
        seen.team.path(place).write_bytes(damaged.encode("utf-8", "surrogateescape"))
    told = seen.told()
    assert set(told.unreadable) == {
        *(each.format("alpha") for each in places),
        "sessions/alpha/x.json",
        "teams/alpha/config.json",
    }
    assert TaskChange("00000000", "tasks/alpha/task-00000000.json", "added", None, None) in told.tasks
    assert Mail("ada", "teams/alpha/inboxes/ada/msg-9-9.json", "arrived", "", "") in told.mail
    assert told.members == (4, 0)


@pytest.mark.parametrize("value", [None, 1, [], {}, "x" * 10_000, float("inf"), 10**400, True, {"a": [1]}])
def test_fields_of_other_types_are_told_as_nothing(seen: Seen, value: Any) -> None:
    seen.write("tasks/{}/task-00000000.json", {"subject": value, "status": value, "owner": value})
    seen.write("teams/{}/inboxes/ada/msg-9-9.json", {"from": value, "content": value})
    text = json.dumps({"agentName": value, "costCents": value})
    seen.write("costs/{}/cost-9.json", text)
    told = seen.told()
    said = value if isinstance(value, str) else ""
    assert [each.after for each in told.tasks] == [Task(said, said, said)]
    assert [(each.sender, each.text) for each in told.mail] == [(said, said)]
    (spent,) = told.costs
    assert (
        spent.agent == said and spent.events == (0, 1) and spent.cents == (0.0, float(value == 1 and value is not True))
    )


def test_a_team_that_came_or_went_is_told_as_a_whole(seen: Seen, tmp_path: Path) -> None:
    seen.team.run("team", "cleanup", "alpha", "--force")
    told = seen.told()
    assert told.members == (4, 0) and len(told.tasks) == 4 and {each.status for each in told.mail} == {"gone"}
    line = tb.open(":memory:").timeline("files", sources=[tb.Workspace(tmp_path)])
    line.save()
    assert line.diff().teams == ()


def test_a_task_that_only_others_may_read_now_is_no_changed_task(seen: Seen) -> None:
    task = seen.team.tasks.list_tasks()[0].id
    file = seen.team.path(f"tasks/{{}}/task-{task}.json")
    file.chmod(0o640)
    told = seen.told()
    assert told.tasks == () and told.other == (f"tasks/alpha/task-{task}.json",)


def test_mail_that_would_go_is_told_by_whatever_it_says(seen: Seen) -> None:
    seen.write(
        "teams/{}/inboxes/bob/msg-9999999999999-00000001.json", {"from": "eve", "summary": "a plan", "type": "x"}
    )
    seen.line.save()
    (going,) = seen.line.plan("@-").goes
    assert going.said == {"to": "bob", "from": "eve", "content": "a plan"}
