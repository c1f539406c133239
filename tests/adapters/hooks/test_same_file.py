"""A person and an agent's tool on the same file: what a person wrote there stays, and what an undo leaves of it is said."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from support.agent import TEXT, with_line
from support.cli import takeback
from support.hooks.told import Told
from takeback.adapters.hooks.agents import AGENTS
from takeback.adapters.hooks.reading import read
from takeback.adapters.hooks.recording import record
from takeback.engine import stretches
from takeback.model.plan import Doubt
from takeback.sources import clock

EDITED = with_line(TEXT, 2, "an agent's")
HERS = "a person's\n"


class Session(Told):
    """What some agent tells about one session."""

    def __init__(self, root: Path, session: str = "one", agent: str = "claude-code") -> None:
        super().__init__(root, session)
        self.agent = agent

    def __call__(self, name: str, **more: Any) -> None:
        raw = {"session_id": self.session, "cwd": str(self.root), "hook_event_name": name, **more}
        event = read(AGENTS[self.agent], raw)
        assert event is not None
        record(self.agent, event)

    def runs(self, work: Callable[[], object], key: str) -> None:
        """A command from its beginning to its end."""
        self("PreToolUse", **bash(key))
        work()
        self("PostToolUse", **bash(key))
        self("PostToolBatch", tool_calls=[bash(key)])

    def edits(self, name: str, text: str, key: str) -> None:
        """A call of a tool that names its file, from its beginning to its end."""
        call = edit(self, name, key)
        self("PreToolUse", **call)
        write(self, name, text)
        self("PostToolUse", **call)
        self("PostToolBatch", tool_calls=[call])


@pytest.fixture
def claude(tmp_path: Path) -> Session:
    root = tmp_path / "project"
    root.mkdir()
    for name in ("a.txt", "b.txt"):
        (root / name).write_text(TEXT)
    return Session(root)


def bash(key: str) -> dict[str, Any]:
    return {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": key}


def edit(told: Told, name: str, key: str, tool: str = "Edit") -> dict[str, Any]:
    return {"tool_name": tool, "tool_input": {"file_path": str(told.root / name)}, "tool_use_id": key}


def patch(name: str, key: str) -> dict[str, Any]:
    text = f"*** Begin Patch\n*** Update File: {name}\n@@\n-line 2\n+an agent's\n*** End Patch\n"
    return {"tool_name": "apply_patch", "tool_input": {"command": text}, "tool_use_id": key}


def write(told: Told, name: str, text: str) -> None:
    (told.root / name).write_text(text)


def append(told: Told, name: str, text: str = HERS) -> None:
    with open(told.root / name, "a") as file:
        file.write(text)


def text_of(told: Told, name: str) -> str:
    return (told.root / name).read_text()


def doubts(report: Any) -> list[tuple[Doubt, tuple[str, ...]]]:
    return [(each.doubt, each.paths) for each in report.undecided]


def let_time_pass() -> None:
    """Until the clock that files are stamped with says a later time."""
    now = clock.read().coarse_ns
    while clock.read().coarse_ns <= now:
        pass


@contextmanager
def earlier(seconds: int) -> Iterator[None]:
    """What is told in the block was told so long ago."""
    shift, read_now = seconds * 1_000_000_000, clock.read
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            clock,
            "read",
            lambda: (now := read_now())._replace(real_ns=now.real_ns - shift, coarse_ns=now.coarse_ns - shift),
        )
        yield


# while a question stands


def test_undo_keeps_what_a_person_wrote_while_codex_asked_about_the_same_file(claude: Session) -> None:
    codex = Session(claude.root, agent="codex")
    codex("UserPromptSubmit", prompt="edit")
    codex("PreToolUse", **patch("a.txt", "1"))
    codex("PermissionRequest", **{key: patch("a.txt", "1")[key] for key in ("tool_name", "tool_input")})
    append(codex, "a.txt")
    codex.line.save(trigger="interval")  # as one comes every second while a question stands
    write(codex, "a.txt", EDITED + HERS)
    codex("PostToolUse", **patch("a.txt", "1"))
    codex("Stop")
    report = codex.line.undo()
    assert text_of(codex, "a.txt") == TEXT + HERS
    assert doubts(report) == [(Doubt.ASKED, ("a.txt",))]


def test_undo_keeps_what_a_person_wrote_while_opencode_asked_about_the_same_file(claude: Session) -> None:
    opencode = Session(claude.root, agent="opencode")
    call = {"tool_name": "edit", "tool_input": {"filePath": str(claude.root / "a.txt")}, "tool_use_id": "1"}
    opencode("prompt", prompt="edit")
    opencode("tool_before", **call)
    opencode("permission_asked", **call)
    append(opencode, "a.txt")
    opencode.line.save(trigger="interval")
    write(opencode, "a.txt", EDITED + HERS)
    opencode("tool_after", **call)
    opencode("idle")
    report = opencode.line.undo()
    assert text_of(opencode, "a.txt") == TEXT + HERS
    assert doubts(report) == [(Doubt.ASKED, ("a.txt",))]


def test_undo_keeps_a_file_that_a_person_made_before_the_tool_that_was_to_make_it(claude: Session) -> None:
    call = edit(claude, "new.txt", "1", tool="Write")
    claude("UserPromptSubmit", prompt="write")
    claude("PreToolUse", **call)
    claude("PermissionRequest", **{key: call[key] for key in ("tool_name", "tool_input")})
    write(claude, "new.txt", HERS)
    write(claude, "new.txt", "an agent's\n")  # no save came between
    claude("PostToolUse", **call, tool_response={"originalFile": HERS}, duration_ms=1)
    claude("Stop")
    with pytest.raises(tb.Partial, match=r"not certain .*\n  new\.txt"):
        claude.line.undo()
    assert text_of(claude, "new.txt") == "an agent's\n"


def test_undo_of_a_session_keeps_another_session_s_line_in_the_file_that_was_asked_about(claude: Session) -> None:
    codex = Session(claude.root, session="two", agent="codex")
    codex("UserPromptSubmit", prompt="patch")
    claude("UserPromptSubmit", prompt="append")
    codex("PreToolUse", **patch("a.txt", "1"))
    codex("PermissionRequest", **{key: patch("a.txt", "1")[key] for key in ("tool_name", "tool_input")})
    claude.runs(lambda: append(claude, "a.txt", "another session's\n"), "2")
    write(codex, "a.txt", EDITED + "another session's\n")
    codex("PostToolUse", **patch("a.txt", "1"))
    codex("Stop")
    claude("Stop")
    report = codex.line.undo(session="two")
    assert text_of(codex, "a.txt") == TEXT + "another session's\n"
    assert doubts(report) == [(Doubt.SESSIONS, ("a.txt",))]


# after the tool


def test_undo_keeps_what_a_person_wrote_before_a_late_look_at_the_tools_work(claude: Session) -> None:
    """Another save holds the project for so long that the one after the tool comes when she has written."""
    with earlier(3):
        claude("UserPromptSubmit", prompt="edit")
        claude("PreToolUse", **edit(claude, "a.txt", "1"))
    write(claude, "a.txt", EDITED)
    append(claude, "a.txt")
    with earlier(2):
        claude("PostToolUse", **edit(claude, "a.txt", "1"), tool_response={"originalFile": TEXT}, duration_ms=500)
    claude("Stop")
    with pytest.raises(tb.Partial, match=r"not certain .*\n  a\.txt"):
        claude.line.undo()
    assert text_of(claude, "a.txt") == EDITED + HERS


def test_undo_keeps_what_a_person_wrote_while_the_rest_of_a_batch_took_its_time(
    claude: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agent's own hooks may go on with the file for a while, and the batch may go on for hours."""
    monkeypatch.setattr(stretches, "FOLLOW_NS", 0, raising=False)
    call = edit(claude, "a.txt", "1")
    claude("UserPromptSubmit", prompt="edit")
    claude("PreToolUse", **call)
    write(claude, "a.txt", EDITED)
    claude("PostToolUse", **call, duration_ms=500)
    let_time_pass()
    append(claude, "a.txt")
    claude("PostToolBatch", tool_calls=[call])
    claude("Stop")
    report = claude.line.undo()
    assert text_of(claude, "a.txt") == TEXT + HERS
    assert [each.paths for each in report.undecided] == [("a.txt",)]


