"""--with-workspaces: the worktrees and conversations of a team's members, on every command that knows teams."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.cli import Cli
from support.stores import noise, residue

if TYPE_CHECKING:
    from support.teams.real import RealTeam
    from support.teams.workspaces import Crew

pytestmark = pytest.mark.service("git")

SESSION = "0f8fad5b-d9cb-469f-a165-70867728950e"
WITH = ("--team", "alpha", "--with-workspaces")


@pytest.fixture
def crew(tmp_path: Path, team: RealTeam) -> Crew:
    from support.teams.workspaces import Crew

    return Crew(tmp_path, team)


def test_a_team_and_its_members_are_saved_and_restored_by_one_id(cli: Cli, crew: Crew) -> None:
    state, trees = crew.team.state(), crew.trees()
    made = cli("team", "snapshot", "alpha", "-t", "good", "--with-workspaces").out
    id = made.split()[1]
    assert "  with 2 worktrees: ada, bob\n" in made
    crew.derail()
    broken = crew.trees()
    preview = cli("team", "restore", "alpha", id, "--with-workspaces", "--dry-run").out
    assert "workspaces/alpha/ada/app.py" in preview and crew.trees() == broken
    done = cli("team", "restore", "alpha", id, "--with-workspaces", "--yes").out
    assert crew.team.state() == state and crew.trees() == trees
    back = done.rpartition("back to it: `")[2].partition("`")[0].split()
    assert back[-1] == "--with-workspaces"
    cli(*back[1:], "--yes")
    assert crew.trees() == broken


def test_without_the_option_worktrees_are_left_alone_and_that_is_said(cli: Cli, crew: Crew) -> None:
    id = cli.json("team", "snapshot", "alpha", "--with-workspaces")["id"]
    crew.derail()
    trees = crew.trees()
    done = cli.json("team", "restore", "alpha", id, "--yes")
    assert crew.trees() == trees
    said = "the worktrees of ada, bob stay as they are: the snapshot has them, too, for --with-workspaces"
    assert said in done["notes"] and f"note: {said}\n" in cli("team", "restore", "alpha", id, "--dry-run").out


def test_after_a_cleanup_all_is_made_again_and_the_way_back_for_git_is_said(
    cli: Cli, crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    from clawteam.team.manager import TeamManager

    state, trees = crew.team.state(), crew.trees()
    id = cli.json("team", "snapshot", "alpha", "--with-workspaces")["id"]
    with monkeypatch.context() as moved:
        moved.chdir(crew.repository)
        assert TeamManager.cleanup("alpha")
    assert not crew["ada"].exists()
    done = cli.json("team", "restore", "alpha", id, "--with-workspaces", "--yes")
    assert crew.team.state() == state and crew.trees() == trees
    assert [
        note for note in done["notes"] if note.startswith("git does not know ada's files") and "worktree add" in note
    ]


def test_who_joined_since_and_what_is_left_out_is_said(cli: Cli, crew: Crew, tmp_path: Path) -> None:
    id = cli.json("team", "snapshot", "alpha", "--with-workspaces")["id"]
    crew.hire("eve")
    done = cli.json("team", "restore", "alpha", id, "--with-workspaces", "--yes")
    assert "the snapshot does not hold workspace-eve, which stays as it is" in done["notes"]
    crew.hire("mallory")
    shutil.move(crew["mallory"], tmp_path / "elsewhere")
    crew["mallory"].symlink_to(tmp_path / "elsewhere")
    made = cli.json("team", "snapshot", "alpha", "--with-workspaces")
    assert len(made["left_out"]) == 1 and "mallory" in made["left_out"][0]
    assert "left out: the worktree" in cli("save", *WITH).err


def test_a_project_is_saved_with_its_team_and_members_and_undo_takes_back_all(cli: Cli, crew: Crew) -> None:
    trees = crew.trees()
    cli.write("a.txt", "one")
    cli("save", "-m", "good", *WITH)
    cli.write("a.txt", "two")
    crew.derail()
    broken = crew.trees()
    assert "workspaces/alpha/bob/junk/x" in cli("diff", "--stat", *WITH).out
    assert "+print('broken')" in cli("diff", *WITH).out
    cli("undo", "--yes", *WITH)
    assert crew.trees() == trees and cli.read("a.txt") == "one"
    cli("redo", "--yes", *WITH)
    assert crew.trees() == broken and cli.read("a.txt") == "two"
    cli("restore", "good", "--yes", *WITH)
    assert crew.trees() == trees
    assert "workspace-ada" in cli("show", "good", *WITH).out
    assert cli("show", f"good:{crew['ada']}/app.py").out == "print('one')\n"


def test_a_project_is_taken_back_without_its_members_where_they_are_not_named(cli: Cli, crew: Crew) -> None:
    cli.write("a.txt", "one")
    cli("save", *WITH)
    cli.write("a.txt", "two")
    crew.derail()
    broken = crew.trees()
    done = cli("undo", "--yes")
    assert cli.read("a.txt") == "one" and crew.trees() == broken
    assert "ada's worktree, bob's worktree were not looked at, and stay as they are; add --with-workspaces" in done.out


def test_what_is_hinted_at_without_the_members_can_be_typed(cli: Cli, crew: Crew) -> None:
    trees = crew.trees()
    cli("save", *WITH)
    crew.derail()
    cli("save", *WITH)
    broken = crew.trees()
    words = _hinted(cli("undo", "--yes", "--team", "alpha").out, "undo")
    assert words[-3:] == list(WITH)
    cli(*words, "--yes")
    assert crew.trees() == trees
    stuck = cli("redo", "--yes", "--team", "alpha", code=14).err
    cli(*_hinted(stuck, "redo"), "--yes")
    assert crew.trees() == broken


def test_what_was_redone_without_the_members_can_be_completed(cli: Cli, crew: Crew) -> None:
    trees = crew.trees()
    cli("save", *WITH)
    crew.derail()
    cli("save", *WITH)
    broken = crew.trees()
    cli("undo", "--yes", *WITH)
    partly = cli("redo", "--yes", "--team", "alpha").out
    assert crew.trees() == trees
    cli(*_hinted(partly, "restore"), "--yes")
    assert crew.trees() == broken


def test_the_options_that_a_timeline_of_a_team_needs_are_said_once_each(cli: Cli, crew: Crew) -> None:
    cli("team", "snapshot", "alpha", "--with-workspaces")
    own = ("-C", str(crew.team.data), "--timeline", "alpha")
    assert (
        f"`takeback undo --team alpha --with-workspaces --timeline alpha -C {crew.team.data}`"
        in cli(*own, "status").out
    )
    assert cli.error(*own, "undo", code=2)["hints"] == ["add --team alpha --with-workspaces"]


def _hinted(out: str, verb: str) -> list[str]:
    """The words of the command that a hint names."""
    hint = next(line for line in out.splitlines() if line.startswith("hint: ") and f"`takeback {verb}" in line)
    return hint.partition("`")[2].partition("`")[0].split()[1:]


def test_one_file_of_one_member_is_restored_by_its_path(cli: Cli, crew: Crew) -> None:
    cli("save", "-m", "good", *WITH)
    crew.derail()
    bob = crew.tree("bob")
    cli("restore", "good", str(crew["ada"] / "app.py"), "--yes", *WITH)
    assert (crew["ada"] / "app.py").read_text() == "print('one')\n"
    assert not (crew["ada"] / "lib" / "deep").exists() and crew.tree("bob") == bob


def test_conversations_come_back_as_new_sessions_if_they_are_asked_for(cli: Cli, crew: Crew, home: Path) -> None:
    file = crew.talk(home, "ada", SESSION, "hello")
    cli("save", "-m", "good", *WITH)
    crew.talk(home, "ada", SESSION, "goodbye")
    cli("restore", "good", "--yes", *WITH)
    assert len(list(file.parent.iterdir())) == 1
    assert "claude --resume" in cli("restore", "good", "--only", "transcript-ada", "--yes").out
    assert len(list(file.parent.iterdir())) == 2


def test_the_option_needs_a_team(cli: Cli) -> None:
    cli.write("a.txt", "one")
    failed = cli("save", "--with-workspaces", code=2)
    assert "--team TEAM" in failed.err


def test_a_conflict_in_a_worktree_says_how_to_look_at_both_sides(cli: Cli, crew: Crew) -> None:
    file = crew["ada"] / "app.py"
    cli.write("a.txt", "one")
    cli("run", *WITH, "--", "sh", "-c", f"echo theirs > {file}")
    file.write_text("mine\n")
    done = cli("undo", "--yes", *WITH, code=14)
    hint = next(line for line in done.err.splitlines() + done.out.splitlines() if "`takeback restore" in line)
    words = hint.partition("`takeback ")[2].partition("`")[0].split()
    assert words[2:] == [str(file), *WITH]
    cli(*words, "--yes")
    assert file.read_text() == "print('one')\n"


def test_a_secret_in_a_worktree_can_be_purged(cli: Cli, crew: Crew) -> None:
    secret = "password: " + noise(40, "secret").hex()
    (crew["ada"] / "conf.txt").write_text(secret)
    cli("save", *WITH)
    (crew["bob"] / "copy.txt").write_text(secret)
    cli("save", "-m", "leaked", *WITH)
    done = cli.json("purge", str(crew["ada"] / "conf.txt"), "--part", "workspace-ada", "--yes")
    assert done["gone"] is True and len(done["snapshots"]) == 2
    assert not [name for name, data in residue(cli.store) if secret.encode() in data]
    assert cli.json("verify", "--read-data")["ok"]
    crew.derail()
    cli("restore", "leaked", "--yes", *WITH)
    assert (crew["ada"] / "conf.txt").read_text() == (crew["bob"] / "copy.txt").read_text() == secret
