"""In which order tests run. Workers get them one by one (``--maxschedchunk=1``), so what matters is what comes last: if that is
short, all workers end at once.

Tests that run alone come first, while no other test is under way that they would have to wait for. Then come the tests of a browser,
which one worker runs one after the other, and the directories with long tests, side by side: one waits for an engine while another
computes. The rest follow by name.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

LONG = (
    "adapters/cua",
    "crash",
    "e2e",
    "engine/together",
    "sources/container/live",
    "sources/team",
    "stateful",
    "tui",
    "web",
)
"""Directories below ``tests``, whose tests take long or wait."""

_TESTS = Path(__file__).parents[1]
_T = TypeVar("_T")


def arranged(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    alone: list[pytest.Item] = []
    browser: list[pytest.Item] = []
    long: dict[str, list[pytest.Item]] = {directory: [] for directory in LONG}
    rest: list[pytest.Item] = []
    for item in items:
        if item.get_closest_marker("quiet"):
            alone.append(item)
        elif needs_browser(item):
            browser.append(item)
        elif (directory := long_directory(item)) is not None:
            long[directory].append(item)
        else:
            rest.append(item)
    return [*alone, *browser, *side_by_side(long), *rest]


def needs_browser(item: pytest.Item) -> bool:
    return not {"browser", "shop"}.isdisjoint(getattr(item, "fixturenames", ()))


def group(item: pytest.Item) -> str | None:
    """The tests that one worker runs, because they share what takes long to make."""
    if needs_browser(item):
        return "browser"
    return "story" if "own_story" in getattr(item, "fixturenames", ()) else None


def long_directory(item: pytest.Item) -> str | None:
    return _long_directory(item.path)


@functools.cache
def _long_directory(path: Path) -> str | None:
    return next((each for each in LONG if path.is_relative_to(_TESTS / each)), None)


def side_by_side(groups: Mapping[str, Sequence[_T]]) -> list[_T]:
    """Each group in its own order, and of each the same share at any time."""
    shares = [((index + 0.5) / len(group), each) for group in groups.values() for index, each in enumerate(group)]
    return [each for _, each in sorted(shares, key=lambda share: share[0])]
