"""A list that somebody scrolls costs the same however long the history is, and so does each page of it.

Counted in steps of the database, as in tests/engine/test_long_history.py. What looks for something looks at so many rows at
a time and no more, so its cost stops growing at that length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bench.long_history import make
from support.steps import steps
from takeback import locate
from takeback.engine import listing
from takeback.engine.listing import Stretch
from takeback.views import rows
from takeback.views.desk import Desk
from takeback.views.rows import Filter, Page

SHORT, BOUND, LONG = 100, 5_000, 20_000

SCREEN: dict[str, Callable[[Desk], object]] = {
    "timelines": lambda desk: desk.lanes(),
    "the present": lambda desk: rows.present(desk),
    "the first page": lambda desk: rows.page(desk, [desk.here]),
    "the second page": lambda desk: rows.page(desk, [desk.here], cursor=rows.page(desk, [desk.here], limit=20).next),
    "with every action": lambda desk: rows.page(desk, [desk.here], wanted=Filter(actions=True)),
    "the first that matches": lambda desk: rows.page(desk, [desk.here], limit=1, wanted=Filter(text="real turn")),
}
SEARCH: dict[str, Callable[[Desk], object]] = {
    "sessions": lambda desk: rows.sessions(desk),
    "a word that is nowhere": lambda desk: rows.page(desk, [desk.here], wanted=Filter(text="nowhere")),
    "an agent that is none": lambda desk: rows.page(desk, [desk.here], wanted=Filter(agent="nobody")),
    "a session that is none": lambda desk: rows.page(desk, [desk.here], wanted=Filter(session="none")),
}


@contextmanager
def desk_with(place: Path, count: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    long = make(place / str(count), count)
    monkeypatch.setenv("TAKEBACK_STORE", str(long.store))
    with Desk(locate.place(str(long.root))) as desk:
        yield desk


def test_a_screen_takes_no_more_steps_because_the_history_is_long(
    memory_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: dict[int, dict[str, int]] = {}
    for length in (SHORT, BOUND, LONG):
        with desk_with(memory_path, length, monkeypatch) as desk:
            taken[length] = {name: steps(desk.store, partial(look, desk)) for name, look in (SCREEN | SEARCH).items()}
    assert taken[LONG]["the first page"] and taken[LONG]["sessions"]
    grown = {name: (taken[SHORT][name], taken[LONG][name]) for name in SCREEN}
    assert not {name: pair for name, pair in grown.items() if pair[1] > 2 * pair[0] + 500}
    stopped = {name: (taken[BOUND][name], taken[LONG][name]) for name in SEARCH}
    assert not {name: pair for name, pair in stopped.items() if pair[1] > 1.2 * pair[0] + 500}


def pages(desk: Desk, limit: int) -> Iterator[Page]:
    page = rows.page(desk, [desk.here], limit=limit)
    yield page
    while page.next is not None:
        page = rows.page(desk, [desk.here], cursor=page.next, limit=limit)
        yield page


@pytest.mark.parametrize("limit", [60, 500, rows.MOST])
def test_every_row_of_a_long_history_comes_once_page_by_page_and_is_read_once(
    memory_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    read: list[str] = []

    def stretch(*asked: Any) -> Stretch:
        found = given(*asked)
        read.extend(row.id for row in found.snapshots)
        return found

    given = listing.stretch
    monkeypatch.setattr(listing, "stretch", stretch)
    with desk_with(memory_path, BOUND, monkeypatch) as desk:
        came = list(pages(desk, limit))
    seen = [row.move or row.kind for page in came for row in page.rows]
    assert len(seen) == len(set(seen))
    assert seen[-1] == "original"
    assert len(seen) >= BOUND
    assert len(came) <= -(-len(seen) // limit)
    assert len(read) < len(set(read)) + 3 * len(came), "who scrolls to the end reads little twice"
