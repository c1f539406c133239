"""Restoring in place: the same containers, the aliases that were saved, all of it or nothing."""

from __future__ import annotations

import random
import threading
from collections import OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy
import pydantic
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import takeback as tb
from support.graphs import Agent, Pair, anchored, change_at_random, containers_of, graph_at_random, owners_of
from takeback import documents
from takeback.errors import Conflict, InvalidInput


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 32))
def test_any_graph_comes_back_from_any_change_with_its_containers_and_aliases(seed: int) -> None:
    chance = random.Random(seed)
    root = graph_at_random(chance)
    saved = tb.capture(root)
    before, held = owners_of(root), containers_of(root)
    change_at_random(chance, root)
    stayed = anchored(root, before, owners_of(root))
    saved.restore_into(root)
    assert tb.capture(root).id == saved.id
    after = containers_of(root)
    assert len(after) == len(held), "no container became two, and no two became one"
    assert stayed <= after.keys(), "what stood where it was saved is still the same object"


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 32))
def test_a_restore_that_fails_leaves_everything_as_it_was(seed: int) -> None:
    chance = random.Random(seed)
    root = graph_at_random(chance)
    root.buffer = bytearray(b"saved, and longer than it will be")
    saved = tb.capture(root)
    buffer = root.buffer
    change_at_random(chance, root)
    root.buffer = buffer
    buffer[:] = b"short"
    changed = tb.capture(root).id
    before = containers_of(root)
    with memoryview(root.buffer):  # which forbids another length
        with pytest.raises(Conflict, match="nothing was restored"):
            saved.restore_into(root)
        assert tb.capture(root).id == changed
        assert containers_of(root).keys() == before.keys()
    saved.restore_into(root)
    assert tb.capture(root).id == saved.id


def test_lists_that_were_two_are_two_again_and_one_is_one_again() -> None:
    two = [[1], [1]]
    saved = tb.capture(two)
    two[1] = two[0]
    saved.restore_into(two)
    assert two[0] is not two[1]

    inner = [1]
    one = [inner, inner]
    saved = tb.capture(one)
    one[1] = [1]
    saved.restore_into(one)
    assert one[0] is one[1]


def test_a_named_tuple_holds_the_list_that_its_owner_has() -> None:
    shared = [1]
    agent = Agent(pair=Pair(shared, "x"), items=shared)
    saved = tb.capture(agent)
    shared.append(2)
    saved.restore_into(agent)
    assert agent.pair.left is agent.items is shared
    assert shared == [1]


def test_a_hole_in_a_named_tuple_keeps_the_live_value() -> None:
    lock = threading.Lock()
    agent = Agent(pair=Pair(lock, 1))
    saved = documents.capture(agent, holes=True)
    agent.pair = Pair(lock, 2)
    saved.restore_into(agent)
    assert agent.pair == Pair(lock, 1)
    agent.pair = None
    with pytest.raises(Conflict, match=r"agent\.pair\[0\] was not captured"):
        saved.restore_into(agent)
    assert agent.pair is None


