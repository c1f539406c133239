"""The stat cache: what was remembered comes back, and whatever is torn, foreign or of another tree counts as nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from takeback.model.tree import DIRECTORY, FILE, LINK, name_text
from takeback.sources.workspace.statcache import (
    IGNORED_DIRECTORY,
    IGNORED_FILE,
    RACY,
    Section,
    Stat,
    decode_cache,
    encode_cache,
    encode_section,
)

TREE, OTHER = b"t" * 32, b"o" * 32
FINGERPRINT = b"f" * 32
STAT: Stat = (0o100644, 5, 1_700_000_000_000_000_001, 1_700_000_000_000_000_002, 77)
ROWS: list[tuple[str, str, Stat, bytes]] = [
    ("a", FILE, STAT, b"1" * 32),
    ("\udcff\n-", LINK, (0o120777, 3, RACY, 0, 2**64 - 1), b"2" * 32),
    ("dir", DIRECTORY, (0o40755, 0, 0, 0, 0), b"3" * 32),
    ("skipped.log", IGNORED_FILE, (0, 0, 0, 0, 0), bytes(32)),
    ("node_modules", IGNORED_DIRECTORY, (0, 0, 0, 0, 0), bytes(32)),
]
CACHE = encode_cache(TREE, b"a note", {"": encode_section(TREE, FINGERPRINT, ROWS), "dir/\udcff": encode_section(OTHER, FINGERPRINT, [])})  # fmt: skip

times = st.integers(-(2**63), 2**63 - 1)
rows = st.lists(
    st.tuples(
        st.binary(min_size=1, max_size=20).filter(lambda raw: b"\0" not in raw).map(name_text),
        st.sampled_from("fldDiI"),
        st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1), times, times, st.integers(0, 2**64 - 1)),
        st.binary(min_size=32, max_size=32),
    ),
    unique_by=lambda row: row[0],
    max_size=10,
)


@given(rows)
def test_a_section_comes_back(entries: list[tuple[str, str, Stat, bytes]]) -> None:
    section = Section(encode_section(TREE, FINGERPRINT, entries))
    assert (section.tree, section.fingerprint, len(section)) == (TREE, FINGERPRINT, len(entries))
    for name, kind, seen, id in entries:
        assert (section.kind(name), section.stats[name], section.id(name)) == (kind, seen, id)
        assert section.holds(name, kind, seen, id)
        assert not section.holds(name, kind, seen, OTHER)
        assert not section.holds(name, "f" if kind == "l" else "l", seen, id)
    assert sorted(section.ignored()) == sorted((row[0], row[1] == "I") for row in entries if row[1] in "iI")


@given(rows)
def test_a_section_matches_its_own_entries_in_their_order_and_nothing_else(
    entries: list[tuple[str, str, Stat, bytes]],
) -> None:
    section = Section(encode_section(TREE, FINGERPRINT, entries))
    names, looks = [row[0] for row in entries], [row[2] for row in entries]
    assert section.matches(names, looks)
    assert not section.matches([*names, "other"], [*looks, STAT])
    for place in range(len(entries)):
        assert not section.matches(names[:place] + names[place + 1 :], looks[:place] + looks[place + 1 :])
        assert not section.matches([*names[:place], "other", *names[place + 1 :]], looks)
        for field in range(5):
            changed = tuple(value ^ (field == number) for number, value in enumerate(looks[place]))
            assert not section.matches(names, [*looks[:place], changed, *looks[place + 1 :]])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("kind", "mode", "plain"),
    [
        (FILE, 0o100644, True),
        (LINK, 0o120777, True),
        (FILE, 0o104755, False),
        (FILE, 0o102755, False),
        (DIRECTORY, 0o40755, False),
        (IGNORED_FILE, 0o100644, True),
        (IGNORED_DIRECTORY, 0, False),
        ("D", 0o40755, False),
    ],
)
def test_a_plain_directory_holds_only_what_need_not_be_looked_at_one_by_one(kind: str, mode: int, plain: bool) -> None:
    entries = [ROWS[0], ("b", kind, (mode, 1, 2, 3, 4), b"2" * 32)]
    assert bool(Section(encode_section(TREE, FINGERPRINT, entries)).plain) is plain


def test_a_section_knows_only_its_own_names() -> None:
    section = Section(encode_section(TREE, FINGERPRINT, ROWS))
    assert section.kind("b") is None
    assert not section.holds("b", FILE, STAT, b"1" * 32)
    assert list(section.ignored()) == [("skipped.log", False), ("node_modules", True)]


@given(st.dictionaries(st.binary(max_size=10).map(name_text), rows, max_size=4), st.binary())
def test_a_cache_comes_back(directories: dict[str, list[tuple[str, str, Stat, bytes]]], note: bytes) -> None:
    sections = {path: encode_section(OTHER, FINGERPRINT, entries) for path, entries in directories.items()}
    cache = decode_cache(encode_cache(TREE, note, sections), TREE)
    assert dict(cache.items()) == sections
    assert (cache.note, len(cache)) == (note, len(sections))
    for path, data in sections.items():
        section = cache.section(path)
        assert section is not None and section.data == data
    assert cache.section("no such directory") is None


def test_a_cache_of_another_tree_counts_as_nothing() -> None:
    assert len(decode_cache(CACHE, TREE)) == 2
    for data, tree in ((CACHE, OTHER), (CACHE, None), (None, TREE)):
        cache = decode_cache(data, tree)
        assert len(cache) == 0 and cache.note == b"" and cache.section("") is None


@pytest.mark.parametrize("length", range(len(CACHE)))
def test_a_torn_cache_counts_as_nothing(length: int) -> None:
    cache = decode_cache(CACHE[:length], TREE)
    assert len(cache) == 0 and cache.note == b""


def test_a_cache_with_something_after_its_end_counts_as_nothing() -> None:
    assert len(decode_cache(CACHE + b"\0", TREE)) == 0


@given(st.binary())
def test_foreign_bytes_count_as_nothing(data: bytes) -> None:
    assert len(decode_cache(data, TREE)) == 0
    with_head = CACHE[: CACHE.index(TREE) + 32] + data
    assert decode_cache(with_head, TREE).section("") is None or data == CACHE[CACHE.index(TREE) + 32 :]


@given(st.integers(0, len(CACHE) - 1), st.integers(1, 255))
def test_a_damaged_section_is_readable_or_counts_as_absent(place: int, flip: int) -> None:
    damaged = bytearray(CACHE)
    damaged[place] ^= flip
    cache = decode_cache(bytes(damaged), TREE)
    for path in dict(cache.items()):
        section = cache.section(path)
        if section is not None:
            assert len(section.stats) <= len(section)


@pytest.mark.parametrize("moment", [2**63, 2**70, -(2**63) - 1])
def test_a_time_that_does_not_fit_makes_the_entry_one_that_never_matches(moment: int) -> None:
    seen = (0o100644, 5, moment, 1, 7)
    section = Section(encode_section(TREE, FINGERPRINT, [("a", FILE, seen, b"1" * 32)]))
    assert section.stats["a"][2] == RACY
    assert section.id("a") == b"1" * 32
