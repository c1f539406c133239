"""Turns of the real agents in which nothing goes wrong: nothing of them is undecided."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from support import counts
from support.agents.all import DRIVERS, for_agent
from support.agents.scene import Scene
from support.agents.script import Step, edit, shell, subagent, together, write

STEPS: list[Step] = [
    write("new.txt", "new\n"),
    edit("app.py", "two = 2", "two = 22"),
    shell("mkdir -p out/deep && echo 1 > out/deep/1.txt && chmod +x run.sh && echo 2 >> notes.txt && mv tool moved"),
    together(shell("echo a > a"), shell("echo b > b")),
    subagent("write a file", shell("echo sub > sub.txt")),
    shell("rm old/gone.txt; rmdir old; echo half > half.txt; exit 3"),
]


@pytest.mark.quiet  # what changes in the moment before a command's own time is undecided, and a busy machine is late
@pytest.mark.parametrize("agent", [for_agent(name, soak=name in ("gemini-cli", "opencode")) for name in DRIVERS])
def test_of_an_ordinary_turn_nothing_is_undecided(agent: str, scene: Scene, record_property: counts.Tell) -> None:
    begin = scene.look()
    scene.install()
    scene.session().turn("work", *STEPS)
    now = scene.look()
    plan = scene.cli("undo", "--dry-run", "--json").json
    undecided = {path: group["reason"] for group in plan["undecided"] for path in group["paths"]}
    number = len(plan["changed"]) + len(plan["shared"])
    counts.tell(record_property, f"{agent}: {len(undecided)} of {number} paths undecided")
    assert set(undecided.values()) <= {"near"}, "only a machine that starts hooks late leaves anything undecided"
    scene.cli("undo", "--yes", "--shared")
    assert scene.look() == begin
    scene.redo()
    assert scene.look() == now


FORMATTER = """\
import json, pathlib, sys
path = pathlib.Path(json.load(sys.stdin)["tool_input"]["file_path"])
path.write_text(path.read_text().replace("=", " = "))
"""


@pytest.mark.parametrize("agent", [for_agent("claude-code")])
@pytest.mark.parametrize("slow", [False, True])
def test_what_a_formatter_makes_of_an_edited_file_goes_with_the_edit(
    agent: str, slow: bool, scene: Scene, tmp_path: Path
) -> None:
    """As a hook of the agent's own beside takeback's: they run at the same time."""
    script = tmp_path / "formatter.py"
    script.write_text(("import time; time.sleep(1)\n" if slow else "") + FORMATTER)
    scene.install()
    settings = scene.home / ".claude" / "settings.json"
    there: Any = json.loads(settings.read_bytes())
    own = {"type": "command", "command": shlex.join([sys.executable, str(script)])}
    there["hooks"]["PostToolUse"].append({"matcher": "Write|Edit", "hooks": [own]})
    settings.write_text(json.dumps(there))
    begin = scene.look()
    scene.session().turn(
        "write",
        write("new.py", "x=1\n"),
        edit("app.py", "two = 2", "two=2"),
        together(write("one.py", "y=1\n"), write("other.py", "z=1\n")),
    )
    now = scene.look()
    assert [now[name].data for name in ("new.py", "one.py", "other.py")] == [b"x = 1\n", b"y = 1\n", b"z = 1\n"]
    scene.undo()
    assert scene.look() == begin
    scene.redo()
    assert scene.look() == now
