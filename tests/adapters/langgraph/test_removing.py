from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from support.langgraph_parts import Parrot, chat, put, thread, values
from takeback.adapters.langgraph import TakebackSaver
from takeback.errors import InvalidInput


def fill(saver: TakebackSaver, id: str = "t", count: int = 4, **metadata: Any) -> list[Any]:
    configs = [thread(id)]
    for step in range(count):
        configs.append(put(saver, {"a": list(range(step * 50))}, configs[-1], step=step, **metadata))
        saver.put_writes(configs[-1], [("a", [step])], "task")
    return configs[1:]


def ids(saver: TakebackSaver, config: Any = None) -> list[str]:
    return [each.checkpoint["id"] for each in saver.list(config)]


def is_sound(saver: TakebackSaver) -> bool:
    saver.store.maintain()
    return saver.store.verify(read_data=True).ok


def test_a_deleted_thread_is_gone_and_its_bytes_with_the_next_maintenance(saver: TakebackSaver) -> None:
    fill(saver)
    other = fill(saver, "other", 2)
    saver.delete_thread("t")
    assert ids(saver, thread()) == [] and saver.get_tuple(thread()) is None
    assert len(ids(saver, thread("other"))) == 2
    assert is_sound(saver)
    assert values(saver, other[-1]) == {"a": list(range(50))}


def test_what_was_deleted_can_be_taken_back_until_the_sweep(saver: TakebackSaver) -> None:
    config = fill(saver, count=1)[0]
    rows = saver.store.timeline("langgraph/t").log().snapshots
    saver.delete_thread("t")
    for row in rows:
        saver.store.undrop(row.id)
    found = saver.get_tuple(config)
    assert found is not None and found.pending_writes == [("task", "a", [0])]


def test_a_thread_can_begin_anew_after_it_was_deleted(saver: TakebackSaver) -> None:
    fill(saver)
    saver.delete_thread("t")
    put(saver, {"a": "new"}, id="0")
    assert values(saver, thread()) == {"a": "new"}
    assert ids(saver, thread()) == ["0"]


def test_a_pinned_snapshot_keeps_its_thread_from_being_deleted(saver: TakebackSaver) -> None:
    fill(saver)
    line = saver.store.timeline("langgraph/t")
    line.pin("@-2")
    with pytest.raises(InvalidInput, match="pinned"):
        saver.delete_thread("t")
    assert len(ids(saver, thread())) == 4
    line.unpin("@-2")
    saver.delete_thread("t")
    assert ids(saver, thread()) == []


def test_pruning_keeps_the_latest_of_each_namespace_and_what_is_pinned(saver: TakebackSaver) -> None:
    configs = fill(saver)
    inner = put(saver, {"b": 1}, thread(checkpoint_ns="inner:1"))
    saver.store.timeline("langgraph/t").pin(f"checkpoint {configs[1]['configurable']['checkpoint_id']}")
    saver.prune(["t", "nobody"])
    assert ids(saver, thread(checkpoint_ns="")) == [configs[n]["configurable"]["checkpoint_id"] for n in (3, 1)]
    assert ids(saver, thread(checkpoint_ns="inner:1")) == [inner["configurable"]["checkpoint_id"]]
    found = saver.get_tuple(thread())
    assert found is not None and found.pending_writes == [("task", "a", [3])]
    assert is_sound(saver)
    assert values(saver, thread()) == {"a": list(range(150))}


def test_writes_that_wait_for_their_checkpoint_survive_a_prune(saver: TakebackSaver) -> None:
    fill(saver)
    config = thread(checkpoint_ns="", checkpoint_id="f")
    saver.put_writes(config, [("a", 1)], "task")
    saver.prune(["t"])
    put(saver, {"a": 0}, id="f")
    found = saver.get_tuple(config)
    assert found is not None and found.pending_writes == [("task", "a", 1)]


def test_an_unknown_strategy_is_refused(saver: TakebackSaver) -> None:
    with pytest.raises(InvalidInput, match="keep_latest"):
        saver.prune(["t"], strategy="everything")


def test_runs_are_deleted_in_every_thread_with_all_their_snapshots(saver: TakebackSaver) -> None:
    fill(saver, "a", 2, run_id="bad")
    fill(saver, "a", 1, run_id="good")
    fill(saver, "b", 2, run_id="bad")
    saver.delete_for_runs(["bad", "unknown"])
    assert [each.metadata["run_id"] for each in saver.list(None)] == ["good"]
    assert len(saver.store.timeline("langgraph/a").log().snapshots) == 2
    assert saver.store.timeline("langgraph/b").log().snapshots == ()
    assert is_sound(saver)


def test_a_run_can_be_found_in_the_log(saver: TakebackSaver) -> None:
    fill(saver, count=2, run_id="run 1")
    fill(saver, count=1, run_id="run 2")
    assert len(saver.store.timeline("langgraph/t").log(session="run 1").snapshots) == 4


def test_a_copied_thread_has_everything_and_goes_its_own_way(saver: TakebackSaver) -> None:
    configs = fill(saver)
    put(saver, {"b": 1}, thread(checkpoint_ns="inner:1"))
    saver.put_writes(thread(checkpoint_ns="", checkpoint_id="f"), [("a", 1)], "task")
    saver.copy_thread("t", "copy")
    was = [(each.checkpoint, each.metadata, each.pending_writes) for each in saver.list(thread())]
    assert [(each.checkpoint, each.metadata, each.pending_writes) for each in saver.list(thread("copy"))] == was
    parents = [each.parent_config for each in saver.list(thread("copy", checkpoint_ns=""))]
    assert all(each is None or each["configurable"]["thread_id"] == "copy" for each in parents)
    put(saver, {"a": 0}, thread("copy"), id="f")
    assert saver.get_tuple(thread("copy")).pending_writes == [("task", "a", 1)]  # type: ignore[union-attr]
    saver.delete_thread("t")
    assert is_sound(saver)
    again = thread("copy", checkpoint_ns="", checkpoint_id=configs[1]["configurable"]["checkpoint_id"])
    assert values(saver, again) == {"a": list(range(50))}


def test_copying_onto_a_thread_replaces_checkpoints_of_the_same_id(saver: TakebackSaver) -> None:
    put(saver, {"a": "theirs"}, thread("b"), id="1")
    put(saver, {"a": "mine"}, thread("b"), id="2")
    put(saver, {"a": "new"}, thread("a"), id="1")
    saver.copy_thread("a", "b")
    assert {each.checkpoint["id"]: each.checkpoint["channel_values"] for each in saver.list(thread("b"))} == {
        "1": {"a": "new"},
        "2": {"a": "mine"},
    }


def test_an_exported_thread_goes_on_in_another_store(saver: TakebackSaver, tmp_path: Path) -> None:
    graph = chat(saver, Parrot())
    for number in range(3):
        graph.invoke({"messages": [HumanMessage("hello " * 500, id=str(number))]}, thread())
    messages = graph.get_state(thread()).values["messages"]
    saver.store.export(tmp_path / "file", timeline=saver.store.timeline("langgraph/t"))
    with TakebackSaver(tmp_path / "other") as other:
        other.store.import_(tmp_path / "file")
        assert chat(other, Parrot()).get_state(thread()).values["messages"] == messages
        model = Parrot()
        chat(other, model).invoke({"messages": [HumanMessage("and?", id="9")]}, thread())
        assert model.heard[0][:-1] == messages
        assert is_sound(other)
