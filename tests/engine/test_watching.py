"""When a watch looks, and what it does when nothing tells it of changes."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import takeback
from takeback.engine.watching import Rhythm
from takeback.errors import InvalidInput


def test_it_looks_once_it_has_been_quiet() -> None:
    rhythm = Rhythm(2, 60, 0)
    assert not rhythm.due(59)
    rhythm.changed(10)
    rhythm.changed(11)
    assert not rhythm.due(12.9)
    assert rhythm.due(13)
    rhythm.looked(13)
    assert not rhythm.due(20)


def test_under_constant_change_it_looks_every_so_often() -> None:
    rhythm = Rhythm(2, 60, 0)
    for second in range(5, 65):
        rhythm.changed(second)
        assert not rhythm.due(second)
    rhythm.changed(65)
    assert rhythm.due(65)


def test_it_looks_every_so_often_also_if_nothing_is_told() -> None:
    rhythm = Rhythm(2, 60, 0)
    assert not rhythm.due(59.9)
    assert rhythm.due(60)
    rhythm.looked(60)
    assert not rhythm.due(119)
    assert rhythm.due(120)


def test_after_a_failure_it_tries_again_later_and_later() -> None:
    rhythm = Rhythm(2, 10, 0)
    now, waits = 100.0, []
    for _ in range(5):
        rhythm.failed(now)
        later = now
        while not rhythm.due(later):
            later += 1
        waits.append(later - now)
        now = later
    assert waits == [2, 4, 8, 10, 10]
    rhythm.looked(now)
    rhythm.failed(now)
    assert rhythm.due(now + 2)


def test_without_any_event_what_changed_is_saved_at_the_latest_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from takeback.sources.workspace import watching

    def full(*arguments: object) -> None:
        raise OSError("inotify watch limit reached")

    monkeypatch.setattr(watching, "_library", lambda: full)
    root = tmp_path / "w"
    root.mkdir()
    stop = threading.Event()
    with takeback.open(tmp_path / "store") as store:
        line = store.timeline(sources=[takeback.Workspace(root)])
        looks = line.watch(quiet="20ms", at_most="40ms", stop=stop)
        assert next(looks).snapshot is not None
        assert "limit" in next(looks).blind
        (root / "a").write_text("x")
        found = next(looks).snapshot
        assert found is not None
        assert (found.changed, found.trigger, found.context["by"]) == (1, "manual", "watch")
        stop.set()
        assert list(looks) == []


def test_a_timeline_without_files_cannot_be_watched() -> None:
    with takeback.open(":memory:") as store:
        with pytest.raises(InvalidInput):
            store.timeline("empty").watch(stop=threading.Event())
