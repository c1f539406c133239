"""What Hypothesis generates: the same examples in every `make test`, random ones from a known seed in `make soak`.

In `make test` there is no database, no clock and at most seconds of shrinking; a test gets a tenth of its examples unless it belongs to
a campaign that sets its own size. Hypothesis also tries constants that it finds in loaded modules. Which modules are loaded depends on
the tests that ran before on the same worker, so that is off.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis.database import InMemoryExampleDatabase
from hypothesis.internal.conjecture import engine, providers
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from support import campaigns

SHRINKING_SECONDS = 5
FEWEST = 10
"""Examples that a test keeps, if it has as many."""


def configure() -> None:
    """Load the profile of this run; call it before tests are collected."""
    whole = campaigns.running() is not None
    settings.register_profile(
        "takeback",
        deadline=None,  # a busy machine is slow, and that is no finding
        suppress_health_check=[HealthCheck.too_slow],
        derandomize=not whole,
        database=InMemoryExampleDatabase() if whole else None,
        print_blob=True,
    )
    settings.load_profile("takeback")
    if not whole:
        engine.MAX_SHRINKING_SECONDS = SHRINKING_SECONDS
        nothing = providers._local_constants
        providers._get_local_constants = lambda: nothing


def thin(item: pytest.Item) -> None:
    """Give a generated test its tenth in `make test`."""
    if campaigns.running() or not campaigns.is_generated(item) or item.get_closest_marker("campaign") is not None:
        return
    function: Any = getattr(item, "obj")  # noqa: B009 - an Item has it only if it is a function
    function = getattr(function, "__func__", function)
    if hasattr(function, "_takeback_thin"):  # another parameter of the same test
        return
    whole: settings | None = getattr(function, "_hypothesis_internal_use_settings", None)
    if whole is None:  # a state machine: `run_machine` sets its size
        return
    few = min(whole.max_examples, max(FEWEST, whole.max_examples // 10))
    function._hypothesis_internal_use_settings = settings(whole, max_examples=few)
    function._takeback_thin = True


@contextmanager
def counted(item: pytest.Item) -> Iterator[None]:
    """In `make soak`, a generated test's runs are its examples."""
    handle = getattr(getattr(item, "obj", None), "hypothesis", None)
    if not campaigns.running() or handle is None:
        yield
        return
    inner, examples = handle.inner_test, 0

    @functools.wraps(inner)
    def count(*arguments: Any, **named: Any) -> Any:
        nonlocal examples
        examples += 1
        return inner(*arguments, **named)

    handle.inner_test = count
    try:
        yield
    finally:
        handle.inner_test = inner
        campaigns.count_runs(lambda name, value: item.user_properties.append((name, value)), examples)


def run_machine(machine: type[RuleBasedStateMachine], *, shard: int, examples: int, steps: int) -> None:
    """Run a state machine with random histories of its own shard."""
    seeded = seed(campaigns.seed() * 1000 + shard)(machine)
    run_state_machine_as_test(
        seeded,
        settings=settings(max_examples=examples, stateful_step_count=steps, suppress_health_check=list(HealthCheck)),
    )
