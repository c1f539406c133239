"""The order in which the tests of this very run are."""

from __future__ import annotations

import os

import pytest

from support import order


def test_those_that_run_alone_come_first_then_those_of_a_browser_then_the_long_ones(
    request: pytest.FixtureRequest,
) -> None:
    def rank(item: pytest.Item) -> int:
        if item.get_closest_marker("quiet"):
            return 0
        if order.needs_browser(item):
            return 1
        return 2 if order.long_directory(item) else 3

    ranks = [rank(item) for item in request.session.items]
    assert ranks == sorted(ranks)


def test_one_worker_has_all_tests_of_a_group(request: pytest.FixtureRequest) -> None:
    has_workers = "PYTEST_XDIST_WORKER" in os.environ
    for item in request.session.items:
        if (group := order.group(item)) is not None:
            assert item.nodeid.endswith(f"@{group}") == has_workers


def test_of_every_directory_the_same_share_is_done_at_any_time() -> None:
    assert "".join(order.side_by_side({"one": "abcd", "none": "", "other": "XY"})) == "aXbcYd"


def test_workers_get_tests_one_by_one(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.getoption("maxschedchunk") == 1, "otherwise all long ones are the same worker's"


def test_names_of_tests_fit_into_the_environment_of_programs(request: pytest.FixtureRequest) -> None:
    assert max(len(item.nodeid) for item in request.session.items) < 1000
