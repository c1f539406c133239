"""Containers' parts, wherever parts are walked: marked, verified, counted, copied, repaired, purged, compared."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import takeback as tb
from support.boxes import Crate
from support.stores import noise, residue
from takeback import shapes
from takeback.model.progress import Watch
from takeback.model.snapshot import PURGED, Part
from takeback.store.writer import Writer

SECRET = b"token = " + noise(60, "the secret").hex().encode()
LARGE = noise(3 << 20, "large")
FILES = {
    "filesystem/usr/bin/sudo": b"setuid",
    "filesystem/work/.git/HEAD": b"ref: refs/heads/main",
    "filesystem/root/.env": SECRET,
    "filesystem/large": LARGE,
    "volumes/data/table": b"rows",
}


class Scene:
    def __init__(self, base: Path, store: tb.Store) -> None:
        self.base, self.store = base, store
        self.root = base / "root"
        self.root.mkdir()
        (self.root / "a.txt").write_text("a")
        (self.root / ".env").write_bytes(SECRET)
        self.crate = Crate(base / "crate", FILES)
        self.line = store.timeline(sources=[tb.Workspace(self.root), self.crate])
        self.first = self.line.save("first")

    def without_it(self) -> tb.Timeline:
        """The same timeline where no container is at hand."""
        return self.store.timeline(sources=[tb.Workspace(self.root)])

    def read(self, line: tb.Timeline | None = None, reference: str = "first") -> dict[str, bytes]:
        line = line or self.without_it()
        listed = [path for path, entry in line.files(reference, part="container") if entry.kind == "f"]
        return {
            path: line.read(reference, path, part="container")
            for path in listed
            if path != "settings" and not path.startswith("attributes/")
        }


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with tb.open(tmp_path / "store") as store:
        yield Scene(tmp_path, store)


def test_what_a_container_needs_is_kept_and_counted(scene: Scene) -> None:
    assert scene.read() == FILES
    scene.crate.files = {}
    second = scene.line.save("second")
    scene.store.maintain()
    assert scene.store.verify(read_data=True).ok and scene.read() == FILES
    shares = {share.part: share for share in scene.store.stats().shares}
    assert shares["container"].snapshots == 2 and shares["container"].raw > len(LARGE)
    assert second.changed >= len(FILES)
    scene.line.drop("first")
    scene.store.maintain()
    scene.store.maintain()
    kept = {share.part: share.raw for share in scene.store.stats().shares}
    assert kept["container"] < 100_000


@pytest.mark.parametrize("way", ["push", "export"])
def test_a_container_goes_along_to_another_store(scene: Scene, tmp_path: Path, way: str) -> None:
    with tb.open(tmp_path / "other") as other:
        if way == "push":
            scene.store.push(other)
            assert scene.store.push(other).blobs == 0
        else:
            scene.store.export(tmp_path / "file")
            other.import_(tmp_path / "file")
        assert other.verify(read_data=True).ok
        line = other.timeline(sources=[tb.Workspace(scene.root)])
        assert scene.read(line) == FILES
        assert line.show("first").parts["container"] == scene.first.parts["container"]


def test_what_a_workspace_cannot_hold_is_refused_there_although_a_container_has_the_same_tree(
    scene: Scene, tmp_path: Path
) -> None:
    """``.git`` and a setuid bit are a container's own; a store may come from an enemy."""

    class Forged(tb.Workspace):
        def capture(self, writer: Writer, previous: Part | None, watch: Watch) -> Part:
            part = super().capture(writer, previous, watch)
            return part._replace(refs={**part.refs, "content": scene.first.parts["container"].content})

    scene.store.timeline("forged", sources=[Forged(scene.root)]).save()
    with tb.open(tmp_path / "other") as other, pytest.raises(tb.Integrity, match="never captures"):
        scene.store.push(other)


def test_a_lost_file_of_a_container_is_named_with_its_part(scene: Scene) -> None:
    scene.store.maintain()
    piece = LARGE[1_500_000:1_500_064]
    packs = [path for path in (scene.base / "store" / "packs").rglob("*") if path.is_file()]
    (pack,) = (path for path in packs if piece in path.read_bytes())  # noise is stored as it is
    data = bytearray(pack.read_bytes())
    at = data.find(piece)
    data[at] ^= 0xFF
    pack.chmod(0o600)
    pack.write_bytes(data)
    losses = scene.store.verify(read_data=True).losses
    assert [loss.paths for loss in losses] == [("container: filesystem/large",)]


# purge


def held(scene: Scene) -> list[str]:
    return [name for name, data in residue(scene.base / "store") if SECRET[8:] in data]


def test_a_purged_file_leaves_the_containers_that_hold_the_same_bytes(scene: Scene) -> None:
    planned = scene.line.purge(".env", dry_run=True)
    done = scene.line.purge(".env")
    root = str(scene.root)
    assert done.removed == planned.removed
    assert done.removed == (
        tb.Trace(root, ".env", 1),
        tb.Trace(root, "filesystem/root/.env", 1, "container"),
    )
    assert done.gone and held(scene) == [] and scene.store.verify(read_data=True).ok
    assert scene.read() == {path: data for path, data in FILES.items() if path != "filesystem/root/.env"}
    part = scene.without_it().show("first").parts["container"]
    assert [(item.path, item.reason) for item in part.not_captured] == [("filesystem/root/.env", PURGED)]


