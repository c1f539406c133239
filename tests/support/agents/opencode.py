"""opencode, without a terminal: `opencode run`."""

from __future__ import annotations

import json
from collections.abc import Iterator

from support.agents.driver import Driver
from support.agents.script import Answer, Call, Calls, Edit, Shell, Write


class Opencode(Driver):
    agent = "opencode"

    def environment(self) -> dict[str, str]:
        return {
            "SCRIPTED_MODEL": f"{self.model.address}/v1",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "XDG_DATA_HOME": str(self.home / ".local" / "share"),
            "XDG_STATE_HOME": str(self.home / ".local" / "state"),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
        }

    def prepare(self) -> None:
        directory = self.home / ".config" / "opencode"
        directory.mkdir(parents=True, exist_ok=True)
        configuration = {
            "provider": {
                "local": {
                    "npm": "@ai-sdk/openai-compatible",
                    "options": {"baseURL": "{env:SCRIPTED_MODEL}", "apiKey": "anything"},
                    "models": {"scripted": {}},
                }
            },
            "model": "local/scripted",
            "small_model": "local/scripted",
            "permission": "allow",
            "autoupdate": False,
            "share": "disabled",
        }
        (directory / "opencode.json").write_text(json.dumps(configuration, indent=2))
        # It gets a package of types from a registry for every directory that may hold plugins, unless it is locked there.
        (directory / "node_modules").mkdir(exist_ok=True)
        locked = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}
        (directory / "package-lock.json").write_text(json.dumps(locked))

    def command(self, prompt: str) -> list[str]:
        return ["run", "--format", "json", *(["--session", self.session] if self.session else []), prompt]

    def read(self, out: str) -> tuple[str, str]:
        answer = session = ""
        for line in out.splitlines():
            event = json.loads(line)
            session = event.get("sessionID", session)
            if event["type"] == "text":
                answer = event["part"]["text"]
        return answer, session

    def shell(self, step: Shell) -> Call:
        return Call("bash", {"command": step.command, "description": "Runs a command"})

    def write(self, step: Write) -> Iterator[Answer]:
        yield Calls((Call("write", {"filePath": str(self.project / step.path), "content": step.text}),))

    def edit(self, step: Edit) -> Iterator[Answer]:
        path = str(self.project / step.path)
        yield Calls((Call("read", {"filePath": path}),))  # it edits nothing that it has not read
        yield Calls((Call("edit", {"filePath": path, "oldString": step.old, "newString": step.new}),))

    def subagent(self, task: str, steps: list[Answer]) -> Iterator[Answer]:
        arguments = {"description": "A part of the work", "prompt": task, "subagent_type": "general"}
        yield Calls((Call("task", dict(arguments)),))
        yield from steps
