"""A snapshot of a running container in which little has changed since the last one, with both strategies, beside
`docker commit`: how long it takes, how long the container stands still, and what is kept.

All act on the same container, one after the other, in every round after the same change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import takeback as tb
from bench.measure import alternating, settled
from bench.peers.container import Container
from bench.rows import Row
from bench.trees import size

COMMIT = "docker commit"
STRATEGIES = ("overlay", "stream")
TIMES = {"overlay": 1 / 20, "stream": 1.0}
PAUSES = {"overlay": 1 / 10, "stream": None}
BYTES = 1 / 20
FULL_SIZE = 1024
"""Files of the delta that the targets are meant for."""
FELT = "the largest gap that a process in the container saw"
KEPT = "the first of them, which holds everything, included; docker's are the growth of its data"


class Sample(NamedTuple):
    seconds: float
    pause: float
    kept: int


class Ours:
    """A store with the snapshots of one strategy."""

    def __init__(self, place: Path, container: Container, strategy: str) -> None:
        self._place, self._container = place, container
        self._store = tb.open(place)
        source = tb.Container(container.name, strategy=strategy, client=container.api)
        self._line = self._store.timeline(container.name, sources=[source])

    def save(self) -> Sample:
        return _sample(self._container, lambda: self._line.save(trigger="interval"), lambda: size(self._place))

    def content(self) -> object:
        """What the last snapshot holds of the container."""
        return self._line.show("@").parts["container"].content

    def close(self) -> None:
        self._store.close()


class Theirs:
    """Images, each of which is forgotten when it has been weighed: nothing of one is used by the next."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._kept = 0

    def save(self) -> Sample:
        images: list[str] = []
        before = self._container.engine_bytes()
        taken = _sample(self._container, lambda: images.append(self._container.commit()), lambda: 0)
        self._kept += self._container.engine_bytes() - before
        self._container.forget(images[0])
        return taken._replace(kept=self._kept)


def measure(base: Path, files: int, rounds: int) -> list[Row]:
    container = Container(base, files)
    try:
        ours = {strategy: Ours(base / strategy, container, strategy) for strategy in STRATEGIES}
        parties: dict[str, Ours | Theirs] = {**ours, COMMIT: Theirs(container)}
        first = {name: party.save() for name, party in parties.items()}
        later: dict[str, list[Sample]] = {name: [] for name in parties}
        for number, order in alternating(parties, rounds):
            container.change(number)
            for name, party in order:
                later[name].append(party.save())
            contents = {party.content() for party in ours.values()}
            if len(contents) > 1:
                raise RuntimeError("the two strategies did not capture the same")
        for party in ours.values():
            party.close()
    finally:
        container.remove()
    return _rows(files, first, later)


def _rows(files: int, first: dict[str, Sample], later: dict[str, list[Sample]]) -> list[Row]:
    much = "1 GiB" if files == FULL_SIZE else f"{files} MiB"
    snapshot = f"container, {much} in {files:,} files, 1 MiB changed"
    count = len(later[COMMIT]) + 1
    rows = []
    for name in STRATEGIES:
        ours, theirs = later[name], later[COMMIT]
        rows += [
            Row(f"{snapshot}: {name}", COMMIT, "s", _times(ours), _times(theirs), TIMES[name]),
            Row(f"pause for it: {name}", COMMIT, "s", _pauses(ours), _pauses(theirs), PAUSES[name], FELT),
            Row(
                f"bytes of {count} snapshots of it: {name}",
                COMMIT,
                "B",
                _kept(ours),
                _kept(theirs),
                _bytes(files),
                KEPT,
            ),
            Row(f"its first snapshot: {name}", COMMIT, "s", _times([first[name]]), _times([first[COMMIT]])),
        ]
    return rows


def _times(samples: Sequence[Sample]) -> tuple[float, ...]:
    return tuple(each.seconds for each in samples)


def _pauses(samples: Sequence[Sample]) -> tuple[float, ...]:
    return tuple(each.pause for each in samples)


def _kept(samples: Sequence[Sample]) -> tuple[float, ...]:
    return (float(samples[-1].kept),)


def _bytes(files: int) -> float | None:
    """The first snapshot holds everything, so with less in the container it weighs more in comparison."""
    return BYTES if files >= FULL_SIZE else None


def _sample(container: Container, step: Callable[[], object], kept: Callable[[], int]) -> Sample:
    container.longest_stop()
    took = settled(step)
    return Sample(took, container.longest_stop(), kept())