def test_a_path_of_a_container_is_purged_and_the_workspace_has_a_copy(scene: Scene) -> None:
    with pytest.raises(tb.NotFound, match="no snapshot holds"):
        scene.line.purge("filesystem/root/.env")
    kept = scene.line.purge("filesystem/root/.env", part="container", copies=False, dry_run=True)
    assert [trace.path for trace in kept.left] == [".env"]
    done = scene.line.purge("filesystem/root/.env", part="container")
    assert [(trace.part, trace.path) for trace in done.removed] == [("", ".env"), ("container", "filesystem/root/.env")]
    assert done.gone and held(scene) == []


def test_settings_that_quote_it_are_named_and_never_removed(scene: Scene) -> None:
    scene.crate.settings["environment"] = [f"TOKEN={SECRET[8:].decode()}"]
    scene.line.save("quoting")
    done = scene.line.purge(".env")
    assert [(trace.part, trace.path) for trace in done.left] == [("container", "settings")]
    with pytest.raises(tb.InvalidInput, match="cannot be purged"):
        scene.line.purge("settings", part="container")


def test_a_purge_finds_what_a_workspace_of_the_same_name_has_no_part_in(scene: Scene) -> None:
    """A workspace's file whose path is like one of a container's tree is another file."""
    (scene.root / "filesystem" / "usr" / "bin").mkdir(parents=True)
    (scene.root / "filesystem" / "usr" / "bin" / "sudo").write_text("a file of this name in the workspace")
    scene.line.save("both")
    scene.line.purge("filesystem/usr/bin/sudo")
    assert scene.read(reference="both")["filesystem/usr/bin/sudo"] == b"setuid"


# diff and looking into it


def test_what_changed_in_a_container_is_told_apart_from_files(scene: Scene) -> None:
    (scene.root / "a.txt").write_text("b")
    scene.crate.files["filesystem/etc/hosts"] = b"127.0.0.1"
    scene.crate.files["volumes/data/table"] = b"more rows"
    now = scene.line.diff("first")
    scene.line.save("second")
    for diff in (now, scene.line.diff("first", "second"), scene.without_it().diff("first", "second")):
        assert [change.path for change in diff.files] == ["a.txt"] and diff
        found = {change.path: change.status for change in diff.container if not change.is_directory}
        assert found["filesystem/etc/hosts"] == "added" and found["volumes/data/table"] == "modified"
        assert {change.part for change in diff.container} == {"container"}
    step = scene.without_it().step("second")
    assert step is not None and step.container
    shape = shapes.diff(now)
    assert {"part": "container", "path": "filesystem/etc/hosts", "status": "added"} in shape["container"]
    assert shape["files"] == [{"path": "a.txt", "status": "modified"}]


def test_paths_that_begin_with_a_slash_are_those_in_the_container(scene: Scene) -> None:
    line = scene.without_it()
    assert line.read("first", "/root/.env", part="container") == SECRET
    assert line.read("first", "/data/table", part="container") == b"rows"
    assert [path for path, _ in line.files("first", "/data", part="container")] == [
        "volumes/data",
        "volumes/data/table",
    ]
    scene.crate.files |= {"volumes/data/table": b"more", "filesystem/large": b"small"}
    (scene.root / "a.txt").write_text("b")
    scene.line.save("second")
    some = line.diff("first", "second", paths=["/data", "a.txt"])
    assert [change.path for change in some.container] == ["volumes/data/table"]
    assert [change.path for change in some.files] == ["a.txt"]
    assert [row.id for row in line.log(path="/data").snapshots] == [line.show("second").id, line.show("first").id]
    assert len(line.log(path="/root").snapshots) == 1


def test_a_part_whose_source_is_not_at_hand_is_restored_by_nobody_and_the_message_says_how(scene: Scene) -> None:
    with pytest.raises(tb.InvalidInput, match="no source for the part 'container'") as caught:
        scene.without_it().restore("first", only=["container"])
    assert caught.value.hints == ("add --container crate",)


def test_who_does_nothing_with_containers_loads_nothing_of_them(scene: Scene) -> None:
    """Although the timeline has one: a hook is a process for every tool call."""
    (scene.root / "a.txt").write_text("b")
    script = (
        "import sys, takeback\n"
        "line = takeback.here(); line.save(); line.log(3); line.save('x', trigger='turn_start', session='s')\n"
        "print([name for name in sys.modules if name == 'docker' or name.startswith('takeback.sources.container')])"
    )
    environment = {**os.environ, "TAKEBACK_STORE": str(scene.base / "store")}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=scene.root, env=environment, capture_output=True, text=True
    )
    assert done.stdout == "[]\n", done
