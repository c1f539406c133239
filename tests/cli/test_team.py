"""takeback team: the commands that ClawTeam has for its own snapshots, with what they print and how they fail."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.cli import PROGRAM, Cli, program
from support.terminal import Terminal

if TYPE_CHECKING:
    from support.teams.real import RealTeam


@pytest.fixture
def saved(cli: Cli, team: RealTeam) -> tuple[RealTeam, str]:
    """The team after it went on, and the id of the snapshot before."""
    id = cli.json("team", "snapshot", "alpha", "-t", "good")["id"]
    team.tasks.create("Derail", owner="bob")
    team.mail.send("lead", "bob", "start over")
    return team, id


def claws(team: RealTeam, *arguments: str) -> Any:
    """What ClawTeam's own command prints."""
    return json.loads(team.run("--json", "team", *arguments).stdout)


def test_the_json_has_every_key_that_clawteams_own_has(cli: Cli, team: RealTeam) -> None:
    ours, theirs = cli.json("team", "snapshot", "alpha", "-t", "x"), claws(team, "snapshot", "alpha", "-t", "y")
    assert theirs.keys() <= ours.keys()
    same = [key for key in theirs if key.endswith("Count")]
    assert {key: ours[key] for key in same} == {key: theirs[key] for key in same}
    listed, known = cli.json("team", "snapshots", "alpha"), claws(team, "snapshots", "alpha")
    assert known[0].keys() <= listed[0].keys() and known[0]["id"] in [each["id"] for each in listed]
    assert ours["id"] in [each["id"] for each in listed]
    ours, theirs = (
        cli.json("team", "restore", "alpha", ours["id"], "--dry-run"),
        claws(team, "restore", "alpha", theirs["id"], "--dry-run"),
    )
    assert {**theirs, "snapshot_id": "", "inboxes": 0} == {
        **{key: ours[key] for key in theirs},
        "snapshot_id": "",
        "inboxes": 0,
    }
    id = known[0]["id"]
    assert cli.json("team", "snapshot-delete", "alpha", id) == {"status": "deleted", "id": id}
    assert claws(team, "snapshots", "alpha") == []


def test_a_snapshot_is_made_listed_and_deleted(cli: Cli, team: RealTeam) -> None:
    made = cli("team", "snapshot", "alpha", "-t", "../be fore").out
    id = made.split()[1]
    assert id.endswith("-be-fore") and "  4 members, 4 tasks, 11 events, 2 sessions, 2 cost events\n" in made
    team.run("team", "snapshot", "alpha", "-t", "own")
    listed = cli("team", "snapshots", "alpha").out.splitlines()
    assert listed[0].split() == ["id", "tag", "members", "tasks", "events", "created"]
    assert any(id in line and "../be fore" in line for line in listed)
    assert any("-own" in line and line.endswith("ClawTeam's") for line in listed)
    assert "deleted" in cli("team", "snapshot-delete", "alpha", id).out
    assert id not in cli("team", "snapshots", "alpha").out


def test_a_dry_run_says_what_is_there_and_what_would_go(cli: Cli, saved: tuple[RealTeam, str]) -> None:
    team, id = saved
    before = team.everything()
    out = cli("team", "restore", "alpha", id, "--dry-run").out
    head = "would restore the configuration, 4 tasks, 11 events, 2 sessions, 2 cost events, 11 messages\n"
    assert out.startswith(head)
    assert "“Derail” (pending, of bob)\n" in out and "mail to bob from lead: “start over”\n" in out
    assert team.everything() == before
    lost = cli.json("team", "restore", "alpha", id, "--dry-run")["lost"]
    assert [each["subject"] for each in lost["tasks"]] == ["Derail"] and len(lost["messages"]) == lost["events"] == 1