def test_a_formatter_s_work_is_the_agent_s_although_another_subagent_s_batch_ends_before_it(claude: Session) -> None:
    claude("UserPromptSubmit", prompt="edit")
    claude.runs(lambda: None, "1")
    first, second = edit(claude, "a.txt", "2"), edit(claude, "b.txt", "3")
    claude("PreToolUse", agent_id="first", **first)
    write(claude, "a.txt", EDITED)
    claude("PostToolUse", agent_id="first", **first)
    claude("PreToolUse", agent_id="second", **second)
    write(claude, "b.txt", EDITED)
    claude("PostToolUse", agent_id="second", **second)
    claude("PostToolBatch", agent_id="second", tool_calls=[second])
    write(claude, "a.txt", EDITED.replace("an agent's", "An agent's"))
    claude("PostToolBatch", agent_id="first", tool_calls=[first])
    claude("Stop")
    report = claude.line.undo()
    assert (text_of(claude, "a.txt"), text_of(claude, "b.txt")) == (TEXT, TEXT)
    assert doubts(report) == []


def test_undo_gives_both_names_of_an_edited_file_back(claude: Session) -> None:
    os.link(claude.root / "a.txt", claude.root / "other.txt")
    claude("UserPromptSubmit", prompt="edit")
    claude.edits("a.txt", EDITED, "1")
    claude("Stop")
    claude.line.undo()
    assert (text_of(claude, "a.txt"), text_of(claude, "other.txt")) == (TEXT, TEXT)


# while a tool runs


