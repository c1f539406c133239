"""Trees as blobs: any directory comes back, and no other bytes are taken for one."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from takeback.errors import Integrity
from takeback.model.tree import (
    DIRECTORY,
    FILE,
    KINDS,
    LINK,
    Entry,
    count_tree,
    decode_tree,
    encode_tree,
    name_bytes,
    name_text,
)

raw_names = st.binary(min_size=1, max_size=255).filter(
    lambda raw: raw not in (b".", b"..") and b"/" not in raw and b"\0" not in raw
)
entries = st.builds(
    Entry,
    kind=st.sampled_from(KINDS),
    mode=st.integers(0, 0o7777),
    size=st.integers(0, 2**64 - 1),
    id=st.binary(min_size=32, max_size=32),
)
trees = st.dictionaries(raw_names.map(name_text), entries, max_size=20)

FULL = encode_tree(
    {
        "a": Entry(FILE, 0o644, 3, b"1" * 32),
        "b": Entry(LINK, 0o777, 4, b"2" * 32),
        "c": Entry(DIRECTORY, 0o755, 0, b"3" * 32),
    }
)


@given(st.binary())
@example(b"\xff")
@example("é".encode())
@example(b"\xed\xb2\x80")  # what UTF-8 would make of a lone surrogate
@example(b"-rf\n\"'")
def test_any_bytes_are_a_name_and_come_back(raw: bytes) -> None:
    assert name_bytes(name_text(raw)) == raw


@given(trees)
def test_a_tree_comes_back_in_the_order_of_its_names_bytes(tree: dict[str, Entry]) -> None:
    decoded = decode_tree(encode_tree(tree))
    assert decoded == tree
    assert [*map(name_bytes, decoded)] == sorted(map(name_bytes, tree))


@given(trees, st.randoms())
def test_equal_directories_give_equal_bytes_whatever_the_order(tree: dict[str, Entry], random: object) -> None:
    names = list(tree)
    random.shuffle(names)  # type: ignore[attr-defined]
    assert encode_tree({name: tree[name] for name in names}) == encode_tree(tree)


@given(st.binary())
@example(b"")
@example(b"T1")
@example(b"T1\0\0\0\0\x01\0\0\0x")
@example(b"T1\xff\xff\xff\xff\xff\xff\xff\xff")
def test_other_bytes_are_refused_as_damaged(data: bytes) -> None:
    _refused_or_canonical(data)


@given(st.data())
def test_a_damaged_tree_is_refused_or_is_another_tree(data: st.DataObject) -> None:
    damaged = bytearray(FULL)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    _refused_or_canonical(bytes(damaged))


@pytest.mark.parametrize("length", range(len(FULL)))
def test_a_torn_tree_is_refused(length: int) -> None:
    for read in (decode_tree, count_tree):
        with pytest.raises(Integrity):
            read(FULL[:length])


@pytest.mark.parametrize("name", [b"", b".", b"..", b"a/b", b"/", b"../x"])
def test_names_that_lead_out_of_a_directory_are_refused(name: bytes) -> None:
    good = encode_tree({"x" * max(len(name), 1): Entry(FILE, 0o644, 0, bytes(32))})
    with pytest.raises(Integrity):
        decode_tree(good.replace(b"x" * max(len(name), 1), name, 1))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"a\0b\0c", b"b\0a\0c"),  # out of order
        (b"a\0b\0c", b"a\0a\0c"),  # twice
        (b"a\0b\0c", b"a\0bbc"),  # one too few
        (b"a\0b\0c", b"a\0\0\0c"),  # one too many
    ],
)
def test_names_that_are_not_in_order_or_not_as_many_are_refused(old: bytes, new: bytes) -> None:
    assert old in FULL
    with pytest.raises(Integrity):
        decode_tree(FULL.replace(old, new, 1))


@pytest.mark.parametrize(("kind", "mode"), [(b"x", 0o644), (b"\0", 0o644), (b"f", 0o10000), (b"d", 0xFFFF)])
def test_kinds_and_modes_that_nothing_has_are_refused(kind: bytes, mode: int) -> None:
    good = encode_tree({"name": Entry(FILE, 0o644, 0, bytes(32))})
    at = good.index(b"name") + 4
    with pytest.raises(Integrity):
        decode_tree(good[:at] + kind + mode.to_bytes(2, "little") + good[at + 3 :])


def test_entries_have_the_same_content_whatever_their_modes() -> None:
    file = Entry(FILE, 0o644, 1, b"1" * 32)
    assert file.same_content(Entry(FILE, 0o755, 1, b"1" * 32))
    assert not file.same_content(Entry(LINK, 0o644, 1, b"1" * 32))
    assert not file.same_content(Entry(FILE, 0o644, 1, b"2" * 32))


def _refused_or_canonical(data: bytes) -> None:
    try:
        tree = decode_tree(data)
    except Integrity:
        return
    assert encode_tree(tree) == data
    below = [entry.id for entry in tree.values() if entry.kind == DIRECTORY]
    assert count_tree(data) == (len(tree) - len(below), below)