def test_a_restore_says_what_went_and_the_way_back_works(cli: Cli, saved: tuple[RealTeam, str]) -> None:
    team, id = saved
    before = team.files()
    out = cli("team", "restore", "alpha", id, "--yes").out
    assert "gone, and kept in the snapshot before: 1 task, 1 message, 1 event\n" in out
    assert "read back and verified" in out and len(team.tasks.list_tasks()) == 4
    words = out.rpartition("back to it: `")[2].partition("`")[0].split()[1:]
    cli(*words, "--yes")
    assert team.files() == before
    there = ("-C", str(team.data), "--timeline", "alpha")
    cli("undo", "--yes", "--team", "alpha", *there)
    assert len(team.tasks.list_tasks()) == 4


def test_merge_keeps_newer_mail(cli: Cli, saved: tuple[RealTeam, str]) -> None:
    team, id = saved
    assert "left as it is: 1 path (newer mail, kept)\n" in cli("team", "restore", "alpha", id, "--yes", "--merge").out
    assert "start over" in [each.get("content") for each in team.state()["mail"]["bob"]]
    assert len(team.tasks.list_tasks()) == 4


def test_it_asks_unless_told_not_to_as_clawteams_does(cli: Cli, saved: tuple[RealTeam, str]) -> None:
    team, id = saved
    assert "add --yes" in cli("team", "restore", "alpha", id, code=1).err
    assert len(team.tasks.list_tasks()) == 5
    for answer, code, tasks in ((b"n\n", 1, 5), (b"y\n", 0, 4)):
        terminal = Terminal([*PROGRAM, "team", "restore", "alpha", id], cli.root, {})
        terminal.wait_for(b"Do it?")
        assert b"Derail" in terminal.shown
        terminal.type(answer)
        assert terminal.end() == code
        assert len(team.tasks.list_tasks()) == tasks
    team.tasks.create("again")
    assert cli.json("team", "restore", "alpha", id)["lost"]["tasks"][0]["subject"] == "again"
    team.tasks.create("again")
    cli("team", "restore", "alpha", id, "-f")
    assert len(team.tasks.list_tasks()) == 4


def test_running_members_are_listed_and_nothing_happens_without_force(cli: Cli, saved: tuple[RealTeam, str]) -> None:
    team, id = saved
    registry = {"ada": {"backend": "subprocess", "pid": os.getpid(), "command": [sys.executable], "spawned_at": 0}}
    team.write("teams/{}/spawn_registry.json", registry)
    before = team.everything()
    assert "ada (" in cli("team", "restore", "alpha", id, "--dry-run").out
    for more in ((), ("--yes",)):
        error = cli.error("team", "restore", "alpha", id, *more, code=1)
        assert "ada (" in error["message"] and error["kind"] == "Locked"
    assert team.everything() == before
    assert cli.json("team", "restore", "alpha", id, "--force")["running"][0]["name"] == "ada"
    assert len(team.tasks.list_tasks()) == 4


def test_after_a_cleanup_the_team_is_there_again(cli: Cli, saved: tuple[RealTeam, str]) -> None:
    team, id = saved
    cli("team", "restore", "alpha", id, "--yes")
    state = team.state()
    team.run("team", "cleanup", "alpha", "--force")
    cli("team", "restore", "alpha", id, "--yes")
    assert team.state() == state


@pytest.mark.parametrize(
    "arguments",
    [
        ("snapshot", "none"),
        ("snapshot", "../x"),
        ("snapshots", "a/b"),
        ("restore", "alpha", "none"),
        ("restore", "alpha", "../../x", "--yes"),
        ("snapshot-delete", "alpha", "none"),
        ("snapshot", "alpha", "--data-dir", " "),
    ],
)
def test_whatever_fails_exits_with_1_and_says_why(cli: Cli, team: RealTeam, arguments: tuple[str, ...]) -> None:
    before = team.everything()
    assert cli.error("team", *arguments, code=1)["message"]
    assert team.everything() == before


