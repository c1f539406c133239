"""What differs: never nothing for what is not the same, each place by its path, and in few words."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import takeback as tb
from support.graphs import Agent, change_at_random, graph_at_random


def told(before: Any, after: Any) -> list[tuple[str, str, str | None, str | None]]:
    found = tb.capture(before).diff(tb.capture(after))
    return [(each.path, each.status, each.before, each.after) for each in found]


@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 1 << 32))
def test_a_graph_that_changed_differs_and_another_does_not(seed: int) -> None:
    chance = random.Random(seed)
    root = graph_at_random(chance)
    before = tb.capture(root)
    change_at_random(chance, root)
    after = tb.capture(root)
    found = before.diff(after)
    assert bool(found) == (before.id != after.id)
    assert all(len(text) < 200 for each in found for text in (each.before, each.after) if text is not None)
    assert before.diff(tb.capture(before.value())) == ()


def test_messages_are_aligned_by_their_id_and_told_by_path() -> None:
    before = [{"id": f"m{n}", "content": f"text {n}"} for n in range(50)]
    after = [{"id": "new", "content": "first"}, *(dict(each) for each in before[1:])]
    after[30]["content"] = "edited"
    assert sorted(told(before, after)) == [
        ("[0]", "added", None, "{'id': 'new', 'content': 'first'}"),
        ("[0]", "removed", "{'id': 'm0', 'content': 'text 0'}", None),
        ("[30]['content']", "changed", "'text 30'", "'edited'"),
    ]


def test_objects_that_know_each_other_are_told_by_field() -> None:
    """Each message leads to the conversation, and so to all the others: that takes no longer than one walk."""

    def conversation(count: int) -> Agent:
        whole = Agent(messages=[])
        for number in range(count):
            whole.messages.append(Agent(id=f"m{number}", text=f"text {number}", conversation=whole))
        return whole

    before, after = conversation(400), conversation(400)
    after.messages[7].text = "edited"
    del after.messages[100]
    assert sorted(told(before, after)) == [
        ("messages[100]", "removed", *_first(told(before, after), "messages[100]")),
        ("messages[7].text", "changed", "'text 7'", "'edited'"),
    ]


def _first(found: list[Any], path: str) -> tuple[Any, Any]:
    return next((before, after) for where, _, before, after in found if where == path)


@pytest.mark.parametrize(
    ("before", "after", "path"),
    [
        ({"a": 1}, {"a": 2}, "['a']"),
        ({"a": 1}, {"a": True}, "['a']"),
        ({"a": 1}, {"a": 1.0}, "['a']"),
        ({"a": 0.0}, {"a": -0.0}, "['a']"),
        ({"a": float("nan")}, {"a": -float("nan")}, "['a']"),
        ({"a": "1"}, {"a": b"1"}, "['a']"),
        ({"a": (1,)}, {"a": [1]}, "['a']"),
        ({"a": {1}}, {"a": {2}}, "['a']"),
        ({"a": 10**5000}, {"a": 10**5000 + 1}, "['a']"),
        ({10**5000: 1}, {10**5000: 2}, "[an integer of 16,610 bits]"),
        (Agent(x=Agent(y=[1, {"z": 2}])), Agent(x=Agent(y=[1, {"z": 3}])), "x.y[1]['z']"),
    ],
)
def test_a_change_is_told_by_its_path(before: Any, after: Any, path: str) -> None:
    assert [(where, status) for where, status, *_ in told(before, after)] == [(path, "changed")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({1: 0}, {True: 0}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ([[], []], [[]] * 2),
        ([1, 2, 3], [3, 1, 2]),
        ([], {}),
        ("", None),
    ],
)
def test_what_only_looks_the_same_differs(before: Any, after: Any) -> None:
    assert told(before, after)


class Loud:
    def __repr__(self) -> str:
        raise RuntimeError("no")


def test_large_values_are_said_in_few_words() -> None:
    inner = [["x" * 1000] * 20] * 20
    wide = {"a": inner, "b": inner}
    for after in (wide, [wide] * 20, "x" * 10_000_000, bytes(1 << 20), [10**5000], Agent(a=wide, b=10**6000), [Loud()]):
        for _, _, text, other in told({"value": None}, {"value": after}):
            assert len(text or "") < 100 and len(other or "") < 100