class Named:
    """Its hash depends on what it is called."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and other.name == self.name


class Index(dict[Any, Any]):
    pass


def test_keys_and_elements_are_found_under_the_hashes_that_they_have_again() -> None:
    a, b = Named("a"), Named("b")
    agent = Agent(
        all=[a, b], known={a, b}, index={a: 1, b: 2}, own=Index({a: 1}), default=defaultdict(list, {a: []}),
        pairs={(a, 1): 2},
    )  # fmt: skip
    saved = tb.capture(agent)
    a.name, b.name = "x", "x"  # which for now are equal
    agent.known, agent.default = set(), None
    saved.restore_into(agent)
    assert agent.all[0] is a
    assert a in agent.known and b in agent.known and len(agent.known) == 2
    assert agent.index == {a: 1, b: 2} and agent.own == {a: 1} and a in agent.default and (a, 1) in agent.pairs


@dataclass
class Wide:
    x: Any = None
    plain: SimpleNamespace = field(default_factory=SimpleNamespace)


class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    items: list[int] = []
    _note: dict[str, Any] = pydantic.PrivateAttr(default_factory=dict)


def test_every_kind_of_container_stays_the_same_one() -> None:
    root = Wide(
        {
            "list": [1], "dict": {"a": 1}, "set": {1}, "bytearray": bytearray(b"a"), "deque": deque([1], 5),
            "ordered": OrderedDict(a=1), "default": defaultdict(list, {"a": [1]}), "array": numpy.arange(3),
            "namespace": SimpleNamespace(a=[1]), "model": Model.model_validate({"items": [1], "more": [2]}), "wide": Wide(1),
        }
    )  # fmt: skip
    root.x["model"]._note["a"] = 1
    root.x["shape"] = root.x["list"]
    saved = tb.capture(root)
    outer, inner = root.x, dict(root.x)
    private, extra = root.x["model"].__pydantic_private__, root.x["model"].__pydantic_extra__
    for name, value in inner.items():
        for how in ("clear", "fill"):
            if hasattr(value, how):
                getattr(value, how)(*([7] if how == "fill" else ()))
        if isinstance(value, SimpleNamespace | Wide):
            vars(value)["added"] = name
    inner["default"].default_factory = None
    inner["model"].items.append(2)
    inner["model"].another = 5
    inner["model"]._note.clear()
    inner["model"].__pydantic_fields_set__.clear()
    root.x["shape"] = None
    saved.restore_into(root)
    assert tb.capture(root).id == saved.id
    assert root.x is outer
    assert all(root.x[name] is value for name, value in inner.items())
    assert inner["model"].__pydantic_private__ is private and inner["model"].__pydantic_extra__ is extra
    assert inner["default"].default_factory is list
    assert not hasattr(inner["wide"], "added")


class Refusing(dict[Any, Any]):
    """A class whose own methods all refuse."""

    def __setitem__(self, key: Any, value: Any) -> None:
        raise RuntimeError("no")

    def __setattr__(self, name: str, value: Any) -> None:
        raise RuntimeError("no")

    update = clear = __delitem__ = __setitem__  # type: ignore[assignment]


def test_a_class_that_refuses_is_not_asked() -> None:
    value = Refusing({"a": [1]})
    saved = tb.capture(value)
    dict.__setitem__(value, "b", 2)
    vars(value)["note"] = 1
    value["a"].append(2)
    saved.restore_into(value)
    assert dict(value) == {"a": [1]} and not vars(value)


class Explosive:
    armed = False

    def __hash__(self) -> int:
        if Explosive.armed:
            raise RuntimeError("boom")
        return 5


def test_a_hash_that_fails_in_the_middle_leaves_everything_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = Explosive(), Explosive()
    agent = Agent(items=[1, 2], index={first: 1}, known={first, second}, more=[first, second])
    saved = tb.capture(agent)
    agent.items.append(3)
    agent.index[second] = 2
    changed = tb.capture(agent).id
    graft = documents.ready(saved._blobs, saved.id, agent, documents.Known([Agent, Explosive]))
    monkeypatch.setattr(Explosive, "armed", True)
    with pytest.raises(Conflict, match="boom"):
        graft.apply()
    monkeypatch.setattr(Explosive, "armed", False)
    assert agent.items == [1, 2, 3] and agent.index == {first: 1, second: 2}
    assert tb.capture(agent).id == changed


@pytest.mark.parametrize(
    ("saved", "target"),
    [
        (numpy.zeros(3), numpy.ones(4)),
        (numpy.zeros(3), numpy.ones(3, "float32")),
        (deque([1], 3), deque([2], 4)),
        ([1], {}),
        ([1], (1,)),
        (Wide(), Agent()),
    ],
)
def test_what_does_not_fit_is_refused(saved: Any, target: Any) -> None:
    before = repr(target)
    with pytest.raises(InvalidInput):
        tb.capture(saved).restore_into(target)
    assert repr(target) == before


def test_an_array_that_cannot_be_written_to_is_replaced() -> None:
    agent = Agent(array=numpy.arange(3))
    saved = tb.capture(agent)
    agent.array = numpy.zeros(3, agent.array.dtype)
    agent.array.flags.writeable = False
    saved.restore_into(agent)
    assert list(agent.array) == [0, 1, 2]


def test_a_list_trimmed_at_its_head_keeps_the_messages_that_stayed() -> None:
    messages: list[Any] = [{"id": str(n), "content": [n]} for n in range(500)]
    held = messages[400]
    saved = tb.capture(messages)
    del messages[:300]
    held["content"].append("edited")
    saved.restore_into(messages)
    assert messages[400] is held and held == {"id": "400", "content": [400]}
    assert len(messages) == 500


def test_objects_in_objects_without_end_are_restored() -> None:
    first = Agent(next=None)
    last = first
    for _ in range(3000):
        last.next = Agent(next=None, n=[1])
        last = last.next
    last.next = first
    saved = tb.capture(first)
    first.next.n.append(2)
    last.n.append(3)
    saved.restore_into(first)
    assert tb.capture(first).id == saved.id
    assert last.n == [1] and last.next is first


def test_lists_that_hold_each_other_many_times_over_take_no_time() -> None:
    root: list[Any] = []
    inner = root
    for _ in range(30):
        inner.append([])
        inner += [inner[0]] * 3
        inner = inner[0]
    inner += [root] * 3
    saved = tb.capture(root)
    inner.append(1)
    changed = tb.capture(root)
    assert saved.diff(changed)
    saved.restore_into(root)
    assert tb.capture(root).id == saved.id != changed.id
