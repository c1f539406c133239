"""The engine that all other tests here rely on: that it is a real one, and that what a test leaves in it is noticed."""

from __future__ import annotations

import subprocess
import tempfile
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from support.containers.boxes import Boxes, Engine, Thing, free_port
from support.containers.calls import at_call
from support.containers.daemon import running
from support.containers.image import IMAGE
from support.containers.looking import look
from support.mounts import mounted

pytestmark = pytest.mark.service("docker")


def test_a_container_runs_serves_a_port_and_stops_at_once(boxes: Boxes) -> None:
    port = free_port()
    box = boxes.run(ports={"80/tcp": ("127.0.0.1", port)})
    boxes.execute(box, "httpd -p 80 -h /etc/app")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/settings.ini") as answer:
        assert answer.read() == b"[app]\nmode = image\n"
    boxes.engine.api.stop(box, timeout=60)
    assert boxes.inspect(box)["State"]["ExitCode"] == 0, "it was told to end, not killed"


def test_a_container_has_an_overlay_whose_upper_directory_can_be_read(boxes: Boxes) -> None:
    box = boxes.run()
    boxes.sh(box, "rm /etc/secret; ln -s x /etc/link; mknod /dev-node c 1 3; chown agent /etc/app; touch /etc/new")
    upper = Path(boxes.inspect(box)["GraphDriver"]["Data"]["UpperDir"])
    assert (upper / "etc/secret").is_char_device() and (upper / "etc/new").is_file()
    assert (upper / "etc/app").stat().st_uid == 1000


def _container(boxes: Boxes) -> Thing:
    boxes.engine.client.containers.create(IMAGE, name=f"{boxes.word}.takeback-new-12345678")
    return Thing("container", f"{boxes.word}.takeback-new-12345678")


def _labelled(boxes: Boxes) -> Thing:
    boxes.engine.client.containers.create(
        IMAGE, name=f"takeback-helper-{boxes.word[1:]}", labels={"takeback.for": boxes.name("box")}
    )
    return Thing("container", f"takeback-helper-{boxes.word[1:]} {boxes.name('box')}")


def _anonymous_volume(boxes: Boxes) -> Thing:
    return Thing("volume", boxes.engine.client.volumes.create().name)


def _image(boxes: Boxes) -> Thing:
    boxes.engine.client.images.get(IMAGE).tag(f"snapshots/{boxes.word}", "4f2a")
    return Thing("image", f"snapshots/{boxes.word}:4f2a")


def _network(boxes: Boxes) -> Thing:
    boxes.engine.client.networks.create(boxes.name("left"), driver="bridge")
    return Thing("network", boxes.name("left"))


@pytest.mark.quiet
@pytest.mark.parametrize("leave", [_container, _labelled, _anonymous_volume, _image, _network])
def test_what_is_left_behind_is_found_and_removed(
    boxes: Boxes, leave: Callable[[Boxes], Thing], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("support.containers.boxes.PATIENCE", 0.0)
    before = boxes.engine.things()
    boxes.run()
    left = leave(boxes)
    assert boxes.remove_all() == [left]
    assert boxes.engine.things() == before


def test_an_engine_of_its_own_restarts_and_leaves_nothing_of_itself(tmp_path: Path) -> None:
    place = Path(tempfile.mkdtemp(prefix="takeback-engine-"))
    with mounted(tmp_path / "small", "-t", "tmpfs", "-o", "size=64m", "tmpfs"):
        with running(place, data=tmp_path / "small/data") as daemon:
            engine = Engine(daemon.address)
            engine.client.containers.create(IMAGE, name="kept").start()
            daemon.restart()
            assert engine.client.containers.get("kept").status == "exited"
            engine.client.containers.get("kept").start()
            daemon.kill()
            daemon.start()
            engine.close()
            bridge = daemon.bridge
            assert bridge in _interfaces()
    assert not place.exists() and bridge not in _interfaces()
    assert str(tmp_path) not in Path("/proc/self/mountinfo").read_text()


def _interfaces() -> set[str]:
    lines = subprocess.run(["ip", "-brief", "link"], capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[0].partition("@")[0] for line in lines}


def test_a_look_sees_every_change_and_no_identity(boxes: Boxes) -> None:
    data = boxes.volume()
    here, there = (boxes.run(name, volumes={data: {"bind": "/data"}}, hostname="same") for name in ("one", "two"))
    seen = look(boxes.engine, here)
    other = look(boxes.engine, there)
    assert seen.files == other.files and seen.changes == other.changes == ((1, "/data"),)
    assert {**seen.settings, "Name": ""} == {**other.settings, "Name": ""}
    for script in (
        "rm /etc/secret",
        "chmod 700 /etc/app",
        "chown agent /srv",
        "touch -d @1 /etc/group",
        "echo >/data/x",
    ):
        before = look(boxes.engine, here)
        boxes.sh(here, script)
        assert look(boxes.engine, here) != before, script


def test_calls_to_the_engine_are_counted_and_interrupted(boxes: Boxes) -> None:
    box = boxes.create()
    seen: list[str] = []
    with at_call(2, lambda: seen.append(boxes.state(box))) as calls:
        boxes.engine.api.start(box)
        boxes.engine.api.inspect_container(box)
        boxes.engine.api.rename(box, boxes.own("container", boxes.name("other")))
    assert calls.made == ["POST /containers/…/start", f"POST /containers/…/rename name={boxes.name('other')}"]
    assert calls.done and seen == ["running"]
