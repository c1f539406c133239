"""Pages of rows over several timelines: whatever happened, and happens between two pages, no row is lost or there twice."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.agent import World
from takeback import locate
from takeback.views.desk import Desk
from takeback.views.rows import ALL, Filter, Row, page

LANES = ("main", "other", "third")

steps = st.lists(
    st.tuples(
        st.sampled_from(LANES),
        st.sampled_from(("turn_start", "before_action", "after_action", "turn_end", "manual", "interval")),
    ),
    max_size=14,
)


def act(world: World, lane: str, trigger: str, number: int) -> None:
    world.write("a.txt", f"{number}\n")
    line = world.store.timeline(lane, sources=list(world.line.sources.values()))
    line.save(trigger=trigger, session="" if trigger in ("manual", "interval") else f"s-{lane}", title=f"{number}")


@contextmanager
def told(history: Sequence[tuple[str, str]]) -> Iterator[tuple[World, Desk]]:
    with tempfile.TemporaryDirectory() as base:
        world = World(Path(base))
        for number, (lane, trigger) in enumerate(((lane, "manual") for lane in LANES), 1000):
            act(world, lane, trigger, number)
        for number, (lane, trigger) in enumerate(history):
            act(world, lane, trigger, number)
        with Desk(locate.place(str(world.root), store=str(world.store_path))) as desk:
            yield world, desk
        world.store.close()


def pages(desk: Desk, limit: int, wanted: Filter = ALL) -> Iterator[Sequence[Row]]:
    lanes = [lane.number for lane in desk.lanes()]
    cursor = None
    while True:
        found = page(desk, lanes, cursor=cursor, limit=limit, wanted=wanted)
        yield found.rows
        if (cursor := found.next) is None:
            return


def name(row: Row) -> tuple[str, str | None, str | None]:
    return row.kind, row.move, row.snapshot


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps, st.booleans())
def test_pages_of_any_size_over_several_timelines_give_the_same_rows(
    history: list[tuple[str, str]], actions: bool
) -> None:
    wanted = Filter(actions=actions)
    with told(history) as (_, desk):
        ((*whole,),) = pages(desk, 500, wanted)
        assert len({name(row) for row in whole}) == len(whole)
        assert sum(row.kind == "original" for row in whole) == len(LANES)
        for limit in (1, 2, 3):
            assert list(itertools.chain(*pages(desk, limit, wanted))) == whole


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps, st.integers(1, 4))
def test_what_arrives_between_two_pages_neither_hides_nor_repeats_what_was_there(
    history: list[tuple[str, str]], limit: int
) -> None:
    with told(history) as (world, desk):
        ((*whole,),) = pages(desk, 500)
        found: list[Row] = []
        for number, some in enumerate(pages(desk, limit)):
            found += some
            if number < 6:
                act(world, LANES[number % 3], "interval", 2000 + number)
        closed = [row for row in found if not row.open]
        assert len({name(row) for row in closed}) == len(closed)
        assert {name(row) for row in whole} <= {name(row) for row in found}


def test_what_is_under_way_comes_first_however_long_ago_it_began_and_on_whichever_page() -> None:
    """A session that nobody ever ended must not keep what is new on its timeline behind the others' old rows."""
    late = [("other", "interval"), ("main", "manual"), ("main", "manual"), ("main", "manual")]
    with told([("other", "turn_start"), *late]) as (_, desk):
        ((*whole,),) = pages(desk, 500)
        assert [row.open for row in whole] == [True] + [False] * (len(whole) - 1)
        times = [row.time_ns for row in whole[1:]]
        assert times == sorted(times, reverse=True)
    with told([("main", "turn_start"), ("other", "turn_start"), ("third", "turn_start"), *late]) as (_, desk):
        assert [some[0].open for some in itertools.islice(pages(desk, 1), 4)] == [True, True, True, False]
