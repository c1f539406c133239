"""openai-agents with the real runner: what the model hears is what the SDK's own session would have told it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from agents import RunConfig, Runner
from agents.memory import Session, SessionSettings, SQLiteSession
from hypothesis import given, settings
from hypothesis import strategies as st

import takeback as tb
from support.frameworks.elsewhere import elsewhere
from support.frameworks.openai_agents import DEPLOYED, ask_to_deploy, converse, converse_in, deployer
from takeback.adapters.openai_agents import TakebackSession

TURNS = [("my name is Ada", "hello Ada"), ("what is my name?", "Ada"), ("and now?", "still Ada")]


def message(text: Any) -> Any:
    return {"role": "user", "content": text}


def session(where: Any = ":memory:", **options: Any) -> TakebackSession:
    return TakebackSession("chat", where, **options)


def test_a_conversation_goes_on_in_another_process_as_if_it_had_never_left(tmp_path: Path) -> None:
    own = asyncio.run(converse(SQLiteSession("chat"), TURNS))
    store = str(tmp_path / "store")
    heard = [*converse_in(store, TURNS[:1]), *elsewhere(converse_in, store, TURNS[1:])]
    assert heard == own
    assert [len(each) for each in heard] == [1, 3, 5]


def test_what_was_taken_back_is_not_told_to_the_model_again(tmp_path: Path) -> None:
    chat = session(tmp_path / "store")
    for number, turn in enumerate(TURNS[:2]):
        with chat.line.turn(f"turn {number}"):
            asyncio.run(converse(chat, [turn]))
    chat.line.undo()
    heard = asyncio.run(converse(chat, TURNS[2:]))
    assert heard == asyncio.run(converse(SQLiteSession("chat"), [TURNS[0], TURNS[2]]))[1:]


def test_one_snapshot_holds_the_files_and_the_memory_of_one_moment(tmp_path: Path) -> None:
    file = tmp_path / "project" / "notes"
    file.parent.mkdir()
    file.write_text("nothing yet")
    line = tb.open(tmp_path / "store").timeline(sources=[tb.Workspace(file.parent)])
    line.save("before")
    chat = session(line)
    with line.turn("introduction"):
        asyncio.run(converse(chat, TURNS[:1]))
        file.write_text("Ada was here")
    after = line.save()
    line.undo()
    assert (file.read_text(), asyncio.run(chat.get_items())) == ("nothing yet", [])
    line.restore(after)
    assert file.read_text() == "Ada was here"
    assert len(asyncio.run(chat.get_items())) == 2
    assert asyncio.run(chat.get_items()) == line.value(after, "session:chat")


def test_two_sessions_on_one_line_have_their_own_items() -> None:
    line = tb.open(":memory:").timeline("team")
    one, two, again = TakebackSession("one", line), TakebackSession("two", line), TakebackSession("one", line)
    asyncio.run(one.add_items([message("1")]))
    asyncio.run(two.add_items([message("2")]))
    assert asyncio.run(again.get_items()) == [message("1")]
    assert asyncio.run(two.get_items()) == [message("2")]


def test_each_add_can_be_taken_back_down_to_the_first() -> None:
    chat = session()
    for number in range(3):
        asyncio.run(chat.add_items([message(str(number))]))
    for left in (2, 1, 0):
        chat.line.undo()
        assert len(asyncio.run(chat.get_items())) == left
    with pytest.raises(tb.NotFound):
        chat.line.undo()


OPERATIONS = st.one_of(
    st.tuples(st.just("add_items"), st.lists(st.text(max_size=3).map(message), max_size=3)),
    st.tuples(st.just("get_items"), st.none() | st.integers(-1, 4)),
    st.tuples(st.sampled_from(["pop_item", "clear_session"])),
)


@settings(max_examples=30, deadline=None)
@given(st.lists(OPERATIONS, max_size=8), st.none() | st.integers(0, 3))
def test_whatever_is_done_to_it_it_answers_as_the_sdks_own_session(
    operations: list[tuple[Any, ...]], limit: int | None
) -> None:
    async def play(one: Session) -> list[Any]:
        return [await getattr(one, name)(*arguments) for name, *arguments in (*operations, ("get_items",))]

    with tb.open(":memory:") as store:
        ours = asyncio.run(play(session(store, session_settings=SessionSettings(limit=limit))))
    assert ours == asyncio.run(play(SQLiteSession("chat", session_settings=SessionSettings(limit=limit))))


@pytest.mark.parametrize("change", [lambda items: items.clear(), lambda items: items[0].clear()])
def test_what_was_given_or_got_is_nobodys_to_change(change: Callable[[Any], None]) -> None:
    chat, mine = session(), [message("hello")]
    asyncio.run(chat.add_items(mine))
    change(mine)
    change(asyncio.run(chat.get_items()))
    assert asyncio.run(chat.get_items()) == [message("hello")]


def test_an_item_that_could_not_be_read_again_is_refused_with_the_path_to_it() -> None:
    chat = session()
    with pytest.raises(tb.InvalidInput, match=r"items\[1\]\.content\[0\] is a builtins\.object"):
        asyncio.run(chat.add_items([message("hello"), message([object()])]))
    assert asyncio.run(chat.get_items()) == []


def test_items_are_added_in_the_order_of_the_calls() -> None:
    async def many() -> list[Any]:
        chat = session()
        await asyncio.gather(*(chat.add_items([message(str(number))]) for number in range(20)))
        return await chat.get_items()

    assert asyncio.run(many()) == [message(str(number)) for number in range(20)]


def test_what_was_cancelled_has_either_been_done_or_never_will_be() -> None:
    async def cancelled(chat: TakebackSession) -> list[Any]:
        adding = asyncio.create_task(chat.add_items([message("1")]))
        await asyncio.sleep(0)
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding
        items = await chat.get_items()
        await _nothing_left_to_do()
        return items

    chat = session()
    assert asyncio.run(cancelled(chat)) == asyncio.run(chat.get_items()) == [message("1")]


def _nothing_left_to_do() -> Awaitable[None]:
    return asyncio.get_running_loop().shutdown_default_executor()


def test_a_run_that_waits_for_approval_goes_on_in_another_process(tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    elsewhere(ask_to_deploy, store)

    async def approve() -> tuple[list[Any], list[Any]]:
        chat = session(store)
        agent, model = deployer("done")
        state = await chat.load_run(agent)
        state.approve(state.get_interruptions()[0])
        await Runner.run(agent, state, session=chat, run_config=RunConfig(tracing_disabled=True))
        return model.heard, await chat.get_items()

    heard, items = asyncio.run(approve())
    assert DEPLOYED == ["production"]
    assert [each.get("role") or each["type"] for each in heard[0]] == ["user", "function_call", "function_call_output"]
    assert heard[0][2]["output"] == "deployed to production"
    assert len(items) == 4


def test_a_run_that_was_never_kept_is_not_found() -> None:
    with pytest.raises(tb.NotFound):
        asyncio.run(session().load_run(deployer()[0]))
