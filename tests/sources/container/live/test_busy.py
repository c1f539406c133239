"""A container whose processes never rest, on a machine that is busy: not a byte that they wrote is lost to a restore, up to their
last moment, and a pause that does not succeed at once is tried again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import docker
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


@pytest.fixture
def unfreezable(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], list[str]]:
    """``unfreezable(2)``: the runtime gives up on the next two pauses; the containers that were to be paused."""
    pause = docker.APIClient.pause

    def give_up(times: int) -> list[str]:
        asked: list[str] = []

        def tried(self: docker.APIClient, container: str) -> object:
            asked.append(container)
            if len(asked) <= times:
                said = f"Cannot pause container {container}: OCI runtime pause failed: unable to freeze: unknown"
                raise docker.errors.APIError("500 Server Error", SimpleNamespace(status_code=500), said)
            return pause(self, container)

        monkeypatch.setattr(docker.APIClient, "pause", tried)
        return asked

    return give_up


def test_a_pause_that_the_runtime_gives_up_is_tried_again(
    boxes: Boxes, tmp_path: Path, unfreezable: Callable[[int], list[str]]
) -> None:
    name = boxes.run()
    with tb.open(tmp_path / "store") as store:
        asked = unfreezable(2)
        store.timeline("main", sources=[tb.Container(name)]).save("one")
    assert len(asked) == 3
    assert boxes.state(name) == "running"


def test_a_pause_that_never_succeeds_fails_in_the_end_and_the_container_runs_on(
    boxes: Boxes, tmp_path: Path, unfreezable: Callable[[int], list[str]]
) -> None:
    name = boxes.run()
    with tb.open(tmp_path / "store") as store:
        asked = unfreezable(1000)
        with pytest.raises(tb.Unavailable, match="unable to freeze"):
            store.timeline("main", sources=[tb.Container(name)]).save("one")
    assert 2 < len(asked) < 20
    assert boxes.state(name) == "running"
