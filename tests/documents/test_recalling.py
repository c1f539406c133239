from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from takeback import documents
from takeback.documents import Recall
from takeback.model.ids import BlobKind
from takeback.store.blobstore import open_memory
from takeback.store.catalogue import counters


class Counting:
    """Keeps what is put, and counts."""

    def __init__(self) -> None:
        self.blobs: dict[bytes, bytes] = {}
        self.puts = 0

    def put(self, data: bytes, kind: BlobKind) -> bytes:
        from blake3 import blake3

        self.puts += 1
        id = blake3(data).digest()
        self.blobs[id] = data
        return id

    def get(self, id: bytes, kind: BlobKind | None = None) -> bytes:
        return self.blobs[id]


def message(number: int, length: int = 900) -> bytes:
    return (b"%d " % number * length)[:length]


ELEMENTS = st.lists(
    st.builds(message, st.integers(0, 30), st.sampled_from([0, 1, 5, 900, 4000, 4095, 4096, 4097, 9000])), max_size=60
)
EDITS = st.lists(
    st.tuples(st.sampled_from(["append", "trim", "change", "cut"]), st.integers(0, 60), ELEMENTS), max_size=4
)


def edited(values: list[bytes], edit: str, at: int, more: list[bytes]) -> list[bytes]:
    if edit == "append":
        return values + more
    if edit == "trim":
        return values[at:]
    if edit == "cut":
        return values[:at]
    return [*values[:at], *more[:1], *values[at + 1 :]]


@given(ELEMENTS, EDITS)
def test_what_is_recalled_changes_nothing_but_the_work(values: list[bytes], edits: Any) -> None:
    store = Counting()
    found = documents.put(store, {"values": (1, values)})
    for edit in edits:
        values = edited(values, *edit)
        value = {"values": (1, values)}
        found, plain = documents.put(store, value, before=found.recall, there=True), documents.put(Counting(), value)
        assert (found.id, found.size) == (plain.id, plain.size)
        assert documents.get(store, found.id) == value


def test_only_the_end_of_a_list_that_grew_is_put() -> None:
    store = Counting()
    values = [message(number) for number in range(800)]
    recall = documents.put(store, (values,)).recall
    before = store.puts
    documents.put(store, ([*values, message(800)],), before=recall, there=True)
    assert store.puts - before < 12 < before


@pytest.mark.parametrize("last", [b"other", "text", 1, None, [b"list"]])
def test_lists_of_anything_else_are_written_as_always(last: Any) -> None:
    store, recall = Counting(), Recall()
    values = [*(message(number) for number in range(50)), last]
    for _ in range(3):
        found = documents.put(store, (values,), before=recall, there=True)
        assert found.id == documents.put(Counting(), (values,)).id
        recall = found.recall


def test_a_list_that_the_caller_changes_afterwards_is_not_recalled_as_it_is_now() -> None:
    store = Counting()
    values = [message(number) for number in range(100)]
    recall = documents.put(store, (values,)).recall
    values[0] = b"changed"
    found = documents.put(store, (values,), before=recall, there=True)
    assert documents.get(store, found.id) == (values,)


def test_what_is_referred_to_is_there_without_being_put() -> None:
    with open_memory() as store:
        values = [message(number) for number in range(100)]
        with store.writer() as writer:
            recall = documents.put(writer, (values,)).recall
            writer.commit(lambda tx: counters.value(tx, "generation"))
        with store.writer() as writer:
            put = documents.put(writer, ([*values, b"more"],), before=recall, there=True)
            writer.commit(lambda tx: counters.value(tx, "generation"))
        with store.reader() as reader:
            assert documents.get(reader, put.id) == ([*values, b"more"],)


def test_the_element_behind_a_leaf_may_move_its_end() -> None:
    """What has no cut of its own is cut by length, so a shorter element behind such a cut belongs before it."""
    values = [b"x" * 100] * 1_000
    for at in range(150, 170):
        recall = documents.put(Counting(), values).recall
        changed = [*values[:at], b"", *values[at + 1 :]]
        again = documents.put(Counting(), changed, before=recall, there=True)
        assert again.id == documents.put(Counting(), changed).id


def test_a_long_string_that_is_there_is_not_put_again() -> None:
    store = Counting()
    shots = [bytes([n]) * 100_000 for n in range(3)] + ["é" * 50_000, "\ud800" * 9_000]
    value: dict[str, Any] = {"messages": [{"role": "user", "content": [n, shot]} for n, shot in enumerate(shots)]}
    first = documents.put(store, value)
    before = store.puts
    value["messages"].append({"role": "user", "content": [9, shots[0], b"new" * 9_000]})
    found = documents.put(store, value, before=first.recall, there=True)
    assert store.puts - before <= 3  # the new one, and the documents that lead to it
    assert found.id == documents.put(Counting(), value).id
    assert documents.get(store, found.id) == value


def test_a_huge_string_in_very_many_places_is_written_once() -> None:
    store = Counting()
    shot = "x" * 8_000_000
    value = [{"content": shot} for _ in range(3_000)]
    found = documents.put(store, value)
    assert len(store.blobs) < 20
    again = documents.get(store, found.id)
    assert len(again) == len(value) and all(each.keys() == {"content"} for each in again)
    assert len({id(each["content"]) for each in again}) == 1, "in memory it is once, too"
    assert again[0]["content"] == shot
