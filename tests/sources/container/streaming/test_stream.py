"""The strategy against a real engine: what it reads is what the other one reads, and what it writes is what was read."""

from __future__ import annotations

import copy
import io
import os
import shutil
import socket
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.containers.boxes import Boxes
from takeback.errors import Conflict, NotFound, TakebackError, Unavailable
from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.model.snapshot import NotCaptured
from takeback.model.tree import name_text
from takeback.sources.container.daemon import Daemon, Inspected, Mount
from takeback.sources.container.found import Found, is_bookkeeping
from takeback.sources.container.hashing import Hashing
from takeback.sources.container.overlay.access import Overlay
from takeback.sources.container.overlay.recalling import Recall
from takeback.sources.container.streaming.access import Stream
from takeback.sources.container.streaming.archive import Archive
from takeback.sources.container.streaming.collecting import Collected
from takeback.sources.container.streaming.delta import understand
from takeback.sources.container.streaming.piecemeal import read_file, read_piecemeal
from takeback.sources.container.streaming.transfer import archived
from takeback.sources.container.streaming.window import on_upper, sweep, window
from takeback.store.blobstore import BlobStore, open_memory
from takeback.store.writer import Writer

pytestmark = pytest.mark.service("docker")

CAPABILITY = bytes.fromhex("0100000200040000000000000000000000000000")
FILES = r"""
echo changed >etc/app/settings.ini; echo plain >f; chown 1000:3000000 f; chmod 4755 f
ln f other; mkdir -p d/empty d-d; ln f d/z; ln f d-d/y
ln -s ../../x link; ln -s $(printf '%0150d' 1) long; mkfifo -m 622 p; mknod c c 1 3; mknod b b 7 300
n=$(printf '%0200d' 1); mkdir -p $n/$n; echo deep >$n/$n/file; touch -d '2001-02-03 04:05:06' $n/$n/file
printf odd >"d/$(printf 'x\377y')"; echo u >'d/ümlaut'; echo n >"d/$(printf 'new\nline')"; echo m >d/-rf; : >d/nothing
printf o >"etc/app/$(printf 'o\376')"; chmod 2750 d; chmod 1777 d-d; chown -h 7:8 link; dd if=/dev/urandom of=big bs=64k count=40 2>/dev/null
touch -h -d '2001-02-03 04:05:06' link d/empty
"""
HIDING = """
rm /etc/secret /etc/group; rm -r /usr/share/doc/box; mkdir /usr/share/doc/box; echo anew >/usr/share/doc/box/README
rm -r /home/agent/project/src; echo file >/home/agent/project/src; rm /usr/lib/app/current; mkdir /usr/lib/app/current
chmod 700 /srv; rm /var/log/app.log
"""
HIDES = "usr/share/doc/box"
XATTRS = NotCaptured("filesystem", "xattrs", "the engine's archives show no extended attributes but file capabilities")


@pytest.fixture
def daemon(boxes: Boxes) -> Daemon:
    return Daemon(boxes.engine.api)


@pytest.fixture
def stream(daemon: Daemon) -> Stream:
    return Stream(daemon)


@pytest.fixture
def store() -> Iterator[BlobStore]:
    with open_memory() as found:
        yield found


@pytest.fixture
def writer(store: BlobStore) -> Iterator[Writer]:
    with store.writer() as found:
        yield found


def without_upper(box: Inspected) -> Inspected:
    """As an engine describes it that keeps its images in another way."""
    raw = copy.deepcopy(dict(box.raw))
    raw["GraphDriver"] = {"Name": "overlayfs", "Data": None}
    return Inspected(raw)


def in_order(found: Iterator[Found]) -> list[Found]:
    return sorted(found, key=lambda each: each.path.split("/"))


def upper(box: Inspected) -> Path:
    assert box.upper is not None
    return Path(box.upper)


def on_disk(top: Path) -> dict[str, tuple[object, ...]]:
    """All that a directory holds, by other means."""
    seen: dict[str, tuple[object, ...]] = {}
    for above, directories, files in os.walk(os.fsencode(top)):
        for name in [b".", *directories, *files]:
            path = os.path.join(above, name)
            status = os.lstat(path)
            xattrs = {
                each: os.getxattr(path, each, follow_symlinks=False)
                for each in os.listxattr(path, follow_symlinks=False)
                if not is_bookkeeping(each)
            }
            data: object = os.readlink(path) if os.path.islink(path) else status.st_rdev
            if os.path.isfile(path) and not os.path.islink(path):
                data = (Path(os.fsdecode(path)).read_bytes(), status.st_nlink)
            gone = status.st_mode == 0o20000
            times = () if gone else (status.st_uid, status.st_gid, int(status.st_mtime))
            seen[os.path.relpath(path, os.fsencode(top)).decode("utf-8", "surrogateescape")] = (
                status.st_mode, *times, data, xattrs,
            )  # fmt: skip
    return seen


