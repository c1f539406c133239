from __future__ import annotations

from typing import Any

import pytest

import takeback as tb
from support.agent import World
from takeback import locate
from takeback.views.desk import Desk
from takeback.views.differences import differences
from takeback.views.messages import Conversation, Message, conversations, paired, told


def said(*texts: str) -> list[dict[str, str]]:
    return [{"role": "user" if number % 2 == 0 else "assistant", "content": text} for number, text in enumerate(texts)]


def remembered(world: World, before: Any, after: Any) -> tuple[Conversation, ...]:
    memory: dict[str, Any] = {}
    line = world.store.timeline(sources=[tb.Workspace(world.root), tb.State("memory", memory)])
    memory.update(before)
    a = line.save().id
    memory.clear()
    memory.update(after)
    b = line.save().id
    with Desk(locate.place(str(world.root), store=str(world.store_path))) as desk:
        return conversations(desk, desk.here, differences(desk, desk.here, a, b))


def test_a_conversation_that_went_on_is_shown_where_it_did(world: World) -> None:
    old = said(*(f"message {number}" for number in range(9)))
    (found,) = remembered(world, {"messages": old}, {"messages": [*old, *said("new")]})
    assert (found.part, found.path) == ("memory", "messages")
    assert [(pair.status, pair.index) for pair in found.pairs] == [
        ("gap", 7),
        ("same", 7),
        ("same", 8),
        ("added", 9),
    ]
    assert found.pairs[-1].after == Message("user", "new") and found.pairs[-1].before is None


def test_lists_of_other_things_and_those_that_are_the_same_are_none(world: World) -> None:
    memory = {"numbers": [1, 2], "same": said("hello"), "n": 1}
    assert remembered(world, memory, {**memory, "numbers": [1, 2, 3], "n": 2}) == ()


def test_a_conversation_that_came_or_went_is_one(world: World) -> None:
    (found,) = remembered(world, {"agent": {"history": said("a", "b")}}, {"agent": {}})
    assert found.path == "agent.history"
    assert [pair.status for pair in found.pairs] == ["removed", "removed"]


def test_gone_and_changed_stand_where_they_were() -> None:
    old = [{"id": str(number), **each} for number, each in enumerate(said("a", "b", "c", "d"))]
    new = [old[0], {**old[2], "content": "C"}, old[3]]
    assert [(pair.status, pair.index) for pair in paired(old, new)] == [
        ("same", 0),
        ("removed", 1),
        ("changed", 1),
        ("same", 2),
    ]


@pytest.mark.parametrize(
    ("message", "told_as"),
    [
        ({"role": "user", "content": "hi"}, Message("user", "hi")),
        (
            {"type": "ai", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            Message("ai", "a\nb"),
        ),
        (
            {"role": "assistant", "content": "", "tool_calls": [{"name": "rm", "args": {"path": "x"}}]},
            Message("assistant", '→ rm({"path": "x"})'),
        ),
        ({"role": "tool", "content": {"deep": [1]}}, Message("tool", '{"deep": [1]}')),
        ({"role": "user", "content": "<script>alert(1)</script>"}, Message("user", "<script>alert(1)</script>")),
        ("just text", Message("", '"just text"')),
        (7, Message("", "7")),
    ],
)
def test_a_message_of_any_shape_is_told(message: Any, told_as: Message) -> None:
    assert told(message) == told_as


def test_a_message_that_holds_itself_or_another_many_times_is_told_in_outline() -> None:
    itself: list[Any] = ["again"]
    itself += [itself] * 30
    shared: list[Any] = ["x"]
    for _ in range(60):
        shared = [shared, shared]
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    for content in (itself, shared, deep):
        assert told({"role": "user", "content": content}).text.startswith("dict of 2")
        assert [pair.status for pair in paired(said("a"), [{"role": "user", "content": content}])] == ["changed"]


def test_messages_that_differ_only_far_from_their_beginning_are_not_the_same() -> None:
    old, new = said("x" * 50_000 + "old"), said("x" * 50_000 + "new")
    (pair,) = paired(old, new)
    assert pair.status == "changed" and pair.after is not None and len(pair.after.text) < 50_000
