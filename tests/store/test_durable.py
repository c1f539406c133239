"""Power cuts on a real filesystem: all that was saved is on the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.power_cut import FILESYSTEMS, Cuts, booted, impossible, recorded
from support.stores import noise, problems, save
from takeback.store.blobstore import open_local


def test_a_pack_that_was_saved_is_there_after_a_power_cut(tmp_path: Path) -> None:
    """The catalogue writes over its log here: then its own syncs write no names of files, as they do at first."""
    filesystem = next(each for each in FILESYSTEMS if each.name == "ext4, careless")
    if reason := impossible(filesystem):
        pytest.skip(reason)
    with recorded(filesystem, tmp_path) as recording:
        with open_local(recording.place / "store") as store:
            for number in range(4):
                save(store, [noise(300_000, number)])
            store.database._connection().execute("PRAGMA wal_checkpoint(RESTART)")  # type: ignore[attr-defined]
            recording.sync()
            (id,) = save(store, [noise(300_000, "last")])
            end = recording.position()
    with booted(filesystem, Cuts(recording, tmp_path, filesystem).at(end, "none"), recording.place):
        with open_local(recording.place / "store") as store:
            assert problems(store) == []
            with store.reader() as reader:
                assert reader.get(id) == noise(300_000, "last")
