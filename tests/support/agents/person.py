"""A person at the terminal (tmux) in which an agent runs: types prompts, answers permission questions, presses Esc.

`support.agents.screen` does the same on a bare terminal, for tests that need not read the screen.
"""

from __future__ import annotations

import os
import re
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from support.agents import installed
from support.agents.driver import Driver
from support.agents.screen import ClaudeCodeScreen, CodexScreen
from support.agents.script import Calls, Say, Shell, Step, call, ended
from support.tmux import Tmux


class Person(ABC):
    """Sits at one session of an agent, which asks before it runs a command or writes a file."""

    ready: ClassVar[str]
    """Shown when the agent listens."""
    question: ClassVar[str]
    """Shown while it asks for permission to run a command."""
    yes: ClassVar[str]
    no: ClassVar[str]
    """Keys that answer it."""
    interrupted: ClassVar[str]
    """Shown once more for each turn that Esc has ended."""
    bye: ClassVar[str]
    process: ClassVar[str]
    """What the system calls the agent's own process."""
    frees: ClassVar[tuple[str, ...]]
    """Options that make it ask nothing."""

    def __init__(self, driver: Driver, *options: str) -> None:
        """``options`` are the agent's, beside those that it cannot do without."""
        self.driver = driver
        command = [str(installed.program(driver.agent)), *self.prepare(driver), *options]
        self.terminal = Tmux(driver.project, driver.env, columns=120, lines=200)  # nothing scrolls away
        try:
            self.terminal.start(command)
            self.terminal.wait_for(self.ready)
        except BaseException:
            self.terminal.__exit__(None, None, None)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the terminal, whatever the agent is doing."""
        self.terminal.__exit__(kind, error, at)

    @abstractmethod
    def prepare(self, driver: Driver) -> Sequence[str]:
        """Settle what a first start would ask; the arguments that the agent is started with."""

    def asking(self, command: str) -> Calls:
        """The model's call of a command that the agent asks permission for."""
        (answer,) = self.driver.translate([Shell(command)])
        assert isinstance(answer, Calls)
        return answer

    def prompts(self, word: str, *steps: Step) -> None:
        """Type a prompt of one word; the model answers with the steps."""
        self.driver.model.play(list(self.driver.translate(ended(steps))))
        self.enters(word)

    def enters(self, line: str) -> None:
        """Type it, and press Return when it is shown: what comes in one piece is taken for pasted."""
        self.terminal.type(line)
        self.terminal.wait_for(line)
        self.terminal.keys("Enter")

    def sees_the_question(self, about: str) -> None:
        """Wait until the agent asks for permission and shows ``about``."""
        self.terminal.wait_until(lambda screen: self.question in screen and about in screen, f"no question: {about}")

    def answers(self, key: str) -> None:
        """Press a key at the question, and wait until it is gone."""
        self._presses(key, lambda screen: self.question not in screen, "the question still stands")

    def _presses(self, key: str, holds: Callable[[str], bool], what: str) -> None:
        """Press a key, and once more if nothing comes of it: Codex hears none in the first moment of a question."""
        pressed = 0.0

        def understood(screen: str) -> bool:
            nonlocal pressed
            if holds(screen):
                return True
            if time.monotonic() - pressed > 3:
                self.terminal.keys(key)
                pressed = time.monotonic()
            return False

        self.terminal.wait_until(understood, what)

    def interrupts(self) -> None:
        """Press Esc, and wait until that is understood."""
        seen = self.terminal.screen().count(self.interrupted)
        self._presses("Escape", lambda screen: screen.count(self.interrupted) > seen, "Esc was not understood")

    def runs(self, command: str) -> None:
        """Run a command of the shell inside the agent, and wait until it has ended."""
        self.terminal.type(f"!{command}")
        self.terminal.wait_for(command)
        self.terminal.keys("Enter")
        self.terminal.wait_for(f"You ran {command}")

    def kills(self) -> None:
        """End the agent as a crash does, and nothing that it has started."""
        (pid,) = [pid for pid, name in _below(self.terminal.pid()) if name == self.process]
        os.kill(pid, signal.SIGKILL)
        self.terminal.wait_until(lambda screen: re.search(r"ended with \d", screen) is not None, "it lives on")

    def leaves(self) -> int:
        self.enters(self.bye)
        return self.terminal.ended()


