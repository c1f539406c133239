from __future__ import annotations

from takeback.tui.lanes import TOGETHER, Lanes
from takeback.views.desk import Lane


def lane(number: int, name: str, *, own: bool = True, here: bool = False) -> Lane:
    return Lane(number, f"/work/{name}", name, "head", None, 0, is_own=own, is_here=here)


HERE, FORK, OTHER = lane(1, "main", here=True), lane(2, "attempt"), lane(3, "elsewhere", own=False)


def test_the_timeline_that_one_is_on_comes_first_and_stays_while_others_come() -> None:
    lanes = Lanes()
    assert lanes.take([HERE], 1)
    assert lanes.shown == [HERE]
    assert not lanes.take([HERE, FORK, OTHER], 1)
    assert lanes.shown == [HERE]


def test_where_nothing_is_recorded_nothing_is_shown_until_something_is() -> None:
    lanes = Lanes()
    assert lanes.take([OTHER], 0)
    assert lanes.shown == []
    assert not lanes.take([OTHER], 0)
    assert lanes.take([HERE, OTHER], 1)
    assert lanes.shown == [HERE]


def test_one_that_is_gone_gives_way_to_the_one_that_one_is_on() -> None:
    lanes = Lanes()
    lanes.take([HERE, FORK], 1)
    lanes.chosen = 2
    assert lanes.take([HERE], 1)
    assert lanes.shown == [HERE]


def test_own_timelines_and_all_of_them_follow_each_other() -> None:
    lanes = Lanes()
    lanes.take([HERE], 1)
    assert lanes.beside(1) is None
    lanes.take([HERE, FORK, OTHER], 1)
    round_about = []
    for _ in range(3):
        lanes.chosen = lanes.beside(1)
        round_about.append(lanes.chosen)
    assert round_about == [2, TOGETHER, 1]
    assert lanes.beside(-1) == TOGETHER


def test_another_directorys_is_named_only_while_it_is_shown() -> None:
    lanes = Lanes()
    lanes.take([HERE, FORK, OTHER], 1)
    assert [tab.name for tab in lanes.tabs()] == ["main", "attempt", "all"]
    lanes.chosen = 3
    assert [tab.name for tab in lanes.tabs()] == ["main", "attempt", "elsewhere", "all"]
    assert [choice.answer for choice in lanes.choices()] == ["0", "1", "2", "3"]
