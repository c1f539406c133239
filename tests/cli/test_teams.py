"""``--team``: a snapshot that holds workspace and team, on the command line."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from support.cli import Cli
from takeback.cli import teams
from takeback.cli.call import Call

if TYPE_CHECKING:
    from support.teams.real import RealTeam


@pytest.fixture
def saved(cli: Cli, team: RealTeam) -> RealTeam:
    """The team, after a change to it and to the workspace since the snapshot ``first``."""
    cli.write("a.txt", "old")
    cli("save", "-m", "first", "--team", "alpha")
    cli.write("a.txt", "new")
    team.tasks.create("Rewrite it all", owner="bob")
    team.mail.send("lead", "bob", "start\nover")
    return team


def test_a_save_and_show_say_what_the_team_holds(cli: Cli, team: RealTeam) -> None:
    cli.write("a.txt", "a")
    out = cli("save", "--team", "alpha").out
    held = ": alpha, 4 members, 4 tasks, 11 events, 2 sessions, 2 cost events, 11 messages waiting"
    assert f"team{held}" in out
    assert f"team (team){held}" in cli("show", "@").out
    assert cli.json("show", "@")["parts"]["team"]["counts"]["tasks"] == 4


def test_undo_and_redo_take_both(cli: Cli, saved: RealTeam) -> None:
    with_it = saved.files()
    cli("save", "--team", "alpha")
    assert "read back and verified" in cli("undo", "--yes", "--team", "alpha").out
    assert cli.read("a.txt") == "old"
    assert "Rewrite it all" not in [task.subject for task in saved.tasks.list_tasks()]
    cli("redo", "--yes", "--team", "alpha")
    assert cli.read("a.txt") == "new" and saved.files() == with_it


def test_the_way_back_has_the_options_that_it_needs(cli: Cli, saved: RealTeam) -> None:
    with_it = saved.files()
    out = cli("undo", "--yes", "--team", "alpha", "--timeline", "main").out
    back = out.rpartition("back to it: `")[2].partition("`")[0]
    assert back == "takeback redo --team alpha --timeline main"
    assert f"`{back.removesuffix(' --timeline main')}` brings it back" in cli("status").out
    cli(*back.split()[1:], "--yes")
    assert cli.read("a.txt") == "new" and saved.files() == with_it


def test_undo_without_the_team_says_what_it_leaves_and_how_to_take_that_back(cli: Cli, saved: RealTeam) -> None:
    cli("save", "--team", "alpha")
    out = cli("undo", "--yes").out
    assert cli.read("a.txt") == "old"
    assert "Rewrite it all" in [task.subject for task in saved.tasks.list_tasks()]
    assert "its team is not at hand" in out
    hint = next(line for line in out.splitlines() if "`takeback undo" in line and "--team" in line)
    words = hint.partition("`")[2].partition("`")[0].split()[1:]
    cli(*words, "--yes")
    assert "Rewrite it all" not in [task.subject for task in saved.tasks.list_tasks()]


def test_restore_brings_both_back_and_without_it_files_alone(cli: Cli, saved: RealTeam) -> None:
    now = saved.files()
    out = cli("restore", "first", "--yes").out
    assert "the snapshot holds the team alpha, too, but its team is not at hand" in out and "add --team alpha" in out
    assert cli.read("a.txt") == "old" and saved.files() == now
    cli("restore", "first", "--yes", "--team", "alpha")
    assert sorted(task.subject for task in saved.tasks.list_tasks()) == ["build", "design", "test", "write"]


def test_a_team_that_was_cleaned_up_is_there_again(cli: Cli, saved: RealTeam) -> None:
    cli("restore", "first", "--yes", "--team", "alpha")
    before = saved.files()
    saved.run("team", "cleanup", "alpha", "--force")
    assert not saved.path("teams/{}").exists() and not saved.path("tasks/{}").exists()
    assert "`takeback undo --team alpha`" in cli("status").out
    cli("restore", "first", "--yes", "--team", "alpha")
    assert saved.files() == before


def test_tasks_and_mail_that_go_are_told_before_they_do(cli: Cli, saved: RealTeam) -> None:
    (task,) = (each for each in saved.tasks.list_tasks() if each.subject == "Rewrite it all")
    (build,) = (each for each in saved.tasks.list_tasks() if each.subject == "build")
    saved.tasks.update(build.id, owner="bob")
    planned = cli("restore", "first", "--dry-run", "--team", "alpha").out
    assert "would go, and is kept in the snapshot that is made first\n" in planned
    assert f"  task {task.id} “Rewrite it all” (pending, of bob)\n" in planned
    assert f"  what was done to task {build.id} “build”: pending, of bob → pending, of ada\n" in planned
    assert "  mail to bob from lead: “start over”\n" in planned
    assert "  1 event\n" in planned
    goes = {each["path"]: each for each in cli.json("restore", "first", "--dry-run", "--team", "alpha")["goes"]}
    told = goes[f"tasks/alpha/task-{task.id}.json"]
    assert told["said"] == {"id": task.id, "subject": "Rewrite it all", "status": "pending", "owner": "bob"}
    assert told["becomes"] is None and goes[f"tasks/alpha/task-{build.id}.json"]["becomes"]["owner"] == "ada"
    assert saved.tasks.get(task.id) is not None


def test_merge_keeps_newer_mail_and_a_message_is_never_in_two_places(cli: Cli, saved: RealTeam) -> None:
    inbox = saved.path("teams/{}/inboxes/ada")
    first = sorted(inbox.glob("msg-*.json"))[0]
    first.rename(first.with_suffix(".consumed"))
    planned = cli("restore", "first", "--dry-run", "--team", "alpha", "--merge").out
    assert "newer mail, kept" in planned and "mail to" not in planned
    cli("restore", "first", "--yes", "--team", "alpha", "--merge")
    mail = saved.state()["mail"]
    assert [each.get("content") for each in mail["bob"]].count("start\nover") == 1
    assert first.exists() and not first.with_suffix(".consumed").exists()
    assert "Rewrite it all" not in [task.subject for task in saved.tasks.list_tasks()]


def test_running_members_are_named_and_nothing_happens_without_force(cli: Cli, saved: RealTeam) -> None:
    registry = {"ada": {"backend": "subprocess", "pid": os.getpid(), "command": [sys.executable], "spawned_at": 0}}
    saved.write("teams/{}/spawn_registry.json", registry)
    before = saved.everything()
    assert "ada (" in cli("restore", "first", "--dry-run", "--team", "alpha").out
    error = cli.error("restore", "first", "--yes", "--team", "alpha", code=11)
    assert "ada (" in error["message"] and "--force" in error["hints"][0]
    assert saved.everything() == before
    cli("restore", "first", "--yes", "--team", "alpha", "--force")
    assert len(saved.tasks.list_tasks()) == 4
    cli.error("undo", "--yes", "--team", "alpha", code=11)
    cli("undo", "--yes", "--team", "alpha", "--force")
    assert len(saved.tasks.list_tasks()) == 5
    cli("redo", "--yes", "--team", "alpha", "--force")


def test_diff_says_what_became_of_tasks_mail_and_costs(cli: Cli, saved: RealTeam) -> None:
    saved.costs.report("bob", "some", "model", 7, 3, 0.5)
    out = cli("diff", "--team", "alpha").out
    (task,) = (each for each in saved.tasks.list_tasks() if each.subject == "Rewrite it all")
    for line in (
        "  tasks  blocked 1, completed 1, in_progress 1, pending 1 → 2\n",
        f"    + {task.id} “Rewrite it all” (pending, of bob)\n",
        "    + to bob from lead: “start over”\n",
        "    bob: 0 → 1 event, 0.00 → 0.50 cents\n",
        "  events 11 → 12\n",
        "    ~ costs/alpha/summary.json\n",
    ):
        assert line in out, (line, out)
    assert "diff --git a/a.txt" in out
    told = cli.json("diff", "--team", "alpha")
    (one,) = told["teams"]
    assert one["statuses"]["pending"] == {"before": 1, "after": 2}
    assert one["tasks"][0]["after"] == {"subject": "Rewrite it all", "status": "pending", "owner": "bob"}
    assert {"part": "team", "path": f"tasks/alpha/task-{task.id}.json", "status": "added"} in told["team"]
    cli("save", "--team", "alpha")
    assert "Rewrite it all" in cli("diff", "@-", "@").out and "Rewrite it all" in cli("show", "@").out
    assert "team   files" in cli("diff", "@-", "@", "--stat").out


def test_a_path_of_a_team_is_absolute_below_the_data_directory(cli: Cli, saved: RealTeam) -> None:
    cli("save", "--team", "alpha")
    tasks = str(saved.path("tasks/{}"))
    assert '+  "subject": "Rewrite it all",' in cli("diff", "@-", "@", "--", tasks).out
    told = cli("diff", "--json", "@-", "@", "--", tasks).json
    assert [each["path"].rpartition("/")[0] for each in told["team"]] == ["tasks/alpha"] and told["files"] == []
    assert told["teams"][0]["mail"] == [] and told["teams"][0]["events"] == {"before": 12, "after": 12}
    cli("restore", "first", tasks, "--yes", "--team", "alpha")
    assert len(saved.tasks.list_tasks()) == 4 and cli.read("a.txt") == "new"
    assert "start\nover" in [each.get("content") for each in saved.state()["mail"]["bob"]]
    labels = [each["labels"] for each in cli.json("log", tasks)["snapshots"]]
    assert len(labels) == 3 and labels[-1] == ["first"]
    config = str(saved.path("teams/{}/config.json"))
    assert [each["labels"] for each in cli.json("log", config)["snapshots"]] == [["first"]]
    assert json.loads(cli("show", f"first:{config}").raw)["name"] == "alpha"
    assert json.loads(cli("show", "first", "--part", "team", "teams/alpha/config.json").raw)["name"] == "alpha"
    assert "teams/alpha/config.json\n" in cli("show", "first", "--part", "team").out
    assert "is outside" in cli.error("restore", "first", "/etc/hosts", "--yes", "--team", "alpha", code=2)["message"]


def test_what_agents_wrote_cannot_move_a_cursor_and_what_is_damaged_is_said(cli: Cli, saved: RealTeam) -> None:
    saved.mail.send("lead", "ada", "\x1b[2Jgone")
    saved.path("tasks/{}/task-0bad0bad.json").write_text("{ no JSON")
    saved.path("sessions/{}/eve.json").write_text("[1]")
    out = cli("diff", "--team", "alpha").out
    assert "\x1b" not in out and "\\x1b[2Jgone" in out
    assert "    + 0bad0bad unreadable\n" in out
    unreadable = out.partition("  unreadable: no JSON as ClawTeam writes it\n")[2]
    assert "    tasks/alpha/task-0bad0bad.json\n" in unreadable and "    sessions/alpha/eve.json\n" in unreadable
    planned = cli("restore", "first", "--dry-run", "--team", "alpha").out
    assert "task 0bad0bad, which is unreadable\n" in planned and "\x1b" not in planned


def test_another_team_is_another_part_and_the_same_name_elsewhere_is_another_team(
    cli: Cli, saved: RealTeam, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from support.teams.real import RealTeam

    RealTeam(saved.data, "beta").found()
    error = cli.error("save", "--team", "beta", code=2)
    assert "'alpha', not 'beta'" in error["message"]
    assert "team other: beta" in cli("save", "--team", "alpha", "--team", "other=beta").out
    assert cli.error("save", "--team", "alpha", "--team", "beta", code=2)["hints"]
    elsewhere = tmp_path / "elsewhere"
    monkeypatch.setenv("CLAWTEAM_DATA_DIR", str(elsewhere))
    RealTeam(elsewhere).found()
    error = cli.error("save", "--team", "alpha", code=2)
    assert f"--data-dir {saved.data}" in error["hints"]
    assert "team: alpha, 4 members, 5 tasks" in cli("save", "--team", "alpha", "--data-dir", str(saved.data)).out
    cli.error("save", "--team", "alpha", "--data-dir", " ", code=2)
    cli.error("save", "--team", "=alpha", code=2)
    assert "teams there: alpha" in cli.error("save", "--team", "x=gamma", code=10)["hints"][0]


def test_a_run_takes_the_team_along_and_is_not_begun_without_it(cli: Cli, saved: RealTeam) -> None:
    agent = [sys.executable, "-m", "clawteam", "task", "create", "alpha", "By a run"]
    cli("run", "--team", "alpha", "--", *agent)
    assert "By a run" in [task.subject for task in saved.tasks.list_tasks()]
    cli("undo", "--yes", "--team", "alpha")
    subjects = [task.subject for task in saved.tasks.list_tasks()]
    assert "By a run" not in subjects and "Rewrite it all" in subjects
    assert "no team 'typo'" in cli("run", "--team", "typo", "--", "touch", "ran", code=10).err
    assert not (cli.root / "ran").exists()


def test_a_message_is_purged_by_its_path(cli: Cli, saved: RealTeam) -> None:
    (secret,) = (each for each in saved.path("teams/{}/inboxes/bob").iterdir() if b"start" in each.read_bytes())
    cli("save", "--team", "alpha")
    assert "--part team" in cli.error("purge", str(secret), "--yes", code=2)["hints"][0]
    assert "gone" in cli("purge", str(secret), "--part", "team", "--copies", "--yes").out
    assert secret.name not in cli("show", "@", "--part", "team").out


def test_the_timeline_of_a_team_alone_is_worked_on_from_its_data_directory(cli: Cli, team: RealTeam) -> None:
    import takeback as tb

    with tb.open(cli.store) as store:
        store.timeline("alpha", sources=[tb.Team("alpha")]).save("first")
    there = ("-C", str(team.data), "--timeline", "alpha")
    team.tasks.create("more")
    assert "add --team alpha" in cli.error("save", *there, code=2)["hints"]
    assert "“more”" in cli("diff", "--team", "alpha", *there).out
    cli("undo", "--yes", "--team", "alpha", *there)
    assert len(team.tasks.list_tasks()) == 4
    assert set(cli.json("show", "@", *there)["parts"]) == {"team"}
    assert "tasks/alpha/" in cli("show", "@:tasks", *there).out


def test_the_shell_is_offered_the_teams_that_there_are(cli: Cli, team: RealTeam) -> None:
    from support.teams.real import RealTeam

    RealTeam(team.data, "beta").found()
    team.path("teams/no-team").mkdir()
    context = click.Context(click.Command("save"), obj=Call())
    option = click.Option(["--team"])
    offered = [each.value for each in teams._names(context, option, "")]
    assert offered == ["alpha", "beta"]
    assert [each.value for each in teams._names(context, option, "web=b")] == ["web=beta"]
    assert teams.names(context, option, "x=") == []


def test_a_path_of_a_team_as_plans_name_it_is_answered_with_the_one_to_type(cli: Cli, saved: RealTeam) -> None:
    task = next(each for each in saved.tasks.list_tasks() if each.subject == "Rewrite it all")
    path = f"tasks/alpha/task-{task.id}.json"
    assert path in cli("restore", "first", "--team", "alpha", "--dry-run").out
    hint = cli.error("restore", "first", path, "--team", "alpha", "--yes", code=10)["hints"][0]
    assert hint == f"`{saved.data}/{path}` is the team alpha's"
    cli("restore", "first", f"{saved.data}/{path}", "--team", "alpha", "--yes")
    assert not (saved.data / path).exists() and cli.read("a.txt") == "new"
