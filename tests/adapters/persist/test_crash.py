"""Killed anywhere, a snapshot leaves the old file or the new one, and the next one tidies up."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import takeback.adapters.persist as persist
from support.faults.zygote import Zygote

OLD, NEW = {"step": 1}, {"step": 2, "text": "x" * 1000}


@pytest.mark.parametrize("name", ["a.json.gz", "a.json.zst"])
@pytest.mark.parametrize("is_there", [True, False])
def test_a_kill_leaves_the_old_or_the_new(zygote: Zygote, name: str, is_there: bool, tmp_path: Path) -> None:
    def path_of(step: int) -> Path:
        path = tmp_path / str(step) / name
        path.parent.mkdir()
        if is_there:
            persist.snapshot(OLD, path)
        return path

    seen = set()
    points = zygote.points(tmp_path, persist.snapshot, NEW, path_of(0))
    assert len(points) > 4
    for at in range(1, len(points) + 1):
        path = path_of(at)
        assert zygote.killed(tmp_path, at, persist.snapshot, NEW, path)
        left = persist.restore(path) if path.exists() else None
        assert left in ([OLD, NEW] if is_there else [None, NEW])
        seen.add("new" if left == NEW else "old")
        persist.snapshot(NEW, path)
        assert os.listdir(path.parent) == [name], "what the killed one left is gone"
        assert persist.restore(path) == NEW
    assert seen == {"old", "new"}


def test_a_failed_write_leaves_the_old_one_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json.gz"
    persist.snapshot(OLD, path)

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(persist.PersistUnavailableError, match="No space left"):
            persist.snapshot(NEW, path)
    assert persist.restore(path) == OLD
    assert os.listdir(tmp_path) == ["a.json.gz"]


def test_what_another_process_is_writing_is_left_alone(tmp_path: Path) -> None:
    """The file of a writer at work is locked, so nobody takes it for what a killed one left."""
    from takeback.adapters.persist import placing

    path = tmp_path / "a.json.gz"

    def chunks() -> object:
        yield b"half"
        persist.snapshot(OLD, path)
        yield b" and half"

    placing.replace(str(path), chunks())  # type: ignore[arg-type]
    assert path.read_bytes() == b"half and half"
    assert os.listdir(tmp_path) == ["a.json.gz"]


def test_files_of_others_beside_it_stay(tmp_path: Path) -> None:
    for name in (".a.json.gz.takeback-notours", "a.json.gz.bak", ".a.json.gz.takeback-"):
        (tmp_path / name).write_text("mine")
    persist.snapshot(NEW, tmp_path / "a.json.gz")
    assert len(os.listdir(tmp_path)) == 4
