"""The rows of a catalogue that SQLite cannot read, or not wholly.

Pages that b-trees lead to come first, then those that nothing leads to because an inner page is damaged; free pages, which
hold what was deleted, are left out as far as the list of them can be read. Which table a row belongs to is told by its
shape: no two tables have the same.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from takeback.store.catalogue.database import Row
from takeback.store.catalogue.wal import frames
from takeback.store.repair.records import INDEX_INNER, INDEX_LEAF, TABLE_LEAF, Page, decode_page, pages_of
from takeback.store.repair.rows import Tables

_PAGE_SIZE = 4096
_HEADER = 100
_MAGIC = b"SQLite format 3\0"

_SHAPES = {
    (TABLE_LEAF, "ti"): "counters",
    (TABLE_LEAF, "ittiiii"): "packs",
    (TABLE_LEAF, "iiiii"): "frames",
    (INDEX_LEAF, "biiiii"): "blobs",
    (TABLE_LEAF, "ibi"): "hot",
    (TABLE_LEAF, "ibtitt"): "timelines",
    (TABLE_LEAF, "ititittbii"): "snapshots",
    (TABLE_LEAF, "tti"): "labels",
    (TABLE_LEAF, "t"): "pins",
    (TABLE_LEAF, "ititttttttitiiitt"): "moves",
    (TABLE_LEAF, "tt"): "takes",
    (TABLE_LEAF, "iiitt"): "operations",
    (TABLE_LEAF, "bibti"): "journals",
}
"""Tables by their kind of page and the types of their columns: integer, text, bytes."""

_MAY_BE_NULL = {"timelines": {4, 5}, "snapshots": {3}, "moves": {11, 12, 14, 15}, "operations": {1}}


def salvage(database: bytes, wal: bytes) -> Tables:
    """All rows that can be had of a database's file and its log."""
    tables: Tables = {name: [] for name in _SHAPES.values()}
    for page in _Image(database, wal).leaves():
        kind = INDEX_LEAF if page.kind == INDEX_INNER else page.kind
        for row in page.rows:
            if (name := _table_of(kind, row)) is not None:
                tables[name].append(row)
    return tables


def _table_of(kind: int, row: Row) -> str | None:
    for (page, shape), name in _SHAPES.items():
        if page == kind and len(shape) == len(row):
            nullable = _MAY_BE_NULL.get(name, set())
            if all(_fits(value, each, at in nullable) for at, (value, each) in enumerate(zip(row, shape, strict=True))):
                return name
    return None


def _fits(value: Any, shape: str, nullable: bool) -> bool:
    if value is None:
        return nullable
    return isinstance(value, {"i": int, "t": str, "b": bytes}[shape])


class _Image:
    """The pages of a database as its last commit left them, as far as can be told."""

    def __init__(self, database: bytes, wal: bytes) -> None:
        self._size, self._reserved = _geometry(database)
        self._pages = dict(enumerate(pages_of(database, self._size), 1))
        self._beside: list[bytes] = []
        for frame in frames(wal, self._size):
            if frame.intact:
                self._pages[frame.page] = frame.data
            else:
                self._beside.append(frame.data)  # it may say wrongly which page it is

    def leaves(self) -> Iterator[Page]:
        """Pages with rows: those in use, then those that nobody knows, then those of damaged frames of the log."""
        free = self._free()
        reached: dict[int, Page] = {}
        lost: dict[int, Page] = {}
        children: set[int] = set()
        for number in self._pages:
            if number not in free and (page := self._page(number)) is not None:
                reached[number] = page
                children.update(page.children)
        roots = self._roots(reached)
        known = {number for number in reached if number in children or number in roots}
        lost = {number: page for number, page in reached.items() if number not in known}
        yield from (reached[number] for number in sorted(known))
        yield from (lost[number] for number in sorted(lost))
        for data in self._beside:
            page = decode_page(data, 0, self._reserved, self._overflow())
            if page is not None:
                yield page

    def _roots(self, pages: dict[int, Page]) -> set[int]:
        """Where the schema says that b-trees begin."""
        rows = (row for page in pages.values() for row in page.rows if len(row) == 5 and row[0] in ("table", "index"))
        return {1, *(row[3] for row in rows if isinstance(row[3], int))}

    def _free(self) -> set[int]:
        """Pages on the list of free ones."""
        first = self._pages.get(1, b"")
        if first[: len(_MAGIC)] != _MAGIC:
            return set()
        (trunk,) = struct.unpack_from(">I", first, 32)
        free: set[int] = set()
        while trunk and trunk not in free and trunk in self._pages:
            free.add(trunk)
            following, count = struct.unpack_from(">II", self._pages[trunk])
            if count > (self._size - 8) // 4:
                break
            free.update(struct.unpack_from(f">{count}I", self._pages[trunk], 8))
            trunk = following
        return free

    def _page(self, number: int) -> Page | None:
        data = self._pages[number]
        return decode_page(data, _HEADER if number == 1 else 0, self._reserved, self._overflow())

    def _overflow(self) -> Any:
        seen: set[int] = set()

        def page(number: int) -> bytes | None:
            if number in seen:
                return None  # a chain that bites its tail
            seen.add(number)
            return self._pages.get(number)

        return page


def _geometry(database: bytes) -> tuple[int, int]:
    """The size of a page and how much of it is reserved; what a catalogue has if the file does not say."""
    if len(database) >= _HEADER and database[: len(_MAGIC)] == _MAGIC:
        (size,) = struct.unpack_from(">H", database, 16)
        size = 65536 if size == 1 else size
        if size == _PAGE_SIZE:
            return size, min(database[20], 32)
    return _PAGE_SIZE, 0
