"""Four parts are put back together, and something fails at every step on the way: then all four are exactly as before.

A step is whatever changes something on a disk, each call to the engine, each time that the memory's lock is taken or given
back, and each thing that a source is asked or that is committed. `make test` tries some failures of each kind, `make soak` every
failure at every step.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import takeback as tb
from support import campaigns
from support.counts import Tell, tell
from support.faults.zygote import Zygote
from support.together.campaign import VERBS, Campaign, failures, kills
from support.together.trying import Wrong
from support.together.world import World

pytestmark = pytest.mark.service("docker")

STEPS = 150
"""More than so many there are; a count that is much lower would mean that most of them are not seen."""


FAILING, KILLED = 12, 4
"""Shards."""


def _in_campaigns(name: str, count: int) -> list[object]:
    """Verb and shard; each verb has a campaign of its own."""
    return [
        pytest.param(
            verb, shard, marks=[pytest.mark.campaign(f"{name}-{verb}"), *([pytest.mark.soak] if shard else [])]
        )
        for verb in VERBS
        for shard in range(count)
    ]


@pytest.mark.parametrize(("verb", "shard"), _in_campaigns("together", FAILING))
def test_whatever_fails_all_four_parts_are_as_before(
    four: World, zygote: Zygote, verb: str, shard: int, record_property: Tell
) -> None:
    campaign = Campaign(four, zygote, verb)
    steps = campaign.steps()
    wrongs = _mine([*failures(steps)], shard, FAILING, some=3)
    _run(campaign, steps, wrongs, f"{verb} of four parts", record_property)
    assert campaign.ends["as it was"] > campaign.ends["as wanted"], "most of them should have changed nothing"


@pytest.mark.parametrize(("verb", "shard"), _in_campaigns("together-killed", KILLED))
def test_a_process_that_is_killed_leaves_all_four_parts_on_one_side(
    four: World, zygote: Zygote, verb: str, shard: int, record_property: Tell
) -> None:
    campaign = Campaign(four, zygote, verb)
    steps = campaign.steps()
    wrongs = _mine([*kills(steps)], shard, KILLED, some=1)
    _run(campaign, steps, wrongs, f"{verb} of four parts, killed", record_property)
    assert campaign.ends["as it was"] and campaign.ends["as wanted"]


def _mine(wrongs: Sequence[Wrong], shard: int, count: int, *, some: int) -> list[Wrong]:
    """The share of a shard; in `make test` some of each kind of step."""
    if campaigns.running():
        return list(wrongs[shard::count])
    kinds = dict.fromkeys(wrong.where for wrong in wrongs)
    return [wrong for kind in kinds for wrong in campaigns.pick([each for each in wrongs if each.where == kind], some)]


def _run(campaign: Campaign, steps: dict[str, list[str]], wrongs: list[Wrong], what: str, record: Tell) -> None:
    total = sum(map(len, steps.values()))
    counted = ", ".join(f"{len(some)} × {where}" for where, some in steps.items())
    found = []
    for wrong in wrongs:
        trouble = campaign.run(wrong)
        if trouble:
            found.append(f"{wrong} ({steps[wrong.where][wrong.at - 1]}): {trouble}")
            break  # the world is not as any later one would expect it
    tell(record, f"{what}: {total} steps ({counted}); something went wrong {len(wrongs)} times")
    campaigns.count_runs(record, len(wrongs))
    assert total > STEPS
    assert not found, "\n".join(found)
    place = campaign.world.place
    with place.line(dict(campaign.sides[campaign.now].memory)) as line:
        line.save()
    with tb.open(place.store) as store:
        assert store.verify(read_data=True).ok
    assert not campaign.world.left()
