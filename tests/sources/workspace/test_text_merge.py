"""Merges of texts against real git, and against what a merge may be at all."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import campaigns, counts
from support.text_merges import Texts, cut, git_merge, is_merge, made_up
from takeback.model.line_diff.effort import Effort
from takeback.sources.workspace.text_merge import merge_lines


def merge(texts: Texts, steps: int = 3_000_000) -> list[bytes] | None:
    merged = merge_lines(*texts.joined(), Effort(steps))
    return None if merged is None else cut(merged)


class Piece(NamedTuple):
    """What a stretch of lines was, what each side made of it, and what a merge makes of it."""

    base: Sequence[bytes]
    theirs: Sequence[bytes]
    ours: Sequence[bytes]
    merged: Sequence[bytes]


@st.composite
def scripts(draw: st.DrawFn) -> tuple[Texts, list[bytes]]:
    """Texts whose sides have changed different stretches, with lines between them that nobody changed; and their merge. All lines
    are different, so there is one right answer."""
    ends = draw(st.lists(st.sampled_from([b"\n", b"\r\n", b" \t\n", b"\r\r\n", b"\xff\n"]), min_size=1, max_size=3))
    number = 0

    def some(count: int) -> list[bytes]:
        nonlocal number
        number += count
        return [b"%d" % each + ends[each % len(ends)] for each in range(number - count, number)]

    pieces: list[Piece] = []
    for _ in range(draw(st.integers(0, 8))):
        same = some(draw(st.integers(0 if not pieces else 1, 4)))
        old, new = some(draw(st.integers(0, 4))), some(draw(st.integers(0, 4)))
        pieces.append(Piece(same, same, same, same))
        side = draw(st.sampled_from(["theirs", "ours", "both", "nobody"]))
        pieces.append(
            Piece(
                old,
                new if side in ("theirs", "both") else old,
                new if side in ("ours", "both") else old,
                old if side == "nobody" else new,
            )
        )
    base, theirs, ours, merged = ([line for piece in pieces for line in piece[which]] for which in range(4))
    if draw(st.booleans()):
        for text in (base, theirs, ours, merged):
            text += [b"the last line\r"]
    return Texts(base, theirs, ours), merged


@given(scripts())
def test_changes_that_are_apart_are_all_applied(case: tuple[Texts, list[bytes]]) -> None:
    texts, merged = case
    assert merge(texts) == merged
    assert merge(Texts(texts.base, texts.ours, texts.theirs)) == merged
    assert is_merge(texts, merged)


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\r\n", b"\n", b"\xff\n"]), max_size=12)


@given(LINES, LINES, LINES, st.booleans(), st.integers(0, 400))
def test_a_merge_applies_all_changes_of_both_sides_and_nothing_else(
    base: list[bytes], theirs: list[bytes], ours: list[bytes], is_cut: bool, steps: int
) -> None:
    """Whatever the effort: what is cheap is as right as what is dear."""
    if is_cut and base and ours:
        base[-1], ours[-1] = base[-1][:-1], ours[-1][:-1]
        base, ours = cut(b"".join(base)), cut(b"".join(ours))
    texts = Texts(base, theirs, ours)
    for merged in (merge(texts), merge(texts, steps)):
        assert merged is None or is_merge(texts, merged)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ([b"1\n", b"them\n", b"3\n", b"4\n"], [b"1\n", b"us\n", b"3\n", b"4\n"]),
        ([b"1\n", b"them\n", b"3\n", b"4\n"], [b"1\n", b"3\n", b"4\n"]),
        ([b"1\n", b"them\n", b"3\n", b"4\n"], [b"1\n", b"2\n", b"us\n", b"4\n"]),
        ([b"1\n", b"them\n", b"3\n", b"4\n"], [b"1\n", b"2\n", b"us\n", b"3\n", b"4\n"]),
        ([b"1\n", b"3\n", b"4\n"], [b"1\n", b"2\n", b"4\n"]),
        ([b"1\n", b"2\n", b"them\n", b"3\n", b"4\n"], [b"1\n", b"2\n", b"us\n", b"3\n", b"4\n"]),
        ([b"them\n", b"1\n", b"2\n", b"3\n", b"4\n"], [b"us\n", b"1\n", b"2\n", b"3\n", b"4\n"]),
        ([b"1\n", b"2\n", b"3\n", b"4\n", b"them\n"], [b"1\n", b"2\n", b"3\n", b"4"]),
        ([b"1\n", b"2\n", b"3\n", b"4\n", b"them\n"], [b"1\n", b"2\n", b"3\n"]),
    ],
    ids=[
        "the same line",
        "changed and removed",
        "neighbours",
        "changed, and added behind it",
        "neighbours removed",
        "added at the same place",
        "added at the beginning",
        "added at the end, and its newline removed",
        "added at the end, and that removed",
    ],
)
@pytest.mark.service("git")
def test_changes_that_overlap_or_touch_are_a_conflict_as_in_git(
    theirs: list[bytes], ours: list[bytes], tmp_path: Path
) -> None:
    texts = Texts([b"1\n", b"2\n", b"3\n", b"4\n"], theirs, ours)
    assert merge(texts) is None
    assert merge(Texts(texts.base, ours, theirs)) is None
    assert git_merge(tmp_path, *texts.joined()) is None


def test_the_same_change_on_both_sides_is_applied_once_beside_others() -> None:
    base = [b"%d\n" % number for number in range(20)]
    theirs = [b"first\n", *base[:5], b"both\n", *base[6:]]
    ours = [*base[:5], b"both\n", *base[6:], b"last\n"]
    assert merge(Texts(base, theirs, ours)) == [b"first\n", *base[:5], b"both\n", *base[6:], b"last\n"]


def test_the_same_lines_that_both_sides_add_to_a_row_of_such_lines_are_added_once() -> None:
    """Nobody can see where in the row they were added. Both hunks have to be at the same place, whatever else was changed."""
    base = [b"start\n", b"1\n", b"x\n", b"x\n", b"end\n"]
    theirs = [b"them\n", b"1\n", b"x\n", b"x\n", b"x\n", b"end\n"]
    ours = [b"start\n", b"1\n", b"x\n", b"x\n", b"x\n", b"end\n"]
    assert merge(Texts(base, theirs, ours)) == theirs


@pytest.mark.service("git")
@pytest.mark.campaign("text-merges")
@pytest.mark.parametrize("words", [2, 4, 10, 100])
def test_a_merge_is_git_s_for_texts_of_few_different_lines(
    words: int, tmp_path: Path, record_property: counts.Tell
) -> None:
    """Such texts can be compared in many ways, and no two programs do it alike in all cases. Where all lines are different there is
    one way."""
    chance = random.Random(campaigns.seed() * 1000 + words)
    runs = campaigns.size(100, 10_000)
    verdicts = contents = merges = 0
    for _ in range(runs):
        texts = made_up(chance, words, longest=campaigns.size(12, 30), edits=campaigns.size(2, 4))
        merged, others = merge(texts), git_merge(tmp_path, *texts.joined())
        assert merged is None or is_merge(texts, merged), texts
        verdicts += (merged is None) != (others is None)
        if merged is not None and others is not None:
            merges += 1
            contents += merged != cut(others)
    campaigns.count_runs(record_property, runs)
    counts.tell(
        record_property,
        f"merges of texts of {words} different lines: {runs}; {verdicts} conflict here or in git alone, "
        f"{contents} of {merges} differ",
    )
    assert verdicts <= runs // 50 and contents <= max(1, merges // 100)


@pytest.mark.service("git")
@pytest.mark.campaign("text-merges")
def test_a_merge_is_git_s_for_texts_of_different_lines(tmp_path: Path, record_property: counts.Tell) -> None:
    chance = random.Random(campaigns.seed())
    runs = campaigns.size(100, 10_000)
    for _ in range(runs):
        base = [b"%d\n" % number for number in range(chance.randrange(30))]
        texts = Texts(base, _changed(chance, base, b"them"), _changed(chance, base, b"us"))
        merged, others = merge(texts), git_merge(tmp_path, *texts.joined())
        assert (None if merged is None else b"".join(merged)) == others, texts
    campaigns.count_runs(record_property, runs)


def _changed(chance: random.Random, base: Sequence[bytes], name: bytes) -> list[bytes]:
    """Lines replaced, removed and added; some as the other side does it."""
    lines = list(base)
    for number in range(chance.randrange(4)):
        at, removed, added = (chance.randrange(limit) for limit in (len(lines) + 1, 3, 3))
        by = b"both" if chance.random() < 0.2 else name
        lines[at : at + removed] = [b"%s %d %d\n" % (by, number, each) for each in range(added)]
    return lines


@pytest.mark.service("git")
@pytest.mark.campaign("text-merges")
def test_a_merge_of_source_text_is_git_s(tmp_path: Path, record_property: counts.Tell) -> None:
    """Lines that are removed, indented, copied and moved, in this project's own files: in them blank lines and ends of blocks are alike."""
    chance = random.Random(campaigns.seed())
    sources = sorted(Path(merge_lines.__code__.co_filename).parents[2].rglob("*.py"))
    runs, differ = campaigns.size(50, 5000), 0
    for _ in range(runs):
        base = cut(chance.choice(sources).read_bytes())[:400] or [b"\n"]
        texts = Texts(base, _worked_on(chance, base), _worked_on(chance, base))
        merged, others = merge(texts), git_merge(tmp_path, *texts.joined())
        differ += (None if merged is None else b"".join(merged)) != others
    campaigns.count_runs(record_property, runs)
    counts.tell(record_property, f"merges of source text: {runs}, of which {differ} are not git's")
    assert differ <= max(1, runs // 500)


def _worked_on(chance: random.Random, base: Sequence[bytes]) -> list[bytes]:
    lines = list(base)
    for _ in range(chance.randrange(1, 6)):
        at, other, count = chance.randrange(len(lines) + 1), chance.randrange(len(lines) + 1), chance.randrange(1, 8)
        some = lines[at : at + count]
        edit = chance.choice(["remove", "indent", "copy", "move", "insert"])
        if edit != "copy":
            del lines[at : at + count]
        if edit == "indent":
            lines[at:at] = [b"    " + line for line in some]
        elif edit in ("copy", "move"):
            lines[other:other] = some
        elif edit == "insert":
            lines[at:at] = [*some, b"\n", b"    return None\n", b"\n"]
    return lines


# texts that once took minutes, or were a conflict for no reason


@cache
def long_text(kind: str) -> list[bytes]:
    chance = random.Random(3)
    if kind == "817 KB of short lines":
        return [b"%d\n" % chance.randrange(100, 205) for _ in range(204_300)]
    return [b"%d\n" % (chance.randrange(10) if kind == "ten values" else at % 10) for at in range(200_000)]


def both_changed(base: Sequence[bytes], edits: int, *, is_replaced: bool) -> tuple[Texts, list[bytes]]:
    """Edits of both sides in turn, as far from each other as can be; and the merge."""
    theirs, ours, merged = [], [], []
    distance = len(base) // (2 * edits + 1)
    for at, line in enumerate(base):
        number, is_edit = divmod(at, distance)
        new = [b"new %d\n" % at] if is_replaced else [line, base[at - 1], base[at - 2]]
        by_them, by_us = (not is_edit and 0 < number <= 2 * edits and number % 2 == rest for rest in (1, 0))
        theirs += new if by_them else [line]
        ours += new if by_us else [line]
        merged += new if by_them or by_us else [line]
    return Texts(base, theirs, ours), merged


@pytest.mark.parametrize(
    ("kind", "edits", "is_replaced"),
    [
        ("817 KB of short lines", 1, True),
        ("817 KB of short lines", 20, True),
        ("817 KB of short lines", 1000, True),
        ("817 KB of short lines", 100, False),
        ("ten values", 1, True),
        ("ten values", 20, False),
        ("ten values", 1000, True),
        ("ten values in turn", 1, True),
        ("ten values in turn", 1000, True),
    ],
)
def test_long_texts_of_few_different_lines_are_merged(kind: str, edits: int, is_replaced: bool) -> None:
    texts, merged = both_changed(long_text(kind), edits, is_replaced=is_replaced)
    found = merge_lines(*texts.joined(), Effort(2_500_000))
    assert found is not None
    assert cut(found) == merged


def test_a_text_that_takes_too_long_is_a_conflict_and_says_so() -> None:
    chance = random.Random(4)
    sides = ([b"%d\n" % chance.randrange(10) for _ in range(200_000)] for _ in range(2))
    effort = Effort(1_000_000)
    assert merge_lines(*Texts(long_text("ten values"), *sides).joined(), effort) is None
    assert effort.ended


def test_changes_that_are_far_apart_are_merged_however_little_effort_is_left() -> None:
    chance = random.Random(5)
    base = [b"%d\n" % number for number in range(20_000)]
    theirs, ours = list(base), list(base)
    theirs[100:1000] = chance.sample(theirs[100:1000], 900)
    ours[5000:9000] = chance.sample(ours[5000:9000], 4000)
    assert merge(Texts(base, theirs, ours), steps=10_000) == [*theirs[:5000], *ours[5000:]]
