"""What a container is asked for beside the usual: an image of each snapshot, all files, secrets, more rights; and what it is
refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import takeback as tb
from support.containers.boxes import Boxes
from support.containers.image import IMAGE

pytestmark = pytest.mark.service("docker")


def test_a_flat_snapshot_needs_no_image(boxes: Boxes, strategy: str, tmp_path: Path) -> None:
    boxes.engine.api.tag(IMAGE, boxes.name("base"))
    name = boxes.run(image=boxes.own("image", f"{boxes.name('base')}:latest"))
    with tb.open(tmp_path / "store") as store:
        line = store.timeline("main", sources=[tb.Container(name, strategy=strategy, flatten=True)])
        boxes.sh(name, "echo one >/srv/file; rm /etc/group")
        first = line.save("one")
        assert line.save().id == first.id
        boxes.sh(name, "echo two >/srv/file; rm -r /etc/app")
        line.save("two")
        line.restore("one")
        assert boxes.sh(name, "cat /srv/file; ls /etc") == boxes.sh(name, "echo one; ls /etc")
        assert "app" in boxes.sh(name, "ls /etc").split()
        assert "group" not in boxes.sh(name, "ls /etc").split()
        copy = boxes.own("container", boxes.name("copy"))
        line.restore("two", to={"container": copy})
        assert boxes.sh(copy, "cat /srv/file") == "two\n"
        for each in (name, copy):
            image = boxes.inspect(each)["Config"]["Image"]
            boxes.engine.api.remove_container(each, force=True)
            boxes.own("image", image)


def test_secrets_are_kept_if_asked_for(boxes: Boxes, tmp_path: Path) -> None:
    name = boxes.run(environment={"API_TOKEN": "hidden"})
    with tb.open(tmp_path / "store") as store:
        line = store.timeline("main", sources=[tb.Container(name, secrets=True)])
        snapshot = line.save("one")
        assert not [item for item in snapshot.not_captured if item.reason == "secret"]
        boxes.engine.api.remove_container(name, force=True)
        line.restore("one", to={"container": name})
        assert boxes.sh(name, "echo $API_TOKEN") == "hidden\n"


def test_a_secret_that_nobody_has_is_asked_for(boxes: Boxes, tmp_path: Path) -> None:
    name = boxes.run(environment={"API_TOKEN": "hidden"})
    with tb.open(tmp_path / "store") as store:
        line = store.timeline("main", sources=[tb.Container(name)])
        line.save("one")
        boxes.engine.api.remove_container(name, force=True)
        with pytest.raises(tb.InvalidInput, match="API_TOKEN"):
            line.restore("one", to={"container": name})
        assert boxes.state(name) == ""


def test_a_container_that_goes_when_it_ends_is_not_replaced(boxes: Boxes, strategy: str, tmp_path: Path) -> None:
    name = boxes.run(auto_remove=True)
    with tb.open(tmp_path / "store") as store:
        line = store.timeline("main", sources=[tb.Container(name, strategy=strategy)])
        boxes.sh(name, "echo one >/srv/file")
        line.save("one")
        boxes.sh(name, "echo two >/srv/file")
        with pytest.raises(tb.Unavailable, match="--rm"):
            line.restore("one")
        assert boxes.sh(name, "cat /srv/file") == "two\n"


def test_a_snapshot_from_elsewhere_gives_no_rights(boxes: Boxes, tmp_path: Path) -> None:
    """Its settings say that the container may do anything to the host; the one that is there may not."""
    name = boxes.run()
    strong = boxes.create("strong", cap_add=["SYS_ADMIN"], volumes={"/etc": {"bind": "/host", "mode": "rw"}})
    with tb.open(tmp_path / "store") as store:
        mighty = store.timeline("strong", sources=[tb.Container(strong)]).save("mighty")
        line = store.timeline("main", sources=[tb.Container(name)])
        line.save("mine")
        before = boxes.inspect(name)["Id"]
        with pytest.raises(tb.Unavailable, match=r"rights on this machine.*SYS_ADMIN"):
            line.restore(mighty)
        assert boxes.inspect(name)["Id"] == before
