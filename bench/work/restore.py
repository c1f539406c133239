"""Everything of the latest snapshot into an empty directory, as a whole command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bench.measure import Aside, alternating, settled
from bench.peers import restic
from bench.rows import Row, against
from bench.trees import Tree
from bench.work.first_capture import Kept


def measure(base: Path, tree: Tree, kept: Kept, rounds: int) -> list[Row]:
    parties: dict[str, Callable[[Path], None]] = {
        "takeback": kept.takeback.restore,
        "git checkout": kept.shadow.checkout,
    }
    if restic.is_there():
        parties["restic"] = kept.restic.restore
    times: dict[str, list[float]] = {name: [] for name in parties}
    place, aside = base / "restored", Aside(base / "restores")
    (base / "restores").mkdir()
    for _, order in alternating(parties, rounds):
        for name, put in order:
            times[name].append(settled(lambda put=put: put(place)))  # type: ignore[misc]  # mypy infers no type for it
            _check(name, place, tree)
            aside.put(place)
    targets = {"git checkout": 1.0, "restic": 1.0}
    return against(
        f"restore of everything, {tree.count:,} files", "s", times, targets, "takeback reads back what it wrote"
    )


def _check(name: str, place: Path, tree: Tree) -> None:
    for path in tree.spread(20):
        if not (place / path.relative_to(tree.root)).exists():
            raise RuntimeError(f"{name} did not restore everything")
