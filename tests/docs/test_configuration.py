"""docs/configuration.md lists every setting, as it is."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from takeback.adapters.hooks.effects import effects_of
from takeback.engine import due
from takeback.locate import SETTINGS, Setting
from takeback.locate.layers import sound_settings
from takeback.model.effect_rule import effect_rule

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "configuration.md").read_text()


def rows() -> dict[str, list[str]]:
    found = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in DOCUMENT.splitlines() if line[:3] == "| `"
    ]
    return {row[0].strip("`"): row[1:] for row in found}


def test_every_setting_is_documented_with_where_it_may_be_set() -> None:
    said = {name: (project, variable.strip("`")) for name, (_, project, variable, _) in rows().items()}

    def in_a_project(each: Setting) -> str:
        return "[named](#containers-and-teams)" if each.agreed else "yes" if each.project else "no"

    assert said == {name: (in_a_project(each), each.variable) for name, each in SETTINGS.items()}


def test_the_defaults_are_those_of_the_code() -> None:
    for name, (default, *_) in rows().items():
        value = SETTINGS[name].default
        text = json.dumps(value) if isinstance(value, tuple) else str(value)
        assert default.strip("`") == text if value else "`" not in default or name == "store", name


def test_the_example_of_what_is_declared_can_be_read() -> None:
    (example,) = re.findall(r"```toml\n(containers.*?)```", DOCUMENT, re.DOTALL)
    warnings: list[str] = []
    found = sound_settings("takeback.toml", tomllib.loads(example), warnings)
    assert not warnings
    assert [each.said for each in (*found["containers"], *found["teams"])] == [
        "container sandbox",
        "container db=pg-1",
        "team alpha",
    ]


def test_the_numbers_of_upkeep_are_those_of_the_code() -> None:
    for number in (due.HOT_FRAMES, due.SESSION_FRAMES, due.LONG_HISTORY):
        assert f"{number:,}" in DOCUMENT
    assert f"{due.HOT_BYTES >> 20} MiB" in DOCUMENT


def test_the_rules_for_effects_do_what_is_said_about_them() -> None:
    (example,) = re.findall(r"```toml\n(\[\[effects.*?)```", DOCUMENT, re.DOTALL)
    rules = tuple(effect_rule(table) for table in tomllib.loads(example)["effects"])

    def kinds(command: str) -> list[str]:
        return [effect.kind for effect in effects_of("Bash", {"command": command}, rules)]

    assert kinds("make ship") == kinds("make -C app rollback") == ["deploy"]
    assert kinds("make -n ship") == kinds("make test") == kinds("git push sandbox") == []
    assert kinds("git push origin") == ["push"]
    assert [effect.kind for effect in effects_of("mcp__pager__ring", {}, rules)] == ["pager"]
