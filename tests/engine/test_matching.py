from __future__ import annotations

from difflib import SequenceMatcher

from hypothesis import given
from hypothesis import strategies as st

from takeback.engine.matching import Matching

LINES = st.lists(st.sampled_from("abcdef"), max_size=40)


@given(LINES, LINES)
def test_with_enough_effort_the_answer_is_that_of_difflib(a: list[str], b: list[str]) -> None:
    assert Matching(a, b).get_opcodes() == SequenceMatcher(None, a, b).get_opcodes()


@given(LINES, LINES, st.integers(0, 60))
def test_whatever_the_effort_what_is_told_to_be_the_same_is(a: list[str], b: list[str], effort: int) -> None:
    made: list[str] = []
    for tag, i, i_end, j, j_end in Matching(a, b, effort).get_opcodes():
        assert tag != "equal" or a[i:i_end] == b[j:j_end]
        made += a[i:i_end] if tag == "equal" else b[j:j_end]
    assert made == b


def test_without_any_effort_beginning_and_end_are_found() -> None:
    found = Matching("aaaaaaxbbb", "aaaaaayybbb", 0).get_opcodes()
    assert [tag for tag, *_ in found] == ["equal", "replace", "equal"]


def test_the_work_has_an_end_for_texts_on_which_difflib_has_none() -> None:
    """Each stretch that is looked at is counted: difflib looks at thousands of them here, again and again."""
    lines = [f"line {number % 500}" for number in range(6000)]
    others = [f"line {number * 37 % 500}" for number in range(6000)]
    looked = 0

    class Counting(Matching[str]):
        def find_longest_match(self, *ends: int | None) -> object:  # type: ignore[override]
            nonlocal looked
            looked += 1 if self._left > 0 else 0
            return super().find_longest_match(*ends)  # type: ignore[arg-type]

    assert Counting(lines, others, 500_000).get_opcodes()
    assert looked < 100


@given(st.lists(st.integers(0, 99), max_size=60, unique=True), st.lists(st.integers(0, 99), max_size=60, unique=True))
def test_without_any_effort_lines_that_are_there_once_are_found_as_many_as_are_in_order(
    a: list[int], b: list[int]
) -> None:
    found = sum(match.size for match in Matching(a, b, 0).get_matching_blocks())
    assert found >= sum(match.size for match in SequenceMatcher(None, a, b).get_matching_blocks())


def test_a_text_that_differs_in_every_other_line_is_told_exactly_however_long_it_is() -> None:
    before = [f"{number}" if number % 2 else f"old {number}" for number in range(20_000)]
    after = [f"{number}" if number % 2 else f"new {number}" for number in range(20_000)]
    found = Matching(before, after, 100_000).get_opcodes()
    assert len(found) == 20_000 and {tag for tag, *_ in found} == {"replace", "equal"}