def made(boxes: Boxes, daemon: Daemon, script: str, **options: object) -> Inspected:
    box = boxes.run(**options)  # type: ignore[arg-type]
    boxes.sh(box, f"cd /; {script}")
    return daemon.inspect(box)


def mount_of(box: Inspected, destination: str) -> Mount:
    (raw,) = (each for each in box.raw["Mounts"] if each["Destination"] == destination)
    return Mount(raw["Type"], destination, raw.get("Name", ""), raw["Source"], raw.get("Driver", ""))


def volume_of(boxes: Boxes, daemon: Daemon, script: str, name: str = "box", **more: object) -> tuple[Inspected, Mount]:
    volume = boxes.volume(f"data-{name}")
    box = boxes.run(name, volumes={volume: {"bind": "/vol", "mode": "rw"}}, **more)  # type: ignore[arg-type]
    boxes.sh(box, f"cd /vol; {script}")
    return daemon.inspect(box), mount_of(daemon.inspect(box), "/vol")


@pytest.mark.parametrize("state", ["running", "paused", "stopped"])
def test_both_strategies_read_the_same_differences(boxes: Boxes, daemon: Daemon, writer: Writer, state: str) -> None:
    box = made(boxes, daemon, FILES + HIDING)
    os.setxattr(upper(box) / "big", "security.capability", CAPABILITY)
    if state == "paused":
        boxes.engine.api.pause(box.id)
    elif state == "stopped":
        boxes.engine.api.stop(box.id)
    box = daemon.inspect(box.name)
    stream, overlay = Stream(daemon), Overlay(daemon, Recall())
    found = list(stream.read_delta(box, writer, Watch()))
    assert found == in_order(overlay.read_delta(box, Hashing(), Watch()))
    assert stream.not_captured == [XATTRS] and overlay.not_captured == []
    assert {each.path for each in found if each.opaque} == {HIDES}
    assert {each.path for each in found if each.kind == "w"} == {"etc/secret", "etc/group", "var/log/app.log"}
    assert {each.link for each in found} == {"", "d-d/y"}
    if state == "paused":
        boxes.engine.api.unpause(box.id)


def test_a_container_is_filled_with_what_another_one_held(
    boxes: Boxes, daemon: Daemon, stream: Stream, writer: Writer
) -> None:
    one = made(boxes, daemon, FILES + HIDING)
    os.setxattr(upper(one) / "big", "security.capability", CAPABILITY)
    found = list(stream.read_delta(one, writer, Watch()))
    two = daemon.inspect(boxes.create("two"))
    stream.fill_delta(two, found, writer.reader.stream)
    assert on_disk(upper(two)) == on_disk(upper(one))
    assert os.getxattr(upper(two) / HIDES, "trusted.overlay.opaque") == b"y"
    assert list(stream.read_delta(two, Hashing(), Watch())) == found
    boxes.engine.api.start(two.id)
    assert boxes.sh(two.name, "ls /usr/share/doc/box; ls /etc; cat /other; stat -c %a /f") == boxes.sh(
        one.name, "ls /usr/share/doc/box; ls /etc; cat /other; stat -c %a /f"
    )


def test_what_an_archive_leaves_out_is_listed(boxes: Boxes, daemon: Daemon, stream: Stream) -> None:
    box = made(boxes, daemon, "mkdir /run/s; echo x >/run/s/f")
    with socket.socket(socket.AF_UNIX) as listening:
        handle = os.open(upper(box) / "run/s", os.O_RDONLY)  # the path itself is too long for an address
        listening.bind(f"/proc/self/fd/{handle}/socket")
        os.close(handle)
    found = [each.path for each in stream.read_delta(box, Hashing(), Watch())]
    assert found == ["", "run", "run/s", "run/s/f"]
    assert stream.not_captured == [XATTRS, NotCaptured("filesystem/run/s/socket", "socket")]


