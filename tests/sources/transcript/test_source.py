"""An agent's conversation as a part: captured with snapshots, put back as a session of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import takeback as tb
from takeback.engine.store import Store, open_store
from takeback.engine.timeline import Timeline
from takeback.errors import Integrity, InvalidInput, NotFound
from takeback.model.progress import Watch
from takeback.model.snapshot import Part
from takeback.sources.transcript import segments
from takeback.sources.transcript.resuming import resume
from takeback.sources.transcript.session import Session, lines, said
from takeback.sources.transcript.source import Transcript

SESSION = "0f8fad5b-d9cb-469f-a165-70867728950e"


class Agent:
    """An agent that writes files and says things, with a session file where Claude Code keeps its own."""

    def __init__(self, directory: Path, store: Store) -> None:
        self.root = directory / "project"
        self.home = directory / "home"
        self.file = self.home / "projects" / "-project" / f"{SESSION}.jsonl"
        self.file.parent.mkdir(parents=True)
        self.root.mkdir()
        self.homes = {"claude-code": str(self.home)}
        self._store = store

    def line(self) -> Timeline:
        """As a hook has it."""
        said = Transcript(self.homes, "claude-code", SESSION, str(self.file))
        return self._store.timeline(sources=[tb.Workspace(self.root), said])

    def person(self) -> Timeline:
        """As the command line has it."""
        return self._store.timeline(
            sources=[tb.Workspace(self.root)],
            others=lambda part: Transcript(self.homes) if part == "transcript" else None,
        )

    def say(self, text: str) -> None:
        with self.file.open("a") as file:
            file.write(json.dumps({"sessionId": SESSION, "text": text}) + "\n")

    def turn(self, prompt: str, **files: str) -> None:
        line = self.line()
        line.save(trigger="turn_start", session=SESSION, title=prompt)
        self.say(prompt)
        for name, text in files.items():
            (self.root / name).write_text(text)
        self.say(f"did {prompt}")
        line.save(trigger="turn_end", session=SESSION)

    def said(self, file: Path) -> list[str]:
        return [json.loads(each)["text"] for each in file.read_text().splitlines()]

    def others(self) -> list[Path]:
        return sorted(file for file in self.file.parent.iterdir() if file != self.file)


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path, open_store(tmp_path / "store"))


def test_a_conversation_that_begins_while_nothing_changed_makes_no_snapshot(agent: Agent) -> None:
    (agent.root / "a.txt").write_text("a")
    saved = agent.person().save("by a person, before any agent came")
    agent.say("hello")
    assert agent.line().save(trigger="turn_start", session=SESSION, title="hello").id == saved.id


def test_a_turn_that_only_talks_makes_neither_a_snapshot_nor_a_move(agent: Agent) -> None:
    agent.turn("write", a="1")
    before = agent.person().log()
    agent.turn("what do you think?")
    assert agent.person().log() == before


def test_undo_with_the_conversation_keeps_what_was_said_in_idle_turns_before(agent: Agent) -> None:
    agent.turn("first", a="1")
    agent.turn("a question")
    agent.turn("second", a="2")
    agent.turn("another question")
    whole = agent.file.read_bytes()
    report = agent.person().undo(only=["workspace", "transcript"])
    assert (agent.root / "a").read_text() == "1"
    assert agent.file.read_bytes() == whole, "the session itself is never touched"
    (new,) = agent.others()
    assert agent.said(new) == ["first", "did first", "a question", "did a question"]
    assert {json.loads(each)["sessionId"] for each in new.read_text().splitlines()} == {new.stem} != {SESSION}
    assert any(f"claude --resume {new.stem}" in note for note in report.notes)


def test_the_conversation_alone_comes_back_and_the_move_stands(agent: Agent) -> None:
    agent.turn("first", a="1")
    agent.turn("second", a="2")
    line = agent.person()
    line.undo(only=["transcript"])
    assert (agent.root / "a").read_text() == "2"
    assert agent.said(agent.others()[0]) == ["first", "did first"]
    line.undo()
    assert (agent.root / "a").read_text() == "1"


def test_the_conversation_alone_is_no_move_so_redo_and_undo_mean_what_they_meant_before(agent: Agent) -> None:
    agent.turn("first", a="1")
    agent.turn("second", a="2")
    line = agent.person()
    undone = line.undo().moves[0]
    before = line.log()
    report = line.undo(undone, only=["transcript"])
    assert report.move is None
    assert line.log() == before
    line.redo()
    assert (agent.root / "a").read_text() == "2"
    assert line.undo().moves == (undone,)


def test_undo_without_being_asked_leaves_the_conversation_alone(agent: Agent) -> None:
    agent.turn("first", a="1")
    agent.person().undo()
    agent.person().restore("@-")
    assert agent.others() == []


def test_a_session_whose_file_is_gone_comes_back_byte_for_byte_under_its_own_name(agent: Agent) -> None:
    agent.turn("first", a="1")
    whole = agent.file.read_bytes()
    agent.file.unlink()
    agent.file.parent.rmdir()
    agent.person().restore("@", only=["transcript"])
    assert agent.file.read_bytes() == whole
    assert agent.file.stat().st_mode & 0o777 == 0o600


def test_a_conversation_goes_to_another_directory_as_it_was(agent: Agent, tmp_path: Path) -> None:
    agent.turn("first", a="1")
    agent.person().restore("@", only=["transcript"], to=tmp_path / "there")
    assert (tmp_path / "there" / agent.file.name).read_bytes() == agent.file.read_bytes()


def test_nothing_said_before_the_first_turn_is_told(agent: Agent) -> None:
    agent.turn("first", a="1")
    with pytest.raises(NotFound, match="nothing had been said"):
        agent.person().undo(only=["transcript"])
    assert (agent.root / "a").exists()
    report = agent.person().undo(only=["workspace", "transcript"])
    assert report.changed == ("a",)
    assert any("begin a new one" in note for note in report.notes)
    assert agent.others() == []


def test_what_gemini_cli_would_not_resume_is_no_conversation_yet(tmp_path: Path) -> None:
    session = Session("gemini-cli", SESSION, f"tmp/project/chats/session-2026-{SESSION[:8]}.jsonl")
    (tmp_path / session.file).parent.mkdir(parents=True)
    (tmp_path / session.file).touch()
    context = b'{"$set":{"messages":[{"type":"user","content":[{"text":"say \\"type\\":\\"gemini\\""}]}]}}\n'
    assert resume(str(tmp_path), session, context) is None
    assert resume(str(tmp_path), session, context + b'{"type":"gemini","content":"yes"}\n') is not None


def test_paths_are_of_files_and_a_conversation_comes_back_whole(agent: Agent) -> None:
    agent.turn("first", a="1")
    (agent.root / "b").write_text("2")
    agent.turn("second", a="2", b="3")
    line = agent.person()
    line.restore("@-", only=["workspace", "transcript"], paths=["a"])
    assert ((agent.root / "a").read_text(), (agent.root / "b").read_text()) == ("1", "3")
    assert agent.said(agent.others()[0]) == ["first", "did first"]
    with pytest.raises(InvalidInput, match="no paths"):
        line.restore("@-", only=["transcript"], paths=["a"], to=agent.root.parent / "there")


def test_a_move_without_a_conversation_says_so(agent: Agent) -> None:
    line = agent.person()
    with line.turn("by a program", session="s"):
        (agent.root / "a").write_text("1")
    with pytest.raises(NotFound, match="no conversation was captured"):
        line.undo(only=["transcript"])


def test_two_sessions_in_one_workspace_keep_their_own_conversations(agent: Agent, tmp_path: Path) -> None:
    agent.turn("first", a="1")
    other = agent.file.with_name("7c9e6679-7425-40de-944b-e07fc1f90ae7.jsonl")
    other.write_text('{"text":"mine"}\n')
    theirs = agent._store.timeline(
        sources=[tb.Workspace(agent.root), Transcript(agent.homes, "claude-code", other.stem, str(other))]
    )
    agent.line().save(trigger="turn_start", session=SESSION, title="second")
    theirs.save(trigger="turn_start", session=other.stem, title="theirs")
    (agent.root / "b").write_text("1")
    theirs.save(trigger="turn_end", session=other.stem)
    agent.say("second")
    (agent.root / "a").write_text("2")
    agent.line().save(trigger="turn_end", session=SESSION)
    agent.person().undo(only=["transcript"], session=SESSION)
    (new,) = [file for file in agent.others() if file != other]
    assert agent.said(new) == ["first", "did first"]


def test_a_killed_restore_of_a_conversation_is_finished_by_the_next_command(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    from takeback.engine import apply as applying

    agent.turn("first", a="1")
    agent.turn("second", a="2")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(applying, "_read_back", killed)
        patch.setattr(applying, "_take_back", killed)
        with pytest.raises(KeyboardInterrupt):
            agent.person().undo(only=["workspace", "transcript"])
    agent.person().save("next")
    assert (agent.root / "a").read_text() == "1"
    assert agent.said(agent.others()[0]) == ["first", "did first"]


def test_a_growing_conversation_shares_all_but_its_end(tmp_path: Path) -> None:
    store = open_store(tmp_path / "store")
    data = b"".join(b'{"n": %d, "text": "%s"}\n' % (number, b"x" * 500) for number in range(2000))
    with store.blobs.writer() as writer:
        segments.put(writer, data)
        writer.commit(lambda tx: None)
        before = writer.added
        grown = segments.put(writer, data + b'{"n": 2000}\n')
        writer.commit(lambda tx: None)
        assert writer.added - before < 20_000
        assert segments.get(writer.reader, grown) == data + b'{"n": 2000}\n'
        assert segments.get(writer.reader, grown, 100_000) == data[:100_000]


@pytest.mark.parametrize(
    "detail",
    [
        {"file": "projects/../../.ssh/authorized_keys"},
        {"file": "/etc/passwd"},
        {"file": "settings.json"},
        {"file": "projects/x\0y"},
        {"file": 3},
        {"session": "../../x-12345678"},
        {"session": "a; rm -rf ~"},
        {"agent": "nobody"},
        {"agent": None},
    ],
)
def test_a_part_from_an_enemy_leads_nowhere(detail: dict[str, object]) -> None:
    sound = {"agent": "claude-code", "session": SESSION, "file": f"projects/p/{SESSION}.jsonl", "length": 1}
    part = Part("transcript", "transcript", {"content": bytes(32)}, sound)
    said(part)
    with pytest.raises(Integrity):
        said(part._replace(detail={**sound, **detail}))


def test_an_unreadable_session_file_is_listed_and_costs_nothing_else(agent: Agent) -> None:
    agent.file.mkdir()
    (agent.root / "a").write_text("1")
    snapshot = agent.line().save()
    assert [item.reason for item in snapshot.not_captured] == ["unreadable"]


def test_only_whole_lines_come_back(agent: Agent) -> None:
    agent.say("whole")
    with agent.file.open("a") as file:
        file.write('{"text": "ha')
    (agent.root / "a").write_text("1")
    line = agent.line()
    part = line.save().parts["transcript"]
    with line._line.blobs.reader() as reader:
        assert lines(reader, part) == agent.file.read_bytes().rpartition(b"\n")[0] + b"\n"


def test_everything_else_walks_over_it(agent: Agent, tmp_path: Path) -> None:
    """Maintaining, verifying, exporting and importing follow what a conversation leads to."""
    agent.turn("first", a="1")
    agent.turn("second", a="2")
    store = agent._store
    store.maintain()
    assert store.verify(read_data=True).ok
    store.export(tmp_path / "file")
    other = open_store(tmp_path / "other")
    other.import_(tmp_path / "file")
    assert other.verify(read_data=True).ok
    agent.person().undo(only=["workspace", "transcript"])
    assert agent.said(agent.others()[0]) == ["first", "did first"]


def test_capture_needs_no_file_yet(agent: Agent) -> None:
    source = Transcript(agent.homes, "claude-code", SESSION, str(agent.file))
    with agent._store.blobs.writer() as writer:
        part = source.capture(writer, None, Watch())
    assert part.detail["length"] == 0 and part.not_captured == ()


def test_a_dry_run_of_another_place_says_what_would_be_there_and_what_is_in_the_way(
    agent: Agent, tmp_path: Path
) -> None:
    agent.turn("first", a="1")
    plan = agent.person().plan("@", only=["transcript"], to=tmp_path / "there")
    assert [effect.path for effect in plan.effects] == [agent.file.name]
    assert not (tmp_path / "there").exists()
    with pytest.raises(InvalidInput, match="not empty"):
        agent.person().plan("@", to=agent.root.parent)
    with pytest.raises(InvalidInput, match="cannot share"):
        agent.person().plan("@", only=["workspace", "transcript"], to=tmp_path / "there")


def test_undo_says_that_the_conversation_can_be_put_back_too(agent: Agent) -> None:
    agent.turn("first", a="1")
    agent.turn("second", a="2")
    report = agent.person().undo()
    assert any(f"undo {report.moves[0][:8]} --only transcript" in note for note in report.notes)
    agent.person().undo(report.moves[0], only=["transcript"])
    assert agent.said(agent.others()[0]) == ["first", "did first"]


def test_a_dry_run_names_the_session_that_will_be_and_a_second_restore_makes_another(agent: Agent) -> None:
    agent.turn("first", a="1")
    agent.turn("second", a="2")
    line = agent.person()
    planned = line.plan_undo(only=["transcript"]).notes
    assert line.undo(only=["transcript"]).notes == planned
    assert line.undo(only=["transcript"]).notes != planned
    assert len(agent.others()) == 2
