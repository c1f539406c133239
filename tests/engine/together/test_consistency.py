"""A program writes the same number to its files, its container, its memory and its team, one after the other, as fast as it
can, and saves meanwhile: in every snapshot all four are of one instant."""

from __future__ import annotations

import pytest

from support import campaigns
from support.counts import Tell, tell
from support.together.counting import APART, TOGETHER, Account, Order, agree, run
from support.together.world import World

pytestmark = [pytest.mark.service("docker"), pytest.mark.campaign("together-consistency")]

SNAPSHOTS = campaigns.size(15, 250)
FEW = campaigns.size(10, 150)


def _run(four: World, snapshots: int, how: str = TOGETHER, *, whole: bool = False) -> Account:
    place = four.place
    account = run(Order(str(place.base), place.container, place.engine, snapshots, how, whole))
    assert not account.trouble
    assert len(account.seen) == snapshots
    return account


@pytest.mark.parametrize("shard", campaigns.shards(8))
def test_in_every_snapshot_under_load_all_four_parts_are_of_one_instant(
    four: World, shard: int, record_property: Tell
) -> None:
    account = _run(four, SNAPSHOTS)
    campaigns.count_runs(record_property, SNAPSHOTS)
    between = sum(1 for numbers in account.seen if len({*numbers}) > 1)
    tell(
        record_property,
        f"four parts of one instant: {len(account.seen)} snapshots while {account.written} numbers were written to each; "
        f"{between} between two writes of one number",
    )
    wrong = [numbers for numbers in account.seen if not agree(numbers)]
    assert not wrong, f"{len(wrong)} of {len(account.seen)} are of no instant: {wrong[:20]}"
    assert not account.unsettled
    assert len({tuple(numbers) for numbers in account.seen}) > SNAPSHOTS // 2, "there was no load"


def test_under_a_lock_that_is_held_for_all_writes_of_a_number_all_four_parts_have_the_same(four: World) -> None:
    account = _run(four, FEW, whole=True)
    wrong = [numbers for numbers in account.seen if len({*numbers}) > 1]
    assert not wrong
    assert not account.unsettled
    assert len({tuple(numbers) for numbers in account.seen}) > FEW // 2, "there was no load"


def test_the_same_parts_saved_one_after_the_other_are_of_no_instant(four: World) -> None:
    account = _run(four, FEW, APART)
    assert sum(1 for numbers in account.seen if not agree(numbers)) > FEW // 2
