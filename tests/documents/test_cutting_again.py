"""A list that was cut before is cut where it would be cut anew, whatever was done to it meanwhile."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from takeback import documents
from takeback.documents.memory import Blobs


def message(number: int, length: int = 80) -> dict[str, Any]:
    return {"id": number, "content": f"{number} " + "word " * (length // 5)}


def same_element(number: int, length: int = 100) -> bytes:
    return b"x" * length


ELEMENTS = {"messages": message, "no cut of their own": same_element}


def check(values: Any, before: documents.Recall) -> documents.Recall:
    """Written with the hint and without it: the same document, blob by blob; and the leaves are what is said of them. What
    may be referred to is not put again, and all of it is known."""
    hinted, anew, fewer = Blobs(), Blobs(), Blobs()
    made, wanted = documents.put(hinted, values, before=before), documents.put(anew, values)
    assert made.id == wanted.id
    assert hinted._data == anew._data
    assert made.size == wanted.size
    assert made.recall.cuts == wanted.recall.cuts
    referring = documents.put(fewer, values, before=before, there=True)
    assert (referring.id, referring.size, referring.recall.cuts) == (made.id, made.size, made.recall.cuts)
    known = {leaf for cut in before.cuts.values() for _, leaf, _ in cut.leaves.values()}
    known |= {content.id for content in before.contents.values()}
    assert anew._data.keys() - fewer._data.keys() <= known
    return made.recall


@pytest.mark.parametrize("element", ELEMENTS.values(), ids=ELEMENTS.keys())
@pytest.mark.parametrize("seed", range(4))
def test_cuts_are_where_they_would_be(element: Any, seed: int) -> None:
    chance = random.Random(seed)
    values = [element(number) for number in range(1_200)]
    leaves = check(values, documents.Recall())
    assert _count(leaves) > 5 or element is same_element
    for step in range(40):
        at, length = chance.randrange(len(values) + 1), chance.choice([0, 5, 60, 100, 1_000, 4_090, 5_000])
        match chance.randrange(7):
            case 0:
                values.append(element(step, length))
            case 1:
                values.insert(at, element(step, length))
            case 2:
                del values[: at // 20]
            case 3:
                del values[at : at + chance.randrange(40)]
            case 4:
                values[at : at + 1] = [element(step, length)]
            case 5:
                values += [element(number) for number in range(at % 200)]
            case 6:
                values.sort(key=lambda each: chance.random() if step % 10 == 0 else 0)
        leaves = check(values, leaves)


def test_the_element_behind_a_leaf_may_move_its_end() -> None:
    """What has no cut of its own is cut by length, so a shorter element behind such a cut belongs before it."""
    values = [same_element(0) for _ in range(1_000)]
    leaves = check(values, documents.Recall())
    for cut in leaves.cuts.values():
        for end, _, _ in cut.leaves.values():
            if end < len(values):
                changed, values[end] = values[end], b""
                check(values, leaves)
                values[end] = changed


def _count(recall: documents.Recall) -> int:
    return sum(len(cut.leaves) for cut in recall.cuts.values())


def test_elements_changed_in_place_are_seen() -> None:
    values = [message(number) for number in range(1_000)]
    leaves = check(values, documents.Recall())
    for at in (7, 500, 999):
        values[at]["content"] = "changed"
        leaves = check(values, leaves)
        values[at]["content"] = ("no", "longer", "plain")
        check(values, leaves)
        values[at]["content"] = 1
        leaves = check(values, leaves)
        values[at]["content"] = True
        leaves = check(values, leaves)
        values[at]["content"] = 1 << 80
        check(values, leaves)
        values[at]["content"] = "\ud800"
        check(values, leaves)
        values[at] = values[0]
        check(values, leaves)
        values[at] = message(at)
        leaves = check(values, leaves)


def test_hints_of_other_lists_do_no_harm() -> None:
    one, two = [message(number) for number in range(2_000)], [message(number, 30) for number in range(900)]
    value = {"one": one, "two": two}
    leaves = check(value, documents.Recall())
    one[:], two[:] = two[:], one[:]
    leaves = check(value, leaves)
    one.clear()
    check(value, leaves)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.integers(0, 3), max_size=40),
    st.lists(st.integers(0, 3), max_size=40),
    st.lists(st.integers(0, 3), max_size=40),
)
def test_any_beginning_middle_and_end(a: list[int], b: list[int], c: list[int]) -> None:
    """Of elements of four lengths, two of which are so long that few fit in a leaf."""
    elements = [b"", b"y" * 300, b"z" * 2_500, b"w" * 4_000]
    values = [elements[kind] for kind in a + b + c]
    leaves = check(values, documents.Recall())
    values[:] = [elements[kind] for kind in a + c]
    leaves = check(values, leaves)
    values[:] = [elements[kind] for kind in b + a + c + b]
    check(values, leaves)
