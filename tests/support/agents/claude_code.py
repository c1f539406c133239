"""Claude Code, without a terminal: `claude -p`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from support.agents.one_process import OneProcess
from support.agents.script import Answer, Call, Calls, Edit, Shell, Write


class ClaudeCode(OneProcess):
    agent = "claude-code"

    def environment(self) -> dict[str, str]:
        return {
            "IS_SANDBOX": "1",
            "ANTHROPIC_BASE_URL": self.model.address,
            "ANTHROPIC_API_KEY": "anything",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    @staticmethod
    def prepare(home: Path) -> None:
        home.mkdir(parents=True, exist_ok=True)

    def configuration(self) -> list[Path]:
        return [self.home / ".claude" / "settings.json"]

    def command(self, prompt: str) -> list[str]:
        options = ["--output-format", "json", "--permission-mode", "bypassPermissions"]
        return ["-p", prompt, *options, *(["--resume", self.session] if self.session else [])]

    def read(self, out: str) -> tuple[str, str]:
        result = json.loads(out) if out.strip() else {}
        return result.get("result", ""), result.get("session_id", "")

    def shell(self, step: Shell) -> Call:
        return Call("Bash", {"command": step.command, "description": "Runs a command"})

    def write(self, step: Write) -> Iterator[Answer]:
        yield Calls((Call("Write", {"file_path": str(self.project / step.path), "content": step.text}),))

    def edit(self, step: Edit) -> Iterator[Answer]:
        path = str(self.project / step.path)
        yield Calls((Call("Read", {"file_path": path}),))  # it edits nothing that it has not read
        yield Calls((Call("Edit", {"file_path": path, "old_string": step.old, "new_string": step.new}),))

    def subagent(self, task: str, steps: list[Answer]) -> Iterator[Answer]:
        arguments = {"description": "A part of the work", "prompt": task, "subagent_type": "general-purpose"}
        yield Calls((Call("Agent", dict(arguments)),))
        yield from steps
