"""A container whose processes never rest: not a byte that they wrote is lost to a restore, up to their last moment."""

from __future__ import annotations

from pathlib import Path

import pytest

import takeback as tb
from support.containers.boxes import Boxes
from support.containers.calls import at_call

pytestmark = pytest.mark.service("docker")


def test_what_is_written_in_the_last_moment_of_a_container_is_in_the_restored_one(
    boxes: Boxes, strategy: str, tmp_path: Path
) -> None:
    volume = boxes.volume()
    name = boxes.run(volumes={volume: {"bind": "/data", "mode": "rw"}})
    store = tb.open(tmp_path / "store")
    line = store.timeline("main", sources=[tb.Container(name, strategy=strategy)])
    boxes.sh(name, "echo one >/srv/file")
    line.save("one")
    boxes.sh(name, "echo two >/srv/file")

    def live_on() -> None:
        boxes.engine.api.unpause(old)
        boxes.sh(old, "echo late >>/var/log/app.log; echo late >/data/late; echo late >/srv/late")

    old = boxes.inspect(name)["Id"]
    with at_call(1, live_on, only="POST /containers/…/kill") as calls:
        assert line.restore("one").verified
    assert calls.done
    assert boxes.sh(name, "cat /srv/file /srv/late /data/late; tail -n 1 /var/log/app.log; ls /srv") == (
        "one\nlate\nlate\nlate\nfile\nlate\n"
    )
    line.undo()
    assert boxes.sh(name, "cat /srv/file /srv/late; ls /srv") == "two\nlate\nfile\nlate\n"
    store.close()
