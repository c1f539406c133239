from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.serde.types import ERROR, INTERRUPT

from support.langgraph_parts import put, thread, values
from takeback.adapters.langgraph import TakebackSaver
from takeback.errors import InvalidInput


def pending(saver: TakebackSaver, config: Any) -> list[tuple[str, str, Any]]:
    found = saver.get_tuple(config)
    assert found is not None
    return list(found.pending_writes or ())


def test_writes_may_come_before_their_checkpoint(saver: TakebackSaver) -> None:
    config = thread(checkpoint_ns="", checkpoint_id="9")
    saver.put_writes(config, [("numbers", 1)], "task")
    assert saver.get_tuple(config) is None and list(saver.list(thread())) == []
    saver.put_writes(config, [("numbers", 2)], "other")
    put(saver, {"numbers": 0}, id="9")
    assert pending(saver, config) == [("other", "numbers", 2), ("task", "numbers", 1)]
    saver.put_writes(config, [("numbers", 3)], "third")
    assert len(pending(saver, thread())) == 3


def test_writes_come_back_in_the_order_in_which_a_run_applies_them(saver: TakebackSaver) -> None:
    config = put(saver, {})
    saver.put_writes(config, [("a", 1), ("b", 2)], "zzz", "path 1")
    saver.put_writes(config, [("a", 3)], "aaa", "path 2")
    saver.put_writes(config, [("a", 4)], "mmm")
    assert [value for _, _, value in pending(saver, config)] == [4, 1, 2, 3]


def test_a_write_that_is_there_stays_unless_it_is_a_special_one(saver: TakebackSaver) -> None:
    config = put(saver, {})
    saver.put_writes(config, [("a", "first"), (ERROR, "first")], "task")
    saver.put_writes(config, [("a", "second"), (ERROR, "second"), (INTERRUPT, "new")], "task")
    assert sorted(pending(saver, config)) == [
        ("task", ERROR, "second"),
        ("task", INTERRUPT, "new"),
        ("task", "a", "first"),
    ]


def test_the_same_writes_again_make_no_snapshot(saver: TakebackSaver) -> None:
    config = put(saver, {})
    for _ in range(3):
        saver.put_writes(config, [("a", 1)], "task")
    assert len(saver.store.timeline("langgraph/t").log().snapshots) == 2


def test_a_checkpoint_that_is_put_again_is_replaced_and_keeps_its_writes(saver: TakebackSaver) -> None:
    config = put(saver, {"a": 1}, id="5")
    saver.put_writes(config, [("a", 7)], "task")
    put(saver, {"a": 2}, id="5")
    assert values(saver, thread()) == {"a": 2}
    assert pending(saver, thread()) == [("task", "a", 7)]
    assert len(list(saver.list(thread()))) == 1


def test_the_latest_is_the_greatest_id_whatever_was_put_last(saver: TakebackSaver) -> None:
    put(saver, {"a": 2}, id="2")
    put(saver, {"a": 1}, id="1")
    assert values(saver, thread()) == {"a": 2}
    assert [each.checkpoint["id"] for each in saver.list(thread())] == ["2", "1"]


def test_writes_to_an_old_checkpoint_change_neither_the_latest_nor_others(saver: TakebackSaver) -> None:
    old = put(saver, {"a": 1}, id="1")
    put(saver, {"a": 2}, old, id="2")
    saver.put_writes(old, [("a", 9)], "task")
    latest = saver.get_tuple(thread())
    assert latest is not None and latest.checkpoint["id"] == "2" and latest.pending_writes == []
    assert latest.parent_config is not None and latest.parent_config["configurable"]["checkpoint_id"] == "1"
    assert pending(saver, old) == [("task", "a", 9)]


@pytest.mark.parametrize("id", ["x y", "a/b", "ü", "%41", "checkpoint 1", "", "@", "\udcff", "a|b:c"])
def test_ids_and_namespaces_may_hold_anything(saver: TakebackSaver, id: str) -> None:
    config = put(saver, {"a": 1}, thread(checkpoint_ns=id), id=f"1{id}")
    assert values(saver, config) == {"a": 1}
    (listed,) = saver.list(thread(checkpoint_ns=id))
    assert listed.config == config


def test_a_persons_labels_are_not_taken_for_checkpoints(saver: TakebackSaver) -> None:
    config = put(saver, {"a": 1}, id="1")
    line = saver.store.timeline("langgraph/t")
    for name in ("good", "checkpoint", "checkpoint of mine", "zzz"):
        line.label("@", name)
    assert [each.config for each in saver.list(thread())] == [config]
    assert values(saver, thread()) == {"a": 1}


def test_writes_without_a_checkpoint_id_are_refused(saver: TakebackSaver) -> None:
    with pytest.raises(InvalidInput, match="checkpoint"):
        saver.put_writes(thread(), [("a", 1)], "task")


def test_a_list_that_grew_stores_its_end_alone(saver: TakebackSaver) -> None:
    messages = [HumanMessage(f"{number} " * 300, id=str(number)) for number in range(200)]
    sizes = []
    config = None
    for upto in (199, 200):
        before = saver.store.stats().store.raw_bytes
        config = put(saver, {"messages": messages[:upto]}, config, step=upto)
        sizes.append(saver.store.stats().store.raw_bytes - before)
    assert sizes[1] < sizes[0] / 10
    assert values(saver, thread())["messages"] == messages


def test_versions_only_grow(saver: TakebackSaver) -> None:
    first = saver.get_next_version(None, None)
    assert saver.get_next_version(first, None) > first
    theirs = f"{7:032}.{0.5:016}"
    assert saver.get_next_version(theirs, None) > theirs
