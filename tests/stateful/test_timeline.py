"""A person and two agents work in a directory and its forks, in any order, against a model that is a dict.

What must hold after every step: the store verifies; snapshots read back byte by byte; a restore gives exactly what was
saved; undo of a move that nobody touched since gives exactly what was there before it; redo gives back what undo took;
a line that a person wrote is never taken by the undo of an agent's move; undo changes only what its moves had touched;
prune lets go exactly what it should, and what is dropped comes back until it is swept; who is killed anywhere leaves
what was there or what was planned; and, through `World.checked`, the present was saved first, exactly the reported
paths changed, and a failure changed nothing.
"""

from __future__ import annotations

import pytest

from support import campaigns, generated
from support.counts import Tell
from support.faults.zygote import Zygote
from support.machine.agents import Agents
from support.machine.keeping import Keeping
from support.machine.people import People
from support.machine.takebacks import Takebacks

EXAMPLES, STEPS = campaigns.size(10, 50), campaigns.size(40, 80)


class Timeline(People, Agents, Takebacks, Keeping):
    """All of them at once."""


@pytest.mark.campaign("stateful-timeline")
@pytest.mark.parametrize("shard", campaigns.shards(10))
def test_timeline(shard: int, zygote: Zygote, record_property: Tell) -> None:
    Timeline.zygote = zygote
    generated.run_machine(Timeline, shard=shard, examples=EXAMPLES, steps=STEPS)
    campaigns.count_runs(record_property, EXAMPLES)
