"""Runs of equal items, measured by comparing slices: that costs a fraction of a comparison item by item."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

_FIRST = 16


def longest(a: Sequence[Any], i: int, b: Sequence[Any], j: int, most: int) -> int:
    """How many items from ``a[i]`` and ``b[j]`` on are the same. Both sequences are of one type."""
    return _longest(lambda done, more: a[i + done : i + done + more] == b[j + done : j + done + more], most)


def longest_before(a: Sequence[Any], i: int, b: Sequence[Any], j: int, most: int) -> int:
    """How many items right before ``a[i]`` and ``b[j]`` are the same."""
    return _longest(lambda done, more: a[i - done - more : i - done] == b[j - done - more : j - done], most)


def _longest(is_same: Callable[[int, int], bool], most: int) -> int:
    """``is_same`` compares so many items after those that are known to be the same."""
    done, more = 0, _FIRST
    while done < most:
        more = min(more, most - done)
        if is_same(done, more):
            done, more = done + more, more * 4
            continue
        while more > 1:
            half = more // 2
            done, more = (done + half, more - half) if is_same(done, half) else (done, half)
        break
    return done
