"""A real server of the web page, and programs that speak to it over a real socket."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import takeback as tb
from takeback import locate
from takeback.views.desk import Desk
from takeback.web import serving
from takeback.web.serving import Server

_PATIENCE = 60

HOSTILE = "<img src=x onerror=alert(1)>.txt"
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001"
    "5e36c8140000000049454e44ae426082"
)


def record(base: Path) -> tuple[Path, Path]:
    """A project with two turns of an agent, in a store beside it: the root and the store."""
    root, store = base / "project", base / "store"
    root.mkdir(parents=True)
    (root / "app.py").write_text("def main():\n    return 1\n")
    (root / "notes.txt").write_text("a person's notes\n")
    (root / "pixel.png").write_bytes(PIXEL)
    with tb.open(store) as opened:
        memory = {"messages": [{"role": "user", "content": "hello"}]}
        line = opened.timeline("main", sources=[tb.Workspace(root), tb.State("memory", memory)])
        line.save("begin")
        with line.turn("fix the <b>bug</b>", session="session-1"):
            (root / "app.py").write_text("def main():\n    return 2\n")
            (root / HOSTILE).write_text("<script>alert(1)</script>\n")
            memory["messages"].append({"role": "assistant", "content": "<script>alert(1)</script>"})
        with line.turn("add a module \N{GRINNING FACE}", session="session-2"):
            (root / "new.py").write_text("import os\n")
    return root, store


def save_live(root: Path, store: Path, label: str) -> None:
    """A snapshot that somebody else makes while the page is open."""
    (root / "live.txt").write_text(label)
    with tb.open(store) as opened:
        opened.timeline("main", sources=[tb.Workspace(root)]).save(label)


@dataclass(frozen=True)
class Answered:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        assert self.headers["content-type"] == "application/json", (self.status, self.body[:400])
        return json.loads(self.body)

    @property
    def error(self) -> Any:
        error = self.json["error"]
        assert error["message"] and {"type", "message", "hints", "code"} <= error.keys()
        return error


@dataclass
class Client:
    """Asks a server as a browser would that has opened the page; each thing that it sends can be left out or changed."""

    port: int
    cookie: str = ""
    csrf: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> Answered:
        """One request; a header that is None is not sent."""
        sent: dict[str, str | None] = {"Host": f"127.0.0.1:{self.port}", "Cookie": self.cookie or None}
        if method == "POST":
            sent |= {"Content-Type": "application/json", "X-Takeback-CSRF": self.csrf or None}
        sent |= {**self.headers, **(headers or {})}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_PATIENCE)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                if value is not None:
                    connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            got = connection.getresponse()
            return Answered(got.status, {name.lower(): value for name, value in got.getheaders()}, got.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str | None) -> Answered:
        return self.ask("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def post(self, path: str, value: Any = None, **headers: str | None) -> Answered:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.ask("POST", path, json.dumps({} if value is None else value).encode(), named)

    def job(self, path: str, value: Any = None) -> Any:
        """Ask for some work, and wait for it; what came of it."""
        answer = self.post(path, value) if value is not None else self.get(path)
        id = answer.json["job"]
        while (job := self.get(f"/api/jobs/{id}").json)["state"] == "running":
            time.sleep(0.02)
        return job

    def enter(self, server: Server) -> None:
        """Exchange the token for the cookie, as a browser does."""
        got = self.get(server.url().partition(f":{self.port}")[2])
        assert got.status == 303, got
        self.cookie = got.headers["set-cookie"].partition(";")[0]
        self.csrf = self.get("/api/about").json["csrf"]

    def raw(self, sent: bytes) -> bytes:
        """All that is answered to some bytes; a server need not take them all."""
        pieces: list[bytes] = []
        with socket.create_connection(("127.0.0.1", self.port), timeout=_PATIENCE) as connection:
            try:
                connection.sendall(sent)
                connection.shutdown(socket.SHUT_WR)
            except (BrokenPipeError, ConnectionResetError):
                pass
            try:
                while piece := connection.recv(1 << 16):
                    pieces.append(piece)
            except ConnectionResetError:
                pass
        return b"".join(pieces)

    @contextmanager
    def listening(self, timeout: float = _PATIENCE) -> Iterator[Iterator[tuple[str, Any]]]:
        """The events of the server, by name and value, as they come."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        connection.request("GET", "/api/events", headers={"Cookie": self.cookie})
        got = connection.getresponse()
        try:
            assert got.status == 200, got.read()
            yield _events(got)
        finally:
            connection.close()


def _events(stream: http.client.HTTPResponse) -> Iterator[tuple[str, Any]]:
    event = ""
    while line := stream.readline():
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name == "event":
            event = value
        elif name == "data":
            yield event, json.loads(value)


@contextmanager
def served(root: Path, store: Path, *, port: int = 0, **options: Any) -> Iterator[Server]:
    """A server of a project, in a thread of this process."""
    with Desk(locate.place(str(root), store=str(store))) as desk:
        server = Server(desk, serving.bind("127.0.0.1", port), "127.0.0.1", raises=True, **options)
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            yield server
        finally:
            server.stop()
            thread.join(_PATIENCE)
            assert not thread.is_alive()


@contextmanager
def opened(root: Path, store: Path, **options: Any) -> Iterator[Client]:
    """Somebody who has opened the page of a project."""
    with served(root, store, **options) as server:
        client = Client(server.address.port)
        client.enter(server)
        yield client
