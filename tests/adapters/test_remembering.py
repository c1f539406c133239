"""What all adapters promise, whatever framework asks: nothing is lost among threads and processes, and nobody waits."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from operator import methodcaller
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from support.cli import Cli
from support.frameworks.crowd import add, all_at_once, remembered, to_and_fro
from takeback.adapters.openai_agents import TakebackSession
from takeback.adapters.remembering import Remembered, Room, finished, plain

SESSION = "session:chat"


def items(store: tb.Store, name: str = "chat") -> list[Any]:
    return asyncio.run(TakebackSession(name, store).get_items())


def message(text: str) -> Any:
    return {"role": "user", "content": text}


def test_several_processes_add_to_one_session_and_none_loses_anything(tmp_path: Path) -> None:
    place = str(tmp_path / "store")
    all_at_once(add, [(place, "chat", who, 8) for who in "abc"])
    with tb.open(place) as store:
        found = remembered(store, "chat").now(list)
    assert len(found) == 24
    for who in "abc":
        assert [number for by, number in found if by == who] == list(range(8))


def test_sessions_in_one_store_are_taken_back_at_the_same_time(tmp_path: Path) -> None:
    assert all_at_once(to_and_fro, [(str(tmp_path / "store"), name, 5) for name in "abc"]) == [[], [], []]


def test_threads_that_save_the_line_do_not_make_the_changes_of_others(tmp_path: Path) -> None:
    line = tb.open(":memory:").timeline(sources=[tb.Workspace(tmp_path)])
    session = TakebackSession("chat", line)
    stop = threading.Event()

    def save() -> None:
        number = 0
        while not stop.is_set():
            (tmp_path / "file").write_text(str(number := number + 1))
            line.save()

    with ThreadPoolExecutor() as pool:
        saving = pool.submit(save)
        for number in range(20):
            asyncio.run(session.add_items([message(str(number))]))
        stop.set()
        saving.result()
    assert asyncio.run(session.get_items()) == [message(str(number)) for number in range(20)]


def test_another_timeline_object_moves_the_same_session(tmp_path: Path) -> None:
    with tb.open(tmp_path / "store") as store:
        mine = TakebackSession("chat", store)
        asyncio.run(mine.add_items([message("1")]))
        with tb.open(tmp_path / "store") as other:
            theirs = TakebackSession("chat", other)
            asyncio.run(theirs.add_items([message("2")]))
            assert asyncio.run(mine.get_items()) == [message("1"), message("2")]
            theirs.line.undo()
        assert asyncio.run(mine.get_items()) == [message("1")]
        asyncio.run(mine.add_items([message("3")]))
        assert items(store) == [message("1"), message("3")]


def test_a_line_that_knows_nothing_of_the_session_moves_it_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    with tb.open(tmp_path / "store") as store:
        line = store.timeline(sources=[tb.Workspace(tmp_path / "project")])
        session = TakebackSession("chat", line)
        asyncio.run(session.add_items([message("1")]))
        line.label("@", "one")
        asyncio.run(session.add_items([message("2")]))
        other = store.timeline(sources=[tb.Workspace(tmp_path / "project")])
        assert other.restore("one").pending == (), "no process has to put anything in place"
        assert asyncio.run(session.get_items()) == [message("1")]
        other.undo()
        assert asyncio.run(session.get_items()) == [message("1"), message("2")]
        other.restore("one")
        asyncio.run(session.add_items([message("3")]))
        assert asyncio.run(session.get_items()) == [message("1"), message("3")]


def test_the_event_loop_goes_on_while_a_change_waits(tmp_path: Path) -> None:
    line = tb.open(":memory:").timeline("chat")
    session = TakebackSession("chat", line)
    began, go_on = threading.Event(), threading.Event()

    class Slow(Remembered):
        def capture(self, *args: Any) -> Any:
            began.set()
            assert go_on.wait(60)
            return super().capture(*args)

    line.add(Slow(line, "slow", dict))

    async def play() -> bool:
        adding = asyncio.create_task(session.add_items([message("1")]))
        while not began.is_set():
            await asyncio.sleep(0)
        waiting = not adding.done()
        go_on.set()
        await adding
        return waiting

    assert asyncio.run(play())


def test_a_change_that_fails_changes_nothing() -> None:
    part = Room(":memory:", "test").remembered("one", "part", list)
    part.change(lambda value: value.append(1))()

    def fail(value: list[int]) -> None:
        value.clear()
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        part.change(fail)()
    assert part.now(list) == [1]
    part.change(lambda value: value.append(2))()
    assert part.now(list) == [1, 2]


def test_a_read_of_what_has_not_moved_reads_nothing_again() -> None:
    part = Room(":memory:", "test").remembered("one", "part", list)
    part.change(lambda value: value.append(["one"]))()
    assert part.now(lambda value: value is part.object)
    before = part.object
    assert part.now(list) == [["one"]]
    assert part.object is before


def test_a_session_costs_what_is_added_to_it() -> None:
    with tb.open(":memory:") as store:
        session = TakebackSession("chat", store)
        asyncio.run(session.add_items([message(f"{number} " * 200) for number in range(400)]))
        before = store.stats().store.raw_bytes
        for number in range(20):
            asyncio.run(session.add_items([message(f"more {number}")]))
        assert store.stats().store.raw_bytes - before < before / 2, "not twenty times all that had been said before"


@pytest.mark.parametrize(
    ("value", "copy"),
    [({"a": [1, 2.5, None, True, "x"]}, None), ((1, (2,)), [1, [2]]), ({"n": 2**70}, None), ([], None), ({}, None)],
)
def test_plain_data_is_copied(value: Any, copy: Any) -> None:
    assert plain(value, "value") == (value if copy is None else copy)
    assert plain(value, "value") is not value


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ({"a": [object()]}, r"value\.a\[0\] is a builtins\.object"),
        ({1: 2}, "has the key 1"),
        ({"s": {1}}, r"value\.s is"),
    ],
)
def test_anything_else_is_refused_with_the_path_to_it(value: Any, where: str) -> None:
    with pytest.raises(tb.InvalidInput, match=where):
        plain(value, "value")


@pytest.mark.parametrize(
    ("adapter", "package", "extra"),
    [
        ("openai_agents", "agents", "openai-agents"),
        ("claude_agent_sdk", "claude_agent_sdk", "claude-agent-sdk"),
        ("pydantic_ai", "pydantic_ai", "pydantic-ai"),
    ],
)
def test_without_the_framework_it_says_what_to_install(adapter: str, package: str, extra: str) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; import takeback.adapters.{adapter}"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "Unavailable" in ended.stderr
    assert f"pip install 'takeback[{extra}]'" in ended.stderr


def test_what_is_added_after_an_undo_can_be_taken_back_as_well() -> None:
    part = Room(":memory:", "test").remembered("one", "part", list)
    for number in range(3):
        part.change(methodcaller("append", number))()
        part.line.undo()
        assert part.now(list) == []


def test_a_change_is_made_once_while_something_else_is_put_in_place_first(tmp_path: Path) -> None:
    notes: list[str] = []
    with tb.open(tmp_path / "store") as store:
        line = store.timeline("agent", sources=[tb.State("notes", notes)])
        session = TakebackSession("chat", line)
        asyncio.run(session.add_items([message("1")]))
        line.label("@", "one")
        notes.append("a note")
        asyncio.run(session.add_items([message("2")]))
        assert store.timeline("agent").restore("one").pending == ("notes",)
        asyncio.run(session.add_items([message("3")]))
        assert notes == []
        assert asyncio.run(session.get_items()) == [message("1"), message("3")]


def test_a_session_that_quoted_a_purged_secret_is_empty_and_can_be_gone_on_with(tmp_path: Path) -> None:
    secret = "correct-horse-battery-staple-9f3a77"
    (tmp_path / "password").write_text(secret)
    line = tb.open(":memory:").timeline(sources=[tb.Workspace(tmp_path)])
    session = TakebackSession("chat", line)
    asyncio.run(session.add_items([message(f"the password is {secret}")]))
    line.purge("password")
    assert asyncio.run(session.get_items()) == []
    asyncio.run(session.add_items([message("hello")]))
    assert asyncio.run(session.get_items()) == [message("hello")]


def test_the_command_takes_back_a_session_and_nobody_has_to_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    cli = Cli(tmp_path, capsysbinary)
    monkeypatch.chdir(cli.root)
    monkeypatch.setenv("TAKEBACK_STORE", str(cli.store))
    with tb.open(cli.store) as store:
        part = remembered(store, "chat")
        for number in range(2):
            part.change(methodcaller("append", number))()
        cli("undo", "--timeline", "test:chat", "--yes", code=0)
        assert part.now(list) == [0]
        cli("redo", "--timeline", "test:chat", "--yes", code=0)
        assert part.now(list) == [0, 1]


def test_a_fork_goes_on_by_itself() -> None:
    with tb.open(":memory:") as store:
        part = remembered(store, "chat")
        for number in range(2):
            part.change(methodcaller("append", number))()
        fork = Room(part.line.fork("@-", "attempt", to={}), "test").remembered("chat", part.name, list)
        fork.change(methodcaller("append", "other"))()
        assert (part.now(list), fork.now(list)) == ([0, 1], [0, "other"])


def test_a_loop_that_ends_waits_for_what_was_begun() -> None:
    order: list[str] = []
    open = threading.Event()

    def save() -> None:
        open.wait(30)
        order.append("saved")

    async def work() -> None:
        try:
            await finished(save)
        finally:
            order.append("told")

    async def ends() -> None:
        begun = asyncio.create_task(work())
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_later(0.1, open.set)
        assert not begun.done()

    asyncio.run(ends())
    assert order == ["saved", "told"]
