"""Marks of paused containers, where no engine is needed to know what to do; with one, `tests/sources/container/live` has the rest."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from takeback.sources.container import marks, pausing


@pytest.fixture
def noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where containers are marked, in this test."""
    place = tmp_path / "paused"
    place.mkdir(mode=0o700)
    for module in (marks, pausing):
        monkeypatch.setattr(module, "directory", lambda: str(place))
    return place


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The engines that somebody wants to reach."""
    found: list[str] = []

    def unpause(address: str, id: str) -> bool:
        found.append(address)
        return True

    monkeypatch.setattr(pausing, "_unpause_at", unpause)
    return found


def test_an_engine_whose_socket_is_gone_is_not_asked_and_its_mark_stays(
    noted: Path, asked: list[str], tmp_path: Path
) -> None:
    place = tmp_path / "docker.sock"
    mark = noted / ("a" * 64)
    mark.write_text(json.dumps({"name": "box", "address": f"unix://{place}"}))
    assert pausing.let_go() == [] and asked == [] and mark.exists()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(place))
        assert pausing.let_go() == ["box"] and asked == [f"unix://{place}"] and not mark.exists()
