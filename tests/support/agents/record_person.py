"""Records what the real agents tell hooks while a person sits at the terminal: questions, Esc, background work, kill -9.

    PYTHONPATH=tests .venv/bin/python -m support.agents.record_person [AGENT-SITUATION...]

writes tests/adapters/hooks/streams/AGENT-SITUATION.jsonl. A line is an event or an act of the person, with its time.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.agents import dump
from support.agents.all import DRIVERS
from support.agents.driver import Driver
from support.agents.gate import Gate
from support.agents.model import Model
from support.agents.person import AT, AtClaudeCode, Person
from support.agents.record import STREAMS
from support.agents.script import Answer, Call, Calls, Hold, Say, Step, edit, shell, subagent, together, write

PATIENCE = 60.0
EVERYTHING = ("--allowedTools", "Bash,Write,Edit,Read,Agent")
"""Makes Claude Code ask nothing."""
LOOKING = ("--allowedTools", "Read")


class Recording:
    """One session at a terminal, its events, and what the person did meanwhile."""

    def __init__(self, agent: str, base: Path) -> None:
        self.base = base
        self._events = base / "events.jsonl"
        self._acts: list[tuple[int, str]] = []
        self._gates = 0
        self._questions = 0
        self.model = Model()
        (base / "project").mkdir()
        self.driver: Driver = DRIVERS[agent](base / "home", base / "project", self.model)
        dump.ON[agent](base / "home", self._events)

    @contextmanager
    def person(self, *options: str) -> Iterator[Person]:
        with AT[self.driver.agent](self.driver, *options) as person:
            yield person

    def act(self, what: str) -> None:
        self._acts.append((time.time_ns(), what))

    def told(self) -> list[dict[str, Any]]:
        text = self._events.read_text() if self._events.exists() else ""
        whole = text.rpartition("\n")[0]  # a hook may be about to write the last line
        return [json.loads(json.loads(line)["stdin"]) for line in whole.splitlines()]

    def wait_for(self, event: str, count: int = 1) -> None:
        """Wait until the agent has told this event so many times."""
        deadline = time.monotonic() + PATIENCE
        while sum(raw["hook_event_name"] == event for raw in self.told()) < count:
            assert time.monotonic() < deadline, f"no {event}: {[raw['hook_event_name'] for raw in self.told()]}"
            time.sleep(0.05)

    def wait_for_the_end_of(self, prompt: str) -> None:
        """Wait until the turn of this prompt has ended."""
        deadline = time.monotonic() + PATIENCE
        while True:
            told = self.told()
            begins = [place for place, raw in enumerate(told) if raw.get("prompt") == prompt]
            if begins and any(raw["hook_event_name"] == STOP[self.driver.agent] for raw in told[begins[-1] :]):
                return
            assert time.monotonic() < deadline, f"{prompt} did not end"
            time.sleep(0.05)

    def question(self, person: Person, about: str) -> None:
        """Wait until the person sees a question, and the agent has told of it: which is first is open."""
        person.sees_the_question(about)
        self._questions += 1
        self.wait_for("Notification" if self.driver.agent == "gemini-cli" else "PermissionRequest", self._questions)

    def gate(self) -> Gate:
        self._gates += 1
        return Gate(self.base / f"gate{self._gates}")

    def kill(self, comm: str) -> None:
        """Kill the agent, which is the nearest parent of that name of the last hook."""
        last = json.loads(self._events.read_text().splitlines()[-1])
        (pid, *_) = [pid for pid, name in last["parents"] if name == comm]
        self.act("kill -9 of the agent")
        os.kill(pid, signal.SIGKILL)

    def lines(self) -> list[str]:
        recorded = [json.loads(line) for line in self._events.read_text().splitlines()]
        begin = min(each["time_ns"] for each in recorded)
        timed = [(each["time_ns"], {"event": json.loads(each["stdin"])}) for each in recorded]
        timed += [(at, {"person": what}) for at, what in self._acts]
        return [
            self._neutral(json.dumps({"ms": round((at - begin) / 1e6, 1), **what}, ensure_ascii=False))
            for at, what in sorted(timed, key=lambda line: line[0])
        ]

    def _neutral(self, line: str) -> str:
        for name, neutral in (("home", "/home/u"), ("project", "/project")):
            line = line.replace(str(self.base / name), neutral).replace(
                str(self.base / name).replace("/", "-"), "-project"
            )
        return line.replace(str(self.base), "/base")


def questions(record: Recording) -> None:
    """A permission question that is approved, one that is denied, one at which Esc is pressed."""
    options = LOOKING if record.driver.agent == "claude-code" else ()
    with record.person(*options) as person:
        person.prompts("approve", person.asking("echo approved > approved.txt"))
        record.question(person, "approved.txt")
        if record.driver.agent == "claude-code":
            record.wait_for("Notification")  # it tells of the question again when it stands for six seconds
        record.act("approves the command")
        person.answers(person.yes)
        record.wait_for(STOP[record.driver.agent])
        person.prompts("deny", person.asking("echo denied > denied.txt"))
        record.question(person, "denied.txt")
        record.act("denies the command")
        person.answers(person.no)
        person.prompts("escape", person.asking("echo escaped > escaped.txt"))
        record.question(person, "escaped.txt")
        record.act("presses Esc at the question")
        person.interrupts()
        if record.driver.agent == "claude-code":
            person.prompts("words", person.asking("echo words > words.txt"), Say("I will not."))
            record.question(person, "words.txt")
            record.act("denies the command with words")
            assert isinstance(person, AtClaudeCode)
            person.refuses("rather not")
            record.wait_for("Stop", 2)
            person.prompts("write", write("new.txt", "new\n"))
            record.question(person, "new.txt")
            record.act("approves the file")
            person.answers(person.yes)
            record.wait_for("Stop", 3)
        person.leaves()


def interruptions(record: Recording) -> None:
    """Esc while a command runs, while the model thinks, in a batch; then the agent is killed in a command."""
    claude = record.driver.agent == "claude-code"
    gates = [record.gate() for _ in range(3)]
    with record.person(*(EVERYTHING if claude else ALLOWING.get(record.driver.agent, ()))) as person:
        person.prompts("first", shell(f"echo half > half.txt; {gates[0].command}; echo whole > half.txt"))
        gates[0].wait_until_reached()
        record.act("presses Esc while the command runs")
        person.interrupts()
        record.act("the command could go on from here")
        gates[0].open()
        hold = Hold()
        person.prompts("second", write("second.txt", "second\n"), hold)
        person.terminal.wait_until(lambda screen: hold.reached.is_set())
        record.act("presses Esc while the model thinks")
        person.interrupts()
        hold.release.set()
        person.prompts("third", together(shell(gates[1].command), shell("echo second > batch.txt")))
        gates[1].wait_until_reached()
        record.act("presses Esc in a batch")
        person.interrupts()
        gates[1].open()
        person.prompts("fourth", write("fourth.txt", "fourth\n"))
        record.wait_for_the_end_of("fourth")
        person.prompts("fifth", shell(f"echo killed > killed.txt; {gates[2].command}"))
        gates[2].wait_until_reached()
        record.kill(PROCESS[record.driver.agent])
        gates[2].open()
        person.terminal.wait_until(lambda screen: re.search(r"ended with \d", screen) is not None)
    record.act("starts the agent again")
    with record.person(*RESUMING[record.driver.agent]) as person:
        person.prompts("sixth", write("sixth.txt", "sixth\n"))
        record.wait_for_the_end_of("sixth")
        person.leaves()


def background(record: Recording) -> None:
    """Commands that go on after the turn, and a prompt meanwhile."""
    gates = [record.gate() for _ in range(3)]
    with record.person(*EVERYTHING) as person:
        person.prompts("server", _in_background(f"echo 1 > log.txt; {gates[0].command}; echo 2 >> log.txt"))
        record.wait_for("Stop")
        gates[0].wait_until_reached()
        person.prompts("meanwhile", write("meanwhile.txt", "meanwhile\n"))
        record.wait_for("Stop", 2)
        record.model.play([Say("It has ended.")])
        record.act("the command in the background goes on to its end")
        gates[0].open()
        record.wait_for("Stop", 3)
        person.prompts("long", shell(f"echo 1 > long.txt; {gates[1].command}; echo 2 >> long.txt"))
        gates[1].wait_until_reached()
        person.terminal.wait_for("to run in background")
        record.act("presses Ctrl+B: the command goes to the background")
        person.terminal.keys("C-b")
        record.wait_for("Stop", 4)
        record.model.play([Say("It has ended, too.")])
        record.act("the command in the background goes on to its end")
        gates[1].open()
        record.wait_for("Stop", 5)
        person.prompts("another", _in_background(gates[2].command))
        record.wait_for("Stop", 6)
        gates[2].wait_until_reached()
        record.model.play([Say("Good bye.")])
        record.act("leaves while a command runs in the background")
        person.leaves()


def background_terminals(record: Recording) -> None:
    """Codex: a command that the model does not wait for; nobody asks for its end, or the model does."""
    gates = [record.gate() for _ in range(2)]
    with record.person(*ALLOWING["codex"]) as person:
        person.prompts("server", _yielding(f"echo 1 > log.txt; {gates[0].command}; echo 2 >> log.txt"))
        record.wait_for("Stop")
        gates[0].wait_until_reached()
        person.prompts("meanwhile", write("meanwhile.txt", "meanwhile\n"))
        record.wait_for("Stop", 2)
        record.act("the command in the background goes on to its end")
        gates[0].open()
        person.prompts("second", _yielding(f"echo 1 > asked.txt; {gates[1].command}; echo 2 >> asked.txt"))
        record.wait_for("Stop", 3)
        gates[1].wait_until_reached()
        record.act("the second command in the background goes on to its end")
        gates[1].open()
        asked = record.model.requests[-1]["input"]
        output = next(item["output"] for item in reversed(asked) if item["type"] == "function_call_output")
        number = int(output.partition("session ID ")[2].split()[0])
        poll = Call("write_stdin", {"session_id": number, "chars": "", "yield_time_ms": 5000})
        person.prompts("poll", Calls((poll,)))
        record.wait_for("Stop", 4)
        person.leaves()


def subagents(record: Recording) -> None:
    """One that the turn waits for, and one that uses tools after the turn has ended."""
    gates = [record.gate() for _ in range(2)]
    task = "the work that nobody waits for"
    with record.person(*EVERYTHING) as person:
        person.prompts("wait", subagent("a part", shell("echo sub > sub.txt")), shell("echo main > main.txt"))
        record.wait_for("Stop")
        work: list[Step] = [
            shell(f"echo early > early.txt; {gates[0].command}"),
            shell(f"echo late > late.txt; {gates[1].command}"),
            write("later.txt", "later\n"),
            Say("The part is done."),
        ]
        arguments: dict[str, object] = {
            "description": "A part of the work",
            "prompt": task,
            "subagent_type": "general-purpose",
            "run_in_background": True,
        }
        aside: tuple[Answer, ...] = tuple(record.driver.translate(work))
        person.prompts("start", Calls((Call("Agent", arguments),), aside=aside))
        record.wait_for("Stop", 2)
        gates[0].wait_until_reached()
        record.act("the turn is over; the subagent goes on to its next call")
        gates[0].open()
        gates[1].wait_until_reached()
        person.prompts("meanwhile", write("meanwhile.txt", "meanwhile\n"))
        record.wait_for("Stop", 3)
        record.model.play([Say("The subagent is done.")])
        record.act("the subagent goes on to its end")
        gates[1].open()
        record.wait_for("Stop", 4)
        person.leaves()


def batch(record: Recording) -> None:
    """Several calls in one answer, with a formatter as a hook of the agent's own, which takes a second."""
    settings = record.driver.home / ".claude" / "settings.json"
    there = json.loads(settings.read_bytes())
    formatter = "sleep 1; for file in /project/*.py; do sed -i 's/=/ = /; s/  */ /g' $file; done"
    own = {"type": "command", "command": formatter.replace("/project", shlex.quote(str(record.driver.project)))}
    there["hooks"]["PostToolUse"].append({"matcher": "Write|Edit", "hooks": [own]})
    settings.write_text(json.dumps(there))
    with record.person(*EVERYTHING) as person:
        person.prompts("one", write("one.py", "one=1\n"), edit("one.py", "one = 1", "one=2"), shell("exit 3"))
        record.wait_for("Stop")
        several = (write("two.py", "two=2\n"), write("three.py", "three=3\n"), shell("echo 4 > four"), shell("ls"))
        person.prompts("several", together(*several, shell("cat two.py")))
        record.wait_for("Stop", 2)
        person.leaves()