def test_without_snapshots_it_says_so_and_makes_no_store(cli: Cli, team: RealTeam) -> None:
    assert "no snapshots" in cli("team", "snapshots", "alpha").out
    assert cli.json("team", "snapshots", "alpha") == [] and not cli.store.exists()


def test_another_data_directory_is_named(cli: Cli, team: RealTeam, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLAWTEAM_DATA_DIR")
    assert cli.json("team", "snapshot", "alpha", "--data-dir", str(team.data))["taskCount"] == 4


def test_the_store_is_kept_up_after_a_snapshot(cli: Cli, team: RealTeam, monkeypatch: pytest.MonkeyPatch) -> None:
    from takeback.engine import background

    monkeypatch.setattr(background, "_STARTED", [])
    for name, value in {"UPKEEP": "auto", "MIN_FREE": "0", "KEEP_LAST": "2"}.items():
        monkeypatch.setenv(f"TAKEBACK_{name}", value)
    for number in range(5):
        team.work_on(number)
        cli("team", "snapshot", "alpha")
    (process,) = background._STARTED
    assert process.wait(60) == 0
    assert len(cli.json("team", "snapshots", "alpha")) < 5


def test_the_shell_is_offered_teams_and_their_snapshots(cli: Cli, saved: tuple[RealTeam, str]) -> None:
    def offered(words: str) -> list[str]:
        asked = {"_TAKEBACK_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()))}
        done = program(cwd=cli.root, env=asked)
        return [line.partition(",")[2] for line in done.stdout.decode().split()]

    assert offered("takeback team restore ") == ["alpha"]
    assert offered("takeback team restore alpha ") == [saved[1]]
    assert offered("takeback team snapshot-delete nope ") == []
    assert offered("takeback save --team ") == ["alpha"]


def test_alone_it_prints_its_help(cli: Cli) -> None:
    assert "snapshot-delete" in cli("team").out and cli.json("team")["command"] == "team"


def test_a_team_or_a_snapshot_that_is_not_there_is_answered_with_what_is(cli: Cli, saved: tuple[RealTeam, str]) -> None:
    team, id = saved
    for verb in ("restore", "snapshot-delete"):
        assert cli.error("team", verb, "alpha", "good", code=1)["hints"][0] == f"did you mean {id}?"
        assert cli.error("team", verb, "alpha", f"{id}x", code=1)["hints"][0] == f"did you mean {id}?"
        assert cli.error("team", verb, "alpah", "@", code=1)["hints"] == ["teams there: alpha"]
    assert cli("team", "snapshots", "alpah").out.splitlines() == [
        "there are no snapshots of alpah",
        f"team 'alpah' not found in {team.data}",
        "teams there: alpha",
    ]
    gone = str(team.data / "gone")
    assert (
        f"there is no directory {gone}" in cli.error("team", "snapshot", "alpha", "--data-dir", gone, code=1)["message"]
    )
    team.run("team", "cleanup", "alpha", "--force")
    assert "it was saved" in cli.error("team", "snapshot", "alpha", code=1)["hints"][0]


def test_the_list_tells_of_what_restores_saved_and_how_to_see_it(cli: Cli, saved: tuple[RealTeam, str]) -> None:
    assert "more without an id" not in cli("team", "snapshots", "alpha").out
    cli("team", "restore", "alpha", saved[1], "--yes")
    told = cli("team", "snapshots", "alpha").out.splitlines()[-1]
    assert told.startswith("… and 2 more without an id")
    assert "safety" in cli(*told.partition("`")[2].partition("`")[0].split()[1:]).out


def test_a_restore_says_how_much_it_did_or_that_there_was_nothing_to_do(cli: Cli, saved: tuple[RealTeam, str]) -> None:
    first, second = (cli("team", "restore", "alpha", saved[1], "--yes").out for _ in range(2))
    assert "\n  3 paths: 3 deleted\n" in first
    assert second == f"nothing to restore: alpha is as in snapshot {saved[1]}\n"


def test_a_deleted_snapshot_comes_back_by_the_command_that_is_told(cli: Cli, saved: tuple[RealTeam, str]) -> None:
    told = cli("team", "snapshot-delete", "alpha", saved[1]).out.splitlines()[-1]
    cli(*told.partition("`")[2].partition("`")[0].split()[1:])
    assert saved[1] in cli("team", "snapshots", "alpha").out


def test_a_dry_run_of_a_bundle_names_it_and_keeps_silent_on_what_no_bundle_holds(cli: Cli, team: RealTeam) -> None:
    team.run("team", "snapshot", "alpha", "-t", "own")
    id = cli.json("team", "snapshots", "alpha")[0]["id"]
    team.mail.send("lead", "bob", "start over")
    out = cli("team", "restore", "alpha", id, "--dry-run").out
    assert f"restore {id} would\n" in out and "not the team's" not in out
    assert "note: a bundle holds no plans" in out
    cli("team", "restore", "alpha", id, "--yes")
    assert f"restore {id}\n" in cli("log", "--timeline", "alpha", "-C", str(team.data)).out


def test_a_team_whose_configuration_is_broken_is_saved_and_that_is_said(cli: Cli, team: RealTeam) -> None:
    team.path("teams/{}/config.json").write_text("{broken")
    assert "note: the configuration names no members, or cannot be read" in cli("team", "snapshot", "alpha").out


def test_a_member_who_joined_since_is_told_to_go(cli: Cli, team: RealTeam) -> None:
    from clawteam.team.manager import TeamManager

    id = cli.json("team", "snapshot", "alpha")["id"]
    TeamManager.add_member("alpha", "dora", "d0ra")
    assert "\n  member dora\n" in cli("team", "restore", "alpha", id, "--dry-run").out
    assert "gone, and kept in the snapshot before: 1 member\n" in cli("team", "restore", "alpha", id, "--yes").out


def test_nothing_is_asked_where_nothing_would_change(cli: Cli, team: RealTeam) -> None:
    id = cli.json("team", "snapshot", "alpha")["id"]
    assert "everything is already so" in cli("team", "restore", "alpha", id).out


def test_a_snapshot_goes_to_clawteam_as_a_bundle_and_a_bundle_comes_back(
    cli: Cli, saved: tuple[RealTeam, str], tmp_path: Path
) -> None:
    team, id = saved
    told = cli("team", "export", "alpha", id).out
    assert f"clawteam team restore alpha {id}" in told
    before = cli.json("team", "restore", "alpha", id, "--dry-run")
    assert claws(team, "restore", "alpha", id, "--dry-run")["tasks"] == before["tasks"]
    assert [each["id"] for each in claws(team, "snapshots", "alpha")] == [id]

    elsewhere = tmp_path / f"snap-{id}.json"
    assert cli.json("team", "export", "alpha", id, str(elsewhere)) == {"id": id, "path": str(elsewhere)}
    cli("team", "export", "alpha", id, str(elsewhere))  # it is there already
    (tmp_path / "mine").write_text("mine")
    cli("team", "export", "alpha", id, str(tmp_path / "mine"), code=1)
    assert (tmp_path / "mine").read_text() == "mine"
    for each in cli.json("team", "snapshots", "alpha"):
        cli("team", "snapshot-delete", "alpha", each["id"])
    made = cli("team", "import", "alpha", str(elsewhere)).out
    assert f"snapshot {id} imported" in made and f"`takeback team restore alpha {id}`" in made
    assert cli.json("team", "import", "alpha", str(elsewhere))["id"] == id  # the same again
    elsewhere.unlink()
    cli("team", "restore", "alpha", id, "--yes")
    assert "Derail" not in [task["subject"] for task in team.state()["tasks"]]

    (tmp_path / "snap-x.json").write_text('{"meta": {}}')
    cli("team", "import", "alpha", str(tmp_path / "snap-x.json"), code=1)
    cli("team", "import", "alpha", str(tmp_path / "none.json"), code=1)
