from __future__ import annotations

from pathlib import Path

import pytest
from docker.types import Mount as Wanted

from support.containers.boxes import Boxes
from takeback.model.snapshot import NotCaptured
from takeback.sources.container import mounts
from takeback.sources.container.creating import create, has_volume
from takeback.sources.container.daemon import Daemon, Mount
from takeback.sources.container.describing import settings_of

pytestmark = pytest.mark.service("docker")


@pytest.fixture
def daemon(boxes: Boxes) -> Daemon:
    return Daemon(boxes.engine.api)


def test_what_is_captured_and_what_is_not_is_said(boxes: Boxes, daemon: Daemon, tmp_path: Path) -> None:
    data = boxes.volume("data")
    name = boxes.run(
        volumes=[f"{data}:/data", f"{data}:/again:ro", "/100%/unnamed", f"{tmp_path}:/shown/here:ro"],
        tmpfs={"/run": "size=1m"},
        mounts=[Wanted("/memory", None, type="tmpfs")],
    )
    found, missing = mounts.captured(daemon.inspect(name))
    assert [(each.area, each.destination) for each in found] == [
        ("volumes/at%2F100%25%2Funnamed", "/100%/unnamed"),
        (f"volumes/{data}", "/again"),
    ]
    assert missing == [
        NotCaptured("tmpfs/%2Fmemory", "tmpfs", "/memory"),
        NotCaptured("tmpfs/%2Frun", "tmpfs", "/run"),
        NotCaptured("binds/%2Fshown%2Fhere", "bind mount", f"{tmp_path}, a directory of the host"),
        NotCaptured("processes", "process memory", "they begin anew after a restore"),
    ]


def test_bind_mounts_are_captured_when_asked_for_and_volumes_are_not_when_not(
    boxes: Boxes, daemon: Daemon, tmp_path: Path
) -> None:
    name = boxes.create(volumes=[f"{boxes.volume('data')}:/data", f"{tmp_path}:/shown"])
    found, missing = mounts.captured(daemon.inspect(name), volumes=False, binds=True)
    assert [(each.area, each.source) for each in found] == [("binds/%2Fshown", str(tmp_path))]
    assert [(each.path, each.reason) for each in missing] == [(f"volumes/{boxes.name('data')}", "volume")]


def test_a_mount_knows_what_is_mounted_inside_it(boxes: Boxes, daemon: Daemon) -> None:
    name = boxes.create(volumes=["/a", "/a/b/c", "/ab", "/a/d"])
    found = {each.destination: each for each in mounts.mounts_of(daemon.inspect(name))}
    assert mounts.nested(found.values(), found["/a"]) == ["b/c", "d"]
    assert mounts.nested(found.values(), found["/ab"]) == []


def test_who_else_uses_a_volume_is_known(boxes: Boxes, daemon: Daemon) -> None:
    data = boxes.volume("data")
    first = boxes.run("first", volumes=[f"{data}:/data"])
    second = boxes.run("second", volumes=[f"{data}:/elsewhere:ro"])
    boxes.create("stopped", volumes=[f"{data}:/data"])
    boxes.run("other", volumes=[f"{boxes.volume('other')}:/{data}"])
    assert mounts.users(daemon, data) == [first, second]
    assert mounts.users(daemon, data, but=[daemon.inspect(first).id]) == [second]


def test_a_copy_with_new_volumes_shares_none(boxes: Boxes, daemon: Daemon) -> None:
    lender = boxes.run("lender", volumes=[f"{boxes.volume('lent')}:/lent", "/lent-unnamed"])
    data = boxes.volume("data", labels={"whose": "ours"})
    name = boxes.run(
        volumes=[f"{data}:/data", f"{data}:/again:ro", "/unnamed"],
        mounts=[Wanted("/by-mount", boxes.volume("mounted"))],
        volumes_from=[f"{lender}:ro"],
    )
    copy = boxes.own("container", boxes.name("copy"))
    boxes.volume(f"copy-{data}")  # somebody's already
    taken = boxes.own("volume", f"{copy}-{data}")
    boxes.engine.api.create_volume(taken)
    settings, names = mounts.with_new_volumes(
        settings_of(daemon, daemon.inspect(name)), copy, lambda each: has_volume(daemon, each)
    )
    assert names == {
        data: f"{copy}-{data}-2",
        boxes.name("mounted"): f"{copy}-{boxes.name('mounted')}",
        boxes.name("lent"): f"{copy}-{boxes.name('lent')}",
    }
    for each in names.values():
        boxes.own("volume", each)
    boxes.own("container", copy)  # goes before its volumes
    made = create(daemon, settings, copy)
    assert [note for note in made.notes if "read-only" not in note] == []
    before = {each.name for each in mounts.mounts_of(daemon.inspect(name))}
    after = {each.destination: each for each in mounts.mounts_of(made.box)}
    assert not before & {each.name for each in after.values()}
    assert after.keys() == {"/data", "/again", "/unnamed", "/by-mount", "/lent", "/lent-unnamed"}
    assert after["/data"].name == after["/again"].name and not after["/again"].writable and not after["/lent"].writable
    assert {each.destination for each in made.new} == after.keys()
    assert boxes.engine.api.inspect_volume(names[data])["Labels"] == {"whose": "ours"}


def test_every_volume_has_an_area_of_its_own() -> None:
    """Drivers other than the engine's own may allow any name."""
    of = [
        Mount("volume", "/a", "data"),
        Mount("volume", "/a", "team/data"),
        Mount("volume", "/a", "team%2Fdata"),
        Mount("volume", "/a", "at%2Fa"),
        Mount("volume", "/a", "ab" * 32, anonymous=True),
        Mount("bind", "/a"),
    ]
    areas = [each.area for each in of]
    assert len(set(areas)) == len(of) and all(area.count("/") == 1 for area in areas)


def test_a_volume_name_of_the_engine_is_told_from_one_that_was_given() -> None:
    assert mounts.is_anonymous("ab" * 32)
    assert not mounts.is_anonymous("data") and not mounts.is_anonymous("AB" * 32) and not mounts.is_anonymous("")


@pytest.mark.parametrize(
    ("bind", "parts"),
    [
        ("/host:/inside", ("/host", "/inside", "")),
        ("data:/inside:ro,z", ("data", "/inside", "ro,z")),
        ("/inside", ("", "/inside", "")),
    ],
)
def test_a_bind_is_taken_apart(bind: str, parts: tuple[str, str, str]) -> None:
    assert mounts.parse_bind(bind) == parts
