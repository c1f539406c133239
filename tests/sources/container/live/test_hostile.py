"""A store that an enemy has prepared, restored into a real container as root: nothing is written anywhere but into that
container and its own volumes, and whatever is refused has changed nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from hostile.test_trees import IMPOSSIBLE
from support import campaigns
from support.containers.boxes import Boxes
from support.containers.scenes import Scene
from support.enemy import with_content
from support.trees import read_tree
from takeback.engine import record
from takeback.model.ids import BlobKind
from takeback.model.tree import DIRECTORY, FILE, LINK, Entry, encode_tree
from takeback.sources import trees
from takeback.sources.container import content
from takeback.store.catalogue import snapshots
from takeback.store.writer import Writer

pytestmark = pytest.mark.service("docker")

Changes = Mapping[str, Entry | None]

_PLAIN = b"[0,0,1]"


class Enemy:
    """Records snapshots of a scene's container that are altered, and has them restored."""

    def __init__(self, scene: Scene, base: Path) -> None:
        self.scene = scene
        self.outside = base / "outside"
        self.outside.mkdir()
        (self.outside / "precious").write_text("precious\n")
        self._ends = scene.save_both()
        self._part = scene.line.show("before").parts["container"]
        self._count = 0

    def restore(self, alter: Callable[[Writer], Changes]) -> tb.TakebackError | None:
        """Restore a snapshot in which these paths are others; the error, if it is refused. Then nothing has changed."""
        label = self._record(alter)
        before = read_tree(self.outside)
        error = None
        try:
            self.scene.line.restore(label)
        except tb.TakebackError as refused:
            assert refused.exit_code != 1 and refused.message, refused
            error = refused
        assert read_tree(self.outside) == before
        self.scene.whole()
        if error is not None:
            assert self.scene.look() == self._ends["after"]
        else:
            self.scene.line.restore("after")
        return error

    def settings(self, change: Callable[[dict[str, Any]], object]) -> Callable[[Writer], Changes]:
        """The same with other settings."""

        def alter(writer: Writer) -> Changes:
            raw = json.loads(content.settings_in(writer.reader, self._part.refs["content"]))
            change(raw)
            return {"settings": file(writer, json.dumps(raw).encode())}

        return alter

    def _record(self, alter: Callable[[Writer], Changes]) -> str:
        self._count += 1
        label = f"evil {self._count}"
        line = self.scene.line._line
        with line.writer() as writer:
            head = line.head()
            altered = self._part.refs["content"]
            for path, entry in alter(writer).items():
                altered = _graft(writer, altered, path.split("/"), entry)
            parts = {"container": with_content(self._part, altered)}
            made = record.compose(line, writer, head, parts, trigger="interval", context={}, before=parts)
            record.commit(line, writer, made, head, lambda tx, _, at: snapshots.label(tx, at.id, label, 1))
        return label


def _graft(writer: Writer, tree: bytes, names: list[str], entry: Entry | None) -> bytes:
    """A tree with another entry at a path, whatever that leads to."""
    entries = dict(trees.load(writer.reader, tree))
    name, *rest = names
    if rest:
        inner = entries.get(name) or Entry(DIRECTORY, 0o755, 0, writer.put(encode_tree({}), BlobKind.TREE))
        entry = inner._replace(id=_graft(writer, inner.id, rest, entry))
    if entry is None:
        entries.pop(name, None)
    else:
        entries[name] = entry
    return writer.put(encode_tree(entries), BlobKind.TREE)


@pytest.fixture
def enemy(scene: Scene, tmp_path: Path) -> Enemy:
    return Enemy(scene, tmp_path)


def file(writer: Writer, data: bytes) -> Entry:
    return Entry(FILE, 0o600, len(data), writer.put(data, BlobKind.DATA))


def link(writer: Writer, target: str) -> Entry:
    return Entry(LINK, 0o777, len(target), writer.put(target.encode(), BlobKind.DATA))


def test_trees_that_no_directory_can_be_are_refused(enemy: Enemy) -> None:
    for area in ("filesystem", f"volumes/{enemy.scene.volume}"):
        for name in ("..", "absolute", "a slash", "a device", "twice"):
            raw = IMPOSSIBLE[name]

            def alter(writer: Writer, at: str = f"{area}/evil", raw: bytes = raw) -> Changes:
                return {at: Entry(DIRECTORY, 0o755, 0, writer.put(raw, BlobKind.TREE))}

            assert isinstance(enemy.restore(alter), tb.Integrity), (area, name)


