"""Whoever leaves the page stops what was looked at for it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from typing import Any

import pytest

from support.web import Client
from takeback.errors import Cancelled
from takeback.model.progress import Listener, Progress

PATIENCE = 60


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], tuple[threading.Event, threading.Event]]:
    """Has something look at the world for ever; tells that it has begun, and that it was stopped."""

    def replaced(name: str) -> tuple[threading.Event, threading.Event]:
        begun, stopped = threading.Event(), threading.Event()

        def work(*arguments: Any) -> None:
            listener: Listener = arguments[-1]
            begun.set()
            try:
                while True:
                    listener(Progress("scan", 1))
                    stopped.wait(0.01)
            except Cancelled:
                stopped.set()
                raise

        monkeypatch.setattr(name, work)
        return begun, stopped

    return replaced


@pytest.mark.parametrize(
    ("work", "method", "path"),
    [
        ("takeback.web.api.diffs.differences", "GET", "/api/diff?a=@"),
        ("takeback.views.counts.counts", "GET", "/api/present"),
        ("takeback.views.choices.plan", "POST", "/api/plan"),
    ],
)
def test_what_is_looked_at_for_a_page_ends_when_the_page_is_left(
    client: Client, endless: Callable[[str], tuple[threading.Event, threading.Event]], work: str, method: str, path: str
) -> None:
    begun, stopped = endless(work)
    body = b'{"verb": "undo"}' if method == "POST" else b""
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nCookie: {client.cookie}\r\n"
        f"X-Takeback-CSRF: {client.csrf}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", client.port), timeout=PATIENCE) as connection:
        connection.sendall(head.encode() + body)
        assert begun.wait(PATIENCE)
        assert not stopped.is_set()
    assert stopped.wait(PATIENCE)
    assert client.get("/api/about").status == 200, "it goes on"