def _below(pid: int) -> list[tuple[int, str]]:
    """Process ids and names of a process's descendants; Linux only."""
    children: dict[int, list[tuple[int, str]]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            head, _, rest = stat.read_text().rpartition(")")
        except OSError:
            continue  # it has ended
        children.setdefault(int(rest.split()[1]), []).append((int(stat.parent.name), head.partition("(")[2]))
    found, new = [], children.get(pid, [])
    while new:
        found += new
        new = [child for number, _ in new for child in children.get(number, [])]
    return found


class AtClaudeCode(Person):
    ready = "shortcuts"
    question = "Do you want to"
    yes = "Enter"
    no = "3"
    interrupted = "Interrupted"
    bye = "/exit"
    process = "claude"
    frees = ("--allowedTools", "Bash,Write,Edit,Read,Agent")

    def prepare(self, driver: Driver) -> Sequence[str]:
        ClaudeCodeScreen.settle(driver)
        return ()

    def runs(self, command: str) -> None:
        """The model is asked after it."""
        answer = f"{command.title()} it is."
        self.driver.model.play([Say(answer)])
        self.terminal.type("!")
        self.terminal.wait_for("! for shell mode")
        self.terminal.type(command)
        self.terminal.wait_for(command)
        self.terminal.keys("Enter")
        self.terminal.wait_for(answer)

    def refuses(self, words: str) -> None:
        """Say no at the question, and what to do instead: the turn goes on."""
        for key, shown in (("Down", "❯ 2. "), ("Down", "❯ 3. No"), ("Tab", "❯ 3. No,")):
            self.terminal.keys(key)
            self.terminal.wait_for(shown)
        self.enters(words)


class AtCodex(Person):
    """It asks only for what the model says must run outside the sandbox."""

    ready = "Ask Codex to do anything"
    question = "Would you like to run the following command?"
    yes = "y"
    no = "n"
    interrupted = "Conversation interrupted"
    bye = "/quit"
    process = "codex"
    frees = ("--config", "approval_policy=never", "--config", "sandbox_mode=danger-full-access")

    def prepare(self, driver: Driver) -> Sequence[str]:
        asks = ("approval_policy=on-request", "sandbox_mode=workspace-write")
        return [*CodexScreen.options(driver), *(word for setting in asks for word in ("--config", setting))]

    def enters(self, line: str) -> None:
        """It may offer the prompt of an interrupted turn again: remove that first."""
        self.terminal.keys("C-u")
        super().enters(line)

    def asking(self, command: str) -> Calls:
        outside = {"sandbox_permissions": "require_escalated", "justification": "it needs the network"}
        return call("exec_command", cmd=command, yield_time_ms=30_000, **outside)


class AtGeminiCli(Person):
    ready = "Type your message"
    question = "Allow execution of"
    yes = "Enter"
    no = "Escape"
    interrupted = "Request cancelled"
    bye = "/quit"
    process = "node"
    frees = ("--yolo",)

    def prepare(self, driver: Driver) -> Sequence[str]:
        return ("--model", "gemini-2.5-flash")

    def enters(self, line: str) -> None:
        """It takes Return for a part of what is pasted if it comes too soon after a letter: press it until it is taken."""
        self.terminal.type(line)
        self.terminal.wait_until(lambda screen: self._typed(screen) == line, f"{line!r} was not shown")
        while self._typed(self.terminal.screen()):
            self.terminal.keys("Enter")
            time.sleep(0.2)

    def _typed(self, screen: str) -> str:
        """What stands in the box below the last line across."""
        below = screen.rpartition("─" * 100)[2]
        found = re.search(r"^ [>*] +(\S.*?) *$", below, re.MULTILINE)
        return found[1] if found and self.ready not in found[1] else ""


class AtOpencode(Person):
    """Its configuration must say that it asks: ``"permission": {"bash": "ask"}``."""

    ready = "Ask anything"
    question = "Permission required"
    yes = "Enter"
    no = "Escape"
    interrupted = "interrupted"
    bye = "/exit"
    process = "opencode"
    frees = ()

    def prepare(self, driver: Driver) -> Sequence[str]:
        return ()

    def interrupts(self) -> None:
        """Esc once more, when it asks for that."""
        self.terminal.keys("Escape")
        self.terminal.wait_for("again to interrupt")
        super().interrupts()


AT: dict[str, type[Person]] = {
    "claude-code": AtClaudeCode,
    "codex": AtCodex,
    "gemini-cli": AtGeminiCli,
    "opencode": AtOpencode,
}