def test_a_volume_is_read_without_what_is_mounted_inside_it(boxes: Boxes, daemon: Daemon, writer: Writer) -> None:
    outer, inner = boxes.volume("outer"), boxes.volume("inner")
    box = boxes.run(volumes={outer: {"bind": "/vol"}, inner: {"bind": "/vol/in"}})
    boxes.sh(box, f"mkdir -p /vol/etc/app; cd /vol; {FILES} echo inside >/vol/in/side")
    inspected = daemon.inspect(box)
    stream = Stream(daemon)
    seen = {}
    for destination in ("/vol", "/vol/in"):
        mount = mount_of(inspected, destination)
        found = list(stream.read_mount(inspected, mount, writer, Watch()))
        assert found == in_order(Overlay(daemon, Recall()).read_mount(inspected, mount, Hashing(), Watch()))
        seen[destination] = {each.path for each in found}
    assert seen["/vol/in"] == {"", "side"}
    assert {"in", "d/ümlaut", "big"} <= seen["/vol"] and "in/side" not in seen["/vol"]


def test_what_a_killed_restore_left_in_a_volume_is_no_part_of_it(boxes: Boxes, daemon: Daemon, writer: Writer) -> None:
    left = ".takeback-waiting-0123456789abcdef"
    box, mount = volume_of(boxes, daemon, f"mkdir {left}; echo x >{left}/x; echo y >.takeback-waiting-0")
    for access in (Stream(daemon), Overlay(daemon, Recall())):
        found = [each.path for each in access.read_mount(box, mount, writer, Watch())]
        assert found == ["", ".takeback-waiting-0"]


def test_a_volume_is_filled_with_what_another_one_held(
    boxes: Boxes, daemon: Daemon, stream: Stream, writer: Writer
) -> None:
    one, mount = volume_of(boxes, daemon, f"mkdir -p etc/app; {FILES} mknod zero c 0 0; chown 9:9 .; chmod 1770 .")
    found = list(stream.read_mount(one, mount, writer, Watch()))
    empty = boxes.volume("empty")
    two = daemon.inspect(boxes.create("two", volumes={empty: {"bind": "/empty"}}))
    other = mount_of(two, "/empty")
    stream.fill_mount(two, other, found, writer.reader.stream)
    assert on_disk(Path(other.source)) == on_disk(Path(mount.source))
    assert list(stream.read_mount(two, other, Hashing(), Watch())) == found


def blob(writer: Writer, data: bytes) -> bytes:
    return writer.put(data, BlobKind.DATA)


def file(writer: Writer, path: str, data: bytes, **more: object) -> Found:
    return Found(path, "f", 0o644, mtime=1_600_000_000, size=len(data), id=blob(writer, data))._replace(**more)  # type: ignore[arg-type]


def test_some_paths_of_a_volume_are_changed_and_no_others(boxes: Boxes, daemon: Daemon, writer: Writer) -> None:
    box, mount = volume_of(
        boxes,
        daemon,
        r"""
        mkdir -p gone/deep kept turns; echo 1 >gone/deep/a; echo 2 >gone/b; echo k >kept/k; echo t >turns/t
        echo f >file; echo -n old >replaced; ln kept/k kept/same; echo x >-rf; echo y >"$(printf 'new\nline')"
        echo z >"$(printf 'odd \377\\ $x')"; mkdir "$(printf 'dir\376')"; echo w >"$(printf 'dir\376')/w"; ln -s kept alias
        """,
    )
    boxes.engine.api.stop(box.id)
    stream = Stream(daemon)
    before = {each.path: each for each in stream.read_mount(box, mount, writer, Watch())}
    going = ["gone", "gone/deep", "gone/deep/a", "gone/b", "turns/t", "-rf", "new\nline"]
    going += [name_text(b"odd \xff\\ $x"), name_text(b"dir\xfe"), name_text(b"dir\xfe/w")]
    after = [
        file(writer, "turns", b"now a file"),
        Found("file", "d", 0o750, 3, 4, 1_600_000_000),
        file(writer, "file/inside", b"in"),
        file(writer, "replaced", b"x" * 3_000_000, mode=0o4711, uid=5),
        before["kept/k"]._replace(path="kept/third", link="kept/k"),
        Found("alias", "l", 0o777, mtime=1_600_000_000, size=5, id=blob(writer, b"/kept")),
    ]
    changes: list[tuple[Found | None, Found | None]] = [(before[path], None) for path in going]
    changes += [(before.get(each.path), each) for each in after]
    stream.change_mount(box, mount, changes, writer.reader.stream)
    found = {each.path: each for each in stream.read_mount(box, mount, writer, Watch())}
    expected = {path: each for path, each in before.items() if path not in going} | {each.path: each for each in after}
    same = {path: each for path, each in found.items() if path not in ("", "kept")}  # whose times moved on
    assert same == {
        path: each._replace(link="kept/k") if each.path.startswith("kept/") else each
        for path, each in expected.items()
        if path not in ("", "kept")
    }


