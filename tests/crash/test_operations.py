"""Whatever happens at whatever point of an operation: the store is whole, nothing that was reported is missing, the
workspace is as before or as planned after the next command, and nothing is left behind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from crash.campaign import Stage
from crash.operations import OPERATIONS
from support import campaigns, counts, faults
from support.faults import BROKEN
from support.faults.zygote import Zygote

RUNS = 4
"""How many `make test` makes with an operation."""
SHOWN = 10


def campaign(name: str) -> str:
    """The campaign of an operation: ``crash-save-new-store`` for "save (new store)"."""
    return "-".join(["crash", *re.findall(r"\w+", name)])


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.campaign(campaign(name))) for name in OPERATIONS]
)
def test_killed_failed_or_out_of_space_at_any_point(
    zygote: Zygote, name: str, memory_path: Path, record_property: counts.Tell
) -> None:
    stage = Stage(zygote, OPERATIONS[name], memory_path)
    points = stage.clean.points
    chosen = faults.some(points, count=RUNS)
    wrong = []
    for fault, at in chosen:
        if trouble := stage.run(fault, at):
            wrong.append(f"{fault}, at point {at} ({points[at - 1].text}): {trouble}")
    campaigns.count_runs(record_property, len(chosen))
    counts.tell(
        record_property,
        f"{name}: {len(points)} points, {len(BROKEN)} faults where they apply: "
        f"{len(chosen)} of {len(faults.runs(points))} runs",
    )
    assert not wrong, "\n".join([f"{len(wrong)} of {len(chosen)} went wrong", *wrong[:SHOWN]])
