from __future__ import annotations

import os

import pytest

from support.containers.boxes import Boxes
from support.containers.image import archive
from takeback.sources.container import images
from takeback.sources.container.creating import create
from takeback.sources.container.daemon import Daemon
from takeback.sources.container.decoding import decode
from takeback.sources.container.describing import settings_of
from takeback.sources.container.settings import values_of

pytestmark = pytest.mark.service("docker")

STORE, OTHER = (os.urandom(6).hex() for _ in range(2))  # tests in other processes have their own


@pytest.fixture
def daemon(boxes: Boxes) -> Daemon:
    return Daemon(boxes.engine.api)


def commit(boxes: Boxes, daemon: Daemon, name: str, store: str = STORE, holes: tuple[str, ...] = ()) -> str:
    id, tag = images.commit(daemon, daemon.inspect(name), store, holes=holes)
    assert boxes.engine.api.inspect_image(tag)["Id"] == id
    return boxes.own("image", tag)


def tags(boxes: Boxes) -> set[str]:
    return {thing.name for thing in boxes.mine() if thing.kind == "image"}


def test_an_image_of_a_container_runs_and_has_no_secrets(boxes: Boxes, daemon: Daemon) -> None:
    name = boxes.run(environment={"API_TOKEN": "hunter2", "PLAIN": "stays"})
    boxes.sh(name, "echo changed > /etc/new")
    tag = commit(boxes, daemon, name, holes=("API_TOKEN",))
    assert tag.startswith(f"takeback/{name}:{STORE[:8]}-")
    assert boxes.state(name) == "running"
    config = boxes.engine.api.inspect_image(tag)["Config"]
    assert "PLAIN=stays" in config["Env"] and "API_TOKEN=" in config["Env"] and "hunter2" not in str(config)
    again = boxes.run("again", image=tag)
    assert boxes.sh(again, "cat /etc/new; echo $PLAIN") == "changed\nstays\n"
    boxes.engine.api.remove_container(again, force=True)


def test_every_name_of_a_container_makes_a_name_of_an_image(boxes: Boxes, daemon: Daemon) -> None:
    for name in ("Upper", "dots..and__more", "ends-"):
        commit(boxes, daemon, boxes.create(name))


def test_what_no_snapshot_needs_is_removed_and_nothing_else(boxes: Boxes, daemon: Daemon) -> None:
    name = boxes.create()
    needed, gone = commit(boxes, daemon, name), commit(boxes, daemon, name)
    others = commit(boxes, daemon, name, OTHER)
    assert images.release(daemon, STORE, {needed}) == [gone]
    assert tags(boxes) == {needed, others}
    assert images.release(daemon, STORE, {needed}) == []


def test_an_image_that_a_container_is_made_from_stays_until_that_is_gone(boxes: Boxes, daemon: Daemon) -> None:
    tag = commit(boxes, daemon, boxes.create())
    user = boxes.create("user", image=tag)
    assert images.release(daemon, STORE, ()) == []
    boxes.engine.api.remove_container(user)
    assert images.release(daemon, STORE, ()) == [tag]


def test_a_container_is_made_again_from_all_its_files_without_its_image(boxes: Boxes, daemon: Daemon) -> None:
    tag = boxes.own("image", f"{boxes.word}:base")
    changes = ['ENV A_TOKEN="an \\"example\\" \\$HOME \\\\"', 'ENTRYPOINT ["/bin/false"]']
    boxes.engine.api.commit(boxes.create("other"), boxes.word, "base", changes=changes)
    name = boxes.run("box", "sleep 1000", image=tag, entrypoint=[""], environment={"MY_TOKEN": "x1"})
    box = daemon.inspect(name)
    known = settings_of(daemon, box, flat=True).encode()
    settings = decode(known)
    assert settings.holes == {"MY_TOKEN"} and 'A_TOKEN=an "example" $HOME \\' in settings.environment
    boxes.engine.api.remove_container(name, force=True)
    boxes.engine.api.remove_image(tag)
    made_from = boxes.own("image", images.flat_image(daemon, settings, name, "ab" * 16, iter([archive()])))
    made = create(daemon, settings.filled(values_of(box.raw)), boxes.own("container", name), image=made_from)
    assert made.notes == ()
    boxes.engine.api.start(name)
    assert (
        boxes.sh(name, "cat /etc/app/settings.ini; echo $A_TOKEN $MY_TOKEN")
        == '[app]\nmode = image\nan "example" $HOME \\ x1\n'
    )
    assert settings_of(daemon, daemon.inspect(name), flat=True).encode() == known
    assert images.flat_image(daemon, settings, name, "ab" * 16, iter([])) == made_from, "it is there already"
    assert images.release_flat(daemon, name) == []
    boxes.engine.api.remove_container(name, force=True)
    assert images.release_flat(daemon, name) == [made_from]
