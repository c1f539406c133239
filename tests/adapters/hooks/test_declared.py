"""What a project declares is in the snapshots that an agent's hooks make; what it only names is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.hooks.forked import Hooks
from support.hooks.told import Told
from support.hooks.voices import VOICES, Call
from takeback import locate
from takeback.locate import agreed
from takeback.locate.agreeing import proposal
from takeback.store import notices

if TYPE_CHECKING:
    from support.teams.real import RealTeam


@pytest.fixture
def told(tmp_path: Path) -> Told:
    root = (tmp_path / "project").resolve()
    root.mkdir()
    return Told(root)


def agree(root: Path) -> None:
    agreed.write(proposal(locate.place(str(root))))


@pytest.mark.parametrize("agent", VOICES)
def test_a_turn_of_every_agent_holds_files_and_team_and_undo_takes_back_both(
    agent: str, hooks: Hooks, team: RealTeam, told: Told
) -> None:
    (told.root / "takeback.toml").write_text('teams = ["alpha"]\n')
    agree(told.root)
    voice = VOICES[agent]("session-1", str(told.root), str(told.root))
    call = Call(path=str(told.root / "a.txt"), text="new")

    def say(events: list[dict[str, object]]) -> None:
        for event in events:
            hooks(agent, json.dumps(event).encode())

    before = team.files()
    say([*voice.begin(), *voice.prompt("do it"), *voice.before(call)])
    (told.root / "a.txt").write_text("new")
    team.tasks.create("Done by the agent", owner="bob")
    say([*voice.after(call), *voice.stop()])
    turn = next(move for move in told.line.log().moves if move.level == "turn")
    assert {"workspace", "team"} <= told.line.show("@").parts.keys()
    report = told.line.undo(turn.id)
    assert not report.conflicts and team.files() == before
    assert not (told.root / "a.txt").exists()


def test_hooks_leave_out_what_nobody_agreed_to_without_a_word(told: Told, team: RealTeam) -> None:
    (told.root / "takeback.toml").write_text('teams = ["alpha"]\ncontainers = ["sandbox"]\n')
    told("UserPromptSubmit", prompt="write")
    told.write("a", "1", "t1")
    told("Stop")
    assert list(told.line.show("@").parts) == ["workspace"]
    assert not notices.read(locate.store_path())


def test_an_agent_that_edits_the_declarations_in_its_session_changes_nothing(told: Told, team: RealTeam) -> None:
    (told.root / "takeback.toml").write_text('teams = ["alpha"]\n')
    agree(told.root)
    told("UserPromptSubmit", prompt="write")
    told.write("takeback.toml", 'teams = ["beta"]\ncontainers = ["sandbox"]\ntriggers = ["turn"]\n', "t1")
    before = team.files()
    call = {"tool_name": "Bash", "tool_input": {"command": "clawteam task create"}, "tool_use_id": "t2"}
    told("PreToolUse", **call)
    team.tasks.create("Behind your back", owner="bob")
    told("PostToolUse", **call)
    told("Stop")
    held = told.line.show("@").parts
    assert held["team"].detail["team"] == "alpha" and set(held) == {"workspace", "team"}
    assert [move.level for move in told.line.log().moves].count("action") == 2
    told.line.undo()
    assert team.files() == before and (told.root / "takeback.toml").read_text() == 'teams = ["alpha"]\n'


# triggers


def test_with_turns_alone_nothing_is_saved_around_a_tool_call(told: Told) -> None:
    (told.root / "takeback.toml").write_text('triggers = ["turn"]\n')
    told("UserPromptSubmit", prompt="write")
    count = len(told.line.log().snapshots)
    told.write("a", "1", "t1")
    assert len(told.line.log().snapshots) == count
    (told.root / "b").write_text("a person's, in between")
    told("Stop")
    assert [(move.level, move.title) for move in told.line.log().moves] == [("turn", "write")]
    told.line.undo()
    assert not (told.root / "a").exists() and (told.root / "b").exists()


def test_a_tool_call_out_of_the_blue_still_begins_a_turn(told: Told) -> None:
    (told.root / "takeback.toml").write_text('triggers = ["turn"]\n')
    told("SessionStart")
    told.write("a", "1", "t1")
    told("Stop")
    told.line.undo()
    assert not (told.root / "a").exists()


@pytest.mark.parametrize("ended", [True, False])
def test_what_cannot_be_taken_back_is_known_of_such_a_turn_too(told: Told, ended: bool) -> None:
    (told.root / "takeback.toml").write_text('triggers = ["turn"]\n')
    told("UserPromptSubmit", prompt="publish")
    call = {"tool_name": "Bash", "tool_input": {"command": "git push origin main"}, "tool_use_id": "t1"}
    told("PreToolUse", **call)
    (told.root / "a").write_text("1")
    told("PostToolUse", **call)
    if ended:
        told("Stop")
    told("UserPromptSubmit", prompt="think")
    told("Stop")
    plan = told.line.plan_undo()
    assert [effect.kind for effect in plan.outside] == ["push"]
    assert [move.title for move in told.line.log().moves] == ["publish"]
