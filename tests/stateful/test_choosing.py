"""A person and agents work, and only some of what was recorded is taken back: by checkboxes, as faces have them.

What must hold: a narrowed plan does nothing that was not chosen, and each of its effects is one that was shown; nothing
else in the world changes; what was chosen and is not done is told; and all laws, through `World.checked`.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

from support.machine.agents import Agents
from support.machine.choosing import Choosing
from support.machine.people import People

SOAK = os.environ.get("TAKEBACK_TEST_SOAK") == "1"


class Choices(People, Agents, Choosing):
    """All of them at once."""


TestChoices = Choices.TestCase
TestChoices.settings = settings(
    max_examples=400 if SOAK else 6,
    stateful_step_count=60 if SOAK else 20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
