"""An answer that comes piece by piece: made in threads, and given up when nobody reads it any more."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from takeback.errors import TakebackError
from takeback.web.answers import strict
from takeback.web.leaving import while_there

if TYPE_CHECKING:
    from takeback.web.shared import Shared


class Stream:
    """An ASGI application. What fails after the beginning breaks the connection off: a body without its end is how HTTP says
    that something is missing."""

    def __init__(self, shared: Shared, pieces: Iterator[bytes], headers: Mapping[str, str]) -> None:
        self._shared = shared
        self._pieces = pieces
        self._headers = strict(headers)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        from anyio import CancelScope

        try:
            await send({"type": "http.response.start", "status": 200, "headers": self._headers})
            if scope["method"] == "HEAD":
                await send({"type": "http.response.body", "body": b""})
                return
            async with while_there(receive):
                await self._send(send)
        finally:
            with CancelScope(shield=True):
                if isinstance(self._pieces, Generator):
                    await self._shared.in_thread(self._pieces.close)

    async def _send(self, send: Any) -> None:
        try:
            while (piece := await self._shared.in_thread(next, self._pieces, None)) is not None:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        except TakebackError:
            return
        await send({"type": "http.response.body", "body": b""})
