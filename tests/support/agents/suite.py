"""Behaviour of takeback with every coding agent: classes that the test module of each agent subclasses.

The agent is the real program, its hooks are those that `takeback install` writes, and only the model is a script. `make test` runs
`AgentSuite` with the agent that starts fastest, and `ShortSuite` with the others, in a few turns; `make soak` runs all of it with each.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from support.agents import dump
from support.agents.gate import Gate
from support.agents.scene import Scene
from support.agents.screen import Screen
from support.agents.script import Hold, Step, edit, fail, say, shell, subagent, together, write
from support.git import commit_all, git, init_repository

TURNS: Sequence[tuple[str, bool, Sequence[Step]]] = [
    ("write a new file", True, [write("new.txt", "new\n")]),
    ("change a file", True, [edit("app.py", "two = 2", "two = 22")]),
    ("what does it do?", False, []),
    (
        "run a command",
        True,
        [shell("mkdir -p out/deep && echo 1 > out/deep/1.txt && chmod +x run.sh && echo 2 >> notes.txt")],
    ),
    ("a command that fails", True, [shell("echo half > half.txt; exit 3")]),
    ("a change that does not fit", False, [edit("app.py", "nowhere in it", "five")]),
    ("delete", True, [shell("unlink old/gone.txt && rmdir old && unlink tool")]),
    ("the service fails after some work", True, [shell("echo part > part.txt"), fail()]),
    ("look around", False, [shell("ls")]),
    (
        "rename, and several at once",
        True,
        [shell("mv notes.txt moved.txt"), together(shell("echo a > a"), shell("echo b > b"))],
    ),
]
"""Prompt, whether files change, and what the model answers."""


class AgentSuite:
    """Subclasses name their agent."""

    agent: ClassVar[str]

    def test_each_turn_that_changed_something_is_a_move_and_can_be_taken_back(self, scene: Scene) -> None:
        scene.install()
        session = scene.session()
        states = [scene.look()]
        for prompt, changes, steps in TURNS:
            before = scene.look()
            session.turn(prompt, *steps)
            after = scene.look()
            assert (after != before) is changes, prompt
            if changes:
                states.append(after)
                scene.undo()
                assert scene.look() == before, f"undone: {prompt}"
                scene.redo()
                assert scene.look() == after, f"redone: {prompt}"
            assert scene.turns() == [
                title for title, changed, _ in TURNS[: TURNS.index((prompt, changes, steps)) + 1] if changed
            ]
        for state in reversed(states[:-1]):
            scene.undo()
            assert scene.look() == state
        for state in states[1:]:
            scene.redo()
            assert scene.look() == state
        assert session.turn("are you still there?").answer == "Done."

    def test_a_turn_that_never_ended_is_a_move_of_its_own(self, scene: Scene, tmp_path: Path) -> None:
        scene.install()
        session = scene.session()
        session.turn("begin", write("begun.txt", "begun\n"))
        before = scene.look()
        gate = Gate(tmp_path / "gate")
        running = session.start("is killed", shell(f"echo half > half.txt; {gate.command}"))
        gate.wait_until_reached()
        running.kill()
        gate.open()
        after = scene.look()
        session.turn("go on", write("more.txt", "more\n"))
        assert scene.turns() == ["begin", "is killed", "go on"]
        scene.undo()
        assert scene.look() == after
        scene.undo("--shared")  # nothing tells when the command ended
        assert scene.look() == before

    def test_two_sessions_in_one_project_are_told_apart(self, scene: Scene, tmp_path: Path) -> None:
        scene.install()
        one, other = scene.session(), scene.session()
        one.turn("one begins", write("one.txt", "1\n"))
        other.turn("other begins", write("other.txt", "1\n"))
        gate = Gate(tmp_path / "gate")
        running = one.start("one works long", write("long.txt", "one's\n"), shell(gate.command))
        gate.wait_until_reached()
        other.turn("other meanwhile", write("meanwhile.txt", "other's\n"))
        gate.open()
        assert running.finish().answer == "Done."
        assert scene.turns(one.session) == ["one begins", "one works long"]
        assert scene.turns(other.session) == ["other begins", "other meanwhile"]
        everything = scene.look()
        scene.undo("--session", one.session)
        assert scene.look().keys() == everything.keys() - {"long.txt"}
        scene.undo("--session", other.session)
        assert scene.look().keys() == everything.keys() - {"long.txt", "meanwhile.txt"}
        scene.undo("--session", one.session)
        assert scene.look().keys() == everything.keys() - {"long.txt", "meanwhile.txt", "one.txt"}

    def test_what_a_subagent_did_belongs_to_the_turn_it_worked_for(self, scene: Scene) -> None:
        scene.install()
        before = scene.look()
        session = scene.session()
        work: list[Step] = [shell("echo sub > sub.txt"), write("too.txt", "too\n")]
        session.turn("let another do it", subagent("write two files", *work), shell("echo self > self.txt"))
        assert scene.look().keys() - before.keys() == {"sub.txt", "too.txt", "self.txt"}
        assert scene.turns() == ["let another do it"]
        scene.undo()
        assert scene.look() == before

    def test_undo_tells_what_the_turn_did_that_it_cannot_take_back(self, scene: Scene, tmp_path: Path) -> None:
        publish(scene.project, tmp_path / "remote.git")
        scene.install()
        session = scene.session()
        session.turn("publish", shell("echo 4 >> notes.txt && git commit -qam second && git push -q origin HEAD"))
        undone = scene.undo()
        assert undone["changed"] == ["notes.txt"]
        assert [effect["kind"] for effect in undone["effects"]] == ["commit", "push"]

    def test_a_hook_that_cannot_save_disturbs_nothing(self, scene: Scene) -> None:
        plain = scene.session()
        expected = [plain.turn("write", shell("echo 1 > x.txt")), plain.turn("fail", fail())]
        scene.install()
        session = scene.session(TAKEBACK_STORE="/dev/null/store", TMPDIR=str(scene.home))  # where notices then go
        got = [session.turn("write", shell("echo 1 > x.txt")), session.turn("fail", fail())]
        assert [(turn.code, turn.answer) for turn in got] == [(turn.code, turn.answer) for turn in expected]
        assert "hook " + scene.agent in scene.cli("status").out

    def test_other_hooks_run_as_before_and_uninstall_leaves_them(self, scene: Scene, tmp_path: Path) -> None:
        events = tmp_path / "events.jsonl"
        session = scene.session()
        dump.ON[scene.agent](scene.home, events)
        before = {path: path.read_bytes() for path in session.configuration()}
        scene.install()
        session.turn("with takeback", shell("echo 1 > x.txt"))
        assert scene.turns() == ["with takeback"]
        told = dump.calls(events)
        scene.cli("uninstall", scene.agent, "--yes")
        assert {path: path.read_bytes() for path in session.configuration()} == before
        session.leave()
        events.unlink()
        session.turn("without takeback", shell("echo 2 > x.txt"))
        assert dump.calls(events) == told
        assert scene.turns() == ["with takeback"]


class ShortSuite:
    """What differs between agents (events, names of tools, files, slash commands), in as few turns as possible."""

    agent: ClassVar[str]
    slash: ClassVar[str]
    keeps_conversation: ClassVar[bool] = True

    def test_from_install_to_uninstall_its_turns_are_recorded_and_taken_back(
        self, scene: Scene, tmp_path: Path
    ) -> None:
        publish(scene.project, tmp_path / "remote.git")
        session = scene.session()
        settings = {path: path.read_bytes() for path in session.configuration() if path.exists()}
        scene.install()

        session.turn("the first word is banana", write("first.txt", "1\n"))
        first = scene.look()
        session.turn(
            "the second word is cherry",
            write("second.txt", "2\n"),
            edit("app.py", "two = 2", "two = 22"),
            shell("unlink tool && git add -A && git commit -qm second && git push -q origin HEAD"),
            together(shell("echo a > a"), shell("echo b > b")),
            subagent("write a file", shell("echo sub > sub.txt")),
        )
        assert scene.look().keys() ^ first.keys() == {"second.txt", "tool", "a", "b", "sub.txt"}
        assert scene.turns() == ["the first word is banana", "the second word is cherry"]

        undone = scene.undo(*(["--conversation"] if self.keeps_conversation else []))
        assert scene.look() == first
        assert [effect["kind"] for effect in undone["effects"]] == ["commit", "push"]
        if self.keeps_conversation:
            (note,) = undone["notes"]
            session = scene.session()
            session.session = note.split()[-1]
        session.turn("which words?", shell("echo half > half.txt; exit 3"), edit("app.py", "nowhere", "x"), fail())
        assert scene.look().keys() - first.keys() == {"half.txt"}
        assert scene.turns(session.session)[-1] == "which words?"
        asked = json.dumps(session.model.requests)
        assert "banana" in asked
        assert ("cherry" in asked) is not self.keeps_conversation

        session.turn(self.slash, say("I have taken it back."))
        assert "undo of “which words?”" in json.dumps(session.model.requests[-1], ensure_ascii=False)
        assert scene.look() == first
        assert scene.turns() == ["the first word is banana"]
        scene.cli("uninstall", scene.agent, "--yes")
        assert {path: path.read_bytes() for path in session.configuration() if path.exists()} == settings


def publish(project: Path, remote: Path) -> None:
    """Make the project a repository that can be pushed."""
    init_repository(project)
    git(project, "config", "user.name", "An Agent")  # Gemini CLI's commands know no other settings
    git(project, "config", "user.email", "agent@example.org")
    commit_all(project, "first")
    git(project, "init", "--quiet", "--bare", str(remote))
    git(project, "remote", "add", "origin", str(remote))


class SessionFileSuite:
    """For agents that keep a conversation in a file."""

    def test_the_conversation_comes_back_as_a_session_that_the_agent_resumes(self, scene: Scene) -> None:
        scene.install()
        session = scene.session()
        session.turn("the first word is banana", write("first.txt", "1\n"))
        before = scene.look()
        session.turn("the second word is cherry", write("second.txt", "2\n"))
        after = scene.look()
        (note,) = scene.undo("--conversation")["notes"]
        assert scene.look() == before
        past = scene.session()
        past.session = note.split()[-1]
        past.turn("which words?", write("third.txt", "3\n"))
        assert past.session != session.session
        assert "banana" in json.dumps(past.model.requests)
        assert "cherry" not in json.dumps(past.model.requests)
        assert scene.turns(past.session) == ["which words?"]
        session.model.requests.clear()
        session.turn("and you?")
        assert "cherry" in json.dumps(session.model.requests)
        assert scene.look().keys() - after.keys() == {"third.txt"}


class SlashCommandSuite:
    """For agents that let people add commands of their own."""

    slash: ClassVar[str]

    def test_the_slash_command_takes_back_the_last_turn_and_tells_the_model(self, scene: Scene) -> None:
        scene.install()
        session = scene.session()
        before = scene.look()
        session.turn("write a file", write("new.txt", "new\n"))
        after = scene.look()
        session.turn(self.slash, say("I have taken it back."))
        assert scene.look() == before
        assert "undo of “write a file”" in json.dumps(session.model.requests[-1], ensure_ascii=False)
        scene.redo()
        assert scene.look() == after


class ScreenSuite:
    """For agents that can be worked with on a terminal here."""

    screen: ClassVar[type[Screen]]

    def test_turns_that_were_interrupted_with_esc_can_be_taken_back(self, scene: Scene, tmp_path: Path) -> None:
        scene.install()
        driver = scene.session()
        states = [scene.look()]
        gate, hold = Gate(tmp_path / "gate"), Hold()
        with self.screen(driver) as screen:
            screen.prompt("first", shell(f"echo half > half.txt; {gate.command}"))
            screen.terminal.wait_until(gate.reached)
            screen.interrupt()  # in the middle of a command: Claude Code tells neither its end nor the turn's
            gate.open()
            states.append(scene.look())
            screen.prompt("second", write("second.txt", "2\n"), hold)
            screen.terminal.wait_until(hold.reached.is_set)
            screen.interrupt()  # while the model thinks
            hold.release.set()
            states.append(scene.look())
            (scene.project / "mine.txt").write_text("a person's\n")
            screen.prompt("third", shell("echo 3 > third.txt"), say("Finished!"))
            screen.answered("Finished!")
            assert screen.quit() == 0
        assert scene.turns() == ["first", "second", "third"]
        for state in reversed(states):
            scene.undo(*(["--shared"] if state is states[0] else []))  # nothing tells when the first command ended
            assert {path: node for path, node in scene.look().items() if path != "mine.txt"} == state
        assert (scene.project / "mine.txt").read_text() == "a person's\n"
