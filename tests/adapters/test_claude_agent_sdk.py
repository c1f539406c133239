"""claude-agent-sdk: its own conformance suite, and its real program, which resumes from a timeline."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import get_session_messages_from_store, list_sessions_from_store
from claude_agent_sdk.testing import run_session_store_conformance
from claude_agent_sdk.types import SessionKey, SessionStore

import takeback as tb
from support.agents.model import Model
from support.agents.script import Say
from support.frameworks.claude_agent_sdk import ask, ask_in, said
from support.frameworks.elsewhere import elsewhere
from takeback.adapters.claude_agent_sdk import TakebackSessionStore

KEY: SessionKey = {"project_key": "-home-me-project", "session_id": "s1"}


def entry(text: str, **fields: Any) -> Any:
    return {"type": "user", "message": {"role": "user", "content": text}, **fields}


@pytest.mark.parametrize(
    "where", [lambda: tb.open(":memory:"), lambda: tb.open(":memory:").timeline("one for all")], ids=["store", "line"]
)
def test_it_keeps_all_fourteen_contracts(where: Callable[[], tb.Store | tb.Timeline]) -> None:
    made = []

    def make() -> SessionStore:
        made.append(TakebackSessionStore(where()))
        return made[-1]

    asyncio.run(run_session_store_conformance(make))
    assert len(made) == 1 + 14, "one to look at, and one for each contract: none was left out"


def test_an_entry_that_is_sent_again_is_kept_once() -> None:
    store = TakebackSessionStore(":memory:")
    for batch in ([entry("1", uuid="a"), entry("title")], [entry("1", uuid="a"), entry("2", uuid="b"), entry("title")]):
        asyncio.run(store.append(KEY, batch))
    loaded = asyncio.run(store.load(KEY))
    assert loaded == [entry("1", uuid="a"), entry("title"), entry("2", uuid="b"), entry("title")]


def test_what_is_taken_back_is_gone_from_transcript_list_and_summary() -> None:
    store = TakebackSessionStore(":memory:")

    def seen() -> tuple[Any, ...]:
        summaries = asyncio.run(store.list_session_summaries(KEY["project_key"]))
        return asyncio.run(store.load(KEY)), asyncio.run(store.list_sessions(KEY["project_key"])), summaries

    states = [seen()]
    for number in range(2):
        asyncio.run(store.append(KEY, [entry(str(number), customTitle=f"title {number}")]))
        states.append(seen())
    assert states[0] == (None, [], [])
    for state in (states[1], states[0]):
        store.line(KEY).undo()
        assert seen() == state


def test_a_deleted_session_can_be_had_again() -> None:
    store = TakebackSessionStore(":memory:")
    asyncio.run(store.append(KEY, [entry("1")]))
    asyncio.run(store.delete(KEY))
    assert asyncio.run(store.load(KEY)) is None
    store.line(KEY).undo()
    assert asyncio.run(store.load(KEY)) == [entry("1")]


def test_keys_that_look_like_others_are_apart() -> None:
    store = TakebackSessionStore(":memory:")
    keys: list[SessionKey] = [
        {"project_key": project, "session_id": session} for project in ("a", "a/b", "a%2Fb") for session in ("c", "b/c")
    ]
    for number, key in enumerate(keys):
        asyncio.run(store.append(key, [entry(str(number))]))
    for number, key in enumerate(keys):
        assert asyncio.run(store.load(key)) == [entry(str(number))]
    assert {each["session_id"] for each in asyncio.run(store.list_sessions("a"))} == {"c", "b/c"}


@pytest.fixture
def model() -> Any:
    with Model() as model:
        yield model


def test_the_program_resumes_in_another_process_and_home_what_only_the_timeline_has(
    tmp_path: Path, model: Model
) -> None:
    place, home = str(tmp_path / "store"), tmp_path / "home"
    model.play([Say("hello Ada"), Say("Ada")])
    session = ask_in(place, model.address, str(home), "my name is Ada")
    shutil.rmtree(home)
    assert elsewhere(ask_in, place, model.address, str(home), "what is my name?", session) == session
    assert said(model.requests[1]) == [
        *said(model.requests[0]),
        ("assistant", "hello Ada"),
        ("user", "what is my name?"),
    ]
    assert model.over


def test_after_undo_the_program_resumes_what_had_been_said_before(tmp_path: Path, model: Model) -> None:
    home = str(tmp_path / "home")
    model.play([Say("hello Ada"), Say("done, all files are gone"), Say("Ada")])

    async def play() -> tuple[list[Any], list[Any]]:
        line = tb.open(tmp_path / "store").timeline("agent")
        store = TakebackSessionStore(line)
        session = await ask(store, model.address, home, "my name is Ada")
        async with line.turn("the disaster"):
            await ask(store, model.address, home, "delete everything", session)
        await line.aio.undo()
        shutil.rmtree(home)
        await ask(store, model.address, home, "what is my name?", session)
        listed = await list_sessions_from_store(store, directory=f"{home}/project")
        return listed, await get_session_messages_from_store(store, session, directory=f"{home}/project")

    listed, messages = asyncio.run(play())
    assert said(model.requests[2]) == [
        *said(model.requests[0]),
        ("assistant", "hello Ada"),
        ("user", "what is my name?"),
    ]
    assert len(listed) == 1
    assert [each.type for each in messages] == ["user", "assistant"] * 2
    assert model.over
