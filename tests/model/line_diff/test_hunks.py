"""Where two texts differ: exactly where that is cheap, correctly always, and in bounded effort."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Hashable, Sequence
from difflib import SequenceMatcher
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from takeback.model.line_diff import anchors, shortest_edit
from takeback.model.line_diff.effort import Effort
from takeback.model.line_diff.hunks import Hunk, grouped, line_diff, opcodes

LINES = st.lists(st.sampled_from("abcdef"), max_size=40)
FEW = st.lists(st.sampled_from("ab"), max_size=40)


def same_lines(a: Sequence[Hashable], hunks: Sequence[Hunk]) -> int:
    return len(a) - sum(hunk.a_end - hunk.a for hunk in hunks)


def most_in_common(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """The length of the longest common subsequence, by the book."""
    row = [0] * (len(b) + 1)
    for line in a:
        before, row = row, [0]
        for at, other in enumerate(b):
            row.append(before[at] + 1 if line == other else max(before[at + 1], row[at]))
    return row[-1]


def check(a: Sequence[Hashable], b: Sequence[Hashable], hunks: Sequence[Hunk]) -> None:
    """Between the hunks both texts are the same, for at least a line; in each hunk there is something."""
    i = j = 0
    for number, hunk in enumerate(hunks):
        assert hunk.a - i == hunk.b - j and a[i : hunk.a] == b[j : hunk.b]
        assert hunk.a > i or number == 0
        assert hunk.a < hunk.a_end or hunk.b < hunk.b_end
        i, j = hunk.a_end, hunk.b_end
    assert a[i:] == b[j:]


@given(LINES | FEW, LINES | FEW)
def test_as_few_lines_differ_as_possible(a: list[str], b: list[str]) -> None:
    hunks = line_diff(a, b)
    check(a, b, hunks)
    assert same_lines(a, hunks) == most_in_common(a, b)


@given(LINES | FEW, LINES | FEW, st.integers(0, 200))
def test_whatever_the_effort_lines_that_are_said_to_be_the_same_are(a: list[str], b: list[str], steps: int) -> None:
    effort = Effort(steps)
    check(a, b, line_diff(a, b, effort))
    assert 0 <= effort.left <= steps


@given(LINES | FEW, LINES | FEW)
def test_a_difference_too_large_for_the_exact_search_is_found_correctly(a: list[str], b: list[str]) -> None:
    """Limits that fit texts of forty lines."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("_LEAST", 3), ("_MOST", 4), ("_AHEAD", 5), ("_LONG", 3)):
            patch.setattr(shortest_edit, name, value)
        patch.setattr(anchors, "_WIDTHS", (1, 2, 3))
        check(a, b, line_diff(a, b))


@given(LINES, LINES)
def test_without_any_effort_there_is_one_hunk(a: list[str], b: list[str]) -> None:
    hunks = line_diff(a, b, Effort(0))
    check(a, b, hunks)
    assert len(hunks) == (a != b)


@given(st.lists(st.integers(0, 99), max_size=60, unique=True), st.lists(st.integers(0, 99), max_size=60, unique=True))
def test_lines_that_each_text_has_once_are_found_as_many_as_are_in_order(a: list[int], b: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shortest_edit, "_LEAST", 0)
        patch.setattr(shortest_edit, "_MOST", 0)
        assert same_lines(a, line_diff(a, b)) == most_in_common(a, b)


@given(LINES, LINES, st.integers(0, 4))
def test_opcodes_and_groups_have_the_form_of_difflib(a: list[str], b: list[str], context: int) -> None:
    codes = opcodes(a, b)
    made = []
    for tag, i, i_end, j, j_end in codes:
        made += a[i:i_end] if tag == "equal" else b[j:j_end]
    assert made == b
    if a != b:
        matcher = SequenceMatcher(None, a, b)
        setattr(matcher, "opcodes", codes)  # noqa: B010 - its own memo of them
        assert list(grouped(codes, context)) == [
            [code for code in group if context or code[0] != "equal"] for group in matcher.get_grouped_opcodes(context)
        ]
    else:
        assert not list(grouped(codes, context))


