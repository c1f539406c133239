"""Gemini CLI, without a terminal: `gemini -p`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from support.agents.one_process import OneProcess
from support.agents.script import Answer, Call, Calls, Edit, Say, Shell, Write


class GeminiCli(OneProcess):
    agent = "gemini-cli"

    def environment(self) -> dict[str, str]:
        return {
            "GOOGLE_GEMINI_BASE_URL": self.model.address,
            "GEMINI_API_KEY": "anything",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_CLI_NO_RELAUNCH": "true",
        }

    @staticmethod
    def prepare(home: Path) -> None:
        directory = home / ".gemini"
        if (directory / "settings.json").exists():
            return
        directory.mkdir(parents=True, exist_ok=True)
        settings = {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "telemetry": {"enabled": False},
            "privacy": {"usageStatisticsEnabled": False},
            # Its clean-up takes a session that was resumed in another minute for an empty one, and deletes it.
            "general": {"enableAutoUpdate": False, "sessionRetention": {"enabled": False}},
        }
        (directory / "settings.json").write_text(json.dumps(settings, indent=2))

    def configuration(self) -> list[Path]:
        return [self.home / ".gemini" / "settings.json"]

    def command(self, prompt: str) -> list[str]:
        options = ["--yolo", "--model", "gemini-2.5-flash", "--output-format", "json"]
        return [*options, *(["--resume", self.session] if self.session else []), "--prompt", prompt]

    def read(self, out: str) -> tuple[str, str]:
        result = json.loads(out) if out.strip() else {}
        return result.get("response", ""), result.get("session_id", "")

    def shell(self, step: Shell) -> Call:
        return Call("run_shell_command", {"command": step.command, "description": "Runs a command"})

    def write(self, step: Write) -> Iterator[Answer]:
        yield Calls((Call("write_file", {"file_path": str(self.project / step.path), "content": step.text}),))

    def edit(self, step: Edit) -> Iterator[Answer]:
        arguments = {"file_path": str(self.project / step.path), "old_string": step.old, "new_string": step.new}
        yield Calls((Call("replace", {**arguments, "instruction": "Changes the text"}),))

    def subagent(self, task: str, steps: list[Answer]) -> Iterator[Answer]:
        yield Calls((Call("invoke_agent", {"agent_name": "generalist", "prompt": task}),))
        for step in steps:  # its subagents end with a call, not with a word
            yield (
                Calls((Call("complete_task", {"result": {"response": step.text}}),)) if isinstance(step, Say) else step
            )
