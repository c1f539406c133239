"""Writing a pack in the background: two threads seal frames, one writes them in order, the caller goes on.

At most `IN_FLIGHT` frames are in memory; whoever adds one more waits. An error in any thread is raised by the next
`add` or by `finish`, and the backend then keeps nothing. What it kept is compared with what it was given. Between
`close` and `finish` the caller can fill another pack.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue

from takeback.errors import NotFound, TakebackError, Unavailable
from takeback.store.backend import Backend
from takeback.store.packs.frames import Frame
from takeback.store.packs.pack import (
    Contents,
    FrameSpan,
    PackEntry,
    encode_end,
    encode_header,
    frame_place,
    object_name,
)
from takeback.store.packs.sealing import Sealer

IN_FLIGHT = 8
_SEALERS = 2


class _Abandoned(Exception):
    """Ends the writing of a pack that nobody wants any more."""


class PackWriter:
    """One pack from its first frame to its name. ``size`` is what has been written so far."""

    def __init__(self, name: str, number: int, backend: Backend, sealer: Sealer) -> None:
        self.name = name
        self.number = number
        self.size = 0
        self.frames: list[FrameSpan] = []
        self.entries: list[PackEntry] = []
        self._count = 0
        self._backend = backend
        self._sealer = sealer
        self._closed = False
        self._abandoned = False
        self._ended = False
        self._error: BaseException | None = None
        self._slots = threading.Semaphore(IN_FLIGHT)
        self._to_seal: SimpleQueue[Frame | None] = SimpleQueue()
        self._to_write: SimpleQueue[Frame | None] = SimpleQueue()
        self._working = [
            _start("takeback-pack", self._write),
            *(_start("takeback-seal", self._seal) for _ in range(_SEALERS)),
        ]

    def add(self, frame: Frame) -> None:
        self._slots.acquire()
        if self._error is not None:
            self._slots.release()
            raise self._error
        frame.number = self._count
        self._count += 1
        self.entries += frame.entries(frame.number)
        self._to_seal.put(frame)
        self._to_write.put(frame)

    def close(self) -> None:
        """No frame follows; what is left is written in the background, until `finish`."""
        if not self._closed:
            self._to_write.put(None)
            for _ in range(_SEALERS):
                self._to_seal.put(None)
            self._closed = True

    def finish(self) -> None:
        """Wait until the pack stands under its name, durable."""
        self._end()
        if self._error is not None:
            raise self._error

    def abandon(self) -> None:
        """Stop as soon as can be. A pack that had its name already keeps it."""
        self._abandoned = True
        self._end()

    def _end(self) -> None:
        self.close()
        for ended in self._working:
            ended.wait()
        self._working = []

    def _seal(self) -> None:
        while (frame := self._to_seal.get()) is not None:
            try:
                if not self._abandoned and self._error is None:
                    frame.sealed = frame.seal(frame_place(self.name, frame.number), self._sealer)
            except BaseException as error:
                frame.error = error
            frame.sealing.set()

    def _write(self) -> None:
        try:
            self.size = self._backend.put(object_name(self.name), self._chunks())
            self._check_kept()
            return
        except _Abandoned:
            self._error = TakebackError("the pack was abandoned")
        except BaseException as error:
            self._error = error
        while not self._ended and self._to_write.get() is not None:  # whoever waits in `add` goes on, to see the error
            self._slots.release()

    def _check_kept(self) -> None:
        """Ask the backend for what it was just given: whoever refers to it next may give up the only other copy."""
        try:
            size = self._backend.size(object_name(self.name))
        except NotFound:
            size = 0
        if size != self.size:
            raise Unavailable(
                f"the store's backend took pack {self.name}, but has {size} of its {self.size} bytes. Nothing was recorded.",
                hints=["run the same command again", "if it happens again, check the disk or the bucket"],
            )

    def _chunks(self) -> Iterator[bytes]:
        header = encode_header(self.name)
        self.size = len(header)
        yield header
        while (frame := self._to_write.get()) is not None:
            try:
                yield self._sealed(frame)
            finally:
                frame.sealed = None
                if not frame.keep:
                    frame.raw = None
                self._slots.release()
        self._ended = True
        if self._abandoned:
            raise _Abandoned
        yield encode_end(self.name, Contents(self.frames, self.entries), self._sealer)

    def _sealed(self, frame: Frame) -> bytes:
        frame.sealing.wait()
        if frame.error is not None:
            raise frame.error
        if self._abandoned or frame.sealed is None:
            raise _Abandoned
        self.frames.append(FrameSpan(self.size, len(frame.sealed), frame.raw_length))
        self.size += len(frame.sealed)
        return frame.sealed


def _start(name: str, work: Callable[[], None]) -> threading.Event:
    """Work in a thread; what is given is set once that has ended. (A `join` that Ctrl-C interrupts can take a running
    thread for one that has ended, and what that writes would then be left behind.)"""
    ended = threading.Event()

    def run() -> None:
        try:
            work()
        finally:
            ended.set()

    try:
        threading.Thread(target=run, name=name, daemon=True).start()
    except RuntimeError as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            raise error.__context__ from None  # it came inside of Python's own locks
        raise
    return ended
