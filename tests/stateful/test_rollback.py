"""A session that is changed at random, in depth and in place, and rolled back: deep copies are the model.

What must hold after every step: the session is what the model says, with its types; each snapshot's data is what it was
when it was made; the list is as long as it should be; whoever holds the session's list still holds it; and, at the end,
another manager on the same store lists the same.
"""

from __future__ import annotations

import copy
from datetime import UTC
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import takeback as tb
from support import campaigns, generated
from support.counts import Tell
from support.game_session import ClaudmasterSession, begun
from takeback.adapters.rollback import StateRollbackManager

EXAMPLES, STEPS = campaigns.size(10, 75), campaigns.size(25, 50)
MOST = 4

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(max_size=8),
    st.binary(max_size=8),
    st.datetimes(timezones=st.just(UTC)),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(st.text(max_size=3), inner, max_size=3),
        st.frozensets(SCALARS, max_size=3),
        st.sets(SCALARS, max_size=3),
    ),
    max_leaves=6,
)


class Rollbacks(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.store = tb.open(":memory:")
        self.session: Any = begun(2)
        self.manager = StateRollbackManager(self.session, MOST, store=self.store)
        self.model: list[tuple[str, ClaudmasterSession]] = []
        self.walk: int | None = None
        """Where a series of rollback_last has come to."""

    @rule(text=st.text(max_size=20), many=st.sampled_from([1, 1, 200]))
    def say(self, text: str, many: int) -> None:
        for _ in range(many):
            self.session.say(text)
        self.walk = None

    @rule(key=st.text(max_size=3), value=VALUES)
    def note(self, key: str, value: Any) -> None:
        before = copy.deepcopy(self.session.metadata)
        self.session.metadata[key] = value
        self._changed(_is_same(before, self.session.metadata))

    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        history = self.session.conversation_history
        if history:
            del history[: data.draw(st.integers(1, len(history)))]
            self.walk = None

    @rule(data=st.data(), text=st.text(max_size=20))
    def edit(self, data: st.DataObject, text: str) -> None:
        history = self.session.conversation_history
        if history:
            message = history[data.draw(st.integers(0, len(history) - 1))]
            same = message.get("content") == text
            message["content"] = text
            self._changed(same)

    @rule(text=st.text(min_size=1, max_size=5))
    def corrupt(self, text: str) -> None:
        self.session.campaign_id = text
        self.session.config.tools.append(text)
        self.walk = None

    @rule(label=st.text(max_size=5))
    def create(self, label: str) -> None:
        made = self.manager.create_snapshot(label)
        self.model = [*self.model, (label, copy.deepcopy(self.session))][-MOST:]
        assert (made.label, made.turn_count) == (label, self.session.turn_count)
        self.walk = None

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def roll_back_to(self, data: st.DataObject) -> None:
        at = data.draw(st.integers(0, len(self.model) - 1))
        history = self.session.conversation_history
        self.manager.rollback_to(self.manager.snapshots[at].snapshot_id)
        self._is_as_in(at, history)
        self.walk = None

    @precondition(lambda self: self.model)
    @rule(steps=st.integers(1, 2))
    def roll_back_last(self, steps: int) -> None:
        at = (len(self.model) if self.walk is None else self.walk) - steps
        history = self.session.conversation_history
        try:
            self.manager.rollback_last(steps)
        except tb.TakebackError:
            assert at < 0
            return
        assert at >= 0
        self._is_as_in(at, history)
        self.walk = at

    @invariant()
    def the_list_is_the_model(self) -> None:
        assert [each.label for each in self.manager.snapshots] == [label for label, _ in self.model]
        for each, (_, session) in zip(self.manager.snapshots, self.model, strict=True):
            assert each.turn_count == session.turn_count

    def teardown(self) -> None:
        for each, (_, session) in zip(self.manager.snapshots, self.model, strict=True):
            fresh = begun()
            other = StateRollbackManager(fresh, store=self.store)
            assert other.list_snapshots() == self.manager.list_snapshots()
            other.rollback_to(each.snapshot_id)
            assert _is_same(fresh.__dict__, session.__dict__)
        assert self.store.verify(read_data=True).ok
        self.store.close()

    def _changed(self, same: bool) -> None:
        if not same:
            self.walk = None

    def _is_as_in(self, at: int, history: list[Any]) -> None:
        assert _is_same(self.session.__dict__, self.model[at][1].__dict__)
        assert self.session.model_fields_set == self.model[at][1].model_fields_set
        assert self.session.conversation_history is history


def _is_same(a: Any, b: Any) -> bool:
    """Equal, and of equal types all the way down: 1, 1.0 and True are three things."""
    if type(a) is not type(b) or a != b:
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(map(_is_same, a.values(), b.values()))
    if isinstance(a, list | tuple):
        return all(map(_is_same, a, b))
    if isinstance(a, set | frozenset):
        return {(type(each), each) for each in a} == {(type(each), each) for each in b}
    return repr(a) == repr(b)


@pytest.mark.campaign("stateful-rollback")
@pytest.mark.parametrize("shard", campaigns.shards(4))
def test_rollbacks(shard: int, record_property: Tell) -> None:
    generated.run_machine(Rollbacks, shard=shard, examples=EXAMPLES, steps=STEPS)
    campaigns.count_runs(record_property, EXAMPLES)