def test_what_attributes_say_leads_nowhere_else(enemy: Enemy) -> None:
    precious = str(enemy.outside / "precious")
    up = "../" * 20 + precious.lstrip("/")
    evil: dict[str, dict[str, Any]] = {
        "another name above": {"link": up},
        "another name, absolute": {"link": precious},
        "another name through a link": {"link": "way/precious"},
        "another name that is not there": {"link": "no/such/file"},
        "another name that is a directory": {"link": "etc"},
        "another file below": {"xattrs": {"trusted.overlay.redirect": precious.encode().hex()}},
        "other content below": {"xattrs": {"trusted.overlay.metacopy": ""}},
        "a kind that nothing has": {"kind": "s", "mode": 0o644, "device": [0, 0]},
        "a name as an attribute": {"xattrs": {"user.\0x": "00"}},
    }
    # A file whose other names are of no such file is one by itself.
    alone = {f"another name {which}" for which in ("through a link", "that is not there", "that is a directory")}
    for area in ("filesystem", f"volumes/{enemy.scene.volume}"):
        for name, more in campaigns.pick([*evil.items()], 9 if area == "filesystem" else 3):

            def alter(writer: Writer, area: str = area, more: dict[str, Any] = more) -> Changes:
                return {
                    f"{area}/way": link(writer, str(enemy.outside)),
                    f"attributes/{area}/way=": file(writer, _PLAIN),
                    f"{area}/evil": file(writer, b"evil\n"),
                    f"attributes/{area}/evil=": file(writer, json.dumps([0, 0, 1, more]).encode()),
                }

            error = enemy.restore(alter)
            assert (error is None) == (name in alone), (area, name)


@pytest.mark.both_strategies
def test_a_device_stays_a_device_of_the_container_and_a_link_a_link(enemy: Enemy) -> None:
    """They are what a container can have; but nothing is written through them."""

    def alter(writer: Writer) -> Changes:
        device = json.dumps([0, 0, 1, {"kind": "b", "mode": 0o666, "device": [253, 0]}]).encode()
        changes: dict[str, Entry | None] = {}
        for area in ("filesystem", f"volumes/{enemy.scene.volume}"):
            changes[f"{area}/way"] = link(writer, str(enemy.outside))
            changes[f"attributes/{area}/way="] = file(writer, _PLAIN)
            # What is said to be below a link is below nothing.
            changes[f"attributes/{area}/way+/precious="] = file(writer, device)
            changes[f"attributes/{area}/disk="] = file(writer, device)
        return changes

    enemy.restore(alter)


@pytest.mark.both_strategies
def test_a_link_that_the_agent_put_into_a_volume_is_not_followed(scene: Scene, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "file").write_text("precious\n")
    before = read_tree(outside)
    ends = scene.save_both()
    scripts = (
        f"rm -r /data/kept; ln -s {outside} /data/kept",
        f"rm -r /data/new; ln -s {outside}/deep /data/gone",
        f"rm /data/kept/file; ln -s {outside}/file /data/kept/file",
    )
    for script in campaigns.pick(scripts, 2):
        scene.sh(script)
        scene.line.restore("before")
        assert scene.look() == ends["before"], script
        scene.line.restore("after")
        assert read_tree(outside) == before, script


WIDER: dict[str, Callable[[dict[str, Any]], object]] = {
    "privileged": lambda raw: raw["host"].update(Privileged=True),
    "a bind": lambda raw: raw["host"].update(Binds=["/:/host"]),
    "a mount": lambda raw: raw["host"].update(Mounts=[{"Type": "bind", "Source": "/etc", "Target": "/host"}]),
    "all processes": lambda raw: raw["host"].update(PidMode="host"),
    "a capability": lambda raw: raw["host"].update(CapAdd=["SYS_ADMIN"]),
    "a device": lambda raw: raw["host"].update(Devices=[{"PathOnHost": "/dev/vda", "PathInContainer": "/dev/x"}]),
    "a volume of the host": lambda raw: [
        each.update(options={"type": "none", "o": "bind", "device": "/etc"}) for each in raw["volumes"].values()
    ],
    "a volume above": lambda raw: [each.update(name="../../../etc") for each in raw["volumes"].values()],
    "no image": lambda raw: raw.update(image={}),
    "no configuration": lambda raw: raw.update(config=[]),
}


def test_settings_that_would_give_the_container_the_machine_are_refused(enemy: Enemy) -> None:
    for name, change in WIDER.items():
        assert enemy.restore(enemy.settings(change)) is not None, name


def test_somebody_elses_volume_is_not_written_to(enemy: Enemy, boxes: Boxes) -> None:
    theirs = boxes.volume("theirs")
    victim = boxes.create("victim", volumes={theirs: {"bind": "/data"}})
    boxes.engine.api.start(victim)
    boxes.sh(victim, "echo precious >/data/precious")
    boxes.engine.api.stop(victim)

    def alter(writer: Writer) -> Changes:
        def rename(raw: dict[str, Any]) -> None:
            text = json.dumps(raw).replace(enemy.scene.volume, theirs)
            raw.clear()
            raw.update(json.loads(text))

        changes = dict(enemy.settings(rename)(writer))
        view = trees.TreeView(writer.reader, enemy._part.refs["content"])
        for group in ("volumes", "attributes/volumes"):
            changes[f"{group}/{theirs}"] = view.get(f"{group}/{enemy.scene.volume}")
        return changes

    label = enemy._record(alter)
    try:
        enemy.scene.line.restore(label)
    except tb.TakebackError as error:
        assert error.exit_code != 1
    boxes.engine.api.start(victim)
    assert boxes.sh(victim, "cat /data/precious") == "precious\n"
