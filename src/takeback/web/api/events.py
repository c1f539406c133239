"""What happens, as it happens: server-sent events, written by hand.

``event: changed`` tells which timelines have something new, ``event: job`` how far work has come. A stream ends when its
listener goes, when it does not read, and when the server ends; a browser then connects again by itself.
"""

from __future__ import annotations

from typing import Any

from takeback.errors import Unavailable
from takeback.web.answers import failed, strict
from takeback.web.asked import Asked
from takeback.web.leaving import while_there
from takeback.web.shared import Shared


def events(shared: Shared, asked: Asked) -> Any:
    async def stream(scope: Any, receive: Any, send: Any) -> None:
        from anyio import CancelScope

        if scope["method"] == "HEAD":
            await _start(send)
            await send({"type": "http.response.body", "body": b""})
            return
        try:
            listener = shared.hub.join()
        except Unavailable as error:
            await failed(error)(scope, receive, send)
            return
        try:
            await shared.in_thread(shared.hub.adjust)
            await _start(send)
            async with while_there(receive):
                async for message in listener.messages():
                    await send({"type": "http.response.body", "body": message, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            shared.hub.leave(listener)
            with CancelScope(shield=True):
                await shared.in_thread(shared.hub.adjust)

    return stream


async def _start(send: Any) -> None:
    headers = strict({"content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no"})
    await send({"type": "http.response.start", "status": 200, "headers": headers})


ROUTES = (("GET", "/api/events", events),)
