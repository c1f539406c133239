"""Agents on a terminal, with somebody who types and presses Esc. Prompts are one word, so that they show as they are."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from types import TracebackType
from typing import ClassVar, Self

from support.agents import installed
from support.agents.driver import Driver
from support.agents.script import Step, ended
from support.terminal import Terminal


class Screen(ABC):
    """A session that a person sits at."""

    ready: ClassVar[bytes]
    """What is shown when it listens."""
    bye: ClassVar[str]

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        command = [str(installed.program(driver.agent)), *self.prepare(driver)]
        self.terminal = Terminal(command, driver.project, driver.env, columns=120)
        try:
            self.terminal.wait_for(self.ready)
        except BaseException:
            self.end()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.end()

    def end(self) -> None:
        """Whatever it is doing."""
        self.terminal.process.kill()
        self.terminal.process.wait()

    @abstractmethod
    def prepare(self, driver: Driver) -> list[str]:
        """Settle what a first start would ask; the arguments that it is started with."""

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
        self._enter(self.bye)
        return self.terminal.end()

    def _enter(self, word: str) -> None:
        self.terminal.type(word.encode() + b"\r")


class ClaudeCodeScreen(Screen):
    ready = b"shortcuts"
    bye = "/exit"

    def prepare(self, driver: Driver) -> list[str]:
        self.settle(driver)
        return ["--allowedTools", "Bash,Write"]

    @staticmethod
    def settle(driver: Driver) -> None:
        """Answer what a first start asks."""
        known = {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [driver.env["ANTHROPIC_API_KEY"]], "rejected": []},
            "projects": {str(driver.project): {"hasTrustDialogAccepted": True}},
        }
        (driver.home / ".claude.json").write_text(json.dumps(known))

    def _enter(self, word: str) -> None:
        """A word, and Return only when it is shown: what comes in one piece is taken for pasted."""
        seen = len(self.terminal.shown)
        self.terminal.type(word.encode())
        self.terminal.wait_until(lambda: word.encode() in self.terminal.shown[seen:])
        self.terminal.type(b"\r")


class CodexScreen(Screen):
    ready = b"state=idle"  # it tells the terminal's title bar
    bye = "/quit"

    def prepare(self, driver: Driver) -> list[str]:
        return self.options(driver)

    @staticmethod
    def options(driver: Driver) -> list[str]:
        """Arguments that answer what a first start asks."""
        settings = {
            "disable_paste_burst": "true",
            "projects": f'{{"{driver.project}" = {{trust_level = "trusted"}}}}',
            "notice.model_migrations": '{"gpt-5.5" = "gpt-6-sol"}',  # it has told of the newer model
            "model_providers.local.base_url": f'"{driver.model.address}/v1"',
        }
        options = [word for name, value in settings.items() for word in ("--config", f"{name}={value}")]
        return ["--dangerously-bypass-hook-trust", "--no-alt-screen", *options]