def test_undo_tells_of_a_file_that_changed_while_a_tool_ran_which_only_named_it(claude: Session) -> None:
    call = {"tool_name": "mcp__tests__run", "tool_input": {"path": str(claude.root / "a.txt")}, "tool_use_id": "1"}
    claude("UserPromptSubmit", prompt="test")
    claude("PreToolUse", **call)
    append(claude, "a.txt")
    write(claude, "b.txt", EDITED)
    claude("PostToolUse", **call)
    claude("Stop")
    report = claude.line.undo()
    assert [set(each.paths) for each in report.while_running] == [{"a.txt", "b.txt"}]


# in part


@pytest.fixture
def half_certain(claude: Session) -> Session:
    """A turn whose edit of a file is certain, and that was interrupted in a command that went on with the same file."""
    claude("UserPromptSubmit", prompt="edit and run")
    claude.edits("a.txt", EDITED, "1")
    claude("PreToolUse", **bash("2"))
    append(claude, "a.txt", "whose?\n")
    claude("UserPromptSubmit", prompt="next")
    return claude


def test_undo_says_of_a_file_of_which_one_change_is_left_that_it_is_taken_back_in_part(half_certain: Session) -> None:
    (move,) = (each for each in half_certain.line.log().moves if each.title == "edit and run")
    said = takeback("undo", "--yes", cwd=half_certain.root)
    assert said.returncode == 3
    assert b"taken back only in part" in said.stdout and b"left alone" not in said.stdout
    assert text_of(half_certain, "a.txt") == TEXT + "whose?\n"
    half_certain.line.redo(move.id)
    done = takeback("undo", "--yes", "--json", cwd=half_certain.root)
    report = json.loads(done.stdout)
    assert done.returncode == 3
    assert (report["in_part"], report["shared"], report["changed"]) == (["a.txt"], [], ["a.txt"])


def test_the_command_that_undo_hints_at_takes_back_what_it_left(half_certain: Session) -> None:
    said = takeback("undo", "--yes", cwd=half_certain.root).stdout.decode()
    (hint,) = re.findall(r"`takeback (undo \w+ --shared)`", said)
    again = takeback("undo", "--yes", cwd=half_certain.root)
    assert again.returncode == 10 and f"`takeback {hint}`" in again.stderr.decode()
    done = takeback(*hint.split(), "--yes", cwd=half_certain.root)
    assert (done.returncode, text_of(half_certain, "a.txt")) == (0, TEXT), done


# an undo, or a prompt, in the middle


def test_what_a_call_does_after_an_undo_did_not_stop_it_can_be_taken_back(claude: Session) -> None:
    claude("UserPromptSubmit", prompt="edit and run")
    claude.edits("a.txt", EDITED, "1")
    claude("PreToolUse", **bash("2"))
    claude.line.undo()
    assert text_of(claude, "a.txt") == TEXT
    write(claude, "b.txt", EDITED)
    claude("PostToolUse", duration_ms=1000, **bash("2"))
    claude("Stop")
    report = claude.line.undo()
    assert text_of(claude, "b.txt") == TEXT
    assert report.changed == ("b.txt",)
    with pytest.raises(tb.NotFound):
        claude.line.undo(since="root")


def test_what_it_does_is_undecided_if_nothing_tells_how_long_it_ran(claude: Session) -> None:
    claude("UserPromptSubmit", prompt="edit and run")
    claude.edits("a.txt", EDITED, "1")
    claude("PreToolUse", **bash("2"))
    claude.line.undo()
    write(claude, "b.txt", EDITED)
    claude("PostToolUse", **bash("2"))
    claude("Stop")
    with pytest.raises(tb.Partial, match=r"b\.txt"):
        claude.line.undo()
    assert text_of(claude, "b.txt") == EDITED
    claude.line.undo(shared=True)
    assert text_of(claude, "b.txt") == TEXT


@pytest.mark.parametrize(
    ("event", "more"),
    [("UserPromptSubmit", {"prompt": "next"}), ("SessionStart", {"source": "resume"})],
    ids=["prompt", "resume"],
)
def test_an_interrupted_turn_does_not_become_the_newest_when_its_session_goes_on(
    claude: Session, event: str, more: dict[str, str]
) -> None:
    other = Session(claude.root, session="two")
    claude("UserPromptSubmit", prompt="interrupted")
    claude.edits("new.txt", "an agent's\n", "1")
    claude("PreToolUse", **bash("2"))
    write(claude, "a.txt", "half done\n")
    other("UserPromptSubmit", prompt="newest")
    other.edits("b.txt", EDITED, "3")
    other("Stop")
    write(claude, "mine.txt", HERS)
    claude(event, **more)
    assert [choice.title for choice in claude.line.undo_choices()] == ["newest"]
    claude.line.undo()
    assert (text_of(claude, "b.txt"), text_of(claude, "mine.txt")) == (TEXT, HERS)
    assert (text_of(claude, "a.txt"), text_of(claude, "new.txt")) == ("half done\n", "an agent's\n")
