"""A way to an engine that can be shut: for whoever goes through it Docker is down then, and for nobody else."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path


class Doorway:
    """Listens at a socket of its own and passes everything on, until it is shut; what is under way then is cut off."""

    def __init__(self, path: Path, engine: str) -> None:
        self.path, self._engine = path, engine.removeprefix("unix://")
        self._listener: socket.socket | None = None
        self._under_way: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self.open()

    @property
    def address(self) -> str:
        return f"unix://{self.path}"

    def open(self) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen()
        self._start(self._accept, self._listener)

    def shut(self) -> None:
        listener, self._listener = self._listener, None
        if listener is None:
            return
        os.unlink(self.path)
        _cut(listener)
        for each in list(self._under_way):
            _cut(each)
        for thread in self._threads:
            thread.join()
        for each in (listener, *self._under_way):
            each.close()
        self._threads, self._under_way = [], []

    def _start(self, work: Callable[..., None], *arguments: socket.socket) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                guest, _ = listener.accept()
            except OSError:
                return
            host = socket.socket(socket.AF_UNIX)
            host.connect(self._engine)
            self._under_way += [guest, host]
            self._start(_pass_on, guest, host)
            self._start(_pass_on, host, guest)


def _pass_on(one: socket.socket, other: socket.socket) -> None:
    try:
        while piece := one.recv(1 << 16):
            other.sendall(piece)
    except OSError:
        pass
    _cut(other, socket.SHUT_WR)


def _cut(connection: socket.socket, how: int = socket.SHUT_RDWR) -> None:
    try:
        connection.shutdown(how)
    except OSError:
        pass
