"""What `takeback install` claims about the real agents: which odd files they do not read, and that their slash commands
say what went wrong. That turns are recorded and taken back is in `agents`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support import campaigns
from support.agents.all import DRIVERS, for_agent
from support.agents.driver import Driver
from support.agents.model import Model
from support.agents.script import Say, Write
from support.cli import PROGRAM

AGENTS = [for_agent(name) for name in ("claude-code", "gemini-cli")]
"""Those that run the shell part of a command before they ask the model, each in its own way when it fails."""


@contextmanager
def working(agent: str, home: Path, project: Path) -> Iterator[Driver]:
    """An agent in a home of its own, which ends with the test."""
    with Model() as model:
        driver = DRIVERS[agent](home, project, model)
        try:
            yield driver
        finally:
            driver.leave()


def takeback(driver: Driver, *arguments: str) -> str:
    """Run takeback in the agent's project and home."""
    done = subprocess.run(
        [*PROGRAM, *arguments],
        cwd=driver.project,
        env=driver.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def titles(driver: Driver) -> list[str]:
    """What the turns that were recorded are called, newest first."""
    moves = json.loads(takeback(driver, "log", "--json"))["moves"]
    return [move["title"].strip('"') for move in moves if move["level"] == "turn"]


@pytest.mark.parametrize("agent", AGENTS)
def test_the_model_hears_what_a_slash_command_could_not_do(agent: str, project: Path, tmp_path: Path) -> None:
    with working(agent, tmp_path / "home", project) as driver:
        takeback(driver, "install", agent, "--yes")

        driver.turn("/undo", Say("so it was"))
        assert "nothing to undo" in json.dumps(driver.model.requests[-1])
        if agent == "claude-code" or campaigns.running():
            driver.turn("/snapshots", Say("so they are"))
            assert "timeline main of" in json.dumps(driver.model.requests[-1])


ODD = {
    "comments": lambda text: text + "// mine\n",
    "trailing commas": lambda text: text.rstrip().removesuffix("}") + ",}",
    "a byte order mark": lambda text: "\ufeff" + text,
}
READ = {("claude-code", "a byte order mark"), ("gemini-cli", "comments")}


FILES = {"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json", "gemini-cli": ".gemini/settings.json"}


@pytest.mark.parametrize(
    ("agent", "odd"),
    [
        for_agent(agent, odd, soak=agent == "gemini-cli" and odd != "comments")  # each is as slow as all three of Codex
        for agent in FILES
        for odd in ODD
    ],
)
def test_a_file_that_the_agent_does_not_read_is_said_to_be_one(
    agent: str, odd: str, project: Path, tmp_path: Path
) -> None:
    with working(agent, tmp_path / "home", project) as driver:
        takeback(driver, "install", agent, "--yes")
        path = tmp_path / "home" / FILES[agent]
        path.write_text(ODD[odd](path.read_text()))

        again = json.loads(takeback(driver, "install", agent, "--json"))
        driver.start("make a file", Write("a.txt", "one\n"), Say("made")).finish()

        assert again["changed"] == []
        assert any(f"does not read a file with {odd}" in note for note in again["notes"]) == ((agent, odd) not in READ)
        assert titles(driver) == (["make a file"] if (agent, odd) in READ else [])
