"""Records what the real agents tell hooks, over thirty turns of two sessions in one project, for tests that replay it.

    PYTHONPATH=tests .venv/bin/python -m support.agents.record [AGENT...]

writes tests/adapters/hooks/streams/AGENT.jsonl: one event a line, as it came on stdin, in the order of arrival. Paths are made neutral: the home is /home/u, the project /project.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from support.agents import dump
from support.agents.all import DRIVERS
from support.agents.driver import Driver
from support.agents.gate import Gate
from support.agents.model import Model
from support.agents.script import Step, edit, fail, shell, subagent, together, write
from support.cli import PROGRAM

STREAMS = Path(__file__).resolve().parents[2] / "adapters" / "hooks" / "streams"


def turns(letter: str) -> list[tuple[str, Sequence[Step]]]:
    """What a session does; each in files of its own."""
    return [
        ("write a file", [write(f"{letter}.txt", "one\n")]),
        ("run a command", [shell(f"mkdir -p {letter} && echo two > {letter}/two.txt")]),
        ("change the file", [edit(f"{letter}.txt", "one", "three")]),
        ("what is in it?", []),
        ("a command that writes and fails", [shell(f"echo four > {letter}/four.txt; exit 3")]),
        ("a change that does not fit", [edit(f"{letter}.txt", "not in it", "five")]),
        ("the service fails", [fail()]),
        ("the service fails after some work", [shell(f"echo six > {letter}/six.txt"), fail()]),
        ("several at once", [together(*(shell(f"echo {n} > {letter}/{n}.txt") for n in ("seven", "eight")))]),
        ("let somebody else do it", [subagent("write the ninth", shell(f"echo nine > {letter}/nine.txt"))]),
        ("delete", [shell(f"unlink {letter}/two.txt")]),
        ("work and look", [write(f"{letter}/ten.txt", "ten\n"), shell(f"cat {letter}/ten.txt"), shell("ls")]),
        ("rename", [shell(f"mv {letter}/ten.txt {letter}/eleven.txt")]),
    ]


def record(agent: str, base: Path) -> list[str]:
    home, project, events = base / "home", base / "project", base / "events.jsonl"
    project.mkdir()
    with Model() as first, Model() as second:
        one, other = DRIVERS[agent](home, project, first), DRIVERS[agent](home, project, second)
        _listen(agent, home, project, events)
        for (prompt, steps), (other_prompt, other_steps) in zip(turns("a"), turns("b"), strict=True):
            one.turn(prompt, *steps)
            other.turn(other_prompt, *other_steps)
        _overlap(one, other, base)
        _killed(one, base)
        one.turn("go on", shell("echo after > a/after.txt"))
        one.leave()
        other.leave()
    return [_neutral(json.loads(line)["stdin"], base) for line in events.read_text().splitlines()]


def _listen(agent: str, home: Path, project: Path, events: Path) -> None:
    """Be told everything; of opencode, which calls no commands, what takeback's own plugin tells the hook command."""
    if agent != "opencode":
        dump.ON[agent](home, events)
        return
    environment = {**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}
    subprocess.run([*PROGRAM, "install", agent, "--yes"], cwd=project, env=environment, check=True, capture_output=True)
    (plugin,) = home.glob(".config/opencode/plugin*/takeback.js")
    call = json.dumps(dump.command(events))
    plugin.write_text(re.sub(r"(?m)^const COMMAND = .*$", lambda _: f"const COMMAND = {call}", plugin.read_text()))


def _overlap(one: Driver, other: Driver, base: Path) -> None:
    """The other session has a whole turn while this one is in a command."""
    gate = Gate(base / "overlap")
    running = one.start("a long command", shell(f"echo 1 > a/long.txt; {gate.command}; echo 2 >> a/long.txt"))
    gate.wait_until_reached()
    other.turn("in the meantime", shell("echo meanwhile > b/meanwhile.txt"))
    gate.open()
    running.finish()


def _killed(one: Driver, base: Path) -> None:
    """The agent goes away in the middle of a command: nothing ends the turn."""
    gate = Gate(base / "killed")
    running = one.start("a command that is cut short", shell(f"echo half > a/half.txt; {gate.command}"))
    gate.wait_until_reached()
    running.kill()
    gate.open()


def _neutral(raw: str, base: Path) -> str:
    folder = str(base / "project").replace("/", "-")
    for found, neutral in ((str(base / "home"), "/home/u"), (str(base / "project"), "/project"), (folder, "-project")):
        raw = raw.replace(found, neutral)
    return json.dumps(json.loads(raw), ensure_ascii=False)


def main(chosen: Sequence[str]) -> None:
    for agent in chosen or DRIVERS:
        with tempfile.TemporaryDirectory() as base:
            lines = record(agent, Path(base))
        (STREAMS / f"{agent}.jsonl").write_text("".join(f"{line}\n" for line in lines))
        print(f"{agent}: {len(lines)} events")


if __name__ == "__main__":
    main(sys.argv[1:])
