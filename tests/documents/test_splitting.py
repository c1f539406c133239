"""Long lists and mappings are cut where their content says so: what did not change is shared, wherever it lies."""

from __future__ import annotations

import random
from typing import Any

import pytest

import takeback as tb
from support import campaigns
from takeback.documents.blobs import links
from takeback.model.ids import BlobKind


def message(number: int) -> dict[str, Any]:
    chance = random.Random(number)
    words = "".join(chance.choices("abcdefgh     ", k=chance.randrange(20, 900)))
    return {
        "id": f"m{number}",
        "role": "user",
        "content": [{"type": "text", "text": words}],
        "usage": {"tokens": number},
    }


def blobs_of(value: Any) -> dict[bytes, bytes]:
    return tb.capture(value)._blobs._data


def new_in(after: Any, before: Any) -> dict[bytes, bytes]:
    known = blobs_of(before)
    return {id: data for id, data in blobs_of(after).items() if id not in known}


MESSAGES = [message(number) for number in range(3000)]
CHANGES: dict[str, Any] = {
    "one more at the end": [*MESSAGES, message(9999)],
    "one less at the end": MESSAGES[:-1],
    "the head trimmed": MESSAGES[1:],
    "half of it trimmed": MESSAGES[1500:],
    "one more at the head": [message(9999), *MESSAGES],
    "one more in the middle": [*MESSAGES[:1500], message(9999), *MESSAGES[1500:]],
    "one less in the middle": [*MESSAGES[:1500], *MESSAGES[1501:]],
    "one changed in the middle": [*MESSAGES[:1500], {**MESSAGES[1500], "role": "tool"}, *MESSAGES[1501:]],
    "two changed far apart": [
        *MESSAGES[:500], message(9998), *MESSAGES[501:2500], message(9999), *MESSAGES[2501:],
    ],
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_conversation_that_changed_in_one_place_shares_the_rest(change: str) -> None:
    assert len(blobs_of(MESSAGES)) > 200
    new = new_in(CHANGES[change], MESSAGES)
    assert len(new) <= 16
    assert sum(map(len, new.values())) < 120_000


@pytest.mark.parametrize("change", CHANGES)
def test_the_same_holds_for_values_that_are_not_plain(change: str) -> None:
    before, after = ([{**each, "mark": (1,)} for each in some] for some in (MESSAGES, CHANGES[change]))
    assert len(new_in(after, before)) <= 16


def test_the_same_holds_for_dictionaries_and_sets() -> None:
    names = {f"key {n}": message(n) for n in range(2000)}
    assert len(new_in({**names, "one more": 1}, names)) <= 8
    assert len(new_in({"one more": 1, **names}, names)) <= 8
    numbers = {n: message(n) for n in range(2000)}
    assert len(new_in({**numbers, -1: 1}, numbers)) <= 8
    words = {f"word {n}" for n in range(20_000)}
    assert len(new_in(words | {"one more"}, words)) <= 8
    assert len(new_in(frozenset(words) - {"word 77"}, frozenset(words))) <= 8


def test_where_a_list_is_cut_does_not_depend_on_where_it_is() -> None:
    alone = blobs_of(MESSAGES)
    for other in (
        {"deep": {"inside": [MESSAGES]}},
        [1, (2, MESSAGES)],
        {"first": 1, "messages": MESSAGES, "last": {3}},
    ):
        assert len(new_in(other, MESSAGES)) == 1, "only the root"
        assert alone.keys() - blobs_of(other).keys() == {tb.capture(MESSAGES).id}


def test_a_screenshot_is_stored_once_however_often_it_occurs() -> None:
    shot = random.Random(1).randbytes(1 << 20)
    text = shot.hex()
    value = {"a": shot, "b": [shot, {"c": [shot]}], "t": text, "u": (text, text), "all": [{"image": text}] * 50}
    found = blobs_of(value)
    assert sum(len(data) > 1 << 19 for data in found.values()) == 2
    assert sum(map(len, found.values())) < len(shot) + len(text) + 20_000
    again = tb.capture(value).value()
    assert again == value and again["t"] is again["u"][0] is again["all"][7]["image"], "nor is it in memory twice"


@pytest.mark.campaign("deep-values")
@pytest.mark.parametrize("what", [0, "x", None, [], {"same": "again"}])
def test_very_many_of_the_same_are_few_blobs(what: Any) -> None:
    if isinstance(what, list | dict):
        value = [what.copy() for _ in range(campaigns.size(50_000, 100_000))]
    else:
        value = [what] * campaigns.size(250_000, 1_000_000)
    document = tb.capture(value)
    assert len(document._blobs._data) < 20
    assert document.value() == value
    assert len(new_in([*value, 5], value)) <= 6


def test_one_huge_element_is_one_leaf() -> None:
    huge = {f"k{n}": "v" * 100 for n in range(5000)}
    value = ["before", huge, "after"]
    assert tb.capture(value).value() == value
    assert tb.capture([*range(5000), huge, *range(5000)]).value() == [*range(5000), huge, *range(5000)]


def test_no_blob_is_large_but_those_of_long_strings() -> None:
    value = {"messages": MESSAGES, "table": [[random.Random(n).random() for _ in range(50)] for n in range(500)]}
    blobs = blobs_of(value)
    assert max(map(len, blobs.values())) < 24_000
    leaves = [data for data in blobs.values() if not links(data).documents]
    assert 2000 < sum(map(len, leaves)) / len(leaves) < 9000


@pytest.mark.parametrize("size", [4095, 4096, 4097, 8191, 8192, 8193, 16_383, 16_384, 16_385, 70_000])
def test_everything_near_a_limit_comes_back(size: int) -> None:
    for value in (
        "x" * size, b"x" * size, "é" * (size // 2), "\ud800" * (size // 3), ["x" * size], {"x" * size: "x" * size},
        {(("x" * size),): 1}, [0] * size, [True] * (size - 1), {str(n): n for n in range(size // 8)},
        [["x" * 4000, "y" * (size - 4000)]], ("x",) * size, {"x" * (size // 2), "y" * size}, bytearray(size), 1 << size * 8,
    ):  # fmt: skip
        document = tb.capture([value])
        found = document.value()[0]
        assert found == value and type(found) is type(value)
        assert tb.capture([found]).id == document.id


def test_every_blob_that_a_document_leads_to_is_there_and_no_other() -> None:
    document = tb.capture(
        {"messages": MESSAGES, "shots": [bytes([n]) * 5000 for n in range(30)], "more": [MESSAGES[5]] * 3}
    )
    blobs = document._blobs
    seen: set[bytes] = set()
    waiting = [document.id]
    while waiting:
        id = waiting.pop()
        if id in seen:
            continue
        seen.add(id)
        found = links(blobs.get(id, BlobKind.DOCUMENT))
        waiting += found.documents
        seen.update(found.contents)
    assert seen == blobs._data.keys()
