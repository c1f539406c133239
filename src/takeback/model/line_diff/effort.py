"""Effort: the steps that a comparison may take."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

ONE_COMPARISON = 3_000_000
"""Steps for one comparison of two texts. A processor takes two to four millions in a second."""


class Effort:
    """Steps that are left. Several comparisons can share them."""

    def __init__(self, steps: int = ONE_COMPARISON) -> None:
        self.left = steps
        self.ended = False
        """Whether a comparison lacked steps."""

    def take(self, steps: int) -> bool:
        """Spend steps. False if fewer are left, and then none is spent."""
        if steps > self.left:
            self.ended = True
            return False
        self.left -= steps
        return True

    @contextmanager
    def share(self) -> Iterator[Effort]:
        """Half of the steps, for one task among several. What it does not spend is given back."""
        part = Effort(self.left // 2)
        self.left -= part.left
        try:
            yield part
        finally:
            self.left += part.left
