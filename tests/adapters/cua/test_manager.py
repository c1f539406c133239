"""SnapshotManager over a real engine: made, found, put back, removed."""

from __future__ import annotations

import asyncio
import gc
import threading
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from support.cli import Cli
from support.containers.boxes import Boxes, free_port
from support.cua.managing import MakeManager, wait
from takeback.adapters.cua import (
    ContainerNotFoundError,
    DockerSnapshotProvider,
    FileSystemSnapshotStorage,
    RestoreOptions,
    SnapshotConfig,
    SnapshotError,
    SnapshotManager,
    SnapshotNotFoundError,
    SnapshotStatus,
    SnapshotTrigger,
    StorageError,
)

pytestmark = pytest.mark.service("docker")


def test_a_snapshot_says_what_it_was_made_of_and_for(boxes: Boxes, manager: SnapshotManager) -> None:
    box = boxes.run()
    boxes.sh(box, "echo work > /root/file")
    made = wait(
        manager.create_snapshot(
            container_id=box,
            trigger=SnapshotTrigger.MANUAL,
            description="Before risky operation",
            action_context="by hand",
            run_id="run-1",
            labels={"team": "blue"},
        )
    )
    assert made.container_name == box
    assert made.container_id == boxes.inspect(box)["Id"]
    assert (made.trigger, made.status) == (SnapshotTrigger.MANUAL, SnapshotStatus.COMPLETED)
    assert (made.description, made.action_context, made.run_id) == ("Before risky operation", "by hand", "run-1")
    assert made.labels == {"team": "blue"}
    assert made.name.startswith(f"{box}_manual_2")
    assert made.size_bytes == 5
    assert made.restoration_count == 0
    assert wait(manager.get_snapshot(made.snapshot_id)) == made
    assert wait(manager.list_snapshots()) == [made]
    assert boxes.state(box) == "running"


def test_there_is_a_snapshot_each_time_one_is_asked_for(boxes: Boxes, manager: SnapshotManager) -> None:
    box = boxes.run()
    first = wait(manager.create_snapshot(box))
    second = wait(manager.create_snapshot(box, "run_start"))
    assert first.snapshot_id != second.snapshot_id
    assert [each.snapshot_id for each in wait(manager.list_snapshots())] == [second.snapshot_id, first.snapshot_id]
    assert second.parent_snapshot_id == first.snapshot_id


def test_snapshots_are_listed_by_the_container_s_name_and_id(boxes: Boxes, manager: SnapshotManager) -> None:
    one, other = boxes.run("one"), boxes.run("other")
    made = wait(manager.create_snapshot(boxes.inspect(one)["Id"]))
    wait(manager.create_snapshot(other))
    assert made.container_name == one
    for name in (one, made.container_id, made.container_id[:12]):
        assert wait(manager.list_snapshots(container_id=name)) == [made]
    assert len(wait(manager.list_snapshots(limit=1))) == 1
    assert wait(manager.list_snapshots("nobody")) == []


def test_a_snapshot_is_found_by_its_id_a_beginning_of_it_and_its_name(boxes: Boxes, manager: SnapshotManager) -> None:
    made = wait(manager.create_snapshot(boxes.run()))
    for name in (made.snapshot_id, made.snapshot_id[:10], made.name):
        assert wait(manager.get_snapshot(name)) == made
    assert wait(manager.get_snapshot("f" * 32)) is None
    with pytest.raises(SnapshotNotFoundError) as raised:
        wait(manager.delete_snapshot("f" * 32))
    assert raised.value.exit_code == 10


def test_a_name_may_hold_the_snapshot_s_id(boxes: Boxes, make_manager: MakeManager) -> None:
    manager = make_manager(naming_pattern="{container_name}-{snapshot_id}")
    made = wait(manager.create_snapshot(boxes.run()))
    assert made.name.endswith(f"-{made.snapshot_id[:8]}")
    assert wait(manager.get_snapshot(made.name)) == made


def test_no_such_container(boxes: Boxes, manager: SnapshotManager, tmp_path: Path) -> None:
    with pytest.raises(ContainerNotFoundError) as raised:
        wait(manager.create_snapshot(boxes.name("nobody")))
    assert isinstance(raised.value, SnapshotError)
    assert isinstance(raised.value, tb.NotFound)
    assert not (tmp_path / "snapshots").exists()
    assert wait(manager.provider.validate_container(boxes.name("nobody"))) is False
    assert wait(manager.provider.validate_container(boxes.run())) is True


@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")  # docker's own, where nobody listens
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_without_docker_the_error_says_how_to_start_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nothing.sock")
    manager = SnapshotManager(config=SnapshotConfig(storage_path=str(tmp_path / "s")))
    with pytest.raises(SnapshotError) as raised:
        wait(manager.create_snapshot("box"))
    assert raised.value.exit_code == 15
    assert any("start Docker" in hint for hint in raised.value.hints)
    assert wait(manager.list_snapshots()) == []
    del raised
    gc.collect()


