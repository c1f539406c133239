"""Whatever happens at whatever point of an operation: the store is whole, nothing that was reported is missing, the
workspace is as before or as planned after the next command, and nothing is left behind."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from crash.campaign import Stage
from crash.operations import OPERATIONS
from support import counts
from support.faults import Fault, Point
from support.faults.zygote import Zygote

SOAK = bool(os.environ.get("TAKEBACK_TEST_SOAK"))
RUNS = 15
"""How many are made with an operation, unless all are."""
SHOWN = 10


@pytest.mark.parametrize("name", OPERATIONS)
def test_killed_failed_or_out_of_space_at_any_point(
    zygote: Zygote, name: str, memory_path: Path, record_property: counts.Tell
) -> None:
    stage = Stage(zygote, OPERATIONS[name], memory_path)
    points, runs = stage.clean.points, list(stage.runs())
    chosen = runs if SOAK else sample(points, runs)
    wrong = []
    for fault, at in chosen:
        if trouble := stage.run(fault, at):
            wrong.append(f"{fault}, at point {at} ({points[at - 1].text}): {trouble}")
    counts.tell(
        record_property,
        f"{name}: {len(points)} points, {len(Fault)} faults where they apply: {len(chosen)} of {len(runs)} runs",
    )
    assert not wrong, "\n".join([f"{len(wrong)} of {len(chosen)} went wrong", *wrong[:SHOWN]])


def sample(points: Sequence[Point], runs: Sequence[tuple[Fault, int]]) -> list[tuple[Fault, int]]:
    """Some of the runs, always the same; of equal calls in a row, as the pages of a commit are, only the ends."""
    last = len(points)
    ends = {
        at
        for at, point in enumerate(points, 1)
        if at in (1, last) or not point.text == points[at - 2].text == points[at].text
    }
    apart = [run for run in runs if run[1] in ends]
    chosen = random.Random(1).sample(range(len(apart)), min(RUNS, len(apart)))
    return [apart[number] for number in sorted(chosen)]
