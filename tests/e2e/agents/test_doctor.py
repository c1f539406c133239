"""`takeback doctor` beside the real agents: it knows a session that called its hooks from one that did not."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from support.agents.all import DRIVERS, for_agent
from support.agents.claude_code import ClaudeCode
from support.agents.codex import Codex
from support.agents.driver import Driver
from support.agents.model import Model
from support.agents.script import Say, Write
from support.cli import takeback


class DeafClaudeCode(ClaudeCode):
    """Told on its command line, which nobody else sees, to run no hooks."""

    def command(self, prompt: str) -> list[str]:
        return [*super().command(prompt), "--settings", json.dumps({"disableAllHooks": True})]


class DistrustfulCodex(Codex):
    """Runs no hooks that a person has not trusted."""

    def command(self, prompt: str) -> list[str]:
        return [word for word in super().command(prompt) if word != "--dangerously-bypass-hook-trust"]


DEAF: dict[str, type[Driver]] = {"claude-code": DeafClaudeCode, "codex": DistrustfulCodex}


@pytest.mark.parametrize("agent", [for_agent(name) for name in DEAF])
def test_a_session_that_calls_no_hooks_is_found(agent: str, project: Path, home: Path) -> None:
    def doctor() -> Any:
        done = takeback("doctor", "--json", cwd=project)
        (found,) = (each for each in json.loads(done.stdout)["checks"] if each["check"] == f"hooks {agent}")
        return found

    assert takeback("install", agent, "--yes", "--no-keep-env", cwd=project).returncode == 0
    file = Path(doctor()["found"].partition(";")[0])
    os.utime(file, (time.time() - 60, time.time() - 60))  # it began after that, whatever its clock rounds to
    with Model() as model:
        hearing = DRIVERS[agent](home, project, model)
        assert hearing.turn("write", Write("a.txt", "one\n"), Say("done")).code == 0
        assert doctor()["state"] == "ok"
        assert "last ran" in doctor()["found"]
        deaf = DEAF[agent](home, project, model)
        assert deaf.turn("write", Write("b.txt", "two\n"), Say("done")).code == 0
    assert (project / "b.txt").read_text() == "two\n"
    found = doctor()
    assert found["state"] == "warn", found
    assert "did not call" in found["found"]
