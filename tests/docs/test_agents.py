"""docs/agents.md: three commands for each agent, a disaster that was really taken back, and nothing that is not so."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from bench import words
from support.agents.disaster import BLOCK, PAGE, Disaster
from support.agents.model import Model
from support.chance import without_chance
from support.cli import Cli
from takeback.adapters.hooks.agents import AGENTS as HOOKED
from takeback.adapters.hooks.effects import effects_of
from takeback.adapters.install.agents import AGENTS
from takeback.locate.settings import SETTINGS
from takeback.model.effect_rule import effect_rule
from takeback.sources.transcript.agents import KEEPS

DOCUMENT = PAGE.read_text()
PROGRAMS = {
    "claude-code": "claude",
    "codex": "codex",
    "gemini-cli": "gemini",
    "docker-agent": "docker agent run agent.yaml",
    "opencode": "opencode",
}


EXTRAS = tomllib.loads((PAGE.parents[1] / "pyproject.toml").read_text())["project"]["optional-dependencies"]
"""An agent may have one of its own name."""


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)


def rows() -> dict[str, list[str]]:
    """The table of agents: what is said about each, by its name."""
    found = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in DOCUMENT.splitlines() if line[:3] == "| ["
    ]
    return {row[1].strip("`"): row for row in found}


def test_every_agent_has_three_commands_and_a_line_in_the_table() -> None:
    assert rows().keys() == AGENTS.keys() == HOOKED.keys()
    for name, agent in AGENTS.items():
        (section,) = re.findall(
            rf"^## {re.escape(agent.title)}\n\n```sh\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL
        )
        extra = f"'.[{name}]'" if name in EXTRAS else "."
        assert section.splitlines() == [f"pipx install {extra}", f"takeback install {name}", PROGRAMS[name]]
        assert rows()[name][0] == f"[{agent.title}](#{agent.title.lower().replace(' ', '-')})"


def test_readme_begins_with_the_same_three_commands() -> None:
    readme = (PAGE.parents[1] / "README.md").read_text()
    (block,) = re.findall(r"^## With your agent\n\n```sh\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    commands = [line.partition("#")[0].strip() for line in block.splitlines()]
    assert commands == ["pipx install .", "takeback install claude-code", PROGRAMS["claude-code"]]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Cli:
    cli = Cli(tmp_path, capsysbinary)
    monkeypatch.chdir(cli.root)
    return cli


@pytest.mark.parametrize("name", AGENTS)
def test_the_commands_inside_an_agent_are_those_that_install_adds(name: str, cli: Cli) -> None:
    added = cli.json("install", name, "--yes")["commands"]
    assert added == [word for word in re.findall(r"`([^`]+)`", rows()[name][2]) if word.startswith("/")]


def test_whose_conversation_comes_back_and_how_is_as_it_says() -> None:
    assert {name for name, row in rows().items() if row[3] == "yes"} == KEEPS.keys()
    said = dict(re.findall(r"^\| ([^|`\[]+) \| `([^`]+)` \|$", DOCUMENT, re.MULTILINE))
    assert said == {AGENTS[name].title: keeps.resume.format(id="ID") for name, keeps in KEEPS.items()}


def test_the_rules_for_effects_are_rules() -> None:
    example = next(tomllib.loads(block) for block in blocks("toml") if "[[effects]]" in block)
    rules = tuple(effect_rule(table) for table in example["effects"])
    assert [each.kind for each in effects_of("Bash", {"command": "make ship"}, rules)] == ["deploy"]
    assert [each.kind for each in effects_of("mcp__pager__ring", {}, rules)] == ["pager"]


def test_every_setting_that_it_speaks_of_exists() -> None:
    said = set(re.findall(r"`(\w+) = \w+`", DOCUMENT))
    assert said == {"snapshots", "strict", "transcripts"}
    assert said <= SETTINGS.keys()


def test_the_servers_in_the_configurations_can_be_started(cli: Cli) -> None:
    servers = [json.loads(block)["mcpServers"]["takeback"] for block in blocks("json")]
    servers += [tomllib.loads(block)["mcp_servers"]["takeback"] for block in blocks("toml") if "mcp_servers" in block]
    assert len(servers) == 2
    for server in servers:
        assert server["command"] == "takeback"
        assert "as MCP tools on stdio" in cli(*server["args"], "--help").out


def test_what_it_costs_is_from_the_latest_run() -> None:
    assert words.sentences(words.latest()) in DOCUMENT, "run: python -m bench.words"


def test_the_cost_of_a_run_is_told_beside_those_of_git() -> None:
    run = [
        {"work": f"{words.HOOK}, 2 files changed, 10,000 files", "peer": peer, "takeback": 0.25, "peer_figure": figure}
        for peer, figure in (("docker-agent git", 0.125), ("opencode git", 0.5))
    ]
    told = words.sentences(run)
    assert "2 of 10,000 files took 0.25 s\n" in told
    assert "0.12 s as docker-agent runs it, 0.50 s as opencode runs it" in told


@pytest.mark.service("claude-code", "git")
def test_the_disaster_is_taken_back_as_the_page_shows_it(tmp_path: Path) -> None:
    with Model() as model:
        disaster = Disaster(tmp_path, model)
        recording = disaster.play()
    shown = BLOCK.search(DOCUMENT)
    assert shown is not None
    again = "run: PYTHONPATH=tests python -m support.agents.disaster"
    assert without_chance(shown[0]).splitlines() == without_chance(recording.text).splitlines(), again
    assert "add a health check" in recording.asked[-1]
    assert "clean up the project" not in recording.asked[-1], "the resumed agent never heard of it"
    assert sorted(path.name for path in (disaster.project / "src").iterdir()) == ["app.py", "cart.py", "health.py"]
