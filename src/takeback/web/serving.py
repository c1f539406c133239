"""The server itself: bound before anything is said, run by uvicorn, and ended without leaving anything half done.

It ends by SIGINT, SIGTERM or SIGHUP. Pages that listen are let go first, because uvicorn waits for every answer to end and
theirs never would; then work that is under way is asked to stop, and a restore that has begun takes itself back or ends.
A second signal does not wait.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

from takeback.errors import InvalidInput, Unavailable
from takeback.web.addresses import Address
from takeback.web.keys import Keys

if TYPE_CHECKING:
    from takeback.views.desk import Desk

PORT = 7433
"""The port that is tried first if none was asked for."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_OFTEN = 0.05
"""Seconds between two looks whether a second signal has come."""
_MOST_CONNECTIONS = 256


def check_installed() -> None:
    """Unavailable without the extra."""
    try:
        import anyio  # noqa: F401
        import jinja2  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise Unavailable(
            f"the web page needs the package {error.name}, which is not installed",
            hints=["pip install 'takeback[web]'"],
        ) from None


def bind(host: str, port: int | None) -> socket.socket:
    """A socket that listens; with no port, `PORT` or, if that is taken, any that is free."""
    if port is not None:
        return _bound(host, port)
    try:
        return _bound(host, PORT)
    except Unavailable:
        return _bound(host, 0)


class Server:
    """One server: its address, its secrets, and its run."""

    def __init__(
        self,
        desk: Desk,
        listening: socket.socket,
        host: str,
        *,
        read_only: bool = False,
        raises: bool = False,
        told: Callable[[Exception], None] | None = None,
    ) -> None:
        from takeback.web.app import application
        from takeback.web.shared import Shared

        self.keys = Keys()
        self.address = Address(host, listening.getsockname()[1])
        self.shared = Shared(desk, self.keys, read_only=read_only, raises=raises, told=told)
        self.app = application(self.shared, self.address)
        self._socket = listening
        self._uvicorn = _server(self.app, self._end)

    def url(self, token: str | None = None) -> str:
        """What a browser is to open, with the token, or with a pass in its place."""
        return f"http://{self.address.authority}/?token={token or self.keys.token}"

    def run(self, begin: Callable[[], None] = lambda: None) -> bool:
        """Serve until a signal comes, or `stop` is called; whether all that was under way has ended. ``begin`` is called
        when signals end it and who connects is heard."""
        import asyncio

        with _ended_by_signals(self.stop):
            begin()
            asyncio.run(self._uvicorn.serve(sockets=[self._socket]))
        return not self.shared.jobs.running()

    def stop(self) -> None:
        """End, from any thread; called again, without waiting."""
        if self._uvicorn.should_exit:
            self._uvicorn.force_exit = True
        self._uvicorn.should_exit = True

    async def _end(self) -> None:
        self.shared.hub.close()
        import asyncio

        ending = threading.Thread(target=self.shared.end, daemon=True)  # none of asyncio's: those are always waited for
        ending.start()
        while ending.is_alive() and not self._uvicorn.force_exit:
            await asyncio.sleep(_OFTEN)


def _server(app: Any, before_end: Callable[[], Any]) -> Any:
    import uvicorn

    class Ending(uvicorn.Server):
        """uvicorn's server, which lets go of those who listen before it waits for all to go; signals are ours."""

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            await before_end()
            await super().shutdown(sockets)

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        loop="asyncio",
        lifespan="off",
        interface="asgi3",
        access_log=False,  # addresses hold what is looked for, and once the token
        log_config=None,
        log_level="critical",
        proxy_headers=False,  # nobody stands before us who could say where a request comes from
        server_header=False,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=1,
    )
    return Ending(config)


@contextmanager
def _ended_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        stop()

    before = {number: signal.signal(number, end) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except (OSError, UnicodeError):
        raise InvalidInput(
            f"{host!r} is no address of this machine", hints=["leave --host out to be reached from here alone"]
        ) from None
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(place)
        made.listen(128)
    except OSError as error:
        made.close()
        raise _unbound(host, port, error) from None
    return made


def _unbound(host: str, port: int, error: OSError) -> Unavailable | InvalidInput:
    if error.errno == errno.EADDRINUSE:
        return Unavailable(
            f"port {port} of {host} is in use by another program",
            hints=["takeback web --port ANOTHER", "without --port, one that is free is taken"],
        )
    if error.errno == errno.EACCES:
        return Unavailable(f"port {port} may not be used by you", hints=["ports from 1024 on may"])
    if error.errno == errno.EADDRNOTAVAIL:
        return InvalidInput(
            f"{host} is no address of this machine", hints=["leave --host out to be reached from here alone"]
        )
    return Unavailable(f"cannot listen on port {port} of {host}: {os.strerror(error.errno or 0)}")
