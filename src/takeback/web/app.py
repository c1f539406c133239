"""The routes, joined: Starlette finds the handler, `endpoint` makes a request of it and an answer of what it returns.

A handler is a plain function of what is shared and what was asked for. It runs in a thread, returns what becomes JSON or an
answer of its own, and raises what takeback raises. Anything else it raises is a bug: the answer then says only that.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from takeback.errors import InvalidInput, TakebackError
from takeback.web.addresses import Address
from takeback.web.answers import failed, json_answer, missing_page, refused, strict
from takeback.web.asked import MOST_BYTES, Asked
from takeback.web.gate import Gate
from takeback.web.leaving import while_there
from takeback.web.shared import Shared

Handler = Callable[[Shared, Asked], Any]

_PATIENCE = 30.0
"""Seconds in which a body has to be there."""


def application(shared: Shared, address: Address) -> Any:
    """The whole ASGI application: the gate, and what is behind it."""
    from starlette.routing import Route, Router

    from takeback.web import api, pages

    handlers: dict[str, dict[str, Handler]] = {}
    for method, path, handler in (*api.ROUTES, *pages.ROUTES):
        handlers.setdefault(path, {})[method] = handler
    routes = [
        Route(path, _endpoint(shared, each, looks=path in api.LOOKING), methods=["GET", "POST"])
        for path, each in handlers.items()
    ]
    router = Router(routes=routes, default=_nothing, redirect_slashes=False)
    return _Last(Gate(router, address, shared.keys, read_only=shared.read_only), shared)


def _endpoint(shared: Shared, handlers: Mapping[str, Handler], *, looks: bool) -> Any:
    async def endpoint(request: Any) -> Any:
        handler = handlers.get("GET" if request.method == "HEAD" else request.method)
        if handler is None:
            return refused(f"this is asked for with {' or '.join(handlers)}", status=405)
        path = {name: str(value) for name, value in request.path_params.items()}
        gone = threading.Event()
        try:
            sent = await _body(request) if request.method == "POST" else None
            read = partial(_read, sent, request.scope["query_string"], path, gone)
            async with while_there(request.receive, gone.set):
                return await shared.in_thread(_answered, shared, handler, read, looks=looks)
        except TakebackError as error:
            return failed(error)

    return endpoint


def _read(sent: bytes | None, query: bytes, path: Mapping[str, str], gone: threading.Event) -> Asked:
    return Asked.of_query(query, path, gone) if sent is None else Asked.of_body(sent, path, gone)


def _answered(shared: Shared, handler: Handler, read: Callable[[], Asked]) -> Any:
    """What a handler says, ready to be sent: reading a long question and writing a long answer take a while, too."""
    found = handler(shared, read())
    return found if callable(found) else json_answer(found)


async def _body(request: Any) -> bytes:
    """The body, if it is not too long and does not take for ever."""
    from anyio import move_on_after
    from starlette.requests import ClientDisconnect

    pieces = bytearray()
    with move_on_after(_PATIENCE):
        try:
            async for piece in request.stream():
                pieces += piece
                if len(pieces) > MOST_BYTES:
                    raise InvalidInput(f"the body is larger than {MOST_BYTES:,} bytes")
        except ClientDisconnect:
            raise InvalidInput("the body ended before its end") from None
        return bytes(pieces)
    raise InvalidInput(f"the body did not come within {_PATIENCE:.0f} seconds")


async def _nothing(scope: Any, receive: Any, send: Any) -> None:
    is_api = scope["path"].startswith("/api")
    answer = refused("there is no such thing here", status=404) if is_api else missing_page()
    await answer(scope, receive, send)


class _Last:
    """Around everything: strict headers on what Starlette itself answers, and an answer where there was a bug."""

    def __init__(self, app: Any, shared: Shared) -> None:
        self._app = app
        self._shared = shared

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        started = False

        async def noted(message: Any) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                known = {name.lower() for name, _ in message["headers"]}
                more = [each for each in strict({}) if each[0] not in known]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except Exception as error:
            if self._shared.raises:
                raise
            if self._shared.told is not None:
                self._shared.told(error)
            if not started:
                answer = refused("this is a bug in takeback; the server's terminal says more", status=500)
                await answer(scope, receive, noted)
