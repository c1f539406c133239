from __future__ import annotations

import pytest

from bench.measure import alternating
from bench.picture import picture
from bench.rows import LeftOut, Row, against, met
from bench.table import table


def row(ours: list[float], theirs: list[float], target: float | None) -> Row:
    return Row("work", "peer", "s", tuple(ours), tuple(theirs), target)


def test_a_ratio_is_of_medians_so_one_slow_round_does_not_count() -> None:
    assert row([1.0, 1.0, 90.0], [2.0, 2.0, 2.0], None).ratio == 0.5


@pytest.mark.parametrize(
    ("ours", "target", "verdict"), [(0.5, 0.5, "met"), (0.51, 0.5, "missed"), (0.1, 1.0, "met"), (9.0, None, "")]
)
def test_a_verdict_compares_the_ratio_with_the_largest_that_is_good_enough(
    ours: float, target: float | None, verdict: str
) -> None:
    assert row([ours], [1.0], target).verdict == verdict


def test_peers_without_samples_give_no_row() -> None:
    found = against(
        "work", "s", {"takeback": [1.0], "git": [2.0], "restic": []}, {"git": 1.0, "restic": 1.0, "borg": 1.0}
    )
    assert [(each.peer, each.ratio) for each in found] == [("git", 0.5)]


def test_rows_that_only_inform_are_not_counted() -> None:
    assert met([row([1.0], [2.0], 1.0), row([3.0], [2.0], 1.0), row([3.0], [2.0], None)]) == (1, 2)


def test_everybody_goes_first_as_often() -> None:
    firsts = [order[0][0] for _, order in alternating({"a": 1, "b": 2, "c": 3}, 6)]
    assert firsts == ["a", "b", "c", "a", "b", "c"]


def test_table_and_picture_name_what_was_measured_and_what_was_left_out() -> None:
    rows = [row([0.5], [1.0], 0.1), row([1e9], [1.0], None)]
    text = table(rows, [LeftOut("against borg", "not installed")])
    assert "500.0 ms" in text and "missed" in text and "against borg: not installed" in text
    assert picture(rows).count("work — peer") == 2
