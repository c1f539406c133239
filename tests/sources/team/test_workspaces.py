"""Members' worktrees and conversations as parts of a team's snapshot: all comes back in one id, or nothing does."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from clawteam.team.manager import TeamManager

import takeback as tb
from support.git import git
from support.processes import KILLED, in_child
from support.teams.real import RealTeam
from support.teams.workspaces import Crew
from takeback.engine.store import Store, open_store
from takeback.engine.timeline import Timeline
from takeback.errors import Locked, NotFound, Unavailable
from takeback.locate.members import add_members
from takeback.model.snapshot import NotCaptured
from takeback.sources.rooted import StagedPart
from takeback.store.locks import root_lock

pytestmark = pytest.mark.service("git")

SESSION = "0f8fad5b-d9cb-469f-a165-70867728950e"


@pytest.fixture
def crew(tmp_path: Path, team: RealTeam) -> Crew:
    return Crew(tmp_path, team)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "store") as store:
        yield store


def timeline(store: Store, crew: Crew, *, members: bool = True) -> Timeline:
    """As a command has it: made anew each time."""
    line = store.timeline(crew.team.name, sources=[tb.Team(crew.team.name, crew.data)])
    if members:
        assert add_members(line) == []
    return line


def test_two_members_break_their_trees_and_one_restore_brings_all_back(crew: Crew, store: Store) -> None:
    before, trees, of_git = crew.team.files(), crew.trees(), crew.of_git()
    snapshot = timeline(store, crew).save("good")
    assert set(snapshot.parts) >= {"team", "workspace-ada", "workspace-bob"}
    crew.derail()
    assert (crew.team.files(), crew.trees()) != (before, trees)
    report = timeline(store, crew).restore(snapshot.id)
    assert report.verified
    assert (crew.team.files(), crew.trees()) == (before, trees)
    assert crew.of_git() == of_git
    assert {"workspaces/alpha/ada/app.py", "workspaces/alpha/bob/app.py"} <= set(report.changed)
    assert not (crew["bob"] / "junk").exists()


def test_a_diff_says_what_each_member_changed(crew: Crew, store: Store) -> None:
    timeline(store, crew).save()
    crew.derail()
    changes = {(each.part, each.path): each.status for each in timeline(store, crew).diff().files}
    assert {key: status for key, status in changes.items() if key[0] == "workspace-bob"} == {
        ("workspace-bob", "workspaces/alpha/bob/app.py"): "modified",
        ("workspace-bob", "workspaces/alpha/bob/junk"): "added",
        ("workspace-bob", "workspaces/alpha/bob/junk/x"): "added",
        ("workspace-bob", "workspaces/alpha/bob/work.txt"): "deleted",
    }
    assert changes["workspace-ada", "workspaces/alpha/ada/lib/deep"] == "deleted"


def test_undo_takes_the_restore_of_all_back(crew: Crew, store: Store) -> None:
    snapshot = timeline(store, crew).save()
    crew.derail()
    derailed = crew.team.files(), crew.trees()
    timeline(store, crew).restore(snapshot.id)
    timeline(store, crew).undo()
    assert (crew.team.files(), crew.trees()) == derailed
    timeline(store, crew).redo()
    assert crew.tree("bob")["work.txt"] == (0o644, b"what bob did\n")


def test_undo_leaves_what_a_member_did_since(crew: Crew, store: Store) -> None:
    line = timeline(store, crew)
    line.save(trigger="turn_start", session="s", title="a turn")
    (crew["ada"] / "app.py").write_text("print('turned')\n")
    (crew["bob"] / "app.py").write_text("print('turned')\n")
    line.save(trigger="turn_end", session="s")
    (crew["bob"] / "since.txt").write_text("since\n")
    report = timeline(store, crew).undo()
    assert set(report.changed) == {"workspaces/alpha/ada/app.py", "workspaces/alpha/bob/app.py"}
    assert (crew["ada"] / "app.py").read_text() == "print('one')\n"
    assert (crew["bob"] / "since.txt").read_text() == "since\n"


def test_what_is_ignored_in_a_worktree_stays(crew: Crew, store: Store) -> None:
    snapshot = timeline(store, crew).save()
    (crew["ada"] / "build.log").write_text("ignored\n")
    (crew["ada"] / ".gitignore").write_text("")
    timeline(store, crew).save()
    timeline(store, crew).restore(snapshot.id)
    assert (crew["ada"] / "build.log").read_text() == "ignored\n"
    assert (crew["ada"] / ".gitignore").read_text() == "*.log\n"


def _commands(notes: tuple[str, ...], agent: str) -> str:
    (note,) = [note for note in notes if note.startswith(f"git does not know {agent}'s files")]
    return note.partition("once they are back: ")[2]


def test_after_a_cleanup_team_and_worktrees_come_back_and_git_can_be_told(
    crew: Crew, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, trees = crew.team.files(), crew.trees()
    status = git(crew["ada"], "status", "--porcelain")
    snapshot = timeline(store, crew).save()
    monkeypatch.chdir(crew.repository)
    assert TeamManager.cleanup(crew.team.name)
    assert not crew["ada"].exists()
    of_git = crew.of_git()
    plan = timeline(store, crew).plan(snapshot.id)
    assert not crew["ada"].exists()
    report = timeline(store, crew).restore(snapshot.id)
    assert (crew.team.files(), crew.trees()) == (before, trees)
    assert crew.of_git() == of_git
    assert report.notes == plan.notes
    for agent in ("ada", "bob"):
        subprocess.run(["sh", "-ec", _commands(report.notes, agent)], check=True, capture_output=True)
    assert crew.trees() == trees
    assert git(crew["ada"], "status", "--porcelain") == status
    assert git(crew["ada"], "branch", "--show-current") == b"clawteam/alpha/ada\n"
    assert [each.agent_name for each in crew.manager.list_workspaces("alpha")] == ["ada", "bob"]
    assert crew.manager.checkpoint("alpha", "ada")


def test_a_worktree_that_was_removed_behind_gits_back_is_repaired_with_one_command(crew: Crew, store: Store) -> None:
    trees = crew.trees()
    snapshot = timeline(store, crew).save()
    shutil.rmtree(crew["bob"])
    report = timeline(store, crew).restore(snapshot.id)
    assert crew.trees() == trees
    command = _commands(report.notes, "bob")
    assert command == f"git -C {crew.repository} worktree repair"
    subprocess.run(["sh", "-ec", command], check=True, capture_output=True)
    assert git(crew["bob"], "status", "--porcelain") == b"?? work.txt\n"


def test_a_worktree_that_is_gone_is_gone_in_the_next_snapshot_and_after_undo(crew: Crew, store: Store) -> None:
    snapshot = timeline(store, crew).save()
    shutil.rmtree(crew["bob"])
    gone = timeline(store, crew).save()
    assert gone.id != snapshot.id
    assert timeline(store, crew).save().id == gone.id
    timeline(store, crew).restore(snapshot.id)
    assert crew["bob"].is_dir()
    assert timeline(store, crew).save().id == timeline(store, crew).head
    timeline(store, crew).undo()
    assert not crew["bob"].exists()


def test_the_place_of_all_worktrees_is_made_again_too(crew: Crew, store: Store) -> None:
    before, trees = crew.team.files(), crew.trees()
    snapshot = timeline(store, crew).save()
    shutil.rmtree(crew.data / "workspaces")
    timeline(store, crew).restore(snapshot.id)
    assert (crew.team.files(), crew.trees()) == (before, trees)


@pytest.mark.parametrize("part", ["team", "workspace-ada", "workspace-bob"])
def test_if_one_part_fails_the_team_and_all_worktrees_are_as_before(
    crew: Crew, store: Store, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    snapshot = timeline(store, crew).save()
    crew.derail()
    derailed = crew.team.files(), crew.trees()
    real = StagedPart.apply
    done = []

    def apply(self: StagedPart) -> None:
        if self.part == part:
            raise Unavailable("the disk is full")
        real(self)
        done.append(self.part)

    with monkeypatch.context() as patched:
        patched.setattr(StagedPart, "apply", apply)
        with pytest.raises(Unavailable, match="the disk is full"):
            timeline(store, crew).restore(snapshot.id)
    assert (crew.team.files(), crew.trees()) == derailed
    assert done or part == "team"
    timeline(store, crew).restore(snapshot.id)
    assert (crew.team.files(), crew.trees()) != derailed


def test_a_restore_that_was_killed_is_finished_by_who_has_the_members_at_hand(crew: Crew, store: Store) -> None:
    before, trees = crew.team.files(), crew.trees()
    snapshot = timeline(store, crew).save()
    crew.derail()

    def killed() -> None:
        real = StagedPart.apply

        def apply(self: StagedPart) -> None:
            if self.part == "workspace-bob":
                os.kill(os.getpid(), 9)
            real(self)

        StagedPart.apply = apply  # type: ignore[method-assign]
        timeline(store, crew).restore(snapshot.id)

    assert in_child(killed)[0] == KILLED
    with pytest.raises(Unavailable) as raised:
        timeline(store, crew, members=False).save()
    assert "--with-workspaces" in " ".join(raised.value.hints)
    timeline(store, crew).save()
    assert (crew.team.files(), crew.trees()) == (before, trees)


def test_a_member_that_joined_since_is_left_alone_and_said(crew: Crew, store: Store) -> None:
    snapshot = timeline(store, crew).save()
    crew.hire("eve")
    (crew["eve"] / "new.txt").write_text("new\n")
    report = timeline(store, crew).restore(snapshot.id)
    assert (crew["eve"] / "new.txt").read_text() == "new\n"
    assert [note for note in report.notes if "workspace-eve" in note]


def test_without_its_members_a_restore_of_the_team_leaves_their_worktrees_alone_and_says_so(
    crew: Crew, store: Store
) -> None:
    before = crew.team.state()
    snapshot = timeline(store, crew).save()
    crew.derail()
    trees = crew.trees()
    report = timeline(store, crew, members=False).restore(snapshot.id)
    assert crew.team.state() == before
    assert crew.trees() == trees
    assert [note for note in report.notes if "--with-workspaces" in note]


def test_one_member_alone_can_be_put_back_or_elsewhere(crew: Crew, store: Store, tmp_path: Path) -> None:
    trees = crew.trees()
    snapshot = timeline(store, crew).save()
    crew.derail()
    broken = crew.tree("bob")
    timeline(store, crew).restore(snapshot.id, only=["workspace-ada"])
    assert crew.tree("ada") == trees["ada"]
    assert crew.tree("bob") == broken
    timeline(store, crew).restore(snapshot.id, only=["workspace-bob"], to=tmp_path / "elsewhere")
    assert (tmp_path / "elsewhere/workspaces/alpha/bob/work.txt").read_text() == "what bob did\n"
    assert crew.tree("bob") == broken


def test_one_path_of_one_member_is_named_as_it_is_on_disk(crew: Crew, store: Store) -> None:
    snapshot = timeline(store, crew).save()
    crew.derail()
    broken = crew.tree("bob")
    report = timeline(store, crew).restore(snapshot.id, paths=[str(crew["ada"] / "app.py")])
    assert report.changed == ("workspaces/alpha/ada/app.py",)
    assert crew.tree("bob") == broken


def test_nobody_else_saves_in_a_worktree_meanwhile(crew: Crew, store: Store) -> None:
    line = timeline(store, crew)
    line.patience = 0.05
    with root_lock(str(crew["ada"])), pytest.raises(Locked):
        line.save()


def test_a_link_in_the_place_of_a_worktree_is_never_followed(crew: Crew, store: Store, tmp_path: Path) -> None:
    snapshot = timeline(store, crew).save()
    outside = tmp_path / "outside"
    shutil.move(crew["bob"], outside)
    (outside / "app.py").write_text("theirs\n")
    crew["bob"].symlink_to(outside)
    with pytest.raises(tb.TakebackError):
        timeline_with_notes(store, crew).restore(snapshot.id)
    assert (outside / "app.py").read_text() == "theirs\n"
    assert crew["bob"].is_symlink()


def timeline_with_notes(store: Store, crew: Crew) -> Timeline:
    line = store.timeline(crew.team.name, sources=[tb.Team(crew.team.name, crew.data)])
    add_members(line)
    return line


def test_a_conversation_is_found_by_its_session_and_comes_back_as_a_new_one(
    crew: Crew, store: Store, home: Path
) -> None:
    file = crew.talk(home, "ada", SESSION, "hello")
    snapshot = timeline(store, crew).save()
    crew.talk(home, "ada", SESSION, "goodbye")
    part = snapshot.parts["transcript-ada"]
    assert part.detail["agent"] == "claude-code"
    assert snapshot.context["transcript-ada"]["session"] == SESSION
    report = timeline(store, crew).restore(snapshot.id, only=["transcript-ada"])
    assert [note for note in report.notes if "claude --resume" in note]
    assert sorted(path.read_text().count("\n") for path in file.parent.iterdir()) == [1, 2]


def test_a_conversation_that_nobody_keeps_is_said_to_be_not_captured(crew: Crew, store: Store) -> None:
    crew.team.sessions.save("bob", SESSION)
    snapshot = timeline(store, crew).save()
    missing = NotCaptured(f"session {SESSION}", "unreadable", "no agent known here keeps it as a file")
    assert missing in snapshot.not_captured
    with pytest.raises(NotFound):
        timeline(store, crew).restore(snapshot.id, only=["transcript-bob"])


def test_files_come_back_whatever_became_of_conversations(crew: Crew, store: Store, home: Path) -> None:
    file = crew.talk(home, "ada", SESSION, "hello")
    trees = crew.trees()
    snapshot = timeline(store, crew).save()
    crew.derail()
    file.unlink()
    timeline(store, crew).restore(snapshot.id)
    assert crew.trees() == trees
    timeline(store, crew).undo()
    assert crew.trees() != trees


def test_a_worktree_that_is_the_timelines_own_workspace_is_not_saved_twice(crew: Crew, store: Store) -> None:
    line = store.timeline(sources=[tb.Workspace(crew["ada"]), tb.Team("alpha", crew.data)])
    notes = add_members(line)
    assert "the worktree of ada is what is saved here anyway" in notes
    assert {name for name in line.save().parts if "workspace" in name} == {"workspace", "workspace-bob"}


def test_two_teams_of_one_timeline_keep_their_members_apart(crew: Crew, store: Store) -> None:
    TeamManager.create_team("beta", "ada", "id-ada-of-beta")
    crew.manager.create_workspace("beta", "ada", "id-ada-of-beta")
    line = store.timeline(sources=[tb.Team("alpha", crew.data), tb.Team("beta", crew.data, name="other")])
    add_members(line)
    assert {"workspace-ada", "workspace-bob", "workspace-other-ada"} <= set(line.save().parts)
    there = dict(line.sources)
    add_members(line)  # what is at hand already stays as it is
    assert line.sources == there


def test_members_go_along_to_another_store(crew: Crew, store: Store, tmp_path: Path) -> None:
    snapshot = timeline(store, crew).save("good")
    with open_store(tmp_path / "other") as other:
        store.push(other, timeline=timeline(store, crew, members=False))
        assert other.verify(read_data=True).ok
        crew.derail()
        timeline(other, crew).restore(snapshot.id)
    assert crew.tree("bob")["work.txt"] == (0o644, b"what bob did\n")
