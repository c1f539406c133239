"""Who listens, and what they are told as it happens: snapshots that arrive, work that goes on.

What happens is heard in threads and told in the event loop. Each listener has a queue of its own, with an end: whoever does not
read is let go, connects again, and then looks at everything anew, as every page does when it connects. While nobody
listens, nobody watches the store.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from takeback.errors import Unavailable
from takeback.web.encoding import encoded

if TYPE_CHECKING:
    from takeback.views.desk import Desk
    from takeback.views.live import Heard, Live

MOST_LISTENERS = 64
_QUEUE = 256
HEARTBEAT = 15.0
"""Seconds of silence after which something is said, so that a connection that is gone is noticed."""


class Listener:
    """One that is told; only the event loop touches it."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue(_QUEUE)
        self.ended = False

    def tell(self, message: bytes) -> None:
        if self.ended:
            return
        if self._queue.full():
            self.end()
        else:
            self._queue.put_nowait(message)

    def end(self) -> None:
        """Say no more: what is still waiting is not needed by one who will look anew."""
        self.ended = True
        while not self._queue.empty():
            self._queue.get_nowait()
        self._queue.put_nowait(None)

    async def messages(self) -> AsyncIterator[bytes]:
        """What it is told, with something now and then if there is nothing."""
        yield b"retry: 1000\n: welcome\n\n"
        while True:
            try:
                message = await asyncio.wait_for(self._queue.get(), HEARTBEAT)
            except TimeoutError:
                message = b": still here\n\n"
            if message is None:
                return
            yield message


class Hub:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._listeners: set[Listener] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._live: Live | None = None
        self._changing = threading.Lock()
        self._closed = False

    def __len__(self) -> int:
        """How many listen."""
        return len(self._listeners)

    @property
    def watches(self) -> bool:
        """Whether the store is being watched."""
        return self._live is not None

    def join(self) -> Listener:
        """From now on be told; `adjust` then has to be called, in a thread."""
        if self._closed or len(self._listeners) >= MOST_LISTENERS:
            raise Unavailable("too many pages listen already", hints=["close some of them"])
        self._loop = asyncio.get_running_loop()
        listener = Listener()
        self._listeners.add(listener)
        return listener

    def leave(self, listener: Listener) -> None:
        """Be told no more; `adjust` then has to be called, in a thread."""
        self._listeners.discard(listener)

    def adjust(self) -> None:
        """Watch the store while somebody listens. It waits for a thread to end, so the event loop must not call it."""
        from takeback.views.live import Live

        with self._changing:
            wanted = bool(self._listeners) and not self._closed
            if wanted and self._live is None:
                self._live = Live(self._desk, self._heard)
                self._live.start()
            elif not wanted and self._live is not None:
                self._live.stop()
                self._live = None

    def publish(self, event: str, value: Any) -> None:
        """Tell everybody; from any thread."""
        loop = self._loop
        if loop is None or not self._listeners:
            return
        message = b"event: %b\ndata: %b\n\n" % (event.encode("ascii"), encoded(value))
        try:
            loop.call_soon_threadsafe(self._tell, message)
        except RuntimeError:
            pass  # the server has ended meanwhile

    def close(self) -> None:
        """Let everybody go; in the event loop, when the server ends."""
        self._closed = True
        for listener in list(self._listeners):
            listener.end()

    def _tell(self, message: bytes) -> None:
        for listener in list(self._listeners):
            listener.tell(message)

    def _heard(self, heard: Heard) -> None:
        self.publish("changed", heard)
