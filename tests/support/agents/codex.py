"""Codex, without a terminal: `codex exec`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.agents.one_process import OneProcess
from support.agents.script import Answer, Call, Calls, Edit, Reply, Shell, Write


class Codex(OneProcess):
    agent = "codex"

    def environment(self) -> dict[str, str]:
        return {"SCRIPTED_KEY": "anything"}

    @staticmethod
    def prepare(home: Path) -> None:
        directory = home / ".codex"
        if (directory / "config.toml").exists():
            return
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "config.toml").write_text(
            """\
model = "gpt-5.5"
model_provider = "local"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.local]
name = "local"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false
"""
        )

    def configuration(self) -> list[Path]:
        return [self.home / ".codex" / "config.toml", self.home / ".codex" / "hooks.json"]

    def command(self, prompt: str) -> list[str]:
        here = f'model_providers.local.base_url="{self.model.address}/v1"'  # two sessions share a home, not a model
        options = ["--json", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--config", here]
        return ["exec", *options, *(["resume", self.session] if self.session else []), prompt]

    def read(self, out: str) -> tuple[str, str]:
        answer = session = ""
        for line in out.splitlines():
            event = json.loads(line)
            if event["type"] == "thread.started":
                session = event["thread_id"]
            elif event["type"] == "item.completed" and event["item"]["type"] == "agent_message":
                answer = event["item"]["text"]
        return answer, session

    def shell(self, step: Shell) -> Call:
        return Call("exec_command", {"cmd": step.command})

    def write(self, step: Write) -> Iterator[Answer]:
        lines = "".join(f"+{line}\n" for line in step.text.splitlines())
        yield self._patch(f"*** Add File: {step.path}\n{lines}")

    def edit(self, step: Edit) -> Iterator[Answer]:
        old = "".join(f"-{line}\n" for line in step.old.splitlines())
        new = "".join(f"+{line}\n" for line in step.new.splitlines())
        yield self._patch(f"*** Update File: {step.path}\n@@\n{old}{new}")

    def subagent(self, task: str, steps: list[Answer]) -> Iterator[Answer]:
        yield Calls((Call("multi_agent_v1.spawn_agent", {"message": task}),), aside=tuple(steps))
        yield Reply(lambda body: Calls((Call("multi_agent_v1.wait_agent", {"targets": [_spawned(body)]}),)))

    def _patch(self, change: str) -> Calls:
        return Calls((Call("apply_patch", f"*** Begin Patch\n{change}*** End Patch\n"),))


def _spawned(body: Any) -> str:
    """The id that the last call has brought."""
    output = [item for item in body["input"] if item["type"] == "function_call_output"][-1]["output"]
    return str(json.loads(output)["agent_id"])
