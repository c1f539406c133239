"""A store may come from an enemy: what its bytes say is never imported, never called, and never takes all memory."""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Iterator
from typing import Any

import ormsgpack
import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from pydantic import BaseModel

from support.langgraph_parts import put, thread, values
from takeback.adapters.langgraph import TakebackSaver, recording
from takeback.adapters.langgraph.naming import Key
from takeback.adapters.langgraph.values import Packed
from takeback.errors import Integrity

CANARY = "support.langgraph_canary"


class Mine(BaseModel):
    number: int


@pytest.fixture(autouse=True)
def nothing_fires() -> Iterator[None]:
    sys.modules.pop(CANARY, None)
    yield
    assert CANARY not in sys.modules


def extension(code: int, *parts: Any) -> bytes:
    return ormsgpack.packb(ormsgpack.Ext(code, ormsgpack.packb(parts)))


def plant(saver: TakebackSaver, value: Any, where: str = "values") -> None:
    """A checkpoint that holds what no saver wrote."""
    good: Packed = ("msgpack", ormsgpack.packb({"checkpoint": {"v": 4, "id": "1"}, "metadata": {"step": 0}}))
    document: dict[str, Any] = {"about": good, "values": {}}
    document[where] = {"a": value} if where == "values" else value
    said = {"thread": "t", "namespace": "", "checkpoint": "1"}
    recording.put_checkpoint(saver._thread("t"), Key("", "1"), document, said)


CALLS = {
    "one argument": (0, CANARY, "fire", "x"),
    "arguments": (1, CANARY, "fire", ["x"]),
    "named arguments": (2, CANARY, "Bird", {"x": 1}),
    "a method": (3, CANARY, "Bird", "x", "fire"),
    "pydantic 1": (4, CANARY, "Bird", {"x": 1}),
    "pydantic 2": (5, CANARY, "Bird", {"x": 1}, "model_validate_json"),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_crafted_extension_calls_nothing(saver: TakebackSaver, call: Any) -> None:
    plant(saver, ("msgpack", extension(*call)))
    assert values(saver, thread())["a"] in ("x", ["x"], {"x": 1})


def test_the_same_bytes_do_call_something_with_langgraphs_default() -> None:
    sys.modules.pop(CANARY, None)
    JsonPlusSerializer().loads_typed(("msgpack", extension(0, CANARY, "fire", "x")))
    assert sys.modules[CANARY].fired
    del sys.modules[CANARY]


@pytest.mark.parametrize("place", ["values", "about"])
@pytest.mark.parametrize("lc", [1, 2])
def test_a_constructor_in_json_is_refused(saver: TakebackSaver, lc: int, place: str) -> None:
    crafted = {"lc": lc, "type": "constructor", "id": [*CANARY.split("."), "fire"], "kwargs": {}, "args": []}
    plant(saver, ("json", json.dumps(crafted).encode()), place)
    with pytest.raises(Integrity, match="json"):
        saver.get_tuple(thread())


def test_a_constructor_in_msgpack_is_a_dictionary(saver: TakebackSaver) -> None:
    crafted = {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", "HumanMessage"], "kwargs": {}}
    plant(saver, ("msgpack", ormsgpack.packb(crafted)))
    assert values(saver, thread())["a"] == crafted


@pytest.mark.parametrize("kind", ["pickle", "", "msgpack+aes", "json"])
def test_other_forms_are_refused(saver: TakebackSaver, kind: str) -> None:
    plant(saver, (kind, b"cos\nsystem\n(S'false'\ntR."))
    with pytest.raises(Integrity, match="form"):
        saver.get_tuple(thread())


def nested(code: int, depth: int) -> bytes:
    data = ormsgpack.packb(1)
    for _ in range(depth):
        data = ormsgpack.packb(ormsgpack.Ext(code, data))
    return data


@pytest.mark.parametrize(
    "packed",
    [
        ("msgpack", b"\xdd\xff\xff\xff\xff"),
        ("msgpack", b"\xdf\xff\xff\xff\xff"),
        ("msgpack", b"\xc6\xff\xff\xff\xff"),
        ("msgpack", b"\x91" * 100_000),
        ("msgpack", b""),
        ("msgpack", nested(7, 3000)),
        ("msgpack", ["not bytes"]),
        ("msgpack", [7]),
        ("msgpack",),
        ("msgpack", b"\x01", "delta", "more"),
        (None, [["msgpack"]]),
        (None, [7]),
        (7, b"\x01"),
        7,
        None,
        "msgpack",
    ],
    ids=lambda packed: repr(packed)[:60],
)
def test_what_cannot_be_read_is_an_error_in_words(saver: TakebackSaver, packed: Any) -> None:
    plant(saver, packed)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(Integrity):
        saver.get_tuple(thread())
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 256 << 10


@pytest.mark.parametrize(
    "document", [7, [], {}, {"about": 1}, {"about": (), "values": []}, {"about": ("null", b""), "values": {}}]
)
def test_a_document_that_is_no_checkpoint(saver: TakebackSaver, document: Any) -> None:
    said = {"thread": "t", "namespace": "", "checkpoint": "1"}
    recording.put_checkpoint(saver._thread("t"), Key("", "1"), document, said)
    with pytest.raises(Integrity):
        saver.get_tuple(thread())
    with pytest.raises(Integrity):
        list(saver.list(thread()))


def test_a_type_of_ones_own_comes_back_once_it_is_allowed(saver: TakebackSaver) -> None:
    put(saver, {"a": Mine(number=1), "b": [Mine(number=2)]})
    assert values(saver, thread()) == {"a": {"number": 1}, "b": [{"number": 2}]}
    allowing = saver.with_allowlist([(Mine.__module__, "Mine")])
    assert values(allowing, thread()) == {"a": Mine(number=1), "b": [Mine(number=2)]}
    assert values(saver, thread())["a"] == {"number": 1}
    assert values(TakebackSaver(saver.store, allowed=[Mine]), thread())["a"] == Mine(number=1)


class Reversing:
    """A cipher that is none, and never gives the same twice."""

    def __init__(self) -> None:
        self.count = 0

    def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
        self.count += 1
        return "reversed", self.count.to_bytes(8) + bytes(plaintext)[::-1]

    def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
        assert ciphername == "reversed"
        return ciphertext[8:][::-1]


def test_a_serializer_of_ones_own_is_used_for_every_value(saver: TakebackSaver) -> None:
    from langgraph.checkpoint.serde.encrypted import EncryptedSerializer

    mine = TakebackSaver(saver.store, serde=EncryptedSerializer(Reversing()))
    messages = [HumanMessage(f"secret {number} " * 100, id=str(number)) for number in range(50)]
    config = put(mine, {"messages": messages, "text": "a secret"}, note="secret metadata")
    mine.put_writes(config, [("messages", messages[:2]), ("text", "another secret")], "task")
    found = mine.get_tuple(thread())
    assert found is not None
    assert found.checkpoint["channel_values"] == {"messages": messages, "text": "a secret"}
    assert found.metadata["note"] == "secret metadata"  # type: ignore[typeddict-item]
    assert [value for _, _, value in found.pending_writes or ()] == [messages[:2], "another secret"]
    with saver.store.blobs.reader() as reader, saver.store.blobs.database.read() as tx:
        for (id,) in tx.execute("SELECT id FROM blobs"):
            assert b"secret" not in reader.get(id)
    with pytest.raises(Integrity, match="serde"):
        saver.get_tuple(thread())
