"""Claude Code on a terminal, with somebody who types and presses Esc."""

from __future__ import annotations

import json
from types import TracebackType
from typing import Self

from support.agents import installed
from support.agents.claude_code import ClaudeCode
from support.agents.script import Step, ended
from support.terminal import Terminal


class ClaudeCodeScreen:
    """A session that a person sits at. Prompts are one word, so that what is typed shows as it is."""

    def __init__(self, driver: ClaudeCode) -> None:
        self._driver = driver
        known = {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [driver.env["ANTHROPIC_API_KEY"]], "rejected": []},
            "projects": {str(driver.project): {"hasTrustDialogAccepted": True}},
        }
        (driver.home / ".claude.json").write_text(json.dumps(known))
        program = str(installed.program(driver.agent))
        self.terminal = Terminal([program, "--allowedTools", "Bash,Write"], driver.project, driver.env, columns=120)
        self.terminal.wait_for(b"shortcuts")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.terminal.process.kill()
        self.terminal.process.wait()

    def prompt(self, word: str, *steps: Step) -> None:
        self._driver.model.play(list(self._driver.translate(ended(steps))))
        self._enter(word)

    def answered(self, word: str) -> None:
        """Wait for what the model says."""
        self.terminal.wait_for(word.encode())

    def interrupt(self) -> None:
        """Press Esc, and wait until that is understood."""
        seen = len(self.terminal.shown)
        self.terminal.type(b"\x1b")
        self.terminal.wait_until(lambda: b"nterrupted" in self.terminal.shown[seen:])

    def quit(self) -> int:
        self._enter("/exit")
        return self.terminal.end()

    def _enter(self, word: str) -> None:
        """A word, and Return only when it is shown: what comes in one piece is taken for pasted."""
        seen = len(self.terminal.shown)
        self.terminal.type(word.encode())
        self.terminal.wait_until(lambda: word.encode() in self.terminal.shown[seen:])
        self.terminal.type(b"\r")
