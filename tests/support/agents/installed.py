"""Where `scripts/agents` has put the agents, and how to start one."""

from __future__ import annotations

import json
import os
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_PLACE = Path(os.environ.get("TAKEBACK_TEST_AGENTS") or _HERE.parents[2] / ".agents")
_PROGRAMS = {"claude-code": "claude", "codex": "codex", "gemini-cli": "gemini", "opencode": "opencode"}

AGENTS: dict[str, str] = json.loads((_HERE / "package.json").read_bytes())["dependencies"]
"""From takeback's name of an agent to npm's, with the version."""


def present(agent: str) -> bool:
    """Whether the version that tests want is there."""
    stamp = _PLACE / agent / "installed"
    return stamp.is_file() and stamp.read_text() == AGENTS[agent].removeprefix("npm:")


def program(agent: str) -> Path:
    return _PLACE / agent / "node_modules" / ".bin" / _PROGRAMS[agent]


def search_path() -> str:
    """PATH for an agent: a node that `scripts/agents` had to install comes before the machine's own, which is too old."""
    return os.pathsep.join([str(_PLACE / "node" / "node_modules" / ".bin"), os.environ.get("PATH", os.defpath)])