def test_the_command_shows_the_same_ids(
    boxes: Boxes, manager: SnapshotManager, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    made = [wait(manager.create_snapshot(boxes.run())) for _ in range(1)]
    made.append(wait(manager.create_snapshot(made[0].container_name)))
    cli = Cli(tmp_path, capsysbinary)
    shown = cli.json("-C", str(cli.root), "--store", str(tmp_path / "snapshots"), "log")
    assert [each["id"] for each in shown["snapshots"]] == [each.snapshot_id for each in reversed(made)]


def test_a_restore_is_a_new_container_beside_the_old_one(boxes: Boxes, manager: SnapshotManager) -> None:
    volume, port = boxes.volume(), free_port()
    box = boxes.run(
        volumes={volume: {"bind": "/data"}}, ports={"80/tcp": port}, environment={"COLOUR": "red"}, mem_limit="64m"
    )
    boxes.sh(box, "echo then > /file; echo then > /data/file")
    made = wait(manager.create_snapshot(box))
    boxes.sh(box, "echo now > /file; echo now > /data/file; echo new > /data/new")
    boxes.own("volume", f"{boxes.name('restored')}-{volume}")
    copy = boxes.own("container", boxes.name("restored"))
    options = RestoreOptions(
        new_container_name=copy, environment_overrides={"COLOUR": "blue"}, port_mappings={"80": str(free_port())}
    )
    assert wait(manager.restore_snapshot(made.snapshot_id, options)) == boxes.inspect(copy)["Id"]
    assert boxes.sh(copy, "cat /file /data/file; ls /data; echo $COLOUR").split() == ["then", "then", "file", "blue"]
    assert boxes.sh(box, "cat /file /data/file").split() == ["now", "now"]
    assert boxes.inspect(copy)["HostConfig"]["Memory"] == 64 << 20
    assert boxes.inspect(copy)["HostConfig"]["PortBindings"]["80/tcp"][0]["HostPort"] == options.port_mappings["80"]
    again = wait(manager.get_snapshot(made.snapshot_id))
    assert again is not None
    assert again.restoration_count == 1
    assert len(wait(manager.list_snapshots())) == 1


def test_without_a_name_the_new_container_is_named_after_the_old_one(boxes: Boxes, manager: SnapshotManager) -> None:
    box = boxes.run()
    made = wait(manager.create_snapshot(box))
    id = wait(manager.restore_snapshot(made.snapshot_id))
    name = boxes.inspect(id)["Name"].lstrip("/")
    boxes.own("container", name)
    assert name.startswith(f"{box}_restored_")
    assert boxes.state(box) == boxes.state(name) == "running"


@pytest.mark.parametrize("how", ["by name", "by option"])
def test_a_restore_in_its_place_keeps_name_and_ports_and_saves_the_present(
    boxes: Boxes, manager: SnapshotManager, how: str
) -> None:
    port, volume = free_port(), boxes.volume()
    box = boxes.run(ports={"80/tcp": port}, volumes={volume: {"bind": "/data"}})
    boxes.sh(box, "echo then > /file; echo then > /data/file")
    made = wait(manager.create_snapshot(box))
    boxes.sh(box, "echo now > /file; echo now > /data/file")
    before = boxes.inspect(box)["Id"]
    options = RestoreOptions(new_container_name=box) if how == "by name" else RestoreOptions(replace=True)
    id = wait(manager.restore_snapshot(made.snapshot_id[:12], options))
    assert id == boxes.inspect(box)["Id"] != before
    assert boxes.sh(box, "cat /file /data/file").split() == ["then", "then"]
    assert boxes.inspect(box)["HostConfig"]["PortBindings"]["80/tcp"][0]["HostPort"] == str(port)
    saved = next(each for each in wait(manager.list_snapshots()) if each.labels.get("takeback.trigger") == "safety")
    wait(manager.restore_snapshot(saved.snapshot_id, RestoreOptions(replace=True)))
    assert boxes.sh(box, "cat /file /data/file").split() == ["now", "now"]


def test_volumes_can_be_left_as_they_are(boxes: Boxes, manager: SnapshotManager) -> None:
    volume = boxes.volume()
    box = boxes.run(volumes={volume: {"bind": "/data"}})
    boxes.sh(box, "echo then > /file; echo then > /data/file")
    made = wait(manager.create_snapshot(box))
    boxes.sh(box, "echo now > /file; echo now > /data/file")
    wait(manager.restore_snapshot(made.snapshot_id, RestoreOptions(replace=True, preserve_volumes=False)))
    assert boxes.sh(box, "cat /file /data/file").split() == ["then", "now"]
    copy = boxes.own("container", boxes.name("copy"))
    wait(manager.restore_snapshot(made.snapshot_id, RestoreOptions(new_container_name=copy, preserve_volumes=False)))
    assert boxes.sh(copy, "cat /file; ls /data 2>/dev/null || true").split() == ["then"]
    assert _volumes(boxes, copy) == []


def test_networks_can_be_left_out(boxes: Boxes, manager: SnapshotManager) -> None:
    network = boxes.network()
    box = boxes.run(network=network)
    made = wait(manager.create_snapshot(box))
    for name in ("in", "out"):
        copy = boxes.own("container", boxes.name(name))
        options = RestoreOptions(new_container_name=copy, preserve_networks=name == "in")
        wait(manager.restore_snapshot(made.snapshot_id, options))
        there = boxes.inspect(copy)["NetworkSettings"]["Networks"]
        assert (network in there) is (name == "in")


def test_a_container_that_is_gone_comes_back_under_its_name(boxes: Boxes, manager: SnapshotManager) -> None:
    box = boxes.run()
    boxes.sh(box, "echo then > /file")
    made = wait(manager.create_snapshot(box))
    boxes.engine.api.remove_container(box, force=True)
    wait(manager.restore_snapshot(made.snapshot_id, RestoreOptions(replace=True)))
    assert boxes.sh(box, "cat /file") == "then\n"


def test_what_a_replacement_cannot_have_is_refused(boxes: Boxes, manager: SnapshotManager) -> None:
    box = boxes.run()
    made = wait(manager.create_snapshot(box))
    for options in (
        RestoreOptions(replace=True, environment_overrides={"A": "1"}),
        RestoreOptions(replace=True, new_container_name=f"{box}-2"),
    ):
        with pytest.raises(SnapshotError) as raised:
            wait(manager.restore_snapshot(made.snapshot_id, options))
        assert raised.value.exit_code == 2
    assert boxes.state(box) == "running"


def test_a_deleted_snapshot_is_gone_with_its_bytes(boxes: Boxes, manager: SnapshotManager) -> None:
    box = boxes.run()
    boxes.sh(box, "head -c 3000000 /dev/urandom > /large")
    large = wait(manager.create_snapshot(box))
    boxes.sh(box, "rm /large")
    small = wait(manager.create_snapshot(box))
    before = wait(manager.get_storage_stats())["total_size_bytes"]
    assert before > 3_000_000
    wait(manager.delete_snapshot(large.snapshot_id))
    assert wait(manager.list_snapshots()) == [wait(manager.get_snapshot(small.snapshot_id))]
    assert wait(manager.get_snapshot(large.snapshot_id)) is None
    assert wait(manager.get_storage_stats())["total_size_bytes"] < 1_000_000


def test_an_image_that_was_asked_for_goes_with_its_snapshot(boxes: Boxes, make_manager: MakeManager) -> None:
    manager = make_manager(image=True)
    box = boxes.run()
    boxes.sh(box, "echo 1 > /file")
    first = wait(manager.create_snapshot(box))
    boxes.sh(box, "echo 2 > /file")
    second = wait(manager.create_snapshot(box))
    tags = {tag for image in boxes.engine.api.images() for tag in image["RepoTags"] or ()}
    assert {first.image_tag, second.image_tag} <= tags
    assert first.image_id != second.image_id
    wait(manager.delete_snapshot(first.snapshot_id))
    tags = {tag for image in boxes.engine.api.images() for tag in image["RepoTags"] or ()}
    assert first.image_tag not in tags
    assert second.image_tag in tags
    wait(manager.delete_snapshot(second.snapshot_id))


def test_a_pinned_snapshot_is_not_deleted(boxes: Boxes, manager: SnapshotManager) -> None:
    made = wait(manager.create_snapshot(boxes.run()))
    manager.storage.line(made.container_name).pin(made.snapshot_id)
    with pytest.raises(SnapshotError):
        wait(manager.delete_snapshot(made.snapshot_id))
    kept = wait(manager.get_snapshot(made.snapshot_id))
    assert kept is not None
    assert kept.pinned


def test_stats_count_containers_snapshots_and_bytes(boxes: Boxes, manager: SnapshotManager, tmp_path: Path) -> None:
    empty = wait(manager.get_storage_stats())
    assert (empty["total_snapshots"], empty["total_containers"], empty["total_size_bytes"]) == (0, 0, 0)
    one, other = boxes.run("one"), boxes.run("other")
    for box in (one, other, one):
        wait(manager.create_snapshot(box))
    found = wait(manager.get_storage_stats())
    assert (found["total_snapshots"], found["total_containers"]) == (3, 2)
    assert found["total_size_bytes"] >= found["metadata_size_bytes"] > 0
    assert found["total_size_gb"] == found["total_size_bytes"] / (1 << 30)
    assert found["storage_path"] == str(tmp_path / "snapshots")


def test_volumes_of_a_snapshot_can_be_had_as_archives(boxes: Boxes, manager: SnapshotManager) -> None:
    import io
    import tarfile

    volume = boxes.volume()
    box = boxes.run(volumes={volume: {"bind": "/data"}})
    boxes.sh(box, "echo hello > /data/file; ln -s file /data/link; mkdir /data/d; chown 7:8 /data/file")
    made = wait(manager.create_snapshot(box))
    storage = manager.storage
    assert wait(storage.list_volume_files(made.snapshot_id)) == [volume]
    with tarfile.open(fileobj=io.BytesIO(wait(storage.load_volume_data(made.snapshot_id, volume)))) as tar:
        members = {each.name: each for each in tar}
        file = tar.extractfile(f"{volume}/file")
        assert file is not None
        assert file.read() == b"hello\n"
    assert members[f"{volume}/link"].linkname == "file"
    assert members[f"{volume}/d"].isdir()
    assert (members[f"{volume}/file"].uid, members[f"{volume}/file"].gid) == (7, 8)
    with pytest.raises(StorageError, match="Volume data not found"):
        wait(storage.load_volume_data(made.snapshot_id, "other"))


def test_what_is_known_of_a_snapshot_cannot_be_rewritten(boxes: Boxes, manager: SnapshotManager) -> None:
    from dataclasses import replace

    made = wait(manager.create_snapshot(boxes.run()))
    wait(manager.storage.update_metadata(made))
    with pytest.raises(StorageError):
        wait(manager.storage.update_metadata(replace(made, description="something else")))


def test_a_directory_of_the_other_manager_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "metadata").mkdir()
    with pytest.raises(StorageError) as raised:
        FileSystemSnapshotStorage(tmp_path).open()
    assert "import" in raised.value.hints[0]


