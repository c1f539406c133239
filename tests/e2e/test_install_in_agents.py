"""`takeback install` in the real agents: they read what it writes, and their slash commands take a turn back.

A model, played from a script, changes files; a person says /undo inside the agent. What `takeback install` claims about
files that an agent does not read is held here, too.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.agents import installed
from support.agents.all import DRIVERS
from support.agents.driver import Driver
from support.agents.model import Model
from support.agents.script import Say, Shell, Write, ended
from support.cli import PROGRAM

AGENTS = [pytest.param(name, marks=pytest.mark.service(name)) for name in DRIVERS]
UNDO = {"claude-code": "/undo", "gemini-cli": "/undo", "opencode": "/takeback-undo"}


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


def files_of(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


@pytest.mark.parametrize("agent", AGENTS)
def test_each_turn_becomes_a_move_and_uninstalling_leaves_no_trace(agent: str, project: Path, tmp_path: Path) -> None:
    with working(agent, tmp_path / "home", project) as driver:
        before = files_of(tmp_path / "home")
        done = json.loads(takeback(driver, "install", agent, "--yes", "--json"))
        driver.turn("make a file", Write("a.txt", "one\n"), Say("made"))
        driver.turn("change it", Shell("echo two > a.txt"), Say("changed"))

        assert titles(driver) == ["change it", "make a file"]
        takeback(driver, "undo", "--yes")
        assert (project / "a.txt").read_text() == "one\n"
        takeback(driver, "uninstall", agent, "--yes")
        after = files_of(tmp_path / "home")
        touched = {str(Path(each["path"]).relative_to(tmp_path / "home")) for each in done["changed"]}
        assert touched and {name: after.get(name) for name in touched} == {name: before.get(name) for name in touched}


@pytest.mark.parametrize("agent", [each for each in AGENTS if each.values[0] in UNDO])
def test_a_person_takes_the_last_turn_back_inside_the_agent(agent: str, project: Path, tmp_path: Path) -> None:
    with working(agent, tmp_path / "home", project) as driver:
        takeback(driver, "install", agent, "--yes")
        driver.turn("make a file", Write("a.txt", "one\n"), Say("made"))

        slash(driver, UNDO[agent])
        assert not (project / "a.txt").exists()
        assert "undo of" in json.dumps(driver.model.requests[-1])
        slash(driver, UNDO[agent])
        assert "nothing to undo" in json.dumps(driver.model.requests[-1]), "the model is told, and can say so"
        slash(driver, "/snapshots")
        assert "taken back by" in json.dumps(driver.model.requests[-1])


def slash(driver: Driver, command: str) -> None:
    """Give a command inside the agent; the model says a word about its output."""
    if driver.agent != "opencode":
        driver.turn(command, Say("so it was"))
        return
    driver.model.play(list(driver.translate(ended([Say("so it was")]))))
    done = subprocess.run(
        [installed.program("opencode"), "run", "--session", driver.session, "--command", command.removeprefix("/")],
        cwd=driver.project,
        env=driver.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and driver.model.over, done.stderr


ODD = {
    "comments": lambda text: text + "// mine\n",
    "trailing commas": lambda text: text.rstrip().removesuffix("}") + ",}",
    "a byte order mark": lambda text: "\ufeff" + text,
}
READ = {("claude-code", "a byte order mark"), ("gemini-cli", "comments")}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize(
    ("agent", "file"),
    [
        pytest.param("claude-code", ".claude/settings.json", marks=pytest.mark.service("claude-code")),
        pytest.param("codex", ".codex/hooks.json", marks=pytest.mark.service("codex")),
        pytest.param("gemini-cli", ".gemini/settings.json", marks=pytest.mark.service("gemini-cli")),
    ],
)
def test_a_file_that_the_agent_does_not_read_is_said_to_be_one(
    agent: str, file: str, odd: str, project: Path, tmp_path: Path
) -> None:
    with working(agent, tmp_path / "home", project) as driver:
        takeback(driver, "install", agent, "--yes")
        path = tmp_path / "home" / file
        path.write_text(ODD[odd](path.read_text()))

        again = json.loads(takeback(driver, "install", agent, "--json"))
        driver.start("make a file", Write("a.txt", "one\n"), Say("made")).finish()

        assert again["changed"] == []
        assert any(f"does not read a file with {odd}" in note for note in again["notes"]) == ((agent, odd) not in READ)
        assert titles(driver) == (["make a file"] if (agent, odd) in READ else [])
