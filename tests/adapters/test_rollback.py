"""StateRollbackManager under its old names: what it did right stays, what it did wrong is right, and it costs what changed."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from operator import methodcaller
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from bench.peers.deep_copies import DeepCopies, DeepCopyError
from support.game_session import ClaudmasterSession, Config, begun
from takeback.adapters.rollback import RollbackError, StateRollbackManager, StateSnapshot


@dataclass
class Party:
    members: list[str] = field(default_factory=list)
    purse: tuple[int, ...] = (1, 2)
    seen: set[str] = field(default_factory=set)
    turn_count: int = 0


class Table:
    __slots__ = ("dice", "turn_count")

    def __init__(self) -> None:
        self.dice = [4, 6]
        self.turn_count = 0


@pytest.fixture
def session() -> ClaudmasterSession:
    return begun(3)


@pytest.fixture
def manager(session: ClaudmasterSession) -> Iterator[StateRollbackManager]:
    manager = StateRollbackManager(session)
    yield manager
    manager.close()


# The sample


def test_the_sample_of_the_seed_runs_with_another_import() -> None:
    session = begun()
    manager = StateRollbackManager(session, max_snapshots=5)
    first = manager.create_snapshot(label="session_start")
    session.say("I open the door")
    manager.create_snapshot()
    session.metadata = {"corrupted": True}

    assert manager.rollback_last() is True
    assert session.metadata == {"place": "inn"}
    assert session.turn_count == 1
    assert manager.rollback_to(first.snapshot_id) is True
    assert (session.turn_count, session.conversation_history) == (0, [])
    assert [each["label"] for each in manager.list_snapshots()] == ["session_start", "auto"]
    assert manager.get_snapshot_count() == 2
    with pytest.raises(RollbackError) as caught:
        manager.rollback_to("unknown")
    assert caught.value.details["available_snapshots"] == [each.snapshot_id for each in manager.snapshots]


# Beside the original

Step = Callable[[Any], Any]

SCRIPTS: dict[str, list[Step]] = {
    "twice without a change": [lambda m: m.create_snapshot("a"), lambda m: m.create_snapshot("a")],
    "nothing yet": [lambda m: m.rollback_last()],
    "unknown": [lambda m: m.create_snapshot(), lambda m: m.rollback_to("unknown")],
    "the oldest goes": [*([lambda m: (m.session.say("on"), m.create_snapshot())[1]] * 6), lambda m: m.rollback_last()],
    "fewer later": [
        *([lambda m: m.create_snapshot()] * 4),
        lambda m: setattr(m, "max_snapshots", 2),
        lambda m: m.clear_old_snapshots(),
    ],
    "back and on": [
        lambda m: m.create_snapshot("one"),
        lambda m: m.session.say("a"),
        lambda m: m.create_snapshot("two"),
        lambda m: m.session.metadata.clear(),
        lambda m: m.session.active_agents.update(orc="angry"),
        lambda m: m.rollback_last(),
        lambda m: m.session.say("b"),
        lambda m: m.rollback_to(m.snapshots[0].snapshot_id),
        lambda m: m.rollback_last(),
        lambda m: m.session.say("c"),
        lambda m: m.rollback_last(),
    ],
    "odd labels": [methodcaller("create_snapshot", label) for label in ["", "@", "root", "a\nb", "1h ago", "\ud800"]],
    "the list is the user's": [
        *([lambda m: m.create_snapshot()] * 3),
        lambda m: m.snapshots.pop(0),
        lambda m: m.rollback_last(),
    ],
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
def test_it_does_what_the_original_does(script: list[Step]) -> None:
    ours, original = StateRollbackManager(begun(2), 4), DeepCopies(begun(2), 4)
    for step in script:
        assert _told(ours, _done(step, ours)) == _told(original, _done(step, original))
        assert ours.session.model_dump() == original.session.model_dump()
        assert [each.session_data for each in ours.snapshots] == [each.session_data for each in original.snapshots]
        listed = [(each["label"], each["turn_count"]) for each in ours.list_snapshots()]
        assert listed == [(each["label"], each["turn_count"]) for each in original.list_snapshots()]
        assert ours.get_snapshot_count() == original.get_snapshot_count()
    ours.close()


def _done(step: Step, manager: Any) -> Any:
    try:
        return step(manager)
    except (RollbackError, DeepCopyError) as error:
        return error


def _told(manager: Any, result: Any) -> Any:
    """A result without what differs by chance: ids and times."""
    if isinstance(result, StateSnapshot) or hasattr(result, "snapshot_id"):
        return result.label, result.turn_count, result.session_data, [*vars(result)]
    if isinstance(result, Exception):
        details = dict(result.details)  # type: ignore[attr-defined]
        known = {each.snapshot_id: number for number, each in enumerate(manager.snapshots)}
        if "available_snapshots" in details:
            details["available_snapshots"] = [known[id] for id in details["available_snapshots"]]
        return str(result), details
    return result


# What was wrong


def test_every_field_comes_back(session: ClaudmasterSession, manager: StateRollbackManager) -> None:
    before = session.model_copy(deep=True)
    manager.create_snapshot()
    session.campaign_id = "corrupt"
    session.session_id = "another"
    session.started_at = datetime(1999, 1, 1)
    session.config.tools.append("rm")
    session.config = Config(model="other")
    session.say("gone")
    manager.rollback_last()
    assert session == before
    assert session.model_fields_set == before.model_fields_set


def test_types_are_kept(session: ClaudmasterSession, manager: StateRollbackManager) -> None:
    session.metadata = {
        "when": datetime(2026, 1, 1),
        "seen": {"orc"},
        "at": (1, 2),
        "took": timedelta(hours=1),
        "raw": b"\0",
    }
    before = copy.deepcopy(session.metadata)
    manager.create_snapshot()
    session.metadata = {}
    manager.rollback_last()
    assert session.metadata == before
    assert [type(each) for each in session.metadata.values()] == [datetime, set, tuple, timedelta, bytes]
    assert isinstance(session.started_at, datetime)


def test_who_holds_a_list_of_the_session_holds_the_right_one(
    session: ClaudmasterSession, manager: StateRollbackManager
) -> None:
    history, first, config = session.conversation_history, session.conversation_history[0], session.config
    manager.create_snapshot()
    first["content"] = "changed"
    history.clear()
    config.model = "other"
    manager.rollback_last()
    assert session.conversation_history is history
    assert session.config is config
    assert history[0]["content"].startswith("turn 0")
    assert config.model == "fake"


def test_a_repeated_rollback_last_walks_back(session: ClaudmasterSession, manager: StateRollbackManager) -> None:
    for turn in range(3):
        session.turn_count = turn
        manager.create_snapshot(f"turn {turn}")
    session.turn_count = 99
    walked = []
    for _ in range(3):
        manager.rollback_last()
        walked.append(session.turn_count)
    assert walked == [2, 1, 0]
    with pytest.raises(RollbackError, match="only 0 of 3") as caught:
        manager.rollback_last()
    assert caught.value.details == {"snapshot_count": 3}
    assert session.turn_count == 0


@pytest.mark.parametrize(
    "meanwhile",
    [
        lambda manager: manager.session.say("something new"),
        lambda manager: manager.rollback_to(manager.snapshots[0].snapshot_id),
        lambda manager: setattr(manager, "session", begun(1)),
    ],
    ids=["the session changed", "a rollback to another", "another session"],
)
def test_a_series_of_rollback_last_ends_with_anything_else(
    session: ClaudmasterSession, manager: StateRollbackManager, meanwhile: Step
) -> None:
    for turn in range(3):
        session.turn_count = turn
        manager.create_snapshot()
    manager.rollback_last()
    manager.rollback_last()
    meanwhile(manager)
    manager.rollback_last()
    assert manager.session.turn_count == 2


def test_rollback_last_goes_as_many_steps_as_it_is_told(
    session: ClaudmasterSession, manager: StateRollbackManager
) -> None:
    for turn in range(5):
        session.turn_count = turn
        manager.create_snapshot()
    manager.rollback_last(2)
    assert session.turn_count == 3
    manager.rollback_last(steps=2)
    assert session.turn_count == 1
    for wrong in (2, 0, -1):
        with pytest.raises(RollbackError) as caught:
            manager.rollback_last(steps=wrong)
        assert caught.value.details == {"snapshot_count": 5}
    assert session.turn_count == 1


def test_changing_what_a_snapshot_gives_out_changes_no_history(
    session: ClaudmasterSession, manager: StateRollbackManager
) -> None:
    snapshot = manager.create_snapshot()
    before = session.model_dump(mode="json")
    snapshot.session_data["conversation_history"].clear()
    snapshot.session_data.clear()
    assert snapshot.session_data == before
    session.conversation_history.clear()
    manager.rollback_last()
    assert session.model_dump(mode="json") == before


# Snapshots


def test_session_data_is_json_as_it_was_at_its_time(session: ClaudmasterSession, manager: StateRollbackManager) -> None:
    first = manager.create_snapshot()
    then = session.model_dump(mode="json")
    session.say("later")
    assert json.loads(json.dumps(first.session_data)) == then
    assert manager.create_snapshot().session_data == session.model_dump(mode="json")


def test_a_snapshot_can_be_made_copied_pickled_and_told_from_others(manager: StateRollbackManager) -> None:
    now = datetime.now()
    own = StateSnapshot("id", "label", now, {"turn_count": 1}, 1)
    assert (own.snapshot_id, own.label, own.timestamp, own.session_data, own.turn_count) == (
        "id",
        "label",
        now,
        {"turn_count": 1},
        1,
    )
    stored = manager.create_snapshot("kept")
    for other in (pickle.loads(pickle.dumps(stored)), copy.deepcopy(stored)):
        assert other == stored != own
        assert other.session_data == stored.session_data
    assert "kept" in repr(stored)
    assert "conversation" not in repr(stored)
    with pytest.raises(TypeError):
        StateSnapshot("id", "label", now)  # type: ignore[call-arg]


def test_times_are_local_and_in_order(manager: StateRollbackManager) -> None:
    before = datetime.now()
    times = [manager.create_snapshot().timestamp for _ in range(3)]
    assert before - timedelta(milliseconds=1) <= times[0] <= times[1] <= times[2] <= datetime.now()
    assert [each["timestamp"] for each in manager.list_snapshots()] == [time.isoformat() for time in times]


def test_a_dataclass_is_a_session() -> None:
    party = Party(["Ann"], (1, 2), {"cave"}, 4)
    manager = StateRollbackManager(party)
    snapshot = manager.create_snapshot()
    party.members.append("Bob")
    party.purse, party.seen = (), set()
    setattr(party, "added", 1)  # noqa: B010
    manager.rollback_last()
    assert party == Party(["Ann"], (1, 2), {"cave"}, 4)
    assert not hasattr(party, "added")
    assert snapshot.session_data == {"members": ["Ann"], "purse": (1, 2), "seen": {"cave"}, "turn_count": 4}
    assert snapshot.turn_count == 4


def test_a_plain_object_and_a_dictionary_are_sessions() -> None:
    table, plain = Table(), {"dice": [4, 6]}
    for session, dice in ((table, table.dice), (plain, plain["dice"])):
        manager = StateRollbackManager(session)
        snapshot = manager.create_snapshot()
        dice.append(20)
        manager.rollback_last()
        assert dice == [4, 6]
        assert snapshot.session_data["dice"] == [4, 6]
        assert snapshot.turn_count == 0


@pytest.mark.parametrize("count", [None, "three", 1 << 70, object])
def test_a_corrupt_turn_count_can_be_saved_too(session: ClaudmasterSession, count: Any) -> None:
    table = Table()
    table.turn_count = count
    manager = StateRollbackManager(table)
    assert manager.create_snapshot().turn_count == 0
    table.turn_count = 5
    manager.rollback_last()
    assert table.turn_count is count or table.turn_count == count


# When something fails


def test_a_failed_rollback_leaves_everything_as_it_was(
    session: ClaudmasterSession, manager: StateRollbackManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    from takeback.documents import grafting, holding

    snapshot = manager.create_snapshot()
    session.say("later")
    session.campaign_id = "changed"
    session.metadata["deep"] = {"a": [1]}
    before, held = session.model_copy(deep=True), session.conversation_history
    calls = []
    real = holding.set_content

    def failing(target: Any, content: Any) -> None:
        calls.append(target)
        if len(calls) == 2:
            raise TypeError("the disk of the dungeon is full")
        real(target, content)

    monkeypatch.setattr(grafting, "set_content", failing)
    with pytest.raises(RollbackError, match=f"Failed to restore snapshot {snapshot.snapshot_id}") as caught:
        manager.rollback_to(snapshot.snapshot_id)
    assert isinstance(caught.value, tb.TakebackError)
    assert caught.value.details["snapshot"] == snapshot.snapshot_id
    assert "dungeon" in caught.value.details["error"]
    assert len(calls) > 2, "what was done has been taken back"
    assert session == before
    assert session.conversation_history is held
    monkeypatch.undo()
    assert manager.rollback_to(snapshot.snapshot_id)
    assert session.turn_count == snapshot.turn_count


def test_a_session_of_another_class_is_refused_and_stays(manager: StateRollbackManager) -> None:
    manager.create_snapshot()
    manager.session = party = Party(["Ann"])
    with pytest.raises(RollbackError, match="Failed to restore") as caught:
        manager.rollback_last()
    assert caught.value.details.keys() == {"snapshot", "error"}
    assert party == Party(["Ann"])


def test_what_cannot_be_held_is_said_when_the_snapshot_is_made() -> None:
    table = Table()
    table.dice = open(__file__)  # type: ignore[assignment]  # noqa: SIM115
    with table.dice:  # type: ignore[attr-defined]
        with pytest.raises(tb.InvalidInput, match=r"session\.dice"):
            StateRollbackManager(table).create_snapshot()
        manager = StateRollbackManager(table, holes=["session.dice"])
        manager.create_snapshot()
        table.turn_count = 5
        manager.rollback_last()
        assert (table.turn_count, table.dice.closed) == (0, False)  # type: ignore[attr-defined]


def test_a_rollback_can_be_taken_back(session: ClaudmasterSession) -> None:
    with tb.open(":memory:") as store:
        manager = StateRollbackManager(session, store=store)
        manager.create_snapshot()
        session.say("was it so bad?")
        manager.rollback_last()
        line = store.timeline("rollback:s-1", sources=[tb.State("session", session)])
        line.undo()
        assert session.conversation_history[-1]["content"] == "was it so bad?"


# What it costs


def test_ten_snapshots_of_a_long_session_take_less_than_twice_the_memory_of_one() -> None:
    session = begun(20_000)
    with tb.open(":memory:") as store:
        manager = StateRollbackManager(session, store=store)
        manager.create_snapshot()
        one = store.stats().store.bytes_on_disk
        for turn in range(9):
            session.say(f"and on {turn}")
            manager.create_snapshot()
        assert manager.get_snapshot_count() == 10
        assert store.stats().store.bytes_on_disk < 2 * one


def test_what_was_cleared_gives_its_memory_back() -> None:
    table = Table()
    with tb.open(":memory:") as store:
        manager = StateRollbackManager(table, 3, store=store)
        sizes = []
        for number in range(40):
            table.dice = [hash((number, at)) for at in range(5_000)]
            manager.create_snapshot()
            sizes.append(store.stats().store.sealed_bytes)
        assert max(sizes) <= 7 * sizes[0]
        assert max(sizes[20:]) <= max(sizes[:20])


def test_rolling_back_over_and_over_takes_no_more_and_more_memory() -> None:
    table = Table()
    with tb.open(":memory:") as store:
        manager = StateRollbackManager(table, 3, store=store)
        manager.create_snapshot()
        counts = []
        for number in range(40):
            table.dice = [hash((number, at)) for at in range(1_000)]
            manager.rollback_last()
            counts.append(len(store.timeline("rollback:").log().snapshots))
            assert table.dice == [4, 6]
        assert max(counts[20:]) <= max(counts[:20]) <= 10


def test_a_manager_may_keep_none(session: ClaudmasterSession) -> None:
    manager = StateRollbackManager(session, 0)
    assert manager.create_snapshot().turn_count == 3
    assert manager.snapshots == []
    with pytest.raises(RollbackError, match="No snapshots available") as caught:
        manager.rollback_last()
    assert caught.value.details == {"snapshot_count": 0}


def test_a_cleared_snapshot_says_that_it_is_gone(manager: StateRollbackManager) -> None:
    first = manager.create_snapshot()
    manager.max_snapshots = 1
    second = manager.create_snapshot()
    with pytest.raises(RollbackError, match="was cleared") as caught:
        first.session_data  # noqa: B018
    assert caught.value.details == {"available_snapshots": [second.snapshot_id]}


# In a store


def test_another_manager_finds_the_snapshots_in_the_store(tmp_path: Path, session: ClaudmasterSession) -> None:
    place = tmp_path / "store"
    manager = StateRollbackManager(session, store=place)
    session.metadata["seen"] = {"orc"}
    manager.create_snapshot("good")
    session.say("worse")
    manager.create_snapshot("")
    manager.rollback_last(2)
    listed, data = manager.list_snapshots(), [each.session_data for each in manager.snapshots]
    manager.close()

    again = StateRollbackManager(begun(), store=str(place))
    assert again.list_snapshots() == listed
    assert [each.session_data for each in again.snapshots] == data
    again.rollback_to(again.snapshots[0].snapshot_id)
    assert again.session == session
    assert again.session.metadata["seen"] == {"orc"}
    again.close()


def test_sessions_in_one_store_do_not_see_each_other(tmp_path: Path) -> None:
    with tb.open(tmp_path / "store") as store:
        one, two = begun(), begun()
        two.session_id = "s-2"
        StateRollbackManager(one, store=store).create_snapshot("one")
        StateRollbackManager(two, store=store).create_snapshot("two")
        for session, label in ((one, "one"), (two, "two")):
            assert [each.label for each in StateRollbackManager(session, store=store).snapshots] == [label]
        assert StateRollbackManager(one, store=store, timeline="other").snapshots == []


def test_a_pinned_snapshot_outlives_the_list(tmp_path: Path, session: ClaudmasterSession) -> None:
    with tb.open(tmp_path / "store") as store:
        manager = StateRollbackManager(session, 1, store=store)
        first = manager.create_snapshot("precious")
        store.timeline("rollback:s-1").pin(first.snapshot_id)
        session.say("on")
        manager.create_snapshot()
        session.say("and on")
        manager.create_snapshot()
        assert [each.label for each in manager.snapshots] == ["auto"]
        assert [each.label for each in StateRollbackManager(session, store=store).snapshots] == ["precious", "auto"]
        assert store.verify().ok


def test_what_another_manager_has_cleared_is_an_error_that_says_so(tmp_path: Path, session: ClaudmasterSession) -> None:
    with tb.open(tmp_path / "store") as store:
        StateRollbackManager(session, store=store).create_snapshot()
        one, two = StateRollbackManager(session, store=store), StateRollbackManager(session, 0, store=store)
        two.clear_old_snapshots()
        before = session.model_copy(deep=True)
        with pytest.raises(RollbackError, match="not in this store any more"):
            one.rollback_last()
        assert session == before


def test_old_snapshots_that_cannot_be_dropped_now_are_dropped_later(
    session: ClaudmasterSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a store that somebody else writes to for too long."""

    def taken(line: tb.Timeline, reference: object) -> str:
        raise tb.Locked("others have been writing to the store for too long")

    manager = StateRollbackManager(session, max_snapshots=1)
    manager.create_snapshot("one")
    with monkeypatch.context() as busy:
        busy.setattr(tb.Timeline, "drop", taken)
        newest = manager.create_snapshot("two")
        session.say("lost")
        assert manager.rollback_to(newest.snapshot_id)
    assert [each.label for each in manager.snapshots] == ["two"]
    manager.clear_old_snapshots()
    assert "one" not in [label for row in manager._line.log().snapshots for label in row.labels]
    manager.close()


@pytest.mark.parametrize("most", [None, "3", 1.5])
def test_how_many_snapshots_are_kept_is_a_whole_number(session: ClaudmasterSession, most: Any) -> None:
    with pytest.raises(tb.InvalidInput, match="whole number"):
        StateRollbackManager(session, most)
