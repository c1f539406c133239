"""A session is found by its id in the homes of the agents that keep sessions as files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from takeback.sources.transcript.finding import Kept, find

SESSION = "0f8fad5b-d9cb-469f-a165-70867728950e"
OTHER = "11111111-d9cb-469f-a165-70867728950e"


@pytest.fixture
def homes(tmp_path: Path) -> dict[str, str]:
    return {agent: str(tmp_path / agent) for agent in ("claude-code", "codex", "gemini-cli", "opencode")}


def _write(homes: dict[str, str], agent: str, path: str, seconds: int = 0) -> str:
    file = Path(homes[agent]) / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("{}\n")
    if seconds:
        os.utime(file, (seconds, seconds))
    return str(file)


@pytest.mark.parametrize(
    ("agent", "path"),
    [
        ("claude-code", f"projects/-home-me-project/{SESSION}.jsonl"),
        ("codex", f"sessions/2026/11/15/rollout-2026-11-15T10-00-00-{SESSION}.jsonl"),
        ("gemini-cli", "tmp/abcdef/chats/session-2026-11-15T10-00-0f8fad5b.json"),
    ],
)
def test_each_agents_own_way_of_keeping_is_known(homes: dict[str, str], agent: str, path: str) -> None:
    file = _write(homes, agent, path)
    _write(homes, agent, path.replace("0f8fad5b", "22222222"))
    assert find(homes, [SESSION, OTHER]) == {SESSION: Kept(agent, file)}


def test_the_newest_of_several_is_meant(homes: dict[str, str]) -> None:
    _write(homes, "claude-code", f"projects/a/{SESSION}.jsonl", 1_000)
    newest = _write(homes, "claude-code", f"projects/b/{SESSION}.jsonl", 3_000)
    _write(homes, "claude-code", f"projects/c/{SESSION}.jsonl", 2_000)
    assert find(homes, [SESSION])[SESSION].file == newest


def test_links_other_places_and_ids_that_are_none_lead_nowhere(homes: dict[str, str], tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / f"{SESSION}.jsonl").write_text("{}\n")
    projects = Path(homes["claude-code"]) / "projects"
    projects.mkdir(parents=True)
    (projects / "link").symlink_to(outside)
    (projects / f"{SESSION}.jsonl").symlink_to(outside / f"{SESSION}.jsonl")
    (projects / f"x{SESSION}.jsonl").mkdir()
    _write(homes, "claude-code", f"elsewhere/{SESSION}.jsonl")
    _write(homes, "opencode", f"projects/{SESSION}.jsonl")
    assert find(homes, [SESSION, "../x", "", "*"]) == {}
    assert find({}, [SESSION]) == {}
