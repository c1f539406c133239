"""What the CUA snapshot manager has left becomes snapshots; what cannot is told."""

from __future__ import annotations

import io
import json
import tarfile
import uuid
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from support.containers.boxes import Boxes
from support.cua.managing import wait
from takeback.adapters.cua import RestoreOptions, SnapshotManager, SnapshotTrigger
from takeback.adapters.cua.importing import import_snapshots

pytestmark = pytest.mark.service("docker")


class Left:
    """A `.snapshots` directory as that manager writes it: an image by `docker commit`, metadata, and archives of volumes."""

    def __init__(self, boxes: Boxes, directory: Path) -> None:
        self.boxes, self.directory = boxes, directory
        for name in ("metadata", "volumes"):
            (directory / name).mkdir(parents=True)

    def save(self, container: str, *, trigger: str = "manual", **more: Any) -> str:
        """One snapshot; its id."""
        boxes, id = self.boxes, str(uuid.uuid4())
        found = boxes.inspect(container)
        tag = f"cua-snapshot/{container.lower()}:{id[:8]}"
        boxes.own("image", tag)
        image = boxes.engine.client.containers.get(container).commit(*tag.split(":"))
        said = {
            "snapshot_id": id,
            "container_id": found["Id"],
            "container_name": container,
            "timestamp": "2025-08-15T09:50:55.616600",
            "trigger": trigger,
            "action_context": None,
            "run_id": "run-7",
            "status": "completed",
            "image_id": image.id,
            "image_tag": tag,
            "description": "First test snapshot",
            "labels": {"cua.snapshot.version": "1.0"},
            "agent_metadata": {"original_config": found["Config"], "original_mounts": found["Mounts"]},
            "restoration_count": 2,
            **more,
        }
        (self.directory / "metadata" / f"{id}.json").write_text(json.dumps(said))
        for mount in found["Mounts"]:
            if mount["Type"] == "volume":
                pieces, _ = boxes.engine.api.get_archive(container, mount["Destination"])
                self.archive(id, mount["Name"], _renamed(b"".join(pieces)))
        return id

    def archive(self, id: str, volume: str, data: bytes) -> None:
        (self.directory / "volumes" / f"{id}_{volume}.tar").write_bytes(data)


def _renamed(data: bytes) -> bytes:
    """An archive as that manager has it: of a directory that it calls `volume_data`."""
    made = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(data)) as old, tarfile.open(fileobj=made, mode="w") as new:
        for member in old:
            content = old.extractfile(member) if member.isfile() else None
            member.name = "/".join(["volume_data", *member.name.split("/")[1:]])
            new.addfile(member, content)
    return made.getvalue()


@pytest.fixture
def left(boxes: Boxes, tmp_path: Path) -> Left:
    return Left(boxes, tmp_path / ".snapshots")


def test_an_imported_snapshot_becomes_the_container_again_with_its_volumes(
    boxes: Boxes, left: Left, manager: SnapshotManager
) -> None:
    volume = boxes.volume()
    box = boxes.run(volumes={volume: {"bind": "/data"}}, environment={"COLOUR": "red"}, working_dir="/tmp")
    boxes.sh(box, "echo then > /file; echo then > /data/file; chown 7 /data/file; ln -s file /data/link")
    old = left.save(box, trigger="run_end")
    boxes.sh(box, "echo now > /file; echo now > /data/file")
    found = wait(import_snapshots(manager, left.directory))
    assert list(found.snapshots) == [old]
    assert not found.left
    (made,) = wait(manager.list_snapshots(box))
    assert made == wait(manager.get_snapshot(old)), "the id that it had finds it"
    assert made.snapshot_id == found.snapshots[old]
    assert (made.trigger, made.run_id, made.description) == (SnapshotTrigger.RUN_END, "run-7", "First test snapshot")
    assert made.timestamp.isoformat() == "2025-08-15T09:50:55.616600"
    assert made.container_id == boxes.inspect(box)["Id"]
    boxes.own("volume", f"{boxes.name('again')}-{volume}")
    copy = boxes.own("container", boxes.name("again"))
    wait(manager.restore_snapshot(old, RestoreOptions(new_container_name=copy)))
    said = boxes.sh(copy, "cat /file /data/file /data/link; stat -c %u /data/file; echo $COLOUR; pwd")
    assert said.split() == ["then", "then", "then", "7", "red", "/tmp"]
    assert boxes.sh(box, "cat /data/file") == "now\n"


