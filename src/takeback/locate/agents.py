"""Where coding agents keep their own files."""

from __future__ import annotations

import os
from typing import NamedTuple

from takeback.locate.agreed import state_directory


class Agents(NamedTuple):
    """Where coding agents keep their configuration, and where takeback notes what it added there."""

    project: str
    claude_code: str
    codex: str
    gemini_cli: str
    opencode: str
    docker_agent: str
    state: str


def agents(root: str) -> Agents:
    """The agents' own directories, for a project and for the user."""
    homes = agent_homes()
    return Agents(
        project=root,
        claude_code=homes["claude-code"],
        codex=homes["codex"],
        gemini_cli=homes["gemini-cli"],
        opencode=homes["opencode"],
        docker_agent=homes["docker-agent"],
        state=state_directory(),
    )


def agent_homes() -> dict[str, str]:
    """Where each agent keeps its own files: configuration, commands, sessions."""
    home = os.path.expanduser("~")
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return {
        "claude-code": os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude"),
        "codex": os.environ.get("CODEX_HOME") or os.path.join(home, ".codex"),
        "gemini-cli": os.path.join(os.environ.get("GEMINI_CLI_HOME") or home, ".gemini"),
        "opencode": os.environ.get("OPENCODE_CONFIG_DIR") or os.path.join(config, "opencode"),
        "docker-agent": os.path.join(config, "cagent"),
    }
