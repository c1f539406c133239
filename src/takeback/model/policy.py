"""How much history is kept."""

from __future__ import annotations

from dataclasses import dataclass

from takeback.errors import InvalidInput
from takeback.model.sizes import parse_seconds, parse_size

_FOR_EVER = 1 << 62


@dataclass(frozen=True, slots=True)
class Policy:
    """Limits to what a timeline keeps; a snapshot that is beyond any of them goes.

    The first snapshot of a timeline, the latest, pinned ones and those that an open move or an unfinished restore
    begins at always stay. A label protects nothing: pin what must not go.
    """

    keep_last: int | None = None
    """How many of the newest snapshots of each timeline stay."""
    max_age: float | str | None = None
    """How old they may become: seconds, or ``30d``."""
    max_bytes: int | str | None = None
    """How much the snapshots of the store may take together, compressed: bytes, or ``5GiB``. The oldest go first."""

    def __post_init__(self) -> None:
        if self.keep_last is None and self.max_age is None and self.max_bytes is None:
            raise InvalidInput(
                "a policy without a limit would keep everything", hints=["give keep_last, max_age or max_bytes"]
            )
        whole = isinstance(self.keep_last, int) and not isinstance(self.keep_last, bool)
        if self.keep_last is not None and (not whole or self.keep_last < 1):
            raise InvalidInput(
                f"keep_last={self.keep_last!r} cannot be: at least the latest snapshot stays", hints=["1 or more"]
            )
        _ = self.age_ns, self.size

    @property
    def age_ns(self) -> int | None:
        return None if self.max_age is None else int(min(parse_seconds(self.max_age) * 1e9, _FOR_EVER))

    @property
    def size(self) -> int | None:
        return None if self.max_bytes is None else parse_size(self.max_bytes)
