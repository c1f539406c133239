"""The Engine's API over its socket with nothing but the standard library: for starting an engine, before anything else of the
tests is there, and for asking one that may be gone."""

from __future__ import annotations

import http.client
import json
import socket
from pathlib import Path
from typing import Any


class Connection(http.client.HTTPConnection):
    def __init__(self, path: Path, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


def call(path: Path, method: str, address: str, body: bytes | None = None, timeout: float = 60) -> Any:
    """The parsed answer; `OSError` if there is no engine or if it refuses."""
    connection = Connection(path, timeout)
    try:
        connection.request(method, address, body, {"Content-Type": "application/x-tar"} if body is not None else {})
        answer = connection.getresponse()
        data = answer.read()
    except http.client.HTTPException as error:
        raise OSError(f"{method} {address}: {error!r}") from error
    finally:
        connection.close()
    if answer.status >= 400:
        raise OSError(f"{method} {address}: {answer.status} {data.decode(errors='replace')}")
    try:
        return json.loads(data)
    except ValueError:
        return data.decode()
