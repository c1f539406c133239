"""A container is saved, compared, restored and taken back: all of it, or path by path, the same with both strategies."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

import takeback as tb
from support.containers.boxes import Boxes
from support.containers.scenes import NetworkScene, Scene
from takeback.errors import InvalidInput, NotFound
from takeback.model.progress import Watch
from takeback.sources.container.hashing import Hashing

pytestmark = pytest.mark.service("docker")


@pytest.mark.both_strategies
def test_a_restore_makes_the_same_container_again(boxes: Boxes, strategy: str, tmp_path: Path) -> None:
    scene = NetworkScene(boxes, tmp_path, strategy)
    seen = scene.save_both()
    for label in ("before", "after", "before"):
        report = scene.line.restore(label)
        assert report.verified
        assert scene.look() == seen[label]
        scene.whole()
    scene.close()


def test_undo_and_redo_of_a_restore(boxes: Boxes, strategy: str, tmp_path: Path) -> None:
    scene = Scene(boxes, tmp_path, strategy)
    seen = scene.save_both()
    scene.line.restore("before")
    scene.line.undo()
    assert scene.look() == seen["after"]
    scene.line.redo()
    assert scene.look() == seen["before"]
    scene.close()


def test_nothing_changed_makes_no_snapshot(boxes: Boxes, strategy: str, tmp_path: Path) -> None:
    scene = Scene(boxes, tmp_path, strategy)
    first = scene.line.save("first")
    assert scene.line.save().id == first.id
    scene.close()
    scene.open()
    assert scene.line.save().id == first.id
    scene.close()


def test_both_strategies_make_the_same_of_a_container(boxes: Boxes, tmp_path: Path) -> None:
    scene = Scene(boxes, tmp_path, "overlay")
    scene.save_both()
    other = scene.store.timeline("other", sources=[tb.Container(scene.name, strategy="stream")])
    overlay, stream = scene.line.show("@").parts["container"], other.save().parts["container"]
    assert overlay.detail["strategy"] == "overlay"
    assert stream.detail["strategy"] == "stream"
    assert overlay.content == stream.content
    scene.close()


def test_a_directory_that_hides_nothing_any_more_is_the_same_for_both(boxes: Boxes, tmp_path: Path) -> None:
    """It was removed and made again, and so was all that was in it; a process that only knows the store looks next."""
    name = boxes.run()
    with tb.open(tmp_path / "store") as store:
        line = store.timeline("main", sources=[tb.Container(name, strategy="overlay")])
        boxes.sh(name, "rm -r /etc/app; mkdir -p /etc/app/conf.d; ln -s x /srv/dir; rm /srv/dir; mkdir /srv/dir")
        line.save("hidden")
        line = store.timeline("main", sources=[tb.Container(name, strategy="overlay")])
        boxes.sh(name, "echo again >/etc/app/settings.ini; echo x >/etc/app/conf.d/x")
        line.save("again")
        other = store.timeline("other", sources=[tb.Container(name, strategy="stream")])
        assert other.save().parts["container"].content == line.show("@").parts["container"].content
        for label in ("hidden", "again"):
            line.restore(label)
            assert (
                boxes.sh(name, "find /etc/app | sort").splitlines()
                == {
                    "hidden": ["/etc/app", "/etc/app/conf.d"],
                    "again": ["/etc/app", "/etc/app/conf.d", "/etc/app/conf.d/x", "/etc/app/settings.ini"],
                }[label]
            )


@pytest.mark.both_strategies
def test_undo_of_a_turn_leaves_alone_what_was_changed_since(boxes: Boxes, strategy: str, tmp_path: Path) -> None:
    scene = Scene(boxes, tmp_path, strategy)
    scene.sh("printf 'a\\nb\\nc\\nd\\ne\\n' >/srv/text; echo log >/var/log/run")
    with scene.line.turn("break it"):
        scene.sh(
            "printf 'a\\nB\\nc\\nd\\ne\\n' >/srv/text; rm /etc/app/settings.ini; echo new >/srv/new; chown agent /srv"
        )
    scene.sh("printf 'a\\nB\\nc\\nd\\nE\\n' >/srv/text; echo more >>/var/log/run; echo mine >/srv/mine; rm /etc/group")
    report = scene.line.undo()
    assert not report.conflicts
    assert scene.sh("cat /srv/text") == "a\nb\nc\nd\nE\n"
    assert scene.sh("cat /etc/app/settings.ini")
    assert scene.sh("cat /var/log/run /srv/mine") == "log\nmore\nmine\n"
    assert scene.sh("ls /srv /etc; ls -ldn /srv").count("new") == 0
    assert "group" not in scene.sh("ls /etc").split()
    scene.whole()
    scene.close()


def test_what_was_only_looked_at_is_stored_by_the_next_save(boxes: Boxes, strategy: str, tmp_path: Path) -> None:
    """A plan and a restore look at a container and store nothing; a save that fails stores nothing."""
    name = boxes.run()
    source = tb.Container(name, strategy=strategy)
    with tb.open(tmp_path / "store") as store:
        line = store.timeline("main", sources=[source])
        line.save("one")
        boxes.sh(name, "echo looked at >/srv/file")
        assert line.plan("one").effects
        source.survey(source.look(), Hashing(), Watch())
        with store.blobs.writer() as writer:
            source.capture(writer, line.show("one").parts["container"], Watch())
        line.save("two")
        assert store.verify(read_data=True).problems == ()
        boxes.sh(name, "rm /srv/file")
        line.restore("two")
        assert boxes.sh(name, "cat /srv/file") == "looked at\n"


def test_what_was_purged_is_not_deleted_by_a_restore(boxes: Boxes, tmp_path: Path) -> None:
    name = boxes.run()
    with tb.open(tmp_path / "store") as store:
        line = store.timeline("main", sources=[tb.Container(name)])
        boxes.sh(name, "echo 'a secret of some length' >/srv/secret; echo one >/srv/file")
        line.save("one")
        boxes.sh(name, "echo two >/srv/file")
        line.save("two")
        line.purge("filesystem/srv/secret", part="container")
        report = line.restore("one")
        assert "filesystem/srv/secret" in {item.path for item in report.kept}
        assert boxes.sh(name, "cat /srv/file /srv/secret") == "one\na secret of some length\n"


def test_workspace_and_container_are_one_snapshot(boxes: Boxes, strategy: str, tmp_path: Path) -> None:
    scene = Scene(boxes, tmp_path, strategy)
    root = tmp_path / "project"
    root.mkdir()
    (root / "file").write_text("one")
    line = scene.store.timeline("both", sources=[tb.Workspace(root), tb.Container(scene.name, strategy=strategy)])
    scene.sh("echo one >/srv/file")
    line.save("one")
    (root / "file").write_text("two")
    scene.sh("echo two >/srv/file")
    line.restore("one")
    assert ((root / "file").read_text(), scene.sh("cat /srv/file")) == ("one", "one\n")
    line.undo()
    assert ((root / "file").read_text(), scene.sh("cat /srv/file")) == ("two", "two\n")
    line.restore("one", only=["container"], paths=["filesystem/srv/file"])
    assert ((root / "file").read_text(), scene.sh("cat /srv/file")) == ("two", "one\n")
    scene.close()


def test_a_diff_names_files_of_container_and_volume(boxes: Boxes, strategy: str, tmp_path: Path) -> None:
    scene = Scene(boxes, tmp_path, strategy)
    scene.save_both()
    changed = {change.path: change.status for change in scene.line.diff("before", "after").container}
    assert changed["filesystem/etc/app/settings.ini"] == "modified"
    assert changed["filesystem/etc/app/conf.d/10-first"] == "deleted"
    assert changed["filesystem/etc/app/conf.d/30-third"] == "added"
    assert changed["filesystem/home/agent/out/link"] == "type"
    assert changed[f"volumes/{scene.volume}/kept/file"] == "modified"
    assert changed[f"volumes/{scene.volume}/gone/file"] == "deleted"
    assert not any(path.startswith("attributes") for path in changed)
    scene.close()


def test_secrets_stay_out_and_come_back(boxes: Boxes, strategy: str, tmp_path: Path) -> None:
    scene = Scene(boxes, tmp_path, strategy)
    snapshot = scene.line.save("with a secret")
    assert tb.NotCaptured("settings/API_TOKEN", "secret", "an environment variable") in snapshot.not_captured
    held = scene.line.read("@", "settings", part="container")
    assert b"API_TOKEN" in held
    assert b"hidden" not in held
    scene.sh("echo x >/srv/x")
    scene.line.restore("with a secret")
    assert "API_TOKEN=hidden" in scene.sh("env").splitlines()
    scene.close()


def test_what_a_snapshot_leaves_out_is_listed(boxes: Boxes, strategy: str, tmp_path: Path) -> None:
    host = tmp_path / "of-the-host"
    host.mkdir()
    name = boxes.run(volumes={str(host): {"bind": "/host", "mode": "rw"}}, tmpfs={"/scratch": ""})
    store = tb.open(tmp_path / "store")
    line = store.timeline("main", sources=[tb.Container(name, strategy=strategy)])
    reasons = {item.path: item.reason for item in line.save().not_captured}
    assert reasons["binds/%2Fhost"] == "bind mount"
    assert reasons["tmpfs/%2Fscratch"] == "tmpfs"
    assert reasons["processes"] == "process memory"
    store.close()


def test_a_bind_mount_is_captured_when_asked_for(boxes: Boxes, tmp_path: Path) -> None:
    host = tmp_path / "of-the-host"
    host.mkdir()
    (host / "file").write_text("one")
    name = boxes.run(volumes={str(host): {"bind": "/host", "mode": "rw"}})
    store = tb.open(tmp_path / "store")
    line = store.timeline("main", sources=[tb.Container(name, binds=True)])
    line.save("one")
    (host / "file").write_text("two")
    line.restore("one")
    assert (host / "file").read_text() == "one"
    store.close()


def test_a_copy_gets_ports_and_volumes_of_its_own(boxes: Boxes, strategy: str, tmp_path: Path) -> None:
    scene = NetworkScene(boxes, tmp_path, strategy)
    scene.save_both()
    other = boxes.own("volume", f"{boxes.name('copy')}-{scene.volume}")
    copy = boxes.own("container", boxes.name("copy"))
    report = scene.line.restore("before", to={"container": tb.Container.copy(copy, environment={"MODE": "copy"})})
    assert any(f"port {scene.port} is taken" in note for note in report.notes)
    assert any(other in note for note in report.notes)
    assert boxes.sh(copy, "cat /data/kept/file; echo $MODE; echo $API_TOKEN") == "v1\ncopy\nhidden\n"
    assert scene.sh("cat /data/kept/file") == "v2\n"
    with pytest.raises(tb.Conflict, match="already"):
        scene.line.restore("before", to={"container": copy})
    scene.close()


def test_a_fork_is_another_container(boxes: Boxes, strategy: str, tmp_path: Path) -> None:
    scene = Scene(boxes, tmp_path, strategy)
    scene.save_both()
    boxes.own("volume", f"{boxes.name('fork')}-{scene.volume}")
    copy = boxes.own("container", boxes.name("fork"))
    fork = scene.line.fork("before", "attempt", to={"container": copy})
    assert boxes.sh(copy, "cat /data/kept/file") == "v1\n"
    boxes.sh(copy, "echo mine >/srv/mine")
    fork.save("mine")
    step = fork.step("mine")
    assert step is not None
    assert "filesystem/srv/mine" in {change.path for change in step.container}
    scene.close()


def test_a_container_that_was_removed_is_made_again(boxes: Boxes, strategy: str, tmp_path: Path) -> None:
    scene = NetworkScene(boxes, tmp_path, strategy)
    seen = scene.save_both()
    boxes.engine.api.remove_container(scene.name, force=True)
    with pytest.raises(NotFound, match="there is no container"):
        scene.line.save()
    copy = tb.Container.copy(scene.name, environment={"API_TOKEN": "hidden"}, volumes="same")
    with pytest.raises(tb.Unavailable, match="SYS_PTRACE"):
        scene.line.restore("after", to={"container": copy})
    source = tb.Container(scene.name, strategy=strategy, allow_wider=True)
    scene.store.timeline(scene.name, sources=[source]).restore("after", to={"container": copy})
    assert scene.look() == seen["after"]
    scene.close()


def test_one_that_was_removed_with_its_volume_is_the_same_again(boxes: Boxes, strategy: str, tmp_path: Path) -> None:
    scene = Scene(boxes, tmp_path, strategy, cap_add=[])
    seen = scene.save_both()
    boxes.engine.api.remove_container(scene.name, force=True)
    boxes.engine.api.remove_volume(scene.volume)
    copy = tb.Container.copy(scene.name, environment={"API_TOKEN": "hidden"})
    scene.line.restore("before", to={"container": copy})
    assert scene.look() == seen["before"] and not scene.line.diff("before")
    scene.sh("echo newer > /data/kept/file")
    boxes.engine.api.remove_container(scene.name, force=True)
    report = scene.line.restore("before", to={"container": copy})
    assert any(f"volume {scene.volume}: is still there, and left as it is" in note for note in report.notes)
    assert scene.sh("cat /data/kept/file") == "newer\n"
    scene.close()


def test_a_stopped_and_a_paused_container_stay_so(boxes: Boxes, strategy: str, tmp_path: Path) -> None:
    scene = Scene(boxes, tmp_path, strategy)
    scene.save_both()
    boxes.engine.api.pause(scene.name)
    scene.line.save("paused")
    assert boxes.state(scene.name) == "paused"
    boxes.engine.api.unpause(scene.name)
    boxes.engine.api.stop(scene.name)
    scene.line.save("stopped")
    assert boxes.state(scene.name) == "exited"
    scene.line.restore("before")
    assert boxes.state(scene.name) == "running"
    scene.line.restore("paused")
    assert boxes.state(scene.name) == "paused"
    scene.line.restore("stopped")
    assert boxes.state(scene.name) in ("created", "exited")
    scene.close()


def test_a_volume_that_another_container_has_is_not_changed_under_it(
    boxes: Boxes, strategy: str, tmp_path: Path
) -> None:
    scene = Scene(boxes, tmp_path, strategy)
    seen = scene.save_both()
    other = boxes.run("other", volumes={scene.volume: {"bind": "/shared", "mode": "rw"}})
    with pytest.raises(tb.Conflict, match=f"in use by {other}"):
        scene.line.restore("before")
    assert scene.look() == seen["after"]
    boxes.engine.api.remove_container(other, force=True)
    scene.whole()
    scene.close()


@pytest.mark.both_strategies
def test_a_container_that_does_not_stay_up_is_not_put_in_place(boxes: Boxes, strategy: str, tmp_path: Path) -> None:
    start = "test ! -e /srv/bad || exit 3; trap 'exit 0' TERM; while :; do sleep 0.1; done"
    name = boxes.run(command=["sh", "-c", start])
    store = tb.open(tmp_path / "store")
    line = store.timeline("main", sources=[tb.Container(name, strategy=strategy)])
    boxes.sh(name, "touch /srv/bad; echo one >/srv/file")
    line.save("bad")
    boxes.sh(name, "rm /srv/bad; echo two >/srv/file")
    with pytest.raises(tb.Unavailable, match="does not stay up .exit code 3."):
        line.restore("bad")
    assert boxes.sh(name, "cat /srv/file; ls /srv") == "two\nfile\n"
    store.close()


@pytest.mark.both_strategies
def test_a_failed_restore_gives_the_container_its_volume_back(boxes: Boxes, strategy: str, tmp_path: Path) -> None:
    start = "test ! -e /srv/bad || exit 3; touch /srv/up; trap 'exit 0' TERM; while :; do sleep 0.1; done"
    volumes = {boxes.volume(): {"bind": "/data", "mode": "rw"}}
    name = boxes.run(command=["sh", "-c", start], volumes=volumes)
    store = tb.open(tmp_path / "store")
    line = store.timeline("main", sources=[tb.Container(name, strategy=strategy)])
    boxes.sh(name, "until test -e /srv/up; do :; done; touch /srv/bad; echo one >/data/file; echo old >/data/old")
    line.save("bad")
    boxes.sh(name, "rm /srv/bad; echo two >/data/file; rm /data/old; echo new >/data/new")
    container = boxes.inspect(name)["Id"]
    with pytest.raises(tb.Unavailable, match="does not stay up"):
        line.restore("bad")
    assert boxes.inspect(name)["Id"] == container, "it ran with the wrong volume, and was made again"
    assert boxes.sh(name, "cd /data; head *") == "==> file <==\ntwo\n\n==> new <==\nnew\n"
    store.close()


@pytest.mark.parametrize("wrong", ["", "  "])
def test_a_container_needs_a_name(wrong: str) -> None:
    with pytest.raises(InvalidInput, match="needs a name"):
        tb.Container(wrong)
    with pytest.raises(InvalidInput, match="is no strategy"):
        tb.Container("box", strategy="zfs")
    with pytest.raises(InvalidInput, match="only for a moment"):
        tb.Container.copy("box.takeback-new-0123abcd")


def test_a_container_that_writes_all_the_time_is_restored(boxes: Boxes, strategy: str, tmp_path: Path) -> None:
    """It stands still from the snapshot of the present until it is replaced, so nothing can come in between."""
    write = "i=0; while :; do i=$((i+1)); echo $i >>/srv/log; echo $i >/data/last; done"
    name = boxes.run(command=["sh", "-c", write], volumes={boxes.volume(): {"bind": "/data", "mode": "rw"}})
    with tb.open(tmp_path / "store") as store:
        line = store.timeline("main", sources=[tb.Container(name, strategy=strategy)])
        line.save("one")
        line.restore("one")
        safety = line.restore("one").safety
        written = line.read(safety, "filesystem/srv/log", part="container")
        assert boxes.sh(name, "cat /srv/log").encode() != written
        line.restore(safety)
        assert boxes.sh(name, "cat /srv/log").encode().startswith(written)
        assert boxes.state(name) == "running"


@pytest.mark.both_strategies
def test_a_name_of_a_file_comes_back_without_its_other_names(boxes: Boxes, strategy: str, tmp_path: Path) -> None:
    """Files in the container and in its volume."""
    scene = Scene(boxes, tmp_path, strategy)
    for top in ("/srv", "/data"):
        scene.sh(f"cd {top}; echo one >a; ln a b; echo other >c; ln c d")
    scene.line.save("linked")
    for top in ("/srv", "/data"):
        scene.sh(f"cd {top}; rm c; echo two >a; echo two >d")
    scene.line.restore("linked", paths=["/srv/b", "/srv/d", "/data/b", "/data/d"], only=["container"])
    for top in ("/srv", "/data"):
        assert scene.sh(f"cd {top}; cat a b d; ls; stat -c %h a b d").split() == "two one other a b d 1 1 1".split()
    scene.line.undo()
    for top in ("/srv", "/data"):
        assert scene.sh(f"cd {top}; cat a b d").split() == "two two two".split()
    scene.close()


def test_directories_on_the_way_to_a_path_come_back_as_they_were_and_go_with_it(
    boxes: Boxes, strategy: str, tmp_path: Path
) -> None:
    scene = Scene(boxes, tmp_path, strategy)
    for top in ("/srv", "/data"):
        scene.sh(f"mkdir -p {top}/a/b/c; echo one >{top}/a/b/c/d; chown -R agent {top}/a; chmod 700 {top}/a")
    scene.line.save("there")
    scene.sh("rm -r /srv/a /data/a")
    scene.line.restore("there", paths=["/srv/a/b/c/d", "/data/a/b/c/d"], only=["container"])
    for top in ("/srv", "/data"):
        assert scene.sh(f"cd {top}; stat -c '%U %a' a a/b a/b/c; cat a/b/c/d") == (
            "agent 700\nagent 755\nagent 755\none\n"
        )
    scene.line.undo()
    assert scene.sh("ls -A /srv /data") == "/data:\n\n/srv:\n"
    scene.close()


def test_a_socket_in_a_volume_is_not_in_the_way_of_its_directory(boxes: Boxes, strategy: str, tmp_path: Path) -> None:
    scene = Scene(boxes, tmp_path, strategy)
    with scene.line.turn("start a server"):
        scene.sh("mkdir -p /data/run/inner; echo 1 >/data/run/pid")
        _listen(scene.data / "run/inner/socket")
    scene.line.undo()
    assert scene.sh("ls -A /data") == ""
    scene.close()


def _listen(place: Path) -> None:
    directory = os.open(place.parent, os.O_PATH)  # the address of a socket has to be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"/proc/self/fd/{directory}/{place.name}")
    os.close(directory)
