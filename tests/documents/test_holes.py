"""What cannot be held: an error that says where it is, or a hole in which a restore keeps the live value."""

from __future__ import annotations

import ast
import asyncio
import contextvars
import functools
import io
import itertools
import logging
import operator
import queue
import random
import socket
import struct
import subprocess
import sys
import threading
import types
import weakref
from typing import Any

import pytest

import takeback as tb
from support.graphs import Agent
from takeback.errors import Conflict, InvalidInput


class Thread(threading.Thread):
    pass


class Mapped(map):  # type: ignore[type-arg]
    pass


def generator() -> Any:
    yield 1


async def coroutine() -> None:
    pass


class Owner:
    def method(self) -> None: ...


LIVE: dict[str, Any] = {
    "lock": threading.Lock(), "rlock": threading.RLock(), "event": threading.Event(), "thread": Thread(),
    "socket": socket.socket(), "file": open(__file__),  # noqa: SIM115
    "text": io.StringIO("x"), "bytes": io.BytesIO(), "queue": queue.Queue(),
    "function": generator, "lambda": lambda: 1, "builtin": len, "method": Owner().method, "partial": functools.partial(len),
    "generator": generator(), "module": sys, "weakref": weakref.ref(Owner), "weak set": weakref.WeakSet(),
    "logger": logging.getLogger("x"), "context": contextvars.ContextVar("x"), "struct": struct.Struct("<I"),
    "chain": itertools.chain([1]), "map": Mapped(int, ["1"]), "getter": operator.itemgetter(1), "random": random.Random(1),
    "property": property(len), "view": memoryview(b"x"), "frame": sys._getframe(), "code": generator.__code__,
    "error": ValueError("x"), "iterator": iter([1]), "enumerate": enumerate([1]), "loop": asyncio.new_event_loop(),
    "proxy": types.MappingProxyType({}), "keys": {}.keys(), "cell": types.CellType(1), "node": ast.parse("1"),
    "completed": subprocess.CompletedProcess([], 0), "object": object(), "union": int | str,
}  # fmt: skip


@pytest.mark.parametrize("name", LIVE)
def test_what_cannot_be_held_is_named_with_its_path(name: str) -> None:
    tool = Agent(client=LIVE[name])
    agent = Agent(tools=[Agent(), Agent(), Agent(), tool], by={("a", 1): {"x": tool}})
    with pytest.raises(
        InvalidInput, match=r"^agent\.tools\[3\]\.client\b.* is a .*, which no snapshot can hold"
    ) as raised:
        tb.capture(agent)
    assert any("holes=['agent.tools[3].client" in hint for hint in raised.value.hints)


@pytest.mark.parametrize("name", ["lock", "socket", "function", "generator", "object", "random", "error"])
@pytest.mark.parametrize("holes", [True, ["agent.tools[3].client"], ["agent.tools[*].client"], "agent.*"])
def test_a_hole_keeps_the_live_value(name: str, holes: Any) -> None:
    tool = Agent(client=LIVE[name], calls=1)
    agent = Agent(tools=[1, 2, 3, tool])
    document = tb.capture(agent, holes=holes)
    assert [each.path for each in document.holes] == ["agent.tools[3].client"]
    assert document.holes[0].reason == "live"
    tool.calls = 2
    tool.client = other = threading.Lock()
    document.restore_into(agent)
    assert agent.tools[3] is tool and tool.client is other and tool.calls == 1


def test_a_pattern_allows_no_other_place() -> None:
    agent = Agent(client=threading.Lock(), tools=[threading.Lock()])
    with pytest.raises(InvalidInput, match=r"^agent\.tools\[0\]"):
        tb.capture(agent, holes=["agent.client", "agent.tools[1]"])


def test_a_hole_whose_live_value_is_gone_stops_the_restore() -> None:
    agent = Agent(client=threading.Lock(), items=[1])
    document = tb.capture(agent, holes=True)
    del agent.client
    agent.items.append(2)
    with pytest.raises(Conflict, match=r"agent\.client was not captured"):
        document.restore_into(agent)
    assert agent.items == [1, 2] and not hasattr(agent, "client")


def test_holes_in_every_kind_of_container_keep_their_values() -> None:
    locks = [threading.Lock() for _ in range(6)]
    agent = Agent(
        listed=[locks[0]],
        keyed={"a": locks[1], 5: locks[2]},
        paired=("x", locks[3]),
        deep=[{"a": [(1, [locks[4]])]}],
        own=locks[5],
    )
    document = tb.capture(agent, holes=True)
    assert len(document.holes) == 6
    agent.keyed["b"] = 1
    agent.deep[0]["a"][0][1].append(1)
    document.restore_into(agent)
    assert (
        agent.listed == [locks[0]] and agent.keyed == {"a": locks[1], 5: locks[2]} and agent.paired == ("x", locks[3])
    )
    assert agent.deep == [{"a": [(1, [locks[4]])]}] and agent.own is locks[5]


def test_a_value_with_holes_can_be_had_alone() -> None:
    found = tb.capture(Agent(client=threading.Lock()), holes=True).value()
    assert repr(found.client) == "<not captured: _thread:lock>"


def test_a_very_long_key_is_short_in_a_path() -> None:
    with pytest.raises(InvalidInput) as raised:
        tb.capture({"k" * 5000: {10**5000: {(1, 2): len}}})
    assert len(str(raised.value)) < 800
