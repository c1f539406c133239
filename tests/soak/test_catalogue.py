"""The list of campaigns and the tests that belong to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from soak.catalogue import CAMPAIGNS
from soak.records import ROOT
from support import campaigns


def test_every_campaign_of_a_test_is_listed_and_every_listed_one_has_a_test(request: pytest.FixtureRequest) -> None:
    found = {name for _, name in request.config.stash[campaigns.NAMES]}
    assert "" not in found, "a test that only `make soak` runs belongs to no campaign"
    listed = {each.name for each in CAMPAIGNS}
    assert found <= listed, f"not in soak/catalogue.py: {sorted(found - listed)}"
    if {Path(path).resolve() for path in request.config.args} == {ROOT / "tests"}:
        assert listed <= found, f"no test belongs to {sorted(listed - found)}"


def test_a_campaign_looks_for_its_tests_where_they_are(request: pytest.FixtureRequest) -> None:
    places = {each.name: [ROOT / path for path in each.tests] for each in CAMPAIGNS}
    found = request.config.stash[campaigns.NAMES]
    lost = [
        (file, name)
        for file, name in sorted(found)
        if not any(Path(file).is_relative_to(place) for place in places.get(name, []))
    ]
    assert not lost, "a campaign does not read the file of its test"


def test_a_campaign_has_one_name_and_tests_that_are_there() -> None:
    names = [each.name for each in CAMPAIGNS]
    assert len(names) == len(set(names))
    for each in CAMPAIGNS:
        assert each.tests and all((ROOT / path).exists() for path in each.tests), each
        assert each.seconds > 0 and each.runs > 0, each
