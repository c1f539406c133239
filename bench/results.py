"""A run as JSON, for whoever wants to compare runs of one machine; no path, name or address of it is in there."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import takeback as tb
from bench.rows import LeftOut, Row
from bench.scale import Scale


def document(rows: Sequence[Row], left_out: Sequence[LeftOut], scale: Scale, load: float) -> str:
    content = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "scale": asdict(scale),
        "machine": machine(load),
        "rows": [_row(row) for row in rows],
        "left_out": [asdict(item) for item in left_out],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def machine(load: float) -> dict[str, Any]:
    return {
        "cpus": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "takeback": tb.__version__,
        **{name: _version(name) for name in ("git", "restic", "borg", "dockerd")},
        "load_before": round(load, 1),
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "work": row.work,
        "peer": row.peer,
        "unit": row.unit,
        "takeback": row.our_median,
        "peer_figure": row.their_median,
        "ratio": round(row.ratio, 4),
        "target": row.target,
        "verdict": row.verdict,
        "note": row.note,
        "takeback_samples": row.ours,
        "peer_samples": row.theirs,
    }


def _version(program: str) -> str | None:
    if shutil.which(program) is None:
        return None
    flag = "version" if program == "restic" else "--version"
    said = subprocess.run([program, flag], capture_output=True, text=True).stdout
    return next((word for word in said.split() if word[0].isdigit()), None)