def test_only_takeback_s_own_provider_and_storage_can_be_given(tmp_path: Path) -> None:
    for given in ({"provider": object()}, {"storage": object()}):
        with pytest.raises(tb.InvalidInput):
            SnapshotManager(**given)  # type: ignore[arg-type]
    storage = FileSystemSnapshotStorage(tmp_path / "s")
    assert SnapshotManager(storage=storage).config.storage_path == str(tmp_path / "s")


def test_nothing_that_takes_time_happens_in_the_loop_s_thread(boxes: Boxes, tmp_path: Path) -> None:
    threads: set[int] = set()

    class Watched(DockerSnapshotProvider):
        def inspected(self, container: str) -> Any:
            threads.add(threading.get_ident())
            return super().inspected(container)

        def source(self, container: str, config: SnapshotConfig) -> Any:
            threads.add(threading.get_ident())
            return super().source(container, config)

    manager = SnapshotManager(Watched(), config=SnapshotConfig(storage_path=str(tmp_path / "s")))
    box = boxes.run()

    async def several() -> None:
        """At the same time, which is no conflict: they come one after the other."""
        made = await asyncio.gather(*(manager.create_snapshot(box, description=str(n)) for n in range(4)))
        assert {each.description for each in made} == {"0", "1", "2", "3"}
        await manager.restore_snapshot(made[0].snapshot_id, RestoreOptions(replace=True))
        await manager.close()

    wait(several())
    assert threads
    assert threading.get_ident() not in threads


def test_a_manager_can_be_used_in_a_block(boxes: Boxes, tmp_path: Path) -> None:
    async def work() -> int:
        async with SnapshotManager(config=SnapshotConfig(storage_path=str(tmp_path / "s"))) as manager:
            await manager.create_snapshot(boxes.run())
            assert await manager.should_create_snapshot(SnapshotTrigger.RUN_START)
            assert not await manager.should_create_snapshot("periodic")
            return len(await manager.list_snapshots())

    assert wait(work()) == 1


def test_a_store_inside_a_workspace_is_left_out_of_it(boxes: Boxes, make_manager: MakeManager, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "app.py").write_text("1")
    manager = make_manager(storage_path=project / "snapshots")
    box = boxes.run()
    wait(manager.create_snapshot(box))
    line = manager.storage.open().timeline("both", [tb.Workspace(project), tb.Container(box)])
    first = line.save()
    assert [path for path, _ in line.files("@")] == ["app.py"]
    assert line.save().id == first.id, "what the store writes is no change"


def _volumes(boxes: Boxes, container: str) -> list[str]:
    return [each["Name"] for each in boxes.inspect(container)["Mounts"] if each["Type"] == "volume"]
