"""Which agents somebody seems to work with: for telling a newcomer what to install."""

from __future__ import annotations

import os
from collections.abc import Mapping

from takeback.locate import Agents

_MARKS: Mapping[str, tuple[str, ...]] = {
    "claude-code": (".claude", "CLAUDE.md"),
    "codex": (".codex", "AGENTS.md"),
    "gemini-cli": (".gemini", "GEMINI.md"),
    "opencode": (".opencode", "opencode.json", "opencode.jsonc"),
}
"""What a project has in which an agent works."""


def used_in_project(where: Agents) -> list[str]:
    """The agents that the project has files for."""
    return [name for name, marks in _MARKS.items() if any(_exists(where.project, mark) for mark in marks)]


def used_by_person(where: Agents) -> list[str]:
    """The agents that have been started by this person."""
    homes = where._asdict()
    return [name for name in (*_MARKS, "docker-agent") if os.path.isdir(homes[name.replace("-", "_")])]


def _exists(directory: str, name: str) -> bool:
    return os.path.lexists(os.path.join(directory, name))
