"""docker-agent: hooks in the user's settings, or in a file of agents."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from support.installing import PYTHON, MakePlace, Place
from takeback.adapters import install
from takeback.errors import InvalidInput

TEAM = b"""\
#!/usr/bin/env docker agent run
agents:
  root:   # the first
    model: claude
    instruction: |
      Be good.

  helper: {model: gpt}
"""


def _install(here: Place, path: Path | None = None) -> install.Installation:
    agent, scope, file = install.choose("docker-agent", "project", here.where, str(path) if path else None)
    plan = install.plan_install(agent, scope, here.where, PYTHON, file=file)
    install.apply(plan)
    return plan


def _uninstall(here: Place, path: Path | None = None) -> None:
    agent, scope, file = install.choose("docker-agent", "project", here.where, str(path) if path else None)
    install.apply(install.plan_uninstall(agent, scope, here.where, file=file))


@pytest.mark.parametrize("data", [None, b"", b"# mine\n", b"settings:\n  theme: auto # mine\naliases: {}"], ids=repr)
def test_the_users_settings_come_back_to_the_byte(place: MakePlace, data: bytes | None) -> None:
    here = place("docker-agent")
    if data is not None:
        here.write(data)
    before = here.world()

    here.install()
    hooks = yaml.safe_load(here.file.read_bytes())["settings"]["hooks"]

    assert set(hooks) == {on.event for on in here.agent.events}
    assert hooks["turn_end"][0]["command"] == f"'{PYTHON}' -P -m takeback hook docker-agent"
    assert hooks["pre_tool_use"][0]["hooks"][0]["command"] == hooks["turn_end"][0]["command"]
    assert here.install().changes == ()
    here.uninstall()
    assert here.world() == before


def test_every_agent_of_a_named_file_gets_hooks_and_loses_them(place: MakePlace) -> None:
    here = place("docker-agent")
    path = here.project / "team.yaml"
    path.write_bytes(TEAM)

    _install(here, path)

    agents = yaml.safe_load(path.read_bytes())["agents"]
    assert set(agents["root"]["hooks"]) == set(agents["helper"]["hooks"]) == {on.event for on in here.agent.events}
    assert agents["root"]["instruction"] == "Be good.\n"
    assert _install(here, path).changes == ()
    _uninstall(here, path)
    assert path.read_bytes() == TEAM


def test_the_only_file_of_agents_in_a_project_is_found(place: MakePlace) -> None:
    here = place("docker-agent")
    (here.project / "compose.yaml").write_text("services: {}\n")
    path = here.project / "agent.yaml"
    path.write_bytes(TEAM)

    assert _install(here).file == str(path)
    (found,) = install.found(here.where)
    assert (found.agent, found.scope, found.file, found.interpreter) == ("docker-agent", "project", str(path), PYTHON)


@pytest.mark.parametrize(
    ("names", "why"), [([], "no file of agents"), (["a.yaml", "b.yml"], "several files of agents")]
)
def test_no_file_or_several_must_be_named(place: MakePlace, names: list[str], why: str) -> None:
    here = place("docker-agent")
    for name in names:
        (here.project / name).write_bytes(TEAM)

    with pytest.raises(InvalidInput, match=why):
        _install(here)


def test_a_new_agent_gets_its_hooks_at_the_next_install(place: MakePlace) -> None:
    here = place("docker-agent")
    path = here.project / "agent.yaml"
    path.write_bytes(TEAM)
    _install(here)
    path.write_bytes(path.read_bytes() + b"  third:\n    model: new\n")

    _install(here)

    agents = yaml.safe_load(path.read_bytes())["agents"]
    assert all(len(agent["hooks"]) == len(here.agent.events) for agent in agents.values())
    assert path.read_bytes().count(b"takeback hook") == 3 * len(here.agent.events)
    _uninstall(here)
    assert path.read_bytes() == TEAM + b"  third:\n    model: new\n"


def test_what_a_person_added_meanwhile_stays(place: MakePlace) -> None:
    here = place("docker-agent")
    path = here.project / "agent.yaml"
    path.write_bytes(b"agents:\n  root:\n    model: x\n")
    _install(here)
    text = path.read_text().replace("      turn_end:\n", "      turn_end:\n        - {type: command, command: ls}\n")
    path.write_text(text + "models: {}\n")

    _uninstall(here)

    assert yaml.safe_load(path.read_bytes()) == {
        "agents": {"root": {"model": "x", "hooks": {"turn_end": [{"type": "command", "command": "ls"}]}}},
        "models": {},
    }


def test_only_docker_agent_takes_a_file(place: MakePlace) -> None:
    here = place("codex")

    with pytest.raises(InvalidInput, match="Codex has files of its own"):
        install.choose("codex", "user", here.where, "hooks.json")


def test_a_file_that_is_not_there_is_refused(place: MakePlace) -> None:
    here = place("docker-agent")

    with pytest.raises(InvalidInput, match="there is no file"):
        _install(here, here.project / "nope.yaml")
    assert os.listdir(here.project) == []
