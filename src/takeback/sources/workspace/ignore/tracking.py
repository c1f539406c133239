"""What git tracks, asked for by paths of the walk, and remembered between saves so that the index is seldom read.

An index of 50,000 entries takes tens of milliseconds to read. Most saves only want to know that it is the one they
know, and whether anything tracked lies in the few directories that are ignored; both are remembered.
"""

from __future__ import annotations

import json

from takeback.model.tree import name_bytes
from takeback.sources.workspace import git
from takeback.sources.workspace.git.index import Signature, Tracked


class Remembered:
    """What is known of one state of an index."""

    def __init__(self, signature: Signature, digest: bytes, below: dict[str, bool] | None = None) -> None:
        self.signature, self.digest = signature, digest
        self.below = {} if below is None else below
        """Directories that were asked for, and whether anything tracked lies below them."""


class TrackedCache:
    """Git directory -> what is remembered of its index. A derived value: it may be lost at any time."""

    def __init__(self, indexes: dict[str, Remembered] | None = None) -> None:
        self.known = indexes or {}
        self.asked: dict[str, Remembered] = {}

    def encode(self) -> bytes:
        """What this walk asked for, to be handed to `decode` at the next."""
        rows = {path: [each.signature, each.digest.hex(), each.below] for path, each in sorted(self.asked.items())}
        return json.dumps(rows, separators=(",", ":"), sort_keys=True).encode("ascii")

    @classmethod
    def decode(cls, data: bytes) -> TrackedCache:
        """The inverse of `encode`; empty for any other bytes."""
        try:
            rows = json.loads(data) if data else {}
            known = {
                str(path): Remembered(tuple(map(int, signature)), bytes.fromhex(digest), dict(below))
                for path, (signature, digest, below) in rows.items()
            }
        except (ValueError, TypeError, AttributeError, RecursionError):
            return cls()
        return cls(known)


class Tracking:
    """One repository on the walk. ``start`` is where paths from its top level begin in paths of the walk."""

    def __init__(self, repository: git.Repository, start: int, cache: TrackedCache) -> None:
        self._repository = repository
        self._start = start
        self._cache = cache
        self._tracked: Tracked | None = None
        self._remembered: Remembered | None = None
        self._known: dict[str, bool] = {}

    def digest(self) -> bytes:
        return self._memory().digest

    def holds(self, path: str) -> bool:
        self._memory()
        return self._load().holds(name_bytes(path[self._start :]))

    def holds_below(self, path: str) -> bool:
        memory, inside = self._memory(), path[self._start :]
        answer = memory.below.get(inside)
        if answer is None:
            answer = self._known.get(inside)
            if answer is None:
                answer = self._load().holds_below(name_bytes(inside))
            memory.below[inside] = answer
        return answer

    def _memory(self) -> Remembered:
        if self._remembered is None:
            key, signature = self._repository.git_dir, self._repository.index_signature()
            known = self._cache.known.get(key)
            if known is not None and known.signature == signature:
                self._known = known.below
                self._remembered = Remembered(signature, known.digest)
            else:
                self._remembered = Remembered(signature, self._load().digest)
            self._cache.asked[key] = self._remembered
        return self._remembered

    def _load(self) -> Tracked:
        if self._tracked is None:
            self._tracked = self._repository.tracked()
        return self._tracked
