"""Frames opened before they are asked for, by two threads that decompress while their caller does something else.

A restore needs one frame after the other, and between them makes files, which is the kernel's work. Whatever goes wrong
here is nobody's concern: the frame is then opened once more by the one who needs it, who says what is the matter.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from queue import SimpleQueue

Key = tuple[int, int]
"""Pack and frame."""
Open = Callable[[], bytes]

_THREADS = 2
_AHEAD = 6
"""So many frames are open, or being opened, that nobody has asked for yet."""


class _Slot:
    __slots__ = ("open", "raw", "ready")

    def __init__(self, open: Open) -> None:
        self.open = open
        self.ready = threading.Event()
        self.raw: bytes | None = None


class FramesAhead:
    """The frames of ``order``, each of which is given out once. Close it in the end."""

    def __init__(self, order: Iterable[tuple[Key, Open]]) -> None:
        self._rest: Iterator[tuple[Key, Open]] = iter(order)
        self._slots: dict[Key, _Slot] = {}
        self._queue: SimpleQueue[_Slot | None] = SimpleQueue()
        for _ in range(_THREADS):
            threading.Thread(target=self._run, name="takeback-open", daemon=True).start()

    def take(self, key: Key) -> bytes | None:
        """A frame that was opened ahead; None if it was not, or could not be."""
        slot = self._slots.pop(key, None)
        while len(self._slots) < _AHEAD and (following := next(self._rest, None)) is not None:
            coming = self._slots[following[0]] = _Slot(following[1])
            self._queue.put(coming)
            if slot is None and following[0] == key:
                slot = self._slots.pop(key)
        if slot is None:
            return None
        slot.ready.wait()
        return slot.raw

    def close(self) -> None:
        self._rest = iter(())
        self._slots.clear()
        for _ in range(_THREADS):
            self._queue.put(None)

    def _run(self) -> None:
        while (slot := self._queue.get()) is not None:
            try:
                slot.raw = slot.open()
            except BaseException:
                pass  # as the docstring says
            finally:
                slot.ready.set()
