"""A writer for planning: it reads what is stored and what it was given, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.stores import noise
from takeback.errors import InvalidInput, Unavailable
from takeback.model.ids import BlobKind
from takeback.store.blobstore import open_local


def test_it_works_on_a_store_that_can_only_be_read(tmp_path: Path) -> None:
    with open_local(tmp_path / "store") as store, store.writer() as writer:
        known = writer.put(b"stored", BlobKind.DATA)
        writer.commit(lambda tx: None)
    large = noise(12 << 20)  # more than is held before a pack is begun
    with open_local(tmp_path / "store", readonly=True) as store:
        with pytest.raises(Unavailable):
            store.writer()
        with store.scratch() as scratch:
            ids = [scratch.put(data, BlobKind.DATA) for data in (b"new", large, b"stored")]
            assert [scratch.reader.get(id) for id in ids] == [b"new", large, b"stored"]
            assert ids[2] == known
            with pytest.raises(InvalidInput, match="cannot commit"):
                scratch.commit(lambda tx: None)
    assert [path for path in (tmp_path / "store" / "packs").rglob("*") if path.is_file()] == []


def test_what_it_was_given_is_known_to_nobody_else(tmp_path: Path) -> None:
    with open_local(tmp_path / "store") as store:
        with store.scratch() as scratch:
            id = scratch.put(noise(12 << 20), BlobKind.DATA)
        with store.writer() as writer:
            assert id not in writer
        assert list((tmp_path / "store" / "packs").rglob("*")) == []
