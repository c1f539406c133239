"""The JSON that commands print: `takeback.shapes`, one object on one line."""

from __future__ import annotations

import json

from takeback.shapes import (
    Shape,
    changes,
    choice,
    diff,
    differences,
    entries,
    iso,
    log,
    move,
    not_captured,
    notice,
    part,
    plan,
    report,
    row,
    shown,
    snapshot,
)

__all__ = [
    "Shape",
    "changes",
    "choice",
    "diff",
    "differences",
    "entries",
    "iso",
    "log",
    "move",
    "not_captured",
    "notice",
    "part",
    "plan",
    "print_json",
    "report",
    "row",
    "shown",
    "snapshot",
]


def print_json(value: Shape) -> None:
    """One object on one line. Bytes of names that are not UTF-8 become lone surrogates, escaped."""
    print(json.dumps(value, ensure_ascii=True))
