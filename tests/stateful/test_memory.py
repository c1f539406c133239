"""An agent with a memory and a file, and somebody in another process who restores and undoes, against a plain model.

What must hold: what was saved reads back; a restore gives exactly what was saved, memory and file together, in the same
object; what is pending is put in place by the owner's next save and by nobody else; what anything replaces was saved
first; undo gives what was there before, and redo gives it back; and the store verifies.
"""

from __future__ import annotations

import copy
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

import takeback as tb
from support import campaigns, generated
from support.agent import World
from takeback.model.plan import Report

HISTORIES, SHARDS = 400, 8

messages = st.one_of(
    st.text(max_size=8),
    st.dictionaries(st.text(max_size=3), st.integers() | st.binary(max_size=4) | st.none(), max_size=3),
    st.integers(0, 9).map(lambda number: bytes([number]) * 5000),
)

Saved = tuple[dict[str, Any], bytes]
"""Memory and file."""


class Memory(RuleBasedStateMachine):
    snapshots: Bundle[str] = Bundle("snapshots")

    def __init__(self) -> None:
        super().__init__()
        self.base = Path(tempfile.mkdtemp(prefix="takeback-memory-"))
        self.world = World(self.base)
        self.memory: dict[str, Any] = {"messages": []}
        self.messages = self.memory["messages"]
        self.owner = self.world.store.timeline(sources=[tb.Workspace(self.world.root), tb.State("memory", self.memory)])
        self.known: dict[str, Saved] = {}
        self.asked: dict[str, Any] | None = None
        self.world.write("a.txt", "")
        self.saved(self.owner.save(), self.live)

    # the model

    @property
    def live(self) -> Saved:
        return copy.deepcopy(self.memory), self.world.read("a.txt")

    def held(self, reference: str) -> Saved:
        return self.owner.value(reference, "memory"), self.owner.read(reference, "a.txt")

    def saved(self, snapshot: tb.Snapshot, what: Saved) -> str:
        assert self.held(snapshot.id) == what
        self.known[snapshot.id] = what
        return snapshot.id

    def caught_up(self) -> Saved:
        """What is there once the owner has come to what is pending."""
        memory = self.live[0] if self.asked is None else self.asked
        self.asked = None
        return memory, self.live[1]

    def look(self) -> None:
        """What is pending, as the store says."""
        part = self.owner.show("@").parts["memory"]
        self.asked = self.owner.value("@", "memory") if part.pending else None

    def replaces(self, act: Callable[[], Report | None]) -> Report | None:
        """What stood there before must be in the safety snapshot, or in one before it."""
        before = self.live[0]
        try:
            report = act()
        except (tb.NotFound, tb.Conflict, tb.Partial):
            self.look()
            return None
        if self.memory != before:
            recent = [row.id for row in self.owner.log(6).snapshots]
            assert any(self.owner.value(id, "memory") == before for id in recent), "it was not saved first"
        assert self.memory["messages"] is self.messages, "another list stands where others hold the first one"
        return report

    # what the agent and others do

    @rule(message=messages)
    def think(self, message: Any) -> None:
        self.messages.append(message)

    @rule(key=st.sampled_from("xyz"), value=st.integers(0, 3))
    def know(self, key: str, value: int) -> None:
        self.memory[key] = value

    @rule()
    def forget(self) -> None:
        del self.messages[:1]

    @rule(text=st.text("ab\n", max_size=5))
    def write(self, text: str) -> None:
        self.world.write("a.txt", text)

    @rule(target=snapshots)
    def owner_saves(self) -> str:
        expected = self.caught_up()
        self.replaces(self.owner_save)
        assert self.live == expected
        return self.saved(self.owner.show("@"), expected)

    def owner_save(self) -> None:
        self.owner.save()

    @rule(target=snapshots)
    def another_saves(self) -> str:
        memory = self.held("@")[0]
        self.world.line.save()
        assert self.owner.show("@").parts["memory"].pending == (self.asked is not None)
        return self.saved(self.owner.show("@"), (memory, self.live[1]))

    @rule()
    def owner_syncs(self) -> None:
        nothing, expected = self.asked is None, self.caught_up()
        report = self.replaces(self.owner.sync)
        assert (report is None) == nothing
        assert self.live == expected

    @rule(message=messages, text=st.text("cd\n", max_size=5), marks=st.booleans())
    def turn(self, message: Any, text: str, marks: bool) -> None:
        self.caught_up()
        with self.owner.turn("turn", session="s"):
            if marks:
                self.owner.save(trigger="before_action", session="s")
            self.messages.append(message)
            self.world.write("a.txt", text)
            if marks:
                self.owner.save(trigger="after_action", session="s")
        self.saved(self.owner.show("@"), self.live)

    # taking back

    @rule(reference=snapshots)
    def owner_restores(self, reference: str) -> None:
        self.asked = None
        self.replaces(lambda: self.owner.restore(reference))
        assert self.live == self.known[reference]

    @rule(reference=snapshots)
    def another_restores(self, reference: str) -> None:
        before = self.live[0]
        report = self.replaces(lambda: self.world.line.restore(reference))
        assert report is not None and report.pending == ("memory",)
        assert (self.memory, self.live[1]) == (before, self.known[reference][1])
        self.asked = self.known[reference][0]
        assert self.held("@") == self.known[reference]

    @rule(elsewhere=st.booleans())
    def undo(self, elsewhere: bool) -> None:
        self.replaces((self.world.line if elsewhere else self.owner).undo)
        self.look()

    @rule(elsewhere=st.booleans())
    def redo(self, elsewhere: bool) -> None:
        self.replaces((self.world.line if elsewhere else self.owner).redo)
        self.look()

    @rule(elsewhere=st.booleans())
    def undo_then_redo(self, elsewhere: bool) -> None:
        """With the owner in step, both ends are exact."""
        line = self.world.line if elsewhere else self.owner
        self.asked = None
        self.owner.save(trigger="interval")
        before = self.live
        report = self.replaces(line.undo)
        if report is None or report.conflicts or report.kept:
            self.look()
            return
        self.owner.sync()
        line.redo()
        self.owner.sync()
        self.look()
        assert self.live == before

    @rule(reference=snapshots, unsaved=st.booleans())
    def a_request_is_withdrawn_and_made_again(self, reference: str, unsaved: bool) -> None:
        self.asked = None
        self.owner.save(trigger="interval")
        if unsaved:
            self.messages.append("unsaved")
        memory, file = self.live
        self.replaces(lambda: self.world.line.restore(reference))
        for _ in range(2):
            assert self.owner.show("@").parts["memory"].pending and self.held("@") == self.known[reference]
            self.replaces(self.world.line.undo)
            assert not self.owner.show("@").parts["memory"].pending and self.live == (memory, file)
            self.replaces(self.world.line.redo)
        self.asked = self.known[reference][0]
        assert self.live == (memory, self.known[reference][1])

    @rule(
        message=messages,
        text=st.text("ef\n", max_size=5),
        elsewhere=st.booleans(),
        goes_on=st.booleans(),
        twice=st.booleans(),
    )
    def a_turn_is_taken_back(self, message: Any, text: str, elsewhere: bool, goes_on: bool, twice: bool) -> None:
        line = self.world.line if elsewhere else self.owner

        def take_back() -> None:
            self.replaces(line.undo)
            if twice:
                self.replaces(line.redo)
                self.replaces(line.undo)

        self.asked = None
        self.owner.save(trigger="interval")
        before = self.live
        scope = self.owner.turn("taken back", session="t")
        with scope:
            self.messages.append(message)
            self.world.write("a.txt", text)
            if goes_on:
                take_back()
        if not goes_on:
            take_back()
        self.owner.sync()
        self.look()
        assert self.live == before

    @rule()
    def maintain(self) -> None:
        self.world.store.maintain()

    @invariant()
    def all_is_there(self) -> None:
        health = self.world.store.verify()
        assert health.ok, health.problems
        part = self.owner.show("@").parts["memory"]
        assert part.pending == (self.asked is not None)

    def teardown(self) -> None:
        try:
            assert self.world.store.verify(read_data=True).ok
            for reference, what in self.known.items():
                assert self.held(reference) == what
        finally:
            self.world.store.close()
            shutil.rmtree(self.base)


@pytest.mark.campaign("stateful-memory")
@pytest.mark.parametrize("shard", campaigns.shards(SHARDS))
def test_memory(shard: int, record_property: Callable[[str, object], None]) -> None:
    examples = campaigns.size(8, HISTORIES // SHARDS)
    generated.run_machine(Memory, shard=shard, examples=examples, steps=campaigns.size(30, 60))
    campaigns.count_runs(record_property, examples)


@pytest.mark.parametrize("text", ["", "e"])
@pytest.mark.parametrize("goes_on", [True, False])
@pytest.mark.parametrize("elsewhere", [True, False])
def test_a_history_that_once_failed(text: str, goes_on: bool, elsewhere: bool) -> None:
    """The last redo said that nothing was left of the undo before it."""
    machine = Memory()
    try:
        machine.a_turn_is_taken_back(message="", text=text, elsewhere=True, goes_on=goes_on, twice=False)
        machine.undo(elsewhere=elsewhere)
        machine.maintain()
        machine.maintain()
        machine.redo(elsewhere=True)
        machine.another_saves()
        machine.undo_then_redo(elsewhere=True)
        machine.all_is_there()
    finally:
        machine.teardown()
