"""Merge ahead: long text merges of a verb are computed while it holds no lock."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from takeback.sources.workspace.merge_memo import Postponed, merging

P = ParamSpec("P")
R = TypeVar("R")

_ATTEMPTS = 8
"""A merge can need the result of another one, and files can change while merges are computed."""


def without_long_merges(verb: Callable[P, R]) -> Callable[P, R]:
    """A verb that plans and locks. Where it needs a long merge, it changes nothing, gives up its locks, and begins again once the merge
    is computed. If files change each time meanwhile, what still needs a long merge is a conflict."""

    @wraps(verb)
    def begun_again(*arguments: P.args, **named: P.kwargs) -> R:
        with merging() as memo:
            for _ in range(_ATTEMPTS):
                try:
                    with memo.brief(may_postpone=True):
                        return verb(*arguments, **named)
                except Postponed:
                    memo.catch_up()
            with memo.brief(may_postpone=False):
                return verb(*arguments, **named)

    return begun_again
