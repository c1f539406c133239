from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

import takeback as tb
from takeback.errors import Conflict, InvalidInput


@dataclass
class Message:
    id: str
    text: str
    seen_by: set[str] = field(default_factory=set)


class Agent:
    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.notes: dict[Any, Any] = {"limits": (1, {"deep": [1, 2]})}
        self.started = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


@pytest.fixture
def agent() -> Agent:
    return Agent()


@pytest.fixture
def line(agent: Agent) -> tb.Timeline:
    return tb.open(":memory:").timeline("memory", sources=[tb.State("memory", agent)])


def test_a_restore_keeps_the_object_and_what_is_inside(agent: Agent, line: tb.Timeline) -> None:
    agent.messages.append(Message("1", "hello", {"Ada"}))
    messages, first, notes = agent.messages, agent.messages[0], agent.notes
    deep = agent.notes["limits"][1]["deep"]
    saved = line.save()
    first.text = "changed"
    first.seen_by.clear()
    deep.append(3)
    agent.messages.insert(0, Message("2", "first now"))
    agent.mood = "angry"  # type: ignore[attr-defined]
    del agent.started
    report = line.restore(saved)
    assert report.verified and report.changed == ("memory",)
    assert agent.messages is messages and messages == [Message("1", "hello", {"Ada"})] and messages[0] is first
    assert agent.notes is notes and notes["limits"][1]["deep"] is deep and deep == [1, 2]
    assert agent.started == datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    assert not hasattr(agent, "mood")


def test_undo_and_redo_take_memory_along(agent: Agent, line: tb.Timeline) -> None:
    line.save()
    with line.turn("say hello"):
        agent.messages.append("hello")
    with line.turn("say more"):
        agent.messages.append("more")
    line.undo()
    assert agent.messages == ["hello"]
    line.undo()
    assert agent.messages == []
    line.redo()
    line.redo()
    assert agent.messages == ["hello", "more"]


def test_an_undo_of_an_older_turn_is_a_conflict_because_a_state_goes_back_whole(
    agent: Agent, line: tb.Timeline
) -> None:
    line.save()
    with line.turn("say hello"):
        agent.messages.append("hello")
    with line.turn("say more"):
        agent.messages.append("more")
    older = line.log().moves[1]
    with pytest.raises(Conflict):
        line.undo(older.id)
    assert agent.messages == ["hello", "more"]


@pytest.mark.parametrize("holes", [False, True])
def test_after_a_restore_nothing_has_changed(holes: bool) -> None:
    agent = Agent()
    if holes:
        agent.notes["lock"] = threading.Lock()
    line = tb.open(":memory:").timeline("memory", sources=[tb.State("memory", agent, holes=holes)])
    saved = line.save()
    agent.messages.append("hello")
    report = line.restore(saved)
    assert line.save().id == report.snapshot
    assert len(line.show("@").not_captured) == holes


def test_a_message_that_is_changed_in_place_is_captured_at_any_depth(agent: Agent, line: tb.Timeline) -> None:
    agent.messages += ({"role": "user", "content": [{"type": "text", "text": f"{n}" * 40}]} for n in range(2000))
    seen = {line.save().id}
    for change in (0, 999, 1999):
        agent.messages[change]["content"][0]["text"] += "!"
        seen.add(line.save().id)
    agent.messages[5]["content"] = tuple(agent.messages[5]["content"])
    seen.add(line.save().id)
    agent.messages[6]["role"] = True
    one = line.save()
    agent.messages[6]["role"] = 1
    other = line.save()
    assert len(seen | {one.id, other.id}) == 7
    line.restore(one)
    assert agent.messages[6]["role"] is True and type(agent.messages[5]["content"]) is tuple


def test_a_restore_that_meets_a_change_of_somebody_who_has_no_lock_leaves_it(agent: Agent) -> None:
    class Meddled(tb.State):
        def plan(self, *given: Any) -> Any:
            agent.messages.append("just now")
            return super().plan(*given)

    line = tb.open(":memory:").timeline("memory", sources=[Meddled("memory", agent, threading.Lock())])
    saved = line.save()
    agent.messages.append("hello")
    with pytest.raises(Conflict, match="changed meanwhile"):
        line.restore(saved)
    assert agent.messages == ["hello", "just now"]


def test_what_changes_until_the_lock_is_had_is_saved_before_a_restore(agent: Agent) -> None:
    class LetsSomebodyIn:
        def __init__(self) -> None:
            self.had = 0

        def acquire(self) -> None:
            self.had += 1
            if self.had == 2:  # after the save
                agent.messages.append("just now")

        def release(self) -> None: ...

        def __enter__(self) -> None:
            self.acquire()

        def __exit__(self, *error: object) -> None: ...

    line = tb.open(":memory:").timeline("memory", sources=[tb.State("memory", agent, LetsSomebodyIn())])
    saved = line.save()
    agent.messages.append("hello")
    line.restore(saved)
    assert agent.messages == []
    line.undo()
    assert agent.messages == ["hello", "just now"]


def test_the_lock_is_had_for_each_look_and_given_back(agent: Agent) -> None:
    class Counting:
        """A lock that can be had once, and counts how often it was."""

        def __init__(self) -> None:
            self._lock = threading.Lock()
            self.had = 0

        def acquire(self) -> None:
            assert self._lock.acquire(blocking=False)
            self.had += 1

        def release(self) -> None:
            self._lock.release()

        def __enter__(self) -> None:
            self.acquire()

        def __exit__(self, *error: object) -> None:
            self.release()

    lock = Counting()
    line = tb.open(":memory:").timeline("memory", sources=[tb.State("memory", agent, lock)])
    saved = line.save()
    assert lock.had == 1
    agent.messages.append("hello")
    line.restore(saved)
    assert lock.had == 2 and agent.messages == []  # from the look at the present until the object is restored
    lock.acquire()


@pytest.mark.parametrize("value", [None, 1, "text", (1, 2), frozenset({1})])
def test_what_cannot_change_in_place_is_no_state(value: object) -> None:
    with pytest.raises(InvalidInput, match="in place"):
        tb.State("memory", value)


@pytest.mark.parametrize("name", ["", " ", "a\nb"])
def test_a_name_is_something_that_can_be_printed(name: str) -> None:
    with pytest.raises(InvalidInput, match="name"):
        tb.State(name, [])


def test_what_cannot_be_held_is_named_by_its_path(agent: Agent, line: tb.Timeline) -> None:
    agent.notes["tools"] = [1, 2, 3, {"client": threading.Lock()}]
    with pytest.raises(InvalidInput, match=r"memory\.notes\['tools'\]\[3\]\['client'\] is a _thread\.lock"):
        line.save()


def test_a_hole_keeps_what_is_there_now(agent: Agent) -> None:
    agent.notes["client"] = threading.Lock()
    line = tb.open(":memory:").timeline("m", sources=[tb.State("m", agent, holes=["m.notes['client']"])])
    saved = line.save()
    assert [(each.path, each.reason) for each in saved.not_captured] == [("m.notes['client']", "live")]
    agent.notes["client"] = now = threading.Lock()
    agent.messages.append("hello")
    line.restore(saved)
    assert agent.messages == [] and agent.notes["client"] is now
    del agent.notes["client"]
    agent.messages.append("again")
    with pytest.raises(Conflict, match="was not captured"):
        line.restore(saved)
    assert agent.messages == ["again"]
