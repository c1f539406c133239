"""The thirty recorded turns of the real agents once more: what they did is done again, and their hooks are told it in the
same words, but for the time that each command takes here. Every turn that changed something is one move, and they are taken back one by one to where it all began."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from support import campaigns, counts
from support.agent import World
from support.hooks.forked import Hooks

STREAMS = Path(__file__).with_name("streams")
IDLE = {"what is in it?", "a change that does not fit", "the service fails"}
OVERLAP = {"a long command", "in the meantime"}
"""Two sessions at once, by commands that do not say what they write: theirs together, until somebody says otherwise."""


CUT_SHORT = "a command that is cut short"
"""Nothing tells when it ended, so what changed meanwhile may be a person's."""


OVERHEAD_MS = 11
"""So much longer than the command itself is what an agent tells of it, at the least."""
PROMPTS = ("UserPromptSubmit", "BeforeAgent", "prompt")
BEFORE = ("PreToolUse", "BeforeTool", "tool_before")


class Replay:
    def __init__(self, agent: str, hooks: Hooks, base: Path, home: Path) -> None:
        self.agent, self.hooks, self.world, self.home = agent, hooks, World(base, opened=False), home
        self.begun: dict[str, int] = {}
        """When each call's command began to run."""
        self.before: dict[tuple[str, str], dict[str, bytes]] = {}
        """The files when a turn began, by session and prompt."""

    def event(self, line: str) -> None:
        text = line.replace('"/project', f'"{self.world.root}').replace("/home/u/", f"{self.home}/")
        raw = json.loads(text)
        name = raw["hook_event_name"]
        if name in PROMPTS and "agent_id" not in raw:
            self.before[raw["session_id"], raw["prompt"]] = self.world.files()
        if "duration_ms" in raw:  # so long it takes here
            took = (time.monotonic_ns() - self.begun.pop(raw["tool_use_id"])) // 1_000_000
            raw["duration_ms"] = took + OVERHEAD_MS
        self.hooks(self.agent, json.dumps(raw).encode())
        if name in BEFORE:
            self.begun[raw.get("tool_use_id", "")] = time.monotonic_ns()
            self._do(raw["tool_name"], raw["tool_input"])
        self._converse(raw)

    def _do(self, tool: str, input: dict[str, Any]) -> None:
        if tool in ("Bash", "run_shell_command", "bash"):
            subprocess.run(["/bin/sh", "-c", input["command"]], cwd=self.world.root, stderr=subprocess.DEVNULL)
        elif tool in ("Write", "write_file", "write"):
            path = Path(input.get("file_path") or input["filePath"])
            self.world.write(str(path.relative_to(self.world.root)), input["content"])
        elif tool in ("Edit", "replace", "edit"):
            path = Path(input.get("file_path") or input["filePath"])
            old, new = (input.get(f"{age}_string") or input[f"{age}String"] for age in ("old", "new"))
            path.write_text(path.read_text().replace(old, new))
        elif tool == "apply_patch":
            self._patch(input["command"].splitlines())

    def _patch(self, lines: list[str]) -> None:
        verb, _, path = lines[1].removeprefix("*** ").partition(" File: ")
        old, new = ([line[1:] for line in lines[2:] if line[0] == sign] for sign in "-+")
        if verb == "Add":
            self.world.write(path, "\n".join(new) + "\n")
        elif old[0].encode() in self.world.read(path):
            self.world.write(path, self.world.read(path).replace(old[0].encode(), new[0].encode()))

    def _converse(self, raw: dict[str, Any]) -> None:
        """The agent writes its conversation down, after the hook has run."""
        if "transcript_path" not in raw:
            return
        file = Path(raw["transcript_path"])
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as stream:
            stream.write(json.dumps({"type": raw["hook_event_name"]}) + "\n")


@pytest.mark.campaign("hooks-turns")
@pytest.mark.parametrize("agent", ["claude-code", *campaigns.rest(("codex", "gemini-cli", "opencode"))])
def test_recorded_turns_are_moves_and_are_taken_back_one_by_one(
    agent: str,
    hooks: Hooks,
    memory_path: Path,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_property: counts.Tell,
) -> None:
    replay = Replay(agent, hooks, memory_path, home)
    world = replay.world
    monkeypatch.setenv("TAKEBACK_STORE", str(world.store_path))
    for line in (STREAMS / f"{agent}.jsonl").read_text().splitlines():
        replay.event(line)
    turns = {(move.session, move.title): move for move in world.moves() if move.level == "turn"}
    assert len(replay.before) == 30
    assert set(turns) == {turn for turn in replay.before if turn[1] not in IDLE}
    assert sum(move.level == "turn" for move in world.moves()) == len(turns), "one move a turn"
    for session in {session for session, _ in turns}:
        listed = world.line.log(session=session).moves
        assert {move.title for move in listed if move.level == "turn"} == {
            title for whose, title in turns if whose == session
        }
    decided = 0
    for session, title in reversed(replay.before):
        if title not in IDLE:
            report = world.undo(turns[session, title].id, shared=title in OVERLAP or title == CUT_SHORT)
            decided += not report.undecided
            assert not report.undecided or title in OVERLAP or title == CUT_SHORT, title
            if title not in OVERLAP:
                assert world.files() == replay.before[session, title], title
    counts.tell(record_property, f"{agent}: {decided} of {len(turns)} turns without an undecided path")
    assert world.files() == {}
    assert world.store.verify(read_data=True).ok
