from __future__ import annotations

import datetime
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.types import Send

from takeback.adapters.langgraph.memo import Memo
from takeback.adapters.langgraph.serializing import StrictSerializer
from takeback.adapters.langgraph.values import Values

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
SERDE = StrictSerializer()


@pytest.mark.parametrize(
    "value",
    [
        [],
        [1, "two", 3.0, None, b"bytes", bytearray(b"more"), {"a": [1]}, [[]]],
        [None, None],
        None,
        "text",
        {"a": [1, 2]},
        [HumanMessage("hello", id="1"), AIMessage("you", id="2")],
        _DeltaSnapshot([1, 2, 3]),
        _DeltaSnapshot([]),
        _DeltaSnapshot({"a": 1}),
        [Send("node", {"a": 1})],
        [datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC), uuid.UUID(int=7)],
        {1, 2},
    ],
    ids=repr,
)
def test_a_value_comes_back_as_the_serializer_gives_it_back(value: Any) -> None:
    values = Values(SERDE, Memo())
    found = values.unpack(values.pack(value))
    assert found == SERDE.loads_typed(SERDE.dumps_typed(value))
    assert type(found) is type(value)


def test_a_tuple_is_left_to_the_serializer() -> None:
    values = Values(SERDE, Memo())
    assert values.unpack(values.pack((1, 2))) == SERDE.loads_typed(SERDE.dumps_typed((1, 2)))


MESSAGES = [
    lambda text, extra: HumanMessage(text, additional_kwargs=extra),
    lambda text, extra: AIMessage(text, response_metadata=extra, tool_calls=[{"name": "f", "args": extra, "id": "1"}]),
    lambda text, extra: SystemMessage([{"type": "text", "text": text, **extra}]),
    lambda text, extra: ToolMessage(text, tool_call_id="1", artifact=extra),
    lambda text, extra: FunctionMessage(content=text, name="f"),
    lambda text, extra: ChatMessage.model_validate({"content": text, "role": "judge", "more": extra}),
    lambda text, extra: AIMessageChunk(content=text, additional_kwargs=extra),
]


@given(
    st.sampled_from(MESSAGES), st.text(max_size=5), st.dictionaries(st.text(max_size=3), PLAIN, max_size=2), st.data()
)
def test_what_is_remembered_is_what_the_serializer_would_write(make: Any, text: str, extra: Any, data: Any) -> None:
    memo, message = Memo(), make(text, extra)
    for _ in range(3):
        assert memo.over(SERDE.dumps_typed)(message) == SERDE.dumps_typed(message)
    for name in data.draw(
        st.lists(st.sampled_from(["content", "additional_kwargs", "response_metadata", "id", "name"]))
    ):
        if isinstance(getattr(message, name), dict):
            getattr(message, name)[data.draw(st.text(max_size=2))] = data.draw(PLAIN)
        else:
            setattr(message, name, data.draw(st.text(max_size=3)))
        assert memo.over(SERDE.dumps_typed)(message) == SERDE.dumps_typed(message)


@pytest.mark.parametrize(
    ("before", "after"), [(1, True), (1, 1.0), (0.0, -0.0), ([1], (1,)), ("1", b"1"), (None, False)]
)
def test_a_change_to_an_equal_value_is_seen(before: Any, after: Any) -> None:
    memo = Memo()
    message = HumanMessage("hello", additional_kwargs={"deep": {"value": before}})
    memo.over(SERDE.dumps_typed)(message)
    message.additional_kwargs["deep"]["value"] = after
    assert memo.over(SERDE.dumps_typed)(message) == SERDE.dumps_typed(message)


def test_messages_of_a_long_list_that_are_changed_or_exchanged_are_seen() -> None:
    memo = Memo()
    messages: list[Any] = [HumanMessage(f"{n}", additional_kwargs={"n": [n]}) for n in range(100)]
    dump = memo.all_over(SERDE.dumps_typed)

    def check() -> None:
        for _ in range(2):
            assert dump(list(messages)) == [SERDE.dumps_typed(each) for each in messages]

    check()
    messages[3].additional_kwargs["n"].append(1)
    check()
    messages[40] = HumanMessage("40", additional_kwargs={"n": [40]})
    check()
    messages[70].__class__ = SystemMessage
    check()
    messages[71].additional_kwargs["n"] = {1}
    check()
    del messages[:5]
    check()
    messages.append(AIMessage("more"))
    check()


def test_what_is_not_plain_is_serialized_each_time() -> None:
    memo = Memo()
    held = {1}
    message = HumanMessage("hello", additional_kwargs={"set": held})
    memo.over(SERDE.dumps_typed)(message)
    held.add(2)
    assert memo.over(SERDE.dumps_typed)(message) == SERDE.dumps_typed(message)


def test_it_forgets_what_was_not_asked_for_lately() -> None:
    memo = Memo(limit=1000)
    messages = [HumanMessage("x" * 100, id=str(number)) for number in range(100)]
    for message in messages:
        memo.over(SERDE.dumps_typed)(message)
    assert len(memo._young) + len(memo._old) < 20
    assert [memo.over(SERDE.dumps_typed)(each) for each in messages] == [SERDE.dumps_typed(each) for each in messages]
