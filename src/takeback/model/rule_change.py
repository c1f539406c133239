"""A change of what is ignored."""

from __future__ import annotations

from typing import NamedTuple


class RuleChange(NamedTuple):
    """A text of ignore rules, and by what it hides more than it did."""

    path: str
    """Where it stands, as a person knows it: ``src/.gitignore``, ``.git/info/exclude``."""
    lines: tuple[str, ...]
    """Its new patterns, and ``!`` patterns that it lacks."""
    digest: str
    """What stands for it in a record of what a person agreed to."""
    is_in_git: bool = False
    """Whether it stands where takeback never writes."""
