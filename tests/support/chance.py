"""Printed text without what is different each time: for comparing it with what a page shows."""

from __future__ import annotations

import re

_CHANCE = [
    (r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", "SESSION"),
    (r"\b[0-9a-f]{8}\b", "ID"),
    (r"\b[0-9a-f]{10}\b", "COMMIT"),
    (r"\b\d\d:\d\d:\d\d\b", "TIME"),
    (r"(just now|\d+ (s|min) ago) *", "AGE  "),
]


def without_chance(text: str) -> str:
    """The text without ids, times and ages."""
    for pattern, by in _CHANCE:
        text = re.sub(pattern, by, text)
    return text
