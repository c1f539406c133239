"""What a power cut leaves of a real filesystem: recorded once while work is done on it, then cut at any moment.

Work happens on a filesystem on a loop device on a disk that writes down all writes and flushes (`support.recording_disk`).
At the moment of a cut everything before the last flush is there; of what was written after it any part may be, in any
order, and the last sector may be torn. Such an image is mounted as the next boot would.
"""

from __future__ import annotations

import ctypes
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from support import recording_disk
from support.recording_disk import Flush, Write

PATIENCE = 60.0
WAYS = ("all", "none", "some", "torn")
"""What is left of the writes after the last flush."""


@dataclass(frozen=True)
class Filesystem:
    """A kind of filesystem and how it is made and mounted."""

    name: str
    size: int
    make: tuple[str, ...]
    kind: str
    options: str
    sector: int = 512
    """What a disk writes whole, as the filesystem relies on it."""


FILESYSTEMS = [
    Filesystem("ext4", 48 << 20, ("mkfs.ext4", "-q", "-b", "1024", "-J", "size=4"), "ext4", "noatime"),
    Filesystem(
        "ext4, careless",  # data and names in any order: only what is synced can be relied upon
        48 << 20,
        ("mkfs.ext4", "-q", "-b", "1024", "-J", "size=4"),
        "ext4",
        "noatime,data=writeback,noauto_da_alloc,commit=600",
    ),
    Filesystem("xfs", 320 << 20, ("mkfs.xfs", "-q"), "xfs", "noatime"),
    # It mounts nothing whose superblock of 4 KiB is torn.
    Filesystem("btrfs", 128 << 20, ("mkfs.btrfs", "-q"), "btrfs", "noatime,commit=300", sector=4096),
]


def impossible(filesystem: Filesystem) -> str | None:
    """Why this machine cannot do it, if so."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return "power cuts need root on Linux, to mount filesystems"
    if shutil.which(filesystem.make[0]) is None:
        return f"power cuts on {filesystem.kind} need {filesystem.make[0]}"
    return _mounting_fails()


@cache
def _mounting_fails() -> str | None:
    import tempfile

    smallest = Filesystem("probe", 8 << 20, ("mkfs.ext4", "-q"), "ext4", "noatime")
    with tempfile.TemporaryDirectory() as place:
        try:
            with recorded(smallest, Path(place)):
                return None
        except (OSError, subprocess.CalledProcessError) as error:
            return f"power cuts need /dev/fuse, loop devices and mount, which this machine refuses: {error}"


@dataclass(frozen=True)
class Recording:
    """A filesystem that is mounted at ``place``, and what its disk is told."""

    place: Path
    base: Path
    """The image before anything was written."""
    log: Path

    def position(self) -> int:
        """Where the log stands: all that was flushed until now is before it."""
        return self.log.stat().st_size

    def sync(self) -> None:
        """Have everything on the disk, as after a while without work."""
        handle = os.open(self.place, os.O_RDONLY)
        try:
            if ctypes.CDLL(None).syncfs(handle):
                raise OSError("syncfs")
        finally:
            os.close(handle)


@contextmanager
def recorded(filesystem: Filesystem, directory: Path) -> Iterator[Recording]:
    """A new filesystem on a recording disk."""
    base, image, log, disk, place = (directory / name for name in ("base", "image", "log", "disk", "place"))
    with base.open("wb") as file:
        file.truncate(filesystem.size)
    _run(*filesystem.make, str(base))
    _run("cp", "--sparse=always", str(base), str(image))
    disk.touch()
    log.touch()
    place.mkdir()
    program = [sys.executable, recording_disk.__file__, str(disk), str(image), str(log)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        assert server.stdout is not None and server.stderr is not None
        if server.stdout.readline() != b"ready\n":
            server.wait()
            raise OSError(server.stderr.read().decode().strip().splitlines()[-1])
        try:
            with _attached(disk) as device, _mounted(filesystem, device, place):
                yield Recording(place, base, log)
        finally:
            _run("umount", str(disk))


@contextmanager
def booted(filesystem: Filesystem, image: Path, place: Path) -> Iterator[None]:
    """The filesystem in an image, mounted as after a power cut."""
    place.mkdir(exist_ok=True)
    with _attached(image) as device, _mounted(filesystem, device, place):
        yield


class Cuts:
    """Images of cuts at growing positions of a recording."""

    def __init__(self, recording: Recording, directory: Path, filesystem: Filesystem) -> None:
        self._sector = filesystem.sector
        self._log = list(recording_disk.read_log(recording.log))
        self._durable = directory / "durable"
        self._image = directory / "cut"
        self._dice = random.Random(repr(filesystem.name))
        self._done = 0
        self._pending: list[Write] = []
        _run("cp", "--sparse=always", str(recording.base), str(self._durable))
        self.positions = [position for position, _ in self._log]

    def at(self, position: int, way: str) -> Path:
        """The image that a cut leaves, once the log had come to ``position``, which never goes back."""
        while self._done < len(self._log) and self._log[self._done][0] <= position:
            entry = self._log[self._done][1]
            self._done += 1
            if isinstance(entry, Flush):
                _apply(self._durable, self._pending)
                self._pending = []
            else:
                self._pending.append(entry)
        _run("cp", "--sparse=always", "--reflink=auto", str(self._durable), str(self._image))
        _apply(self._image, self._left(way))
        return self._image

    def _left(self, way: str) -> list[Write]:
        pending = self._pending
        if way == "none" or not pending:
            return []
        if way == "all":
            return pending
        if way == "torn":
            last = pending[-1]
            sectors = self._dice.randrange(max(1, len(last.data) // self._sector))
            return [*pending[:-1], Write(last.offset, last.data[: sectors * self._sector])]
        chosen = [each for each in pending if self._dice.random() < 0.5]
        self._dice.shuffle(chosen)
        return _without_overlaps(chosen, pending)


def _without_overlaps(chosen: list[Write], order: list[Write]) -> list[Write]:
    """Two writes to the same place are done in their order; a disk may lose one, but not bring the older one last."""
    places = [(each.offset, each.offset + len(each.data)) for each in chosen]
    if any(a < d and c < b for i, (a, b) in enumerate(places) for c, d in places[:i]):
        return [each for each in order if each in chosen]
    return chosen


def _apply(image: Path, writes: list[Write]) -> None:
    if not writes:
        return
    with image.open("r+b", buffering=0) as file:
        for write in writes:
            os.pwrite(file.fileno(), write.data, write.offset)


@contextmanager
def _attached(file: Path) -> Iterator[str]:
    """A device of a file, until nobody writes to it any more: whoever starts a container meanwhile has for a moment all that is
    mounted mounted too, and what is unmounted here then lives on, and goes on writing."""
    device = _run("losetup", "--find", "--show", str(file)).strip()
    try:
        yield device
    finally:
        _run("losetup", "--detach", device)
        end = time.monotonic() + PATIENCE
        while _holds(device, file):
            assert time.monotonic() < end, f"{file} stays mounted somewhere"
            time.sleep(0.01)


def _holds(device: str, file: Path) -> bool:
    try:
        held = Path("/sys/block", Path(device).name, "loop/backing_file").read_text().rstrip("\n")
    except OSError:
        return False
    return held == str(file)


@contextmanager
def _mounted(filesystem: Filesystem, device: str, place: Path) -> Iterator[None]:
    _run("mount", "-t", filesystem.kind, "-o", filesystem.options, device, str(place))
    try:
        yield
    finally:
        _run("umount", str(place))


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
