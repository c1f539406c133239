"""The same container saved and restored over and over, in an engine of its own: nothing wears out, nothing piles up."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

import pytest

import takeback as tb
from support import campaigns
from support.containers.boxes import Boxes, Engine
from support.containers.fixtures import PrivateEngine
from support.containers.looking import look
from support.counts import Tell

pytestmark = [pytest.mark.service("docker"), pytest.mark.campaign("container-cycles")]

CYCLES = campaigns.size(4, 200)
RUNNING = campaigns.size(1, 60)
"""In so many of them the container runs; starting and stopping it is what takes the time."""


def test_many_cycles_of_snapshot_and_restore_leave_one_and_the_same_container(
    private_engine: PrivateEngine, monkeypatch: pytest.MonkeyPatch, strategy: str, tmp_path: Path, record_property: Tell
) -> None:
    campaigns.count_runs(record_property, CYCLES)
    daemon = private_engine(network=True)
    monkeypatch.setenv("DOCKER_HOST", daemon.address)
    engine = Engine(daemon.address)
    boxes = Boxes(engine, "own")
    box = boxes.run(volumes=[f"{boxes.volume()}:/data", "/anonymous"], restart_policy={"Name": "always"})
    boxes.sh(box, "rm -r /usr/share/doc/box /etc/secret; echo kept | tee /etc/kept /data/kept /anonymous/kept")
    with tb.open(tmp_path / "store") as store:
        line = store.timeline(box, sources=[tb.Container(box, strategy=strategy)])
        seen, things, files = look(engine, box), engine.things(), _kept_by(daemon.data)
        for good, cycles in (("running", RUNNING), ("stopped", CYCLES - RUNNING)):
            if good == "stopped":
                engine.api.stop(box)
            line.save(good)
            for number in range(cycles):
                _write(engine, box, number)
                line.restore(good)
                assert engine.things() == things, f"{good}, after {number + 1} cycles"
            engine.api.start(box)
            assert not look(engine, box).differences(seen)
            assert _kept_by(daemon.data) == files
        assert store.verify().ok
    engine.close()


def _write(engine: Engine, box: str, number: int) -> None:
    """Into a container that may not be running."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        entry = tarfile.TarInfo("wrong")
        data = b"%d" % number
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    assert engine.api.put_archive(box, "/", stream.getvalue())


def _kept_by(data: Path) -> dict[str, int]:
    """How many directories an engine has on its disk for containers, layers and volumes."""
    places = ("containers", "overlay2", "overlay2/l", "volumes", "image/overlay2/layerdb/mounts")
    return {place: len(os.listdir(data / place)) for place in places}
