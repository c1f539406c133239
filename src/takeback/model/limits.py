"""What upkeep keeps a store within."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from takeback.model.policy import Policy

_SHARE = 20
"""A small disk is not short of space as long as a twentieth of it is free."""


class Limits(NamedTuple):
    policy: Policy | None = None
    """Which snapshots stay; without one, all of them."""
    min_free: int = 0
    """Bytes that should stay free on the store's disk."""
    root: str = ""
    own: Policy | None = None
    """Which snapshots of the timelines of ``root`` stay, beside what holds for all."""

    def free_wanted(self, total: int) -> int:
        """How much of a disk of ``total`` bytes should stay free."""
        return min(self.min_free, total // _SHARE)
