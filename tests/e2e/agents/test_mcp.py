"""`takeback mcp` in the real agents, added with the command of each: what docs/agents.md tells people to do.

A model, played from a script, saves before something risky, breaks a file with a tool of the agent, and takes it back.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.agents import installed
from support.agents.all import DRIVERS, for_agent
from support.agents.driver import Driver
from support.agents.model import Model
from support.agents.script import Call, Calls, Say, Shell, Write
from support.cli import takeback

SERVER = [sys.executable, "-P", "-m", "takeback", "mcp", "--allow-restore"]

ADDING = {
    "claude-code": ["mcp", "add", "takeback", "--", *SERVER],
    "codex": ["mcp", "add", "takeback", "--", *SERVER],
    "gemini-cli": ["mcp", "add", "takeback", SERVER[0], "--", *SERVER[1:]],
}
NAMED = {"claude-code": "mcp__takeback__{}", "codex": "mcp__takeback.{}", "gemini-cli": "mcp_takeback_{}"}
"""What a model calls a tool of the server."""


PATIENT = {"MCP_CONNECTION_NONBLOCKING": "0", "MCP_TIMEOUT": "60000"}
"""Makes Claude Code wait for the server before it asks the model: a scripted one is faster than any server starts."""


def add(driver: Driver) -> None:
    done = subprocess.run(
        [installed.program(driver.agent), *ADDING[driver.agent]],
        cwd=driver.project,
        env=driver.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    if driver.agent == "codex":  # waits, too, and hands no environment on that it was not told to
        with (driver.home / ".codex" / "config.toml").open("a") as file:
            file.write(
                '\nrequired = true\nstartup_timeout_sec = 60\nenv_vars = ["TAKEBACK_STORE", "TAKEBACK_UPKEEP"]\n'
            )


def call(driver: Driver, tool: str, **arguments: Any) -> Calls:
    return Calls((Call(NAMED[driver.agent].format(tool), arguments),))


@pytest.mark.parametrize("agent", [for_agent(name) for name in ADDING])
def test_an_agent_saves_breaks_something_and_takes_it_back(agent: str, project: Path, tmp_path: Path) -> None:
    (project / "a.txt").write_text("good\n")
    (tmp_path / "home").mkdir()
    with Model() as model:
        driver = DRIVERS[agent](tmp_path / "home", project, model, PATIENT)
        add(driver)
        turn = driver.turn(
            "try something",
            call(driver, "save", label="before"),
            Shell("echo broken > a.txt"),
            call(driver, "plan", verb="restore", reference="before"),
            call(driver, "restore", reference="before"),
            call(driver, "show", reference="nonsense"),
            Say("taken back"),
        )
        assert turn.answer == "taken back", turn
        asked = json.dumps(model.requests[-1])
    assert (project / "a.txt").read_text() == "good\n"
    assert "there is no snapshot" in asked  # an error of ours reaches the model as words
    assert "takeback log" in asked or "hint" in asked


@pytest.mark.parametrize("agent", [for_agent(name, soak=name != "codex") for name in ADDING])
def test_undo_inside_a_recorded_turn_takes_back_that_turn_and_no_other(agent: str, project: Path, home: Path) -> None:
    with Model() as model:
        driver = DRIVERS[agent](home, project, model, PATIENT)
        assert takeback("install", agent, "--yes", "--no-keep-env", cwd=project).returncode == 0
        add(driver)
        driver.turn("write", Write("a.txt", "first\n"), Say("done"))
        driver.turn("write more", Shell("echo second > b.txt; echo broken > a.txt"), call(driver, "undo"), Say("done"))
        assert (project / "a.txt").read_text() == "first\n"
        assert not (project / "b.txt").exists()
        driver.turn("and again", Write("c.txt", "third\n"), Say("done"))
    undone = takeback("undo", "--yes", "--json", cwd=project)
    assert json.loads(undone.stdout)["changed"] == ["c.txt"]
    assert takeback("undo", "--yes", cwd=project).returncode == 0
    assert list(project.glob("*.txt")) == []
