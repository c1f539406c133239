"""The cursor stays on its row when more than before is shown: without a filter, or with each action."""

from __future__ import annotations

from takeback.tui.listing import Key, key
from takeback.tui.rowlist import RowList

_FAR = 6000
"""Rows that are loaded at most to find one again."""


class Staying:
    def __init__(self) -> None:
        self._wanted: Key | None = None

    def begin(self, rows: RowList) -> None:
        """Other rows will be shown; the cursor should come to stand where it is now."""
        self._wanted = key(row) if (row := rows.selected) is not None else None

    def look(self, rows: RowList) -> None:
        """Some rows have come: go to the one that is wanted, or have more come. Whoever moves the cursor wants another one."""
        if self._wanted is None or rows.wanted.narrows:
            return
        found = rows.listing.find(self._wanted, 0) if not rows.cursor else None
        if found is None and not rows.cursor and not rows.listing.complete and len(rows.listing) < _FAR:
            rows.near_end()
            return
        self._wanted = None
        rows.cursor = found or rows.cursor
