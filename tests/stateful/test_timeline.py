"""A person and two agents work in a directory and its forks, in any order, against a model that is a dict.

What must hold after every step: the store verifies; snapshots read back byte by byte; a restore gives exactly what was
saved; undo of a move that nobody touched since gives exactly what was there before it; redo gives back what undo took;
a line that a person wrote is never taken by the undo of an agent's move; undo changes only what its moves had touched;
prune lets go exactly what it should, and what is dropped comes back until it is swept; who is killed anywhere leaves
what was there or what was planned; and, through `World.checked`, the present was saved first, exactly the reported
paths changed, and a failure changed nothing.

``TAKEBACK_TEST_SOAK=1`` runs many more and longer ones (`make soak`).
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

from support.machine.agents import Agents
from support.machine.keeping import Keeping
from support.machine.people import People
from support.machine.takebacks import Takebacks

SOAK = os.environ.get("TAKEBACK_TEST_SOAK") == "1"


class Timeline(People, Agents, Takebacks, Keeping):
    """All of them at once."""


TestTimeline = Timeline.TestCase
TestTimeline.settings = settings(
    max_examples=600 if SOAK else 22,
    stateful_step_count=80 if SOAK else 40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
