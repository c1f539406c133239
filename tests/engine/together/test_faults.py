"""Four parts are put back together, and something fails at every step on the way: then all four are exactly as before.

A step is whatever changes something on a disk, each call to the engine, each time that the memory's lock is taken or given
back, and each thing that a source is asked or that is committed. In every run something fails at every step of the sources, at
every call that changes something in the engine, and at some of the others; with ``TAKEBACK_TEST_SOAK=1`` everything
fails everywhere.
"""

from __future__ import annotations

import os

import pytest

import takeback as tb
from support.counts import Tell, tell
from support.faults.zygote import Zygote
from support.together.campaign import VERBS, Campaign, failures, kills, some_failures
from support.together.trying import Wrong
from support.together.world import World

pytestmark = pytest.mark.service("docker")

SOAK = bool(os.environ.get("TAKEBACK_TEST_SOAK"))
STEPS = 150
"""More than so many there are; a count that is much lower would mean that most of them are not seen."""


@pytest.mark.parametrize("verb", VERBS)
def test_whatever_fails_all_four_parts_are_as_before(
    four: World, zygote: Zygote, verb: str, record_property: Tell
) -> None:
    campaign = Campaign(four, zygote, verb)
    steps = campaign.steps()
    wrongs = list(failures(steps) if SOAK else some_failures(steps, 12, 0 if verb == "restore" else 6))
    _run(campaign, steps, wrongs, f"{verb} of four parts", record_property)
    assert campaign.ends["as it was"] > campaign.ends["as wanted"], "most of them should have changed nothing"


@pytest.mark.parametrize("verb", VERBS)
def test_a_process_that_is_killed_leaves_all_four_parts_on_one_side(
    four: World, zygote: Zygote, verb: str, record_property: Tell
) -> None:
    campaign = Campaign(four, zygote, verb)
    steps = campaign.steps()
    wrongs = list(kills(steps) if SOAK else kills(steps, 24, 1 if verb == "restore" else 13))
    _run(campaign, steps, wrongs, f"{verb} of four parts, killed", record_property)
    assert campaign.ends["as it was"] and campaign.ends["as wanted"]


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
    assert total > STEPS
    assert not found, "\n".join(found)
    place = campaign.world.place
    with place.line(dict(campaign.sides[campaign.now].memory)) as line:
        line.save()
    with tb.open(place.store) as store:
        assert store.verify(read_data=True).ok
    assert not campaign.world.left()
