"""pydantic-ai with real agents: messages come back equal, and its ConversationStore does as its own one in memory."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.conversation import Conversation
from pydantic_ai.conversation_store import ConversationConflict, ConversationStore, InMemoryConversationStore
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

import takeback as tb
from support.frameworks.elsewhere import elsewhere
from support.frameworks.pydantic_ai import bare, go_on, go_on_in, talk, talk_in
from takeback.adapters.pydantic_ai import TakebackConversationStore, TakebackMessages

PROMPTS = ["what time is it?", "and now?", "really?"]


def test_messages_go_on_in_another_process_as_if_they_had_never_left(tmp_path: Path) -> None:
    place = str(tmp_path / "store")
    own = asyncio.run(talk(PROMPTS, None))
    first, kept = talk_in(place, PROMPTS[:1])
    second, _ = elsewhere(talk_in, place, PROMPTS[1:2])
    third, _ = talk_in(place, PROMPTS[2:])
    assert bare([*first, *second, *third]) == bare(own)
    assert second[0][: len(kept)] == kept, "to the last field, times and identities too"


def test_what_was_taken_back_is_not_told_to_the_model_again() -> None:
    messages = TakebackMessages("chat", ":memory:")
    asyncio.run(talk(PROMPTS[:1], messages))
    kept = asyncio.run(messages.load())
    asyncio.run(talk(PROMPTS[1:2], messages))
    assert len(asyncio.run(messages.load())) > len(kept)
    messages.line.undo()
    assert asyncio.run(messages.load()) == kept
    assert bare(asyncio.run(talk(PROMPTS[2:], messages))) == bare(
        asyncio.run(talk([PROMPTS[0], PROMPTS[2]], None))[-1:]
    )


def test_an_older_history_can_be_had_without_going_back_to_it() -> None:
    messages = TakebackMessages("chat", ":memory:")
    asyncio.run(talk(PROMPTS[:1], messages))
    messages.line.label("@", "first")
    asyncio.run(talk(PROMPTS[1:], messages))
    now = asyncio.run(messages.load())
    older = asyncio.run(messages.load_from("first"))
    assert now[: len(older)] == older != now
    assert asyncio.run(messages.load()) == now


def test_all_kinds_of_parts_come_back_equal() -> None:
    history: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart(["look", BinaryContent(b"\xff\x00" * 5000, media_type="audio/wav")])]),
        ModelResponse(
            parts=[ThinkingPart("hm", signature="s"), TextPart("\ud83d\ude00 é"), ToolCallPart("t", '{"a": 1}')]
        ),
        ModelRequest(parts=[ToolReturnPart("t", {"deep": [1, 2.5, None, True]}, "call")]),
    ]
    messages = TakebackMessages("chat", ":memory:")
    asyncio.run(messages.save(history))
    assert asyncio.run(messages.load()) == history


async def life(store: ConversationStore) -> list[Any]:
    """A conversation's life: saves, a fork, a branch, a conflict, scopes, a deletion; what is seen on the way."""
    seen: list[Any] = [bare(await go_on(store, prompt)) for prompt in PROMPTS]
    conversation = await store.load("chat")
    assert conversation is not None
    seen.append((len(conversation.messages), conversation.usage.requests))
    stale = await store.load("chat", limit=2)
    assert stale is not None
    seen.append(bare([stale.messages]))
    fork = await store.fork("chat", at=4)
    seen.append(bare([fork.messages]))
    branched = await store.branch("chat", at=2, expected_revision=conversation.revision)
    seen.append(bare([branched.messages]))
    with pytest.raises(ConversationConflict):
        await store.save(stale)
    await store.save(Conversation(conversation_id="mine", messages=fork.messages), scope="me")
    seen.append([record.conversation_id for record in await store.list_conversations(scope="me")])
    seen.append(await store.load("mine", scope="you"))
    await store.delete("chat")
    seen.append(await store.load("chat"))
    left = await store.load(fork.conversation_id)
    assert left is not None
    seen.append(bare([left.messages]))
    seen.append(len(await store.list_conversations()))
    return seen


def test_it_does_as_the_store_in_memory_does() -> None:
    assert asyncio.run(life(TakebackConversationStore(":memory:"))) == asyncio.run(life(InMemoryConversationStore()))


def test_a_conversation_goes_on_in_another_process_as_if_it_had_never_left(tmp_path: Path) -> None:
    async def own() -> list[Any]:
        store = InMemoryConversationStore()
        return [bare(await go_on(store, prompt)) for prompt in PROMPTS]

    place = str(tmp_path / "store")
    first = bare(go_on_in(place, PROMPTS[0]))
    second = bare(elsewhere(go_on_in, place, PROMPTS[1]))
    third = bare(go_on_in(place, PROMPTS[2]))
    assert [first, second, third] == asyncio.run(own())


def test_taking_back_a_save_brings_back_the_conversation_before_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("1")
    line = tb.open(":memory:").timeline(sources=[tb.Workspace(tmp_path)])
    store = TakebackConversationStore(line)
    asyncio.run(go_on(store, PROMPTS[0]))
    before = asyncio.run(store.load("chat"))
    with line.turn("the next"):
        (tmp_path / "file").write_text("2")
        asyncio.run(go_on(store, PROMPTS[1]))
    line.undo()
    assert asyncio.run(store.load("chat")) == before
    assert (tmp_path / "file").read_text() == "1"
