"""What one check found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report: ``ok``, ``warn`` or ``fail``, what was found, and what to do next."""

    check: str
    state: str
    found: str
    next: str = ""
