"""The six functions and five exceptions, as code that was written for Persist calls them."""

from __future__ import annotations

import inspect
import os
from pathlib import Path
from typing import Any

import pytest

import takeback.adapters.persist as persist
from takeback.errors import TakebackError


def test_the_signatures_begin_with_those_of_persist() -> None:
    stored = ["storage_mode", "s3_bucket", "s3_region"]
    expected = {
        "snapshot": ["agent", "path", "agent_id", "session_id", "snapshot_index", "description", *stored],
        "restore": ["path", "secrets_map", *stored],
        "get_metadata": ["path", *stored],
        "verify_snapshot": ["path", *stored],
        "snapshot_exists": ["path", *stored],
        "delete_snapshot": ["path", *stored],
    }
    for name, parameters in expected.items():
        found = inspect.signature(getattr(persist, name)).parameters
        assert [each.name for each in found.values() if each.kind is not each.KEYWORD_ONLY] == parameters
    defaults = inspect.signature(persist.snapshot).parameters
    assert [defaults[name].default for name in ("agent_id", "session_id", "snapshot_index", "description")] == [
        "default_agent",
        "default_session",
        0,
        None,
    ]


def test_the_exceptions_are_persists_and_takebacks() -> None:
    codes = {
        persist.PersistConfigurationError: 2,
        persist.PersistIntegrityError: 13,
        persist.PersistS3Error: 15,
        persist.PersistCompressionError: 13,
    }
    for kind, code in codes.items():
        assert issubclass(kind, persist.PersistError)
        assert kind.exit_code == code
        assert str(kind("Test message")) == "Test message"
    assert issubclass(persist.PersistError, TakebackError)


def test_a_life_of_a_file(tmp_path: Path) -> None:
    path = str(tmp_path / "deep" / "agent.json.gz")
    assert persist.snapshot_exists(path) is False
    assert persist.snapshot({"step": 1}, path, "me", "today", 7, "first") is None  # type: ignore[func-returns-value]
    assert persist.snapshot_exists(path) is True
    assert persist.verify_snapshot(path) is True
    assert persist.restore(path) == {"step": 1}
    found = persist.get_metadata(path)
    assert (found["agent_id"], found["session_id"], found["snapshot_index"], found["description"]) == (
        "me",
        "today",
        7,
        "first",
    )
    assert persist.delete_snapshot(path) is None  # type: ignore[func-returns-value]
    assert persist.snapshot_exists(path) is False


@pytest.mark.parametrize("name", ["restore", "get_metadata", "verify_snapshot", "delete_snapshot"])
def test_what_is_not_there_is_not_found(name: str, tmp_path: Path) -> None:
    for kind in (persist.PersistError, FileNotFoundError):
        with pytest.raises(kind, match="no such file"):
            getattr(persist, name)(str(tmp_path / "nope.json.gz"))


STORAGES: list[dict[str, Any]] = [
    {"storage_mode": "s3", "s3_bucket": "mine"},
    {"storage_mode": "gcs"},
    {"s3_bucket": "mine"},
    {"s3_region": "eu-central-1"},
]


@pytest.mark.parametrize("storage", STORAGES)
def test_any_storage_but_the_local_one_is_refused_with_a_next_step(storage: dict[str, Any], tmp_path: Path) -> None:
    path = str(tmp_path / "agent.json.gz")
    persist.snapshot(1, path, storage_mode="local")
    assert persist.restore(path, storage_mode="LOCAL") == 1
    with pytest.raises(persist.PersistConfigurationError) as caught:
        persist.snapshot(2, path, **storage)
    assert caught.value.hints
    for name in ("restore", "get_metadata", "verify_snapshot", "snapshot_exists", "delete_snapshot"):
        with pytest.raises(persist.PersistConfigurationError):
            getattr(persist, name)(path, **storage)
    assert persist.restore(path) == 1


@pytest.mark.parametrize(
    "given",
    [
        {"agent_id": ""},
        {"session_id": ""},
        {"session_id": None},
        {"snapshot_index": -1},
        {"snapshot_index": 1 << 64},
        {"snapshot_index": True},
        {"description": b"bytes"},
        {"description": "\udcff"},
        {"description": "x" * 100_000},
    ],
)
def test_metadata_that_no_reader_would_take_is_refused(given: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "agent.json.gz"
    with pytest.raises(persist.PersistConfigurationError):
        persist.snapshot({}, path, **given)
    assert os.listdir(tmp_path) == []


def test_a_place_that_cannot_be_written_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for kind in (persist.PersistError, OSError):
        with pytest.raises(kind, match="cannot write"):
            persist.snapshot({}, tmp_path / "file" / "agent.json.gz")


def test_words_that_are_no_paths_are_refused() -> None:
    for path in ("", "a\0b"):
        with pytest.raises(persist.PersistConfigurationError, match="no path"):
            persist.snapshot({}, path)
        assert persist.snapshot_exists(path) is False


def test_a_path_may_be_bytes_or_a_path(tmp_path: Path) -> None:
    path: Any = os.fsencode(tmp_path / "agent.json.zst")
    persist.snapshot(1, path)
    assert persist.restore(tmp_path / "agent.json.zst") == 1


def test_a_directory_or_a_pipe_is_no_snapshot(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        assert not persist.snapshot_exists(path)
        with pytest.raises(persist.PersistError):
            persist.restore(path)


def test_a_link_stays_and_permissions_are_kept(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json.gz", tmp_path / "link.json.gz"
    persist.snapshot(1, real)
    real.chmod(0o640)
    link.symlink_to(real)
    persist.snapshot(2, link)
    assert link.is_symlink()
    assert persist.restore(real) == 2
    assert real.stat().st_mode & 0o777 == 0o640


def test_an_agent_over_the_size_is_refused_by_both(tmp_path: Path) -> None:
    path = tmp_path / "agent.json.gz"
    with pytest.raises(persist.PersistConfigurationError, match="max_size"):
        persist.snapshot("x" * 1000, path, max_size=1000)
    assert not path.exists()
    persist.snapshot("x" * 1000, path, max_size=1002)
    with pytest.raises(persist.PersistConfigurationError, match="max_size"):
        persist.restore(path, max_size=1000)
    assert persist.restore(path) == "x" * 1000
