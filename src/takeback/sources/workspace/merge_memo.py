"""Merge memo: the text merges of one verb, by content, and the effort that is left for more.

A verb plans while it holds the root's lock, so a merge may take only little effort then. One that needs more is postponed: the plan ends
with `Postponed`, the verb gives up its locks, `MergeMemo.catch_up` computes the merge, and the verb begins again and finds the
result here. Results are found by the ids of the three contents, so what changed in between is never taken for what was merged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from takeback.model.line_diff.effort import Effort

_WHOLE_VERB = 5_000_000
"""Steps for all merges of a verb: about two seconds. A merge gets half of what is left, so the next one always has some."""
_UNDER_LOCK = 250_000
"""Steps for the merges of one plan while a lock is held: about a tenth of a second."""
_WAITING_BYTES = 64 << 20
"""So much text of postponed merges is held at the same time."""

Key = tuple[bytes, bytes, bytes]
"""The ids of a base, theirs and ours."""
Texts = tuple[bytes, bytes, bytes]
Merge = Callable[[bytes, bytes, bytes], bytes | None]
"""Merges texts with `effort`."""


class Merged(NamedTuple):
    """A merged text; None if both sides changed the same lines, or if the effort ended before that was clear."""

    text: bytes | None
    is_unclear: bool = False


class Postponed(Exception):
    """A plan needs merges that take too much effort while a lock is held. Nothing was changed."""


class MergeMemo:
    """Results, and the merges that wait to be computed."""

    def __init__(self) -> None:
        self._left = Effort(_WHOLE_VERB)
        self._brief: Effort | None = None
        self._may_postpone = False
        self.effort = Effort()
        """For the merge that is being computed."""
        self._results: dict[Key, Merged] = {}
        self._waiting: dict[Key, tuple[Texts, Merge]] = {}

    def get(self, key: Key, texts: Callable[[], Texts], merge: Merge) -> Merged:
        """The result of a merge. If it waits to be computed, it is unclear for now."""
        if key in self._results:
            return self._results[key]
        read = texts()
        found = self._computed(read, merge, self._left if self._brief is None else self._brief)
        if found.is_unclear and self._may_postpone:
            self._postpone(key, read, merge)
        else:
            self._results[key] = found
        return found

    @contextmanager
    def brief(self, *, may_postpone: bool) -> Iterator[None]:
        """While a lock is held."""
        brief = Effort(min(_UNDER_LOCK, self._left.left))
        self._left.left -= brief.left
        self._brief, self._may_postpone = brief, may_postpone
        try:
            yield
        finally:
            self._left.left += brief.left
            self._brief, self._may_postpone = None, False

    def check(self) -> None:
        """Postponed if a plan that used these merges is not to be believed."""
        if self._waiting:
            raise Postponed

    def catch_up(self) -> None:
        """Compute the merges that wait. What is unclear now remains so."""
        while self._waiting:
            key, (texts, merge) = self._waiting.popitem()
            self._results[key] = self._computed(texts, merge, self._left)

    def _computed(self, texts: Texts, merge: Merge, pool: Effort) -> Merged:
        with pool.share() as self.effort:
            text = merge(*texts)
            return Merged(text, text is None and self.effort.ended)

    def _postpone(self, key: Key, texts: Texts, merge: Merge) -> None:
        held = sum(len(text) for others, _ in self._waiting.values() for text in others)
        if not held or held + sum(map(len, texts)) <= _WAITING_BYTES:
            self._waiting[key] = texts, merge


_ACTIVE: ContextVar[MergeMemo | None] = ContextVar("merge_memo", default=None)


@contextmanager
def merging() -> Iterator[MergeMemo]:
    """The memo of the verb that is under way in this thread; if there is none, one for this block."""
    active = _ACTIVE.get()
    if active is not None:
        yield active
        return
    memo = MergeMemo()
    token = _ACTIVE.set(memo)
    try:
        yield memo
    finally:
        _ACTIVE.reset(token)