def test_a_directory_that_holds_what_nobody_planned_for_stays(boxes: Boxes, daemon: Daemon, writer: Writer) -> None:
    box, mount = volume_of(boxes, daemon, r"mkdir d; echo a >d/a; mkdir $(printf 'e\377')")
    stream = Stream(daemon)
    before = list(stream.read_mount(box, mount, writer, Watch()))[1:]
    boxes.sh(box.name, r"echo theirs >/vol/d/theirs; echo theirs >/vol/$(printf 'e\377')/theirs")
    boxes.engine.api.stop(box.id)
    stream.change_mount(box, mount, [(each, None) for each in before], writer.reader.stream)
    odd = name_text(b"e\xff")
    left = [each.path for each in stream.read_mount(box, mount, Hashing(), Watch())]
    assert left == ["", "d", "d/theirs", odd, f"{odd}/theirs"]


def test_a_directory_that_nobody_planned_for_is_not_replaced(boxes: Boxes, daemon: Daemon, writer: Writer) -> None:
    box, mount = volume_of(boxes, daemon, "mkdir d; echo theirs >d/theirs; echo f >f")
    boxes.engine.api.stop(box.id)
    stream = Stream(daemon)
    for each in (file(writer, "d", b"now a file"), Found("f", "d", 0o755)):
        with pytest.raises(TakebackError, match="cannot overwrite"):
            stream.change_mount(box, mount, [(None, each)], writer.reader.stream)
    found = {each.path: each.kind for each in stream.read_mount(box, mount, Hashing(), Watch())}
    assert found == {"": "d", "d": "d", "d/theirs": "f", "f": "f"}