def test_what_was_imported_stays_one_when_it_is_imported_again(
    boxes: Boxes, left: Left, manager: SnapshotManager
) -> None:
    box = boxes.run()
    first, second = left.save(box), left.save(box)
    assert set(wait(import_snapshots(manager, left.directory)).snapshots) == {first, second}
    again = wait(import_snapshots(manager, left.directory))
    assert again.snapshots == {}
    assert set(again.there) == {first, second}
    assert len(wait(manager.list_snapshots())) == 2
    assert wait(manager.create_snapshot(box)).container_name == box
    assert len(wait(manager.list_snapshots())) == 3, "their age counts from when they came here"


def test_a_flat_import_needs_no_image_any_more(boxes: Boxes, left: Left, manager: SnapshotManager) -> None:
    box = boxes.run()
    boxes.sh(box, "echo then > /file")
    old = left.save(box)
    wait(import_snapshots(manager, left.directory, flatten=True))
    said = json.loads((left.directory / "metadata" / f"{old}.json").read_text())
    boxes.engine.api.remove_image(said["image_tag"])
    copy = boxes.own("container", boxes.name("again"))
    wait(manager.restore_snapshot(old, RestoreOptions(new_container_name=copy)))
    assert boxes.sh(copy, "cat /file") == "then\n"
    for tag in [tag for image in boxes.engine.api.images() for tag in image["RepoTags"] or () if boxes.word in tag]:
        boxes.own("image", tag)
    boxes.own("container", copy)  # removed before its image


def test_what_cannot_be_imported_is_told_and_nothing_is_dropped_silently(
    boxes: Boxes, left: Left, manager: SnapshotManager, tmp_path: Path
) -> None:
    box = boxes.run(volumes={str(tmp_path): {"bind": "/host"}})
    good = left.save(box)
    gone = left.save(box, image_id="sha256:" + "0" * 64, image_tag="cua-snapshot/gone:1")
    (left.directory / "metadata" / "broken.json").write_text("{")
    (left.directory / "metadata" / "odd.json").write_text(json.dumps({"snapshot_id": "../../x"}))
    left.archive("nobody", "data", b"")
    found = wait(import_snapshots(manager, left.directory))
    assert list(found.snapshots) == [good]
    told = found.left or {}
    assert "not in the engine any more" in told[gone]
    assert any("broken.json" in what for what in told)
    assert any("odd.json" in what for what in told)
    assert any("nobody_data.tar" in what for what in told)
    assert any(what.startswith(f"{good}: the bind mount") for what in told)
    assert boxes.inspect(box)["State"]["Running"]


@pytest.mark.parametrize("name", ["../escaped", "/escaped", "volume_data/../../escaped"])
def test_an_archive_that_leads_outside_is_refused(
    boxes: Boxes, left: Left, manager: SnapshotManager, name: str
) -> None:
    volume = boxes.volume()
    old = left.save(boxes.run(volumes={volume: {"bind": "/data"}}))
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        top = tarfile.TarInfo("volume_data")
        top.type = tarfile.DIRTYPE
        tar.addfile(top)
        member = tarfile.TarInfo(name)
        member.size = 4
        tar.addfile(member, io.BytesIO(b"evil"))
    left.archive(old, volume, made.getvalue())
    found = wait(import_snapshots(manager, left.directory))
    assert found.snapshots == {}
    assert "cannot be taken over" in (found.left or {})[old]
    assert not list(left.directory.parent.rglob("escaped"))


def test_a_directory_that_holds_nothing_of_the_kind(manager: SnapshotManager, tmp_path: Path) -> None:
    with pytest.raises(tb.TakebackError) as raised:
        wait(import_snapshots(manager, tmp_path))
    assert raised.value.exit_code == 10