@pytest.mark.parametrize(
    ("a", "b", "hunks"),
    [
        ("xaay", "xaaay", [Hunk(3, 3, 3, 4)]),
        ("xababy", "xabababy", [Hunk(5, 5, 5, 7)]),
        ("xaaay", "xaay", [Hunk(3, 4, 3, 3)]),
        ("pxaay", "qxaaay", [Hunk(0, 1, 0, 1), Hunk(4, 4, 4, 5)]),
        ("xaayp", "xaaayq", [Hunk(3, 3, 3, 4), Hunk(4, 5, 5, 6)]),
        ("xaap", "xaaaq", [Hunk(3, 4, 3, 5)]),
    ],
)
def test_lines_that_could_be_anywhere_in_a_row_come_last(a: str, b: str, hunks: list[Hunk]) -> None:
    """So the same insertion is the same hunk, whatever else a text has in it."""
    assert line_diff(a, b) == hunks


def numbered(text: Sequence[int]) -> list[bytes]:
    return [b"%d\n" % number for number in text]


def replaced(base: Sequence[bytes], every: int) -> list[bytes]:
    return [b"new %d\n" % at if at % every == every // 2 else line for at, line in enumerate(base)]


def test_a_block_that_was_removed_is_one_hunk() -> None:
    """Blank lines of it could as well be those of its neighbours."""
    a = ["def a():", "  1", "", "def b():", "  2", "", "  3", "", "def c():", "  4"]
    assert line_diff(a, [*a[:3], *a[8:]]) == [Hunk(3, 8, 3, 3)]
    assert line_diff([*a[:3], *a[8:]], a) == [Hunk(3, 3, 3, 8)]
    b = ["x", "", "m", "n", "", "p", "q", "", "r", "", "z"]
    assert line_diff(b, ["y", "", "z"]) == [Hunk(0, 9, 0, 1)]


def ten_values() -> list[int]:
    chance = random.Random(7)
    return [chance.randrange(10) for _ in range(200_000)]


@pytest.mark.parametrize(
    "base",
    [ten_values, lambda: [at % 10 for at in range(200_000)], lambda: list(range(100_000))],
    ids=["ten values", "ten values in turn", "all different"],
)
@pytest.mark.parametrize("every", [7, 90_000])
def test_replaced_lines_of_a_long_text_are_told_exactly(base: Callable[[], list[int]], every: int) -> None:
    a = numbered(base())
    hunks = line_diff(a, replaced(a, every))
    assert hunks == [Hunk(at, at + 1, at, at + 1) for at in range(every // 2, len(a), every)]


def test_a_large_insertion_into_a_text_of_ten_values_is_found_beside_many_small_ones() -> None:
    chance = random.Random(8)
    a = ten_values()
    b = list(a)
    for at in range(199_000, 0, -1000):
        b[at:at] = [chance.randrange(10)]
    b[100_000:100_000] = [chance.randrange(10) for _ in range(3000)]
    assert same_lines(a, line_diff(numbered(a), numbered(b))) == len(a)


def lines_run(call: Callable[[], object]) -> int:
    """How many lines of Python are run."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


def at_random(words: int) -> list[list[int]]:
    chance = random.Random(words)
    return [[chance.randrange(words) for _ in range(4000)] for _ in range(2)]


HOSTILE = {
    "few values in another order": [[at % 500 for at in range(4000)], [at * 37 % 500 for at in range(4000)]],
    "two values": at_random(2),
    "thirty values": at_random(30),
    "another order": [random.Random(at).sample(range(4000), 4000) for at in range(2)],
    "backwards": [list(range(4000)), list(range(4000))[::-1]],
    "nothing in common": [list(range(4000)), list(range(4000, 8000))],
    "in turn, with other lines between": [
        [at % 10 for at in range(4000)],
        [at % 10 if at % 3 else at % 7 for at in range(4000)],
    ],
    "all the same": [[0] * 4000, [1, *[0] * 3000, 1]],
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("steps", [0, 20_000, 60_000])
def test_the_work_has_an_end(name: str, steps: int) -> None:
    """What is counted is what is done: lines of Python, and not only the steps that the comparison says it took."""
    a, b = HOSTILE[name]
    effort = Effort(steps)
    found: list[Hunk] = []
    run = lines_run(lambda: found.extend(line_diff(a, b, effort)))
    check(a, b, found)
    assert run < 20 * (steps - effort.left) + 20 * (len(a) + len(b))
