"""docs/configuration.md lists every setting, as it is."""

from __future__ import annotations

from pathlib import Path

from takeback.engine import due
from takeback.locate import SETTINGS

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "configuration.md").read_text()


def rows() -> dict[str, list[str]]:
    found = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in DOCUMENT.splitlines() if line[:3] == "| `"
    ]
    return {row[0].strip("`"): row[1:] for row in found}


def test_every_setting_is_documented_with_where_it_may_be_set() -> None:
    said = {name: (project, variable.strip("`")) for name, (_, project, variable, _) in rows().items()}
    assert said == {name: ("yes" if each.project else "no", each.variable) for name, each in SETTINGS.items()}


def test_the_defaults_are_those_of_the_code() -> None:
    for name, (default, *_) in rows().items():
        value = SETTINGS[name].default
        assert default.strip("`") == str(value) if value else "`" not in default or name == "store", name


def test_the_numbers_of_upkeep_are_those_of_the_code() -> None:
    for number in (due.HOT_FRAMES, due.SESSION_FRAMES, due.LONG_HISTORY):
        assert f"{number:,}" in DOCUMENT
    assert f"{due.HOT_BYTES >> 20} MiB" in DOCUMENT
