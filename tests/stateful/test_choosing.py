"""A person and agents work, and only some of what was recorded is taken back: by checkboxes, as faces have them.

What must hold: a narrowed plan does nothing that was not chosen, and each of its effects is one that was shown; nothing
else in the world changes; what was chosen and is not done is told; and all laws, through `World.checked`.
"""

from __future__ import annotations

import pytest

from support import campaigns, generated
from support.counts import Tell
from support.machine.agents import Agents
from support.machine.choosing import Choosing
from support.machine.people import People

EXAMPLES, STEPS = campaigns.size(5, 50), campaigns.size(20, 60)


class Choices(People, Agents, Choosing):
    """All of them at once."""


@pytest.mark.campaign("stateful-choosing")
@pytest.mark.parametrize("shard", campaigns.shards(8))
def test_choices(shard: int, record_property: Tell) -> None:
    generated.run_machine(Choices, shard=shard, examples=EXAMPLES, steps=STEPS)
    campaigns.count_runs(record_property, EXAMPLES)