def _in_background(command: str) -> Calls:
    arguments: dict[str, object] = {"command": command, "description": "Runs it", "run_in_background": True}
    return Calls((Call("Bash", arguments),))


def _yielding(command: str) -> Calls:
    return Calls((Call("exec_command", {"cmd": command, "yield_time_ms": 500}),))


STOP = {"claude-code": "Stop", "codex": "Stop", "gemini-cli": "AfterAgent"}
PROCESS = {"claude-code": "claude", "codex": "codex", "gemini-cli": "node"}
ALLOWING = {
    "codex": ("--config", "approval_policy=never", "--config", "sandbox_mode=danger-full-access"),
    "gemini-cli": ("--yolo",),
}
RESUMING = {
    "claude-code": (*EVERYTHING, "--continue"),
    "codex": ALLOWING["codex"],
    "gemini-cli": ALLOWING["gemini-cli"],
}
SITUATIONS: dict[str, Callable[[Recording], None]] = {
    "claude-code-questions": questions,
    "claude-code-interruptions": interruptions,
    "claude-code-background": background,
    "claude-code-subagents": subagents,
    "claude-code-batch": batch,
    "codex-questions": questions,
    "codex-interruptions": interruptions,
    "codex-background": background_terminals,
    "gemini-cli-questions": questions,
    "gemini-cli-interruptions": interruptions,
}


def main(chosen: Sequence[str]) -> None:
    for name in chosen or SITUATIONS:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as base:
            record = Recording(name.rpartition("-")[0], Path(base))
            with record.model:
                SITUATIONS[name](record)
            lines = record.lines()
        (STREAMS / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines))
        print(f"{name}: {len(lines)} lines", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
