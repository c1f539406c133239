"""The order in which the tests of this very run are."""

from __future__ import annotations

import pytest

from support import order


def test_those_that_run_alone_come_first_and_the_long_ones_before_the_rest(request: pytest.FixtureRequest) -> None:
    def rank(item: pytest.Item) -> int:
        if item.get_closest_marker("quiet"):
            return 0
        return 1 if order.long_directory(item) else 2

    ranks = [rank(item) for item in request.session.items]
    assert ranks == sorted(ranks)


def test_of_every_directory_the_same_share_is_done_at_any_time() -> None:
    assert "".join(order.side_by_side({"one": "abcd", "none": "", "other": "XY"})) == "aXbcYd"


def test_workers_get_tests_one_by_one(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.getoption("maxschedchunk") == 1, "otherwise all long ones are the same worker's"
