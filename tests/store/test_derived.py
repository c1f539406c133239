from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.stores import nothing
from takeback.store.blobstore import BlobStore
from takeback.store.derived import DerivedFiles, _frame, _unframe


def the_file(local: BlobStore) -> Path:
    assert local.path is not None
    (file,) = (local.path / "derived").iterdir()
    return file


def test_what_was_put_last_is_there(store: BlobStore) -> None:
    assert store.derived.get("any/key: ✓") is None
    for data in (b"first", b"", b"x" * 3_000_000):
        store.derived.put("any/key: ✓", data)
        assert store.derived.get("any/key: ✓") == data
    assert store.derived.get("other") is None


@pytest.mark.parametrize("content", [b"", b"TBD1", b"something else entirely" * 10])
def test_an_empty_or_foreign_file_counts_as_absent(local: BlobStore, content: bytes) -> None:
    local.derived.put("key", b"data")
    the_file(local).write_bytes(content)
    assert local.derived.get("key") is None
    local.derived.put("key", b"again")
    assert local.derived.get("key") == b"again"


def test_a_torn_file_counts_as_absent_wherever_it_is_torn(local: BlobStore) -> None:
    local.derived.put("key", b"0123456789")
    whole = the_file(local).read_bytes()
    for length in range(len(whole)):
        the_file(local).write_bytes(whole[:length])
        assert local.derived.get("key") is None


def test_a_file_moved_to_another_key_counts_as_absent(local: BlobStore) -> None:
    local.derived.put("one", b"data")
    one = the_file(local)
    framed = one.read_bytes()
    one.unlink()
    local.derived.put("two", b"x")
    the_file(local).write_bytes(framed)
    assert local.derived.get("two") is None


@given(st.binary(max_size=200))
def test_other_bytes_count_as_absent(framed: bytes) -> None:
    assert _unframe(b"key", framed) is None


@given(st.text(), st.binary())
def test_framing_is_undone(key: str, data: bytes) -> None:
    assert _unframe(key.encode(), _frame(key.encode(), data)) == data


def test_where_nothing_can_be_written_nothing_happens(tmp_path: Path) -> None:
    DerivedFiles(str(tmp_path / "gone"), readonly=False).put("key", b"data")
    DerivedFiles(str(tmp_path), readonly=True).put("key", b"data")
    assert list(tmp_path.iterdir()) == []


def test_a_key_may_be_any_text_that_a_path_can_be(store: BlobStore) -> None:
    store.derived.put("\udcff", b"data")
    assert store.derived.get("\udcff") == b"data"


def test_a_writers_derived_files_hold_only_once_it_has_committed(store: BlobStore) -> None:
    store.derived.put("key", b"old")
    with store.writer() as writer:
        writer.derived.put("key", b"")
        assert writer.derived.get("key") == b"" and store.derived.get("key") == b"old"
    assert store.derived.get("key") == b"old"
    with store.writer() as writer:
        writer.derived.put("key", b"new")
        writer.commit(nothing)
    assert store.derived.get("key") == b"new"
