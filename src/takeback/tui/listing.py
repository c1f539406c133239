"""What of a timeline's rows is loaded: chunks, each as one page gave it, newest first; and how they take in what changed
meanwhile without losing anybody's place. No widget and no store: whoever holds a listing asks for its pages."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from takeback.views.rows import Page, Row

PAGE = 60
"""Rows that are asked for at a time: more than most terminals are high."""

LARGEST = 500
"""Rows of the newest chunk, which grows with all that arrives, before the rest is rather loaded again."""

Key = tuple[int, str, str | None]


def key(row: Row) -> Key:
    """What stays the same of a row while it changes: a move that ends, a snapshot that gets a label."""
    return (row.lane, "move", row.move) if row.move is not None else (row.lane, row.kind, row.snapshot)


@dataclass(slots=True, eq=False)
class Chunk:
    cursor: str | None
    """What its page was asked for with; None for the newest."""
    rows: list[Row]
    next: str | None
    asked: int = PAGE
    """How many rows were asked for: as many again give the same page."""
    stale: bool = False
    """Something changed in the store since."""


class Listing:
    """The present, then chunks of what was before it."""

    def __init__(self, present: Row | None = None) -> None:
        self.present = present
        self.chunks: list[Chunk] = []
        self._starts: list[int] = []

    def __len__(self) -> int:
        return self._starts[-1] + len(self.chunks[-1].rows) if self.chunks else self._above

    def __getitem__(self, index: int) -> Row:
        if self.present is not None and index == 0:
            return self.present
        chunk = bisect_right(self._starts, index) - 1
        return self.chunks[chunk].rows[index - self._starts[chunk]]

    @property
    def _above(self) -> int:
        return 0 if self.present is None else 1

    @property
    def begun(self) -> bool:
        """Whether a first page came."""
        return bool(self.chunks)

    @property
    def complete(self) -> bool:
        return self.begun and self.chunks[-1].next is None

    @property
    def next(self) -> str | None:
        """What the next page is to be asked for with."""
        return self.chunks[-1].next if self.chunks else None

    def add(self, cursor: str | None, page: Page, asked: int = PAGE) -> bool:
        """A page at the end; whether it belongs there. One that was asked for before the listing changed does not."""
        if cursor != self.next or self.complete:
            return False
        self.chunks.append(Chunk(cursor, list(page.rows), page.next, asked))
        self._count()
        return True

    def meets(self, page: Page) -> bool:
        """Whether nothing is missing between these newest rows and those that are loaded."""
        known = {key(row) for row in self.chunks[0].rows} if self.chunks else set()
        return page.next is None or not known or any(key(row) in known for row in page.rows)

    def take_in(self, page: Page) -> None:
        """The newest rows again, and all that `meets` them stays behind. What does not meet begins anew."""
        old = self.chunks[0].rows if self.chunks else []
        fresh = {key(row): place for place, row in enumerate(page.rows)}
        last = max((place for place, row in enumerate(old) if key(row) in fresh), default=None)
        if last is None or page.next is None or len(old) > LARGEST:
            self.chunks = [Chunk(None, list(page.rows), page.next)]
        else:
            rows = [*page.rows[: fresh[key(old[last])] + 1], *old[last + 1 :]]
            self.chunks[0] = Chunk(None, rows, self.chunks[0].next)
        self._count()

    def spoil(self) -> None:
        """Something changed: all but the newest, which are asked for anyway, may be different now."""
        for chunk in self.chunks[1:]:
            chunk.stale = True

    def stale(self, seen: range) -> list[Chunk]:
        """The chunks in view that are to be asked for again."""
        ends = (start + len(chunk.rows) for start, chunk in zip(self._starts, self.chunks, strict=True))
        every = zip(self._starts, ends, self.chunks, strict=True)
        return [chunk for start, end, chunk in every if chunk.stale and start < seen.stop and end > seen.start]

    def renew(self, chunk: Chunk, page: Page) -> None:
        """One chunk as it is now, if it still ends where the next one begins; otherwise what follows is loaded again."""
        if chunk not in self.chunks:
            return
        place = self.chunks.index(chunk)
        if page.next != chunk.next:
            del self.chunks[place + 1 :]
        self.chunks[place] = Chunk(chunk.cursor, list(page.rows), page.next, chunk.asked)
        self._count()

    def find(self, wanted: Key, near: int) -> int | None:
        """Where a row is now that was at ``near``."""
        every = range(len(self))
        for index in sorted(
            range(max(0, near - LARGEST), min(len(every), near + LARGEST)), key=lambda i: abs(i - near)
        ):
            if key(self[index]) == wanted:
                return index
        return next((index for index in every if key(self[index]) == wanted), None)

    def _count(self) -> None:
        sizes = (len(chunk.rows) for chunk in self.chunks)
        self._starts = list(accumulate(sizes, initial=self._above))[:-1]
