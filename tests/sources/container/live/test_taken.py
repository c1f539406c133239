"""What a restore needs is somebody else's: the name, a port, a volume. Nothing of theirs is touched, and the container is
there as it was."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

import takeback as tb
from support.containers.boxes import Boxes
from support.containers.calls import at_call
from support.containers.image import IMAGE
from support.containers.scenes import NetworkScene, Scene

pytestmark = pytest.mark.service("docker")


def test_a_name_that_is_taken_in_the_middle_of_a_restore_stays_with_who_took_it(scene: Scene) -> None:
    ends = scene.save_both()
    api = scene.boxes.engine.api
    taken: list[str] = []

    def take() -> None:
        taken.append(api.create_container(IMAGE, name=scene.name)["Id"])

    with at_call(1, take, "after", only=".takeback-old-") as calls:
        with pytest.raises(tb.TakebackError) as failed:
            scene.line.restore("before")
    assert calls.done and failed.value.exit_code != 1 and scene.name in failed.value.message
    assert api.inspect_container(scene.name)["Id"] == taken[0], "it was somebody's own"
    others = {thing.name for thing in scene.boxes.mine() if thing.kind == "container"} - {scene.name}
    assert len(others) == 1, "the old one, and nothing else, is there"
    # When it is free again, the next command ends what was begun.
    api.remove_container(scene.name, force=True)
    scene.line.save(trigger="interval")
    scene.whole()
    assert scene.look() in ends.values()


def test_a_new_container_cannot_have_a_name_that_is_taken(scene: Scene) -> None:
    scene.save_both()
    other = scene.boxes.run("other")
    id = scene.boxes.inspect(other)["Id"]
    with pytest.raises(tb.Conflict, match=other):
        scene.line.restore("before", to={"container": other})
    assert scene.boxes.inspect(other)["Id"] == id and scene.boxes.state(other) == "running"
    scene.boxes.engine.api.remove_container(other, force=True)
    scene.whole()


def test_a_port_that_is_taken_in_the_middle_of_a_restore_brings_the_old_container_back(
    network_scene: NetworkScene,
) -> None:
    scene = network_scene
    ends = scene.save_both()
    with socket.socket() as listener:

        def take() -> None:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("127.0.0.1", scene.port))
            listener.listen()

        with at_call(1, take, "before", only="/start") as calls:
            with pytest.raises(tb.TakebackError, match=str(scene.port)) as failed:
                scene.line.restore("before")
        assert calls.done and failed.value.exit_code != 1
        left = {thing.name for thing in scene.boxes.mine() if thing.kind == "container"}
        assert left == {scene.name}
    if scene.boxes.state(scene.name) != "running":  # its own port was taken, so it could not be started again
        scene.boxes.engine.api.start(scene.name)
    scene.line.save(trigger="interval")
    scene.whole()
    assert scene.look().files == ends["after"].files and scene.look().volumes == ends["after"].volumes


def test_a_volume_that_another_container_uses_is_not_changed_under_it(scene: Scene) -> None:
    ends = scene.save_both()
    other = scene.boxes.run("other", volumes={scene.volume: {"bind": "/theirs"}})
    with pytest.raises(tb.TakebackError, match=other) as failed:
        scene.line.restore("before")
    assert failed.value.exit_code != 1
    assert scene.look() == ends["after"] and scene.boxes.state(other) == "running"
    scene.boxes.engine.api.remove_container(other, force=True)
    scene.whole()
    scene.line.restore("before")
    assert scene.look() == ends["before"]


def test_a_container_that_restarts_all_the_time_can_be_saved_and_restored(
    boxes: Boxes, strategy: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    box = boxes.run("box", ["sh", "-c", "echo again >>/var/log/app.log; exit 3"], restart_policy={"Name": "always"})
    with tb.open(tmp_path_factory.mktemp("store") / "store") as store:
        line = store.timeline(box, sources=[tb.Container(box, strategy=strategy)])
        try:
            line.save("one")
        except tb.TakebackError as error:
            assert error.exit_code != 1 and error.hints, error
        boxes.engine.api.stop(box)
        line.save("two")
        line.restore("two")
    assert boxes.state(box) not in ("paused", "")


def test_a_container_in_whose_network_another_one_is_stays(network_scene: NetworkScene) -> None:
    scene = network_scene
    scene.save_both()
    guest = scene.boxes.run("guest", network_mode=f"container:{scene.name}")
    id = scene.boxes.inspect(scene.name)["Id"]
    with pytest.raises(tb.Conflict, match=guest):
        scene.line.restore("before")
    assert scene.boxes.inspect(scene.name)["Id"] == id and scene.boxes.state(scene.name) == "running"
    scene.boxes.engine.api.restart(guest, timeout=0)
    scene.boxes.engine.api.remove_container(guest, force=True)


def test_a_name_that_is_gone_is_not_the_beginning_of_an_id(boxes: Boxes, strategy: str, tmp_path: Path) -> None:
    other = boxes.inspect(boxes.run("other"))["Id"]
    name = boxes.own("container", other[:6])
    boxes.engine.client.containers.run(IMAGE, name=name, detach=True)
    with tb.open(tmp_path / "store") as store:
        line = store.timeline("main", sources=[tb.Container(name, strategy=strategy)])
        line.save()
        boxes.engine.api.remove_container(name, force=True)
        with pytest.raises(tb.NotFound):
            line.save("later")