def bare_image(boxes: Boxes, programs: str = "") -> str:
    """An image with nothing in it but a file, and some programs of busybox."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as out:
        out.addfile(tarfile.TarInfo("only"))
        for program in programs.split():
            with open(shutil.which("busybox") or "", "rb") as binary:
                out.addfile(out.gettarinfo(fileobj=binary, arcname=f"bin/{program}"), binary)
    tag = boxes.own("image", boxes.name(f"bare{len(programs)}") + ":1")
    boxes.engine.api.import_image_from_data(stream.getvalue(), repository=tag.partition(":")[0], tag="1")
    return tag


@pytest.mark.parametrize(
    ("programs", "path", "lacking"),
    [("", "a", "rm"), ("rm", "d", "rmdir"), ("rm rmdir", name_text(b"\xff"), "sh")],
)
def test_nothing_is_changed_if_the_image_cannot_delete(
    boxes: Boxes, daemon: Daemon, writer: Writer, programs: str, path: str, lacking: str
) -> None:
    full, mount = volume_of(boxes, daemon, r"mkdir d; echo a >a; echo b >d/b; echo x >$(printf '\377')")
    image = bare_image(boxes, programs)
    box = daemon.inspect(boxes.create("bare-box", "none", image=image, volumes={mount.name: {"bind": "/vol"}}))
    stream = Stream(daemon)
    present = list(stream.read_mount(box, mount, writer, Watch()))
    going = [(each, None) for each in present if each.path == path or each.path.startswith(path + "/")]
    with pytest.raises(Unavailable, match=f"has no {lacking}"):
        stream.change_mount(box, mount, [*going, (None, file(writer, "new", b"n"))], writer.reader.stream)
    assert list(stream.read_mount(box, mount, writer, Watch())) == present
    stream.change_mount(box, mount, [(None, file(writer, "new", b"n"))], writer.reader.stream)
    assert boxes.sh(full.name, "cat /vol/new") == "n"


def test_without_the_directory_of_differences_the_same_is_read_path_by_path(
    boxes: Boxes, daemon: Daemon, writer: Writer
) -> None:
    box = made(
        boxes, daemon, FILES + HIDING + "mkdir /many; cd /usr/lib/app; for n in $(seq 100); do echo $n >n$n; done"
    )
    whole = {each.path: each for each in Stream(daemon).read_delta(box, writer, Watch())}
    stream = Stream(daemon)
    found = {each.path: each for each in stream.read_delta(without_upper(box), writer, Watch())}
    gone = {"usr/share/doc/box/deep", "usr/share/doc/box/up"}
    assert found.keys() == whole.keys() | gone
    assert {path for path, each in found.items() if each.kind == "w"} == {
        "etc/secret", "etc/group", "var/log/app.log", *gone,
    }  # fmt: skip
    apart = {each.path for each in whole.values() if each.link}
    assert {path: each for path, each in found.items() if path not in apart | gone} == {
        path: each._replace(opaque=False) for path, each in whole.items() if path not in apart
    }
    assert {path: found[path]._replace(link="") for path in apart} == {
        path: whole[path]._replace(link="") for path in apart
    }
    assert stream.not_captured == [XATTRS]


@pytest.mark.parametrize(
    "listed",
    [
        {"usr/share/doc/box": 0, "usr/share/doc/box/README": 0, "usr/share/doc/box/deep": 2},
        {"usr/share/doc/box": 2, "usr/share/doc/box/README": 1},
    ],
    ids=["by what is gone", "by the directory itself"],
)
def test_engines_may_list_a_directory_made_anew_in_two_ways(
    boxes: Boxes, daemon: Daemon, listed: dict[str, int]
) -> None:
    box = made(boxes, daemon, "cd /usr/share/doc; rm -r box; mkdir box; echo anew >box/README")
    whole, parts = (Collected("filesystem", Hashing(), Watch()) for _ in range(2))
    with window(daemon, box, on_upper(box, readonly=True)) as there:
        with archived(daemon, there, "/takeback", "read") as pieces:
            whole.add(Archive(pieces, "takeback"))
    understand(whole.found, listed)
    assert [path for path, each in whole.found.items() if each.opaque] == [HIDES]
    read_piecemeal(daemon, without_upper(box), parts, listed)
    gone = HIDES + "/deep"
    if gone in listed:
        assert parts.found.pop(gone).kind == "w"
        parts.found[HIDES] = parts.found[HIDES]._replace(opaque=True)
    assert parts.found == whole.found


def test_without_the_directory_of_differences_mounts_are_no_part_of_them(boxes: Boxes, daemon: Daemon) -> None:
    volume = boxes.volume()
    box = made(
        boxes, daemon, "mkdir -p /new/deep; echo s >/new/deep/s; echo v >/new/vol/v; echo h >/etc/app/h",
        volumes={volume: {"bind": "/new/vol"}},
    )  # fmt: skip
    found = [each.path for each in Stream(daemon).read_delta(without_upper(box), Hashing(), Watch())]
    assert found == ["", "etc", "etc/app", "etc/app/h", "new", "new/deep", "new/deep/s", "new/vol"]


def test_without_the_directory_of_differences_a_container_is_filled_through_the_engine(
    boxes: Boxes, daemon: Daemon, stream: Stream, writer: Writer
) -> None:
    one, volume = made(boxes, daemon, FILES), boxes.volume()
    found = [*stream.read_delta(one, writer, Watch()), file(writer, "vol/hidden", b"h")]
    two = daemon.inspect(boxes.create("two", volumes={volume: {"bind": "/vol"}}))
    stream.fill_delta(without_upper(two), found, writer.reader.stream)
    filled = {path: each for path, each in on_disk(upper(two)).items() if path != "."}
    expected = {path: each for path, each in on_disk(upper(one)).items() if path != "."}
    assert {path: each for path, each in filled.items() if not path.startswith("vol")} == expected
    assert not os.listdir(mount_of(two, "/vol").source)


def untimed(area: list[Found]) -> list[Found]:
    """Without the times of directories: one look sees that which is mounted over, the other what is mounted there."""
    return [each._replace(mtime=0) if each.kind == "d" else each for each in area]


def test_a_container_whose_image_is_gone_is_read_without_it(boxes: Boxes, daemon: Daemon, writer: Writer) -> None:
    tag = boxes.own("image", boxes.name("gone") + ":1")
    boxes.engine.api.commit(boxes.run("first"), tag.partition(":")[0], "1", changes="ENV OF=its-own")
    outer, inner = boxes.volume("outer"), boxes.volume("inner")
    name = boxes.run("box", image=tag, volumes={outer: {"bind": "/vol"}, inner: {"bind": "/vol/in"}})
    boxes.sh(name, "echo f >/f; rm /etc/group; echo v >/vol/v; echo i >/vol/in/i")
    box = daemon.inspect(name)
    stream = Stream(daemon)
    areas = [stream.read_mount(box, mount_of(box, place), writer, Watch()) for place in ("/vol", "/vol/in")]
    before = [list(each) for each in (stream.read_delta(box, writer, Watch()), *areas)]
    boxes.engine.api.remove_image(tag, force=True)
    boxes.engine.api.stop(name)
    boxes.engine.api.remove_image(box.image, force=True)
    areas = [stream.read_mount(box, mount_of(box, place), writer, Watch()) for place in ("/vol", "/vol/in")]
    after = [list(each) for each in (stream.read_delta(box, writer, Watch()), *areas)]
    assert [untimed(area) for area in after] == [untimed(area) for area in before]
    with pytest.raises(NotFound, match="No such image"):
        stream.fill_mount(box, mount_of(box, "/vol"), before[1], writer.reader.stream)


def test_one_file_of_a_container_is_read_piece_by_piece(boxes: Boxes, daemon: Daemon) -> None:
    script = (
        r"""dd if=/dev/zero of=/large bs=1024k count=9 2>/dev/null; mkdir /d; echo small >"/d/$(printf '\377 &')" """
    )
    box = made(boxes, daemon, script)
    pieces = list(read_file(daemon, box, "/large"))
    assert b"".join(pieces) == bytes(9 << 20) and max(map(len, pieces)) < 1 << 20
    assert b"".join(read_file(daemon, box, name_text(b"/d/\xff &"))) == b"small\n"
    for path in ("/d", "/missing"):
        with pytest.raises(NotFound):
            list(read_file(daemon, box, path))


def test_deletions_that_cannot_be_made_are_named_and_nothing_is_written(
    boxes: Boxes, daemon: Daemon, stream: Stream, writer: Writer
) -> None:
    found = list(stream.read_delta(made(boxes, daemon, HIDING), writer, Watch()))
    two = daemon.inspect(boxes.create("two"))
    with pytest.raises(Unavailable, match=r"Deleted were /etc/group, /etc/secret, /usr/share/doc/box") as caught:
        stream.fill_delta(without_upper(two), found, writer.reader.stream)
    assert any("overlay" in hint for hint in caught.value.hints)
    assert not boxes.engine.api.diff(two.id)


def test_the_volumes_that_an_image_declares_are_not_made_for_a_window(boxes: Boxes, daemon: Daemon) -> None:
    tag = boxes.own("image", boxes.name("declares") + ":1")
    first = boxes.run("first")
    boxes.engine.api.commit(first, tag.partition(":")[0], "1", changes="VOLUME /var/log")
    box = daemon.inspect(boxes.create("declared", image=tag))

    def volumes(id: str) -> list[str]:
        mounts = boxes.engine.api.inspect_container(id)["Mounts"]
        return [mount["Destination"] for mount in mounts if mount["Type"] == "volume"]

    assert volumes(box.id) == ["/var/log"]
    with window(daemon, box, on_upper(box, readonly=True)) as id:
        assert volumes(id) == []


def test_a_window_is_gone_whatever_happens_and_a_stray_one_is_swept(boxes: Boxes, daemon: Daemon) -> None:
    box = daemon.inspect(boxes.create())
    with pytest.raises(RuntimeError), window(daemon, box, on_upper(box, readonly=True)):
        raise RuntimeError
    assert [thing.name for thing in boxes.mine()] == [box.name]
    stray = window(daemon, box, on_upper(box, readonly=True))
    stray.__enter__()
    assert len(boxes.mine()) == 2
    sweep(daemon, "another")
    assert len(boxes.mine()) == 2
    sweep(daemon, box.name)
    assert [thing.name for thing in boxes.mine()] == [box.name]
    stray.__exit__(None, None, None)


def test_a_container_that_is_gone_is_not_found(boxes: Boxes, daemon: Daemon, stream: Stream) -> None:
    box = daemon.inspect(boxes.create())
    boxes.engine.api.remove_container(box.id)
    with pytest.raises((NotFound, Conflict)):
        stream.read_delta(box, Hashing(), Watch())


def test_content_that_cannot_be_had_leaves_no_window_behind(boxes: Boxes, daemon: Daemon, stream: Stream) -> None:
    box = daemon.inspect(boxes.create())

    def lost(id: bytes) -> Iterator[bytes]:
        raise NotFound("lost")
        yield b""

    with pytest.raises(NotFound, match="lost"):
        stream.fill_delta(box, [Found("", "d", 0o755), Found("f", "f", 0o644, size=5)], lost)
    assert [thing.name for thing in boxes.mine()] == [box.name]
