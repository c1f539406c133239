"""docs/reliability.md names all that is under fire, and every file that it points to exists."""

from __future__ import annotations

import re
from pathlib import Path

from crash.operations import OPERATIONS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reliability.md").read_text()


def test_every_operation_of_the_campaign_is_in_the_table() -> None:
    listed = set(re.findall(r"\| ([a-z][^|]+?) \| [\d,]+ \| [\d,]+ \|", PAGE.replace("| | |", "||")))
    assert {name for name in OPERATIONS if name not in listed} == set()


def test_every_test_it_names_exists() -> None:
    named = set(re.findall(r"`((?:tests|fuzz)/[\w/.]*)`", PAGE))
    assert len(named) > 8
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
