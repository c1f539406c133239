"""opencode, without a terminal: `opencode serve`, which is what its own screens talk to."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import urllib.request
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from support.agents.driver import Driver, Running, Turn
from support.agents.script import Answer, Call, Calls, Edit, Shell, Write

PATIENCE = 90


class Opencode(Driver):
    """One process for all turns: a start costs more than ten turns."""

    agent = "opencode"
    tells_late = True
    _server: _Server | None = None

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

    @staticmethod
    def prepare(home: Path) -> None:
        directory = home / ".config" / "opencode"
        if (directory / "opencode.json").exists():
            return
        directory.mkdir(parents=True, exist_ok=True)
        configuration = {
            "$schema": "https://opencode.ai/config.json",  # where it is missing, opencode writes it
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

    def configuration(self) -> list[Path]:
        directory = self.home / ".config" / "opencode"
        return [directory / "opencode.json", *(path for path in directory.glob("plugin*/*"))]

    def begin(self, prompt: str) -> Running:
        if self._server is None:
            self._server = _Server(self.program("serve"))
        server = self._server
        if not self.session:
            self.session = server.post("/session", {})["id"]
        kind, message = self._request(prompt)
        return _Message(self, ThreadPoolExecutor(1).submit(server.post, f"/session/{self.session}/{kind}", message))

    def _request(self, prompt: str) -> tuple[str, dict[str, object]]:
        if prompt.startswith("/"):
            name, _, arguments = prompt[1:].partition(" ")
            return "command", {"command": name, "arguments": arguments}
        return "message", {"parts": [{"type": "text", "text": prompt}]}

    def leave(self) -> None:
        if self._server is not None:
            self._server.end()
            self._server = None

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


class _Server:
    """opencode at work, and its address."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        assert process.stdout is not None
        said = ""
        while not (found := re.search(r"listening on (http://\S+)", said)):
            line = process.stdout.readline()
            assert line, f"opencode did not start: {said}"
            said += line
        self._address = found[1]

    def post(self, path: str, body: Mapping[str, object]) -> Any:
        request = urllib.request.Request(
            self._address + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read())

    def end(self) -> None:
        """With SIGKILL: what a turn leaves behind must not depend on a friendly end."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()


class _Message:
    """A prompt that has been sent."""

    def __init__(self, driver: Opencode, answer: Future[Any]) -> None:
        self._driver = driver
        self._answer = answer

    def finish(self) -> Turn:
        answer = self._answer.result(PATIENCE)
        words = [part["text"] for part in answer["parts"] if part["type"] == "text"]
        failed = "error" in answer["info"]
        return Turn(int(failed), "".join(words[-1:]), self._driver.session, json.dumps(answer), "")

    def kill(self) -> None:
        self._driver.leave()
        assert self._answer.exception(PATIENCE) is not None
