"""The list of campaigns and the tests that belong to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from soak.catalogue import CAMPAIGNS
from soak.records import ROOT
from support import campaigns


def test_every_campaign_of_a_test_is_listed_and_every_listed_one_has_a_test(request: pytest.FixtureRequest) -> None:
    found = request.config.stash[campaigns.NAMES]
    listed = {each.name for each in CAMPAIGNS}
    assert found <= listed, f"not in soak/catalogue.py: {sorted(found - listed)}"
    if {Path(path).resolve() for path in request.config.args} == {ROOT / "tests"}:
        assert listed <= found, f"no test belongs to {sorted(listed - found)}"


def test_a_campaign_has_one_name_and_tests_that_are_there() -> None:
    names = [each.name for each in CAMPAIGNS]
    assert len(names) == len(set(names))
    for each in CAMPAIGNS:
        assert each.tests and all((ROOT / path).exists() for path in each.tests), each
        assert each.seconds > 0 and each.runs > 0, each
