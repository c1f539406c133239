"""A file that is not what was written never comes back as if it were."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import takeback.adapters.persist as persist
from support import persist_files
from takeback.adapters.persist.metadata import checksum

STATE = {"messages": ["Hello", "Hi!"], "step": 3}
NAMES = ["a.json.gz", "a.json.zst"]


def is_found(path: Path) -> bool:
    """Whether both verify and restore raise what they should; otherwise the content must be the same."""
    try:
        assert persist.verify_snapshot(path) is True
    except persist.PersistIntegrityError:
        with pytest.raises(persist.PersistIntegrityError):
            persist.restore(path)
        return True
    except persist.PersistUnavailableError:
        return True  # the damage made a newer format of it
    assert persist.restore(path) == STATE
    return False


@pytest.mark.parametrize("name", NAMES)
def test_every_truncation_is_found(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    persist.snapshot(STATE, path, description="good")
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert is_found(path), length
    path.write_bytes(whole + b"x")
    assert is_found(path)
    path.write_bytes(whole + whole)
    assert is_found(path)


@pytest.mark.parametrize("name", NAMES)
def test_every_flipped_bit_is_found_unless_it_says_nothing(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    persist.snapshot(STATE, path, description="good")
    whole, good = path.read_bytes(), persist.get_metadata(path)
    unnoticed = []
    for at in range(len(whole)):
        for bit in (1, 128):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :])
            if not is_found(path):
                unnoticed.append(at)
                assert persist.get_metadata(path) == good
    assert len(set(unnoticed)) <= 10, "a header's time and system, and what pads the last byte, say nothing"


def changed(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    whole = json.loads(persist_files.text_of(path))
    change(whole)
    persist_files.put(path, persist_files.compact(whole, sort=False))


CHANGES: list[Callable[[dict[str, Any]], object]] = [
    lambda whole: whole["metadata"].update(agent_id="another"),
    lambda whole: whole["metadata"].update(description=None),
    lambda whole: whole["metadata"].update(content_hash="0" * 64),
    lambda whole: whole["metadata"].update(uncompressed_size=1),
    lambda whole: whole["metadata"].update(compressed_size=5),
    lambda whole: whole["metadata"].update(more=1),
    lambda whole: whole["metadata"].pop("timestamp"),
    lambda whole: whole.update(metadata_hash="0" * 64),
    lambda whole: whole.update(state_hash="0" * 64),
    lambda whole: whole.update(metadata_hash=None),
    lambda whole: whole.pop("metadata_hash"),
    lambda whole: whole.pop("state_hash"),
    lambda whole: whole.pop("metadata"),
    lambda whole: whole.pop("agent_state"),
    lambda whole: whole["agent_state"].update(step=4),
    lambda whole: whole["agent_state"]["messages"].append("more"),
    lambda whole: whole.update(agent_state=None),
]


@pytest.mark.parametrize("number", range(len(CHANGES)))
def test_every_change_of_the_text_is_found(number: int, tmp_path: Path) -> None:
    path = tmp_path / "a.json.gz"
    persist.snapshot(STATE, path, description="good")
    changed(path, lambda whole: None)
    assert not is_found(path), "nothing was changed yet"
    changed(path, CHANGES[number])
    assert is_found(path)


def test_a_size_that_is_not_true_is_found_although_its_checksum_holds(tmp_path: Path) -> None:
    path = tmp_path / "a.json.gz"
    persist.snapshot(STATE, path)

    def lie(whole: dict[str, Any]) -> None:
        whole["metadata"]["uncompressed_size"] += 1
        whole["metadata_hash"] = checksum(whole["metadata"])

    changed(path, lie)
    assert is_found(path)


@pytest.mark.parametrize("number", [2, 14, 15, 16])
def test_a_change_in_a_file_by_persist_is_found_by_its_hash(number: int, tmp_path: Path) -> None:
    path = persist_files.write(tmp_path / "a.json.gz", STATE)
    assert not is_found(path)
    changed(path, CHANGES[number])
    assert is_found(path)


def test_metadata_that_was_changed_is_not_given_out(tmp_path: Path) -> None:
    path = tmp_path / "a.json.gz"
    persist.snapshot(STATE, path)
    changed(path, CHANGES[0])
    with pytest.raises(persist.PersistIntegrityError, match="metadata"):
        persist.get_metadata(path)


def test_bytes_that_cannot_be_decompressed_have_persists_name_too(tmp_path: Path) -> None:
    path = tmp_path / "a.json.gz"
    persist.snapshot(STATE, path)
    path.write_bytes(path.read_bytes()[:-20] + b"0" * 20)
    with pytest.raises(persist.PersistCompressionError) as caught:
        persist.restore(path)
    assert caught.value.hints
