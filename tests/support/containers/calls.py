"""What takeback asks of the engine, call by call: to count the calls, and to do something at one of them, such as dying."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import docker

When = Literal["before", "after"]

_VERSION = re.compile(r"^/v[\d.]+")
_NAMES = re.compile(r"(/containers|/images|/volumes|/networks|/exec)/(?!create|json|prune)[^/]+")


@dataclass
class Calls:
    """The calls so far, as ``POST /containers/…/start``."""

    made: list[str] = field(default_factory=list)
    done: bool = False
    """Whether the call was reached."""


@contextmanager
def at_call(
    number: int = 0,
    action: Callable[[], None] = lambda: None,
    when: When = "before",
    *,
    only: str = "",
    later: bool = False,
) -> Iterator[Calls]:
    """Do something before or after the call of that number, the first being 1, and if ``later`` at all that follow. Counted
    are calls that change anything, or those alone that hold ``only``."""
    calls = Calls()
    send = docker.APIClient.send
    busy = False

    def counted(self: Any, request: Any, **options: Any) -> Any:
        nonlocal busy
        text = _text(request)
        if busy or not (only in text if only else not text.startswith(("GET", "HEAD"))):
            return send(self, request, **options)
        calls.made.append(text)
        mine = len(calls.made) == number or (later and len(calls.made) > number)

        def act() -> None:
            nonlocal busy
            calls.done = busy = True
            try:
                action()
            finally:
                busy = False

        if mine and when == "before":
            act()
        answer = send(self, request, **options)
        if mine and when == "after":
            act()
        return answer

    docker.APIClient.send = counted
    try:
        yield calls
    finally:
        docker.APIClient.send = send


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _text(request: Any) -> str:
    path, _, query = _VERSION.sub("", request.path_url).partition("?")
    wanted = " ".join(part for part in query.split("&") if part.startswith(("name=", "path=")))
    return f"{request.method} {_NAMES.sub(chr(92) + '1/…', path)} {wanted}".rstrip()
