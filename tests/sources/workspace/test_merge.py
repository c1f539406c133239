"""Taking one change back from one path, three ways: over type, mode and content."""

from __future__ import annotations

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from takeback.model.tree import DIRECTORY, FILE, LINK, Entry
from takeback.sources.trees import NO_ID
from takeback.sources.workspace.merge import MERGE_LIMIT, Outcome, merge_text, take_back

BLOBS: dict[bytes, bytes] = {}


def entry(content: bytes, mode: int = 0o644, kind: str = FILE) -> Entry:
    id = blake3(content).digest()
    BLOBS[id] = content
    return Entry(kind, mode, len(content), id)


def directory(mode: int = 0o755) -> Entry:
    return Entry(DIRECTORY, mode, 0, NO_ID)


def read(wanted: Entry) -> bytes:
    return BLOBS[wanted.id]


def never_read(wanted: Entry) -> bytes:
    raise AssertionError("nothing has to be read here")


LINES = b"".join(b"line %d\n" % number for number in range(10))
FILE_A, FILE_B, FILE_C = entry(b"a"), entry(b"b"), entry(b"c")
LINK_A, LINK_B = entry(b"a", 0o777, LINK), entry(b"b", 0o777, LINK)
EVERYTHING = [None, FILE_A, FILE_B, FILE_C, entry(b"a", 0o755), LINK_A, LINK_B, directory(), directory(0o700)]


@pytest.mark.parametrize("base", EVERYTHING)
@pytest.mark.parametrize("theirs", EVERYTHING)
def test_what_is_as_the_move_left_it_goes_back_and_what_is_back_already_stays(
    base: Entry | None, theirs: Entry | None
) -> None:
    assert take_back(base, theirs, base, never_read) == Outcome(theirs)
    assert take_back(base, theirs, theirs, never_read) == Outcome(theirs)


@pytest.mark.parametrize("base", EVERYTHING)
@pytest.mark.parametrize("theirs", EVERYTHING)
@pytest.mark.parametrize("ours", EVERYTHING)
def test_an_outcome_is_an_entry_or_a_conflict_and_never_loses_what_somebody_else_did(
    base: Entry | None, theirs: Entry | None, ours: Entry | None
) -> None:
    outcome = take_back(base, theirs, ours, read)
    if outcome.conflict:
        assert outcome.entry is None and outcome.merged is None
        assert ours not in (base, theirs)
    elif ours not in (base, theirs):
        assert ours is not None and outcome.entry is not None and base is not None
        content_is_ours = ours.same_content(base) or outcome.entry.same_content(ours) or ours.kind == DIRECTORY
        mode_is_ours = ours.mode == base.mode or outcome.entry.mode == ours.mode
        assert content_is_ours and (mode_is_ours or LINK in (outcome.entry.kind, ours.kind))


@pytest.mark.parametrize(
    ("base", "theirs", "ours", "words"),
    [
        (FILE_A, FILE_B, None, "deleted since"),
        (FILE_A, None, FILE_C, "changed since the move made it"),
        (None, FILE_A, FILE_C, "made again since"),
        (FILE_A, FILE_B, FILE_C, "same lines"),
        (FILE_A, FILE_B, LINK_A, "not text"),
        (LINK_A, LINK_B, entry(b"c", 0o777, LINK), "not text"),
        (entry(b"a\0"), entry(b"b\0"), entry(b"c\0"), "same lines"),
        (entry(b"a", 0o644), entry(b"a", 0o755), entry(b"a", 0o600), "permissions"),
        (entry(b"x" * (MERGE_LIMIT + 1)), FILE_A, FILE_B, "too large"),
    ],
)
def test_a_conflict_says_why(base: Entry | None, theirs: Entry | None, ours: Entry | None, words: str) -> None:
    assert words in take_back(base, theirs, ours, read).conflict


def test_a_mode_goes_back_around_a_later_edit_and_the_content_around_a_later_mode() -> None:
    assert take_back(entry(b"a", 0o755), entry(b"a", 0o644), entry(b"b", 0o755), never_read) == Outcome(
        entry(b"b", 0o644)
    )
    assert take_back(entry(b"a", 0o644), entry(b"b", 0o644), entry(b"a", 0o600), never_read) == Outcome(
        entry(b"b", 0o600)
    )
    assert take_back(entry(b"a", 0o755), entry(b"b", 0o644), entry(b"a", 0o755), never_read) == Outcome(
        entry(b"b", 0o644)
    )


def test_a_merge_is_a_new_content_with_its_own_id() -> None:
    base = LINES.replace(b"line 1\n", b"agent\n")
    ours = base.replace(b"line 8\n", b"person\n")
    outcome = take_back(entry(base, 0o755), entry(LINES, 0o644), entry(ours, 0o755), read)
    merged = LINES.replace(b"line 8\n", b"person\n")
    assert outcome == Outcome(entry(merged, 0o644), merged)


# the text itself


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r\r\n"])
def test_every_kind_of_line_end_is_kept(end: bytes) -> None:
    theirs = LINES.replace(b"\n", end)
    base = theirs.replace(b"line 1" + end, b"agent" + end)
    ours = base.replace(b"line 8" + end, b"person" + end)
    assert merge_text(base, theirs, ours) == theirs.replace(b"line 8", b"person")


@pytest.mark.parametrize("byte", [b"\x85", b"\x0b", b"\x0c", b"\x1c", "\u2028".encode(), b"\r", b"\xff"])
def test_only_a_newline_ends_a_line(byte: bytes) -> None:
    theirs = b"a" + byte + b"b\n" + LINES
    base = theirs + b"agent\n"
    ours = b"person\n" + base
    assert merge_text(base, theirs, ours) == b"person\n" + theirs


def test_a_missing_newline_at_the_end_is_a_change_like_any_other() -> None:
    assert merge_text(LINES, LINES[:-1], b"person\n" + LINES) == b"person\n" + LINES[:-1]
    assert merge_text(LINES[:-1], LINES, b"person\n" + LINES[:-1]) == b"person\n" + LINES


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_one_sided_changes_are_that_side(base: bytes, other: bytes) -> None:
    if b"\0" in base + other:
        assert merge_text(base, other, base) is None
        return
    assert merge_text(base, other, base) == other
    assert merge_text(base, base, other) == other
    assert merge_text(base, other, other) == other


lines = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\r\n", b"\n", b"\xff\n"]), max_size=8).map(b"".join)


@given(lines, lines, lines, lines)
def test_changes_on_both_sides_of_something_long_are_both_taken(
    old_start: bytes, new_start: bytes, old_end: bytes, new_end: bytes
) -> None:
    middle = b"".join(b"middle %d\n" % number for number in range(50))
    merged = merge_text(old_start + middle + old_end, new_start + middle + old_end, old_start + middle + new_end)
    assert merged == new_start + middle + new_end


@given(lines, lines, lines)
def test_a_merge_has_only_lines_of_its_sides_or_is_a_conflict(base: bytes, theirs: bytes, ours: bytes) -> None:
    merged = merge_text(base, theirs, ours)
    if merged is not None:
        assert set(merged.split(b"\n")) <= set(theirs.split(b"\n")) | set(ours.split(b"\n"))
    elif theirs == base or ours in (base, theirs):
        raise AssertionError("one side alone is no conflict")
