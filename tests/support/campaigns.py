"""Campaigns: tests that repeat one thing for confidence, such as kills at every step or random histories.

`make test` runs a slice of each campaign with a fixed seed. `make soak` (the package ``soak``) runs campaigns whole, each in a pytest
process of its own, and passes the campaign's name and seed in the environment. Only this module reads these two variables.

A test joins a campaign with ``@pytest.mark.campaign("crash-undo")`` and asks `size`, `pick`, `shards` or `seed` how much to do.
``@pytest.mark.soak`` on a test or a parameter leaves it to `make soak`. Two campaigns need no mark: ``generated`` has every
test that Hypothesis drives, ``container-strategies`` every test with the fixture ``strategy``, unless another campaign has it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import pytest

CAMPAIGN, SEED = "TAKEBACK_TEST_SOAK", "TAKEBACK_TEST_SEED"
GENERATED, STRATEGIES = "generated", "container-strategies"
FIXED_SEED = 1

NAMES = pytest.StashKey[set[tuple[str, str]]]()
"""The campaigns of collected tests: the file and the campaign; "" for a test that only `make soak` runs, and that has none."""

_RUNS = "campaign_runs"
_T = TypeVar("_T")


def running() -> str | None:
    """The campaign that this pytest process runs whole; none in `make test`."""
    return os.environ.get(CAMPAIGN) or None


def seed() -> int:
    """The seed of whatever is random in a campaign: always the same in `make test`."""
    return int(os.environ.get(SEED, FIXED_SEED)) if running() else FIXED_SEED


def size(slice: _T, whole: _T) -> _T:
    """How much to do: the slice in `make test`, the whole in `make soak`."""
    return whole if running() else slice


def pick(cases: Sequence[_T], count: int) -> list[_T]:
    """All cases in `make soak`; in `make test` as many as ``count``, spread evenly, the first and the last among them."""
    if running() or len(cases) <= count:
        return list(cases)
    if count == 1:
        return [cases[len(cases) // 2]]
    return [cases[number * (len(cases) - 1) // (count - 1)] for number in range(count)]


def shards(count: int, slice: int = 1) -> list[Any]:
    """Numbers to parametrize a long campaign with, so that it can be resumed in the middle. `make test` runs the first ``slice``."""
    return [pytest.param(number, marks=() if number < slice else pytest.mark.soak) for number in range(count)]


def rest(values: Iterable[Any]) -> list[Any]:
    """Parameters that only `make soak` tries."""
    return [pytest.param(value, marks=pytest.mark.soak) for value in values]


def count_runs(record: Callable[[str, object], None], runs: int) -> None:
    """Tell `make soak` how many runs a test made (``record`` is ``record_property``); a test that does not tell made one."""
    record(_RUNS, runs)


def runs_of(properties: Iterable[tuple[str, object]]) -> int:
    """The number of runs among a report's user properties."""
    told = [value for name, value in properties if name == _RUNS]
    return sum(value for value in told if isinstance(value, int)) if told else 1


def campaigns_of(item: pytest.Item) -> set[str]:
    """The campaigns that a test belongs to."""
    names = {str(name) for mark in item.iter_markers("campaign") for name in mark.args}
    if is_generated(item) and not names:
        names.add(GENERATED)
    if strategy_of(item) is not None and not names:
        names.add(STRATEGIES)
    return names


def is_generated(item: pytest.Item) -> bool:
    """Whether Hypothesis makes the test's examples."""
    return bool(getattr(getattr(item, "obj", None), "is_hypothesis_test", False))


def strategy_of(item: pytest.Item) -> object:
    """The strategy that a container test is run with, if it has one as a parameter."""
    call = getattr(item, "callspec", None)
    return call.params.get("strategy") if call is not None and "boxes" in getattr(item, "fixturenames", ()) else None


def belongs(item: pytest.Item) -> bool:
    """Whether this run has the test: `make test` leaves out what only `make soak` tries, a campaign has its own tests."""
    if (name := running()) is not None:
        return name in campaigns_of(item)
    if item.get_closest_marker("soak") is not None:
        return False
    return strategy_of(item) in (None, "overlay") or item.get_closest_marker("both_strategies") is not None


def _named(item: pytest.Item) -> set[str]:
    names = campaigns_of(item)
    return names or ({""} if item.get_closest_marker("soak") is not None else set())


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that this run does not have."""
    config.stash[NAMES] = {(str(item.path), name) for item in items for name in _named(item)}
    left = [item for item in items if not belongs(item)]
    if left:
        items[:] = [item for item in items if belongs(item)]
        config.hook.pytest_deselected(items=left)
