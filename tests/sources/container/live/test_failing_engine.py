"""The engine fails in the middle: it is restarted, or its disk or ours is full. What was begun is taken back or finished, and
said either way."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import takeback as tb
from support import campaigns
from support.containers.boxes import Boxes, Engine
from support.containers.calls import at_call
from support.containers.daemon import Daemon, running
from support.containers.fixtures import PrivateEngine
from support.containers.scenes import Scene
from support.mounts import mounted

pytestmark = [pytest.mark.service("docker"), pytest.mark.campaign("container-faults")]

EVERY = {"overlay": campaigns.size(20, 1), "stream": campaigns.size(150, 3)}
"""Before every how many calls it is restarted; with the stream there are many more, most of them alike."""
MIB = 1 << 20


@contextmanager
def _boxes(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> Iterator[Boxes]:
    monkeypatch.setenv("DOCKER_HOST", daemon.address)
    engine = Engine(daemon.address)
    yield Boxes(engine, "own")
    engine.close()


def test_an_engine_that_is_restarted_leaves_a_whole_container(
    private_engine: PrivateEngine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, strategy: str
) -> None:
    daemon = private_engine(network=True)
    with _boxes(daemon, monkeypatch) as boxes:
        scene = Scene(boxes, tmp_path, strategy, restart_policy={"Name": "always"})
        ends = scene.save_both()
        now = "after"
        for number in itertools.count(1, EVERY[strategy]):
            wanted = "before" if now == "after" else "after"
            with at_call(number, daemon.restart) as calls:
                try:
                    scene.line.restore(wanted)
                except tb.TakebackError as error:
                    assert error.exit_code != 1 and error.hints, error
            if not calls.done:
                break
            scene.line.save(trigger="interval")
            scene.whole()
            seen = scene.look()
            now = next(
                (label for label, look in ends.items() if (look.files, look.volumes) == (seen.files, seen.volumes)), ""
            )
            assert now, f"restarted before call {number}: neither as before nor as wanted"
        for when in ("before", "after"):
            with at_call(1, daemon.restart, when):
                try:
                    scene.line.save(trigger="interval")
                except tb.TakebackError as error:
                    assert error.exit_code != 1 and error.hints, error
            scene.line.save(trigger="interval")
            scene.whole()
        scene.close()


def test_a_full_disk_of_the_engine_leaves_the_container_as_it_was(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, strategy: str
) -> None:
    small = tmp_path / "small"
    place = Path(tempfile.mkdtemp(prefix="takeback-engine-", dir="/tmp"))
    with mounted(small, "-t", "tmpfs", "-o", "size=48m", "tmpfs"), running(place, data=small / "data") as daemon:
        with _boxes(daemon, monkeypatch) as boxes:
            scene = Scene(boxes, tmp_path, strategy)
            scene.sh("dd if=/dev/urandom of=/big bs=1M count=8 2>/dev/null")
            ends = scene.save_both()
            for room in (0, 4 * MIB):
                _fill(small, room)
                with pytest.raises(tb.Unavailable) as failed:
                    scene.line.restore("before")
                assert "space" in failed.value.message or "full" in failed.value.message, failed.value.message
                assert failed.value.hints
                (small / "filler").unlink()
                scene.line.save(trigger="interval")
                scene.whole()
                assert scene.look() == ends["after"], f"with {room} bytes of room"
            scene.line.restore("before")
            assert scene.look() == ends["before"]
            scene.close()


def _fill(place: Path, room: int) -> None:
    """Leave so many bytes free."""
    free = os.statvfs(place)
    with (place / "filler").open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_bsize - room)


@pytest.mark.both_strategies
def test_a_full_disk_of_the_store_lets_the_container_go_on(boxes: Boxes, tmp_path: Path, strategy: str) -> None:
    with mounted(tmp_path / "small", "-t", "tmpfs", "-o", "size=8m", "tmpfs"):
        scene = Scene(boxes, tmp_path / "small", strategy)
        scene.line.save()
        scene.sh("dd if=/dev/urandom of=/big bs=1M count=16 2>/dev/null")
        with pytest.raises(tb.Unavailable, match="disk is full"):
            scene.line.save()
        scene.whole()
        scene.sh("rm /big; echo small >/small")
        scene.line.save()
        assert scene.store.verify(read_data=True).ok
        scene.close()
