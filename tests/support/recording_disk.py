"""A disk that writes down what it is told to do: every write with its bytes, and every flush, in order.

It is one file, served by this program through the kernel's FUSE protocol and meant to lie under a loop device. A loop
device passes a filesystem's flushes on as fsync, so the log says exactly what a power cut may take away: whatever was
written after the last flush. Run as a program (`support.power_cut` does): ``recording_disk.py PLACE IMAGE LOG``.

The protocol is the kernel's ``include/uapi/linux/fuse.h``; a mount whose root is a regular file needs few requests.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_IN = struct.Struct("<IIQQIIIHH")
_OUT = struct.Struct("<IiQ")
_ATTR = struct.Struct("<QII QQQQQQ III IIIIIII")
_IO = struct.Struct("<QQIIQII")
_INIT_OUT = struct.Struct("<IIIIHHIIHHIIH22x")

_FORGET, _GETATTR, _SETATTR, _OPEN, _READ, _WRITE = 2, 3, 4, 14, 15, 16
_RELEASE, _FSYNC, _FLUSH, _INIT, _ACCESS, _INTERRUPT, _DESTROY, _BATCH_FORGET = 18, 20, 25, 26, 34, 36, 38, 42
_BIG_WRITES, _MAX_PAGES = 1 << 5, 1 << 22
_MOST = 1 << 20

_RECORD = struct.Struct("<cQI")


@dataclass(frozen=True)
class Write:
    """``data`` was written at ``offset``."""

    offset: int
    data: bytes


@dataclass(frozen=True)
class Flush:
    """All that was written before is safe."""


def read_log(path: Path) -> Iterator[tuple[int, Write | Flush]]:
    """What the disk was told, each with the position in the log that follows it."""
    data = path.read_bytes()
    position = 0
    while position < len(data):
        kind, offset, length = _RECORD.unpack_from(data, position)
        position += _RECORD.size + length
        yield position, Write(offset, data[position - length : position]) if kind == b"w" else Flush()


class Disk:
    """The image, the log, and the answers to the kernel; all by descriptor."""

    def __init__(self, image: int, log: int, device: int) -> None:
        self._image = image
        self._log = log
        self._device = device
        self._size = os.fstat(image).st_size

    def serve(self) -> None:
        """Answer until it is unmounted."""
        while True:
            try:
                request = os.read(self._device, _MOST + (1 << 16))
            except OSError as error:
                if error.errno == errno.ENODEV:
                    return
                if error.errno in (errno.EINTR, errno.EAGAIN, errno.ENOENT):
                    continue
                raise
            _, opcode, unique, *_ = _IN.unpack_from(request)
            if opcode in (_FORGET, _BATCH_FORGET, _INTERRUPT):
                continue
            try:
                answer, failed = self._answer(opcode, memoryview(request)[_IN.size :]), 0
            except OSError as error:
                answer, failed = b"", -(error.errno or errno.EIO)
            os.write(self._device, _OUT.pack(_OUT.size + len(answer), failed, unique) + answer)

    def _answer(self, opcode: int, body: memoryview) -> bytes:
        if opcode == _INIT:
            flags = _BIG_WRITES | _MAX_PAGES
            return _INIT_OUT.pack(7, 31, 1 << 17, flags, 16, 12, _MOST, 1, _MOST >> 12, 0, 0, 0, 0)
        if opcode in (_GETATTR, _SETATTR):
            return _ATTR.pack(
                3600, 0, 0, 1, self._size, self._size >> 9, 0, 0, 0, 0, 0, 0, 0o100600, 1, 0, 0, 0, 4096, 0
            )
        if opcode == _OPEN:
            return struct.pack("<QII", 1, 0, 0)
        if opcode == _READ:
            _, offset, length, *_ = _IO.unpack_from(body)
            return os.pread(self._image, length, offset)
        if opcode == _WRITE:
            _, offset, length, *_ = _IO.unpack_from(body)
            data = body[_IO.size : _IO.size + length]
            self._note(b"w", offset, data)
            os.pwrite(self._image, data, offset)
            return struct.pack("<II", length, 0)
        if opcode == _FSYNC:
            self._note(b"f", 0, memoryview(b""))
            return b""
        if opcode in (_RELEASE, _FLUSH, _ACCESS, _DESTROY):
            return b""
        raise OSError(errno.ENOSYS, "not needed for a disk")

    def _note(self, kind: bytes, offset: int, data: memoryview) -> None:
        """In one write, before the kernel hears that it is done: who sees the answer finds the record in the log."""
        os.write(self._log, _RECORD.pack(kind, offset, len(data)) + bytes(data))


def main() -> None:
    place, image, log = sys.argv[1:]
    device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    options = f"fd={device},rootmode=100600,user_id=0,group_id=0,max_read={_MOST}".encode()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"takeback-disk", os.fsencode(place), b"fuse", 0, options):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), place)
    print("ready", flush=True)
    Disk(os.open(image, os.O_RDWR), os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), device).serve()


if __name__ == "__main__":
    main()
