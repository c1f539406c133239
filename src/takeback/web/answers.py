"""What is sent back, without Starlette: every answer is whole, has the same strict headers, and none is ever a traceback.

An error is ``{"error": {"type", "message", "hints", "code"}}``, with the HTTP status that its kind has below, and as
``code`` what the command line would exit with.
"""

from __future__ import annotations

import hashlib
import html
from base64 import b64encode
from collections.abc import Iterable, Mapping
from typing import Any

from takeback import errors
from takeback.errors import TakebackError
from takeback.shapes import Shape
from takeback.web.encoding import encoded

STATUSES: Mapping[type[TakebackError], int] = {
    errors.InvalidInput: 400,
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.Locked: 423,
    errors.Unavailable: 503,
}
OTHERWISE = 422

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
)
SANDBOX = "default-src 'none'; sandbox; frame-ancestors 'none'"
"""For bytes out of a snapshot: whatever a browser takes them for, they can do nothing."""

_STRICT = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}


class Headers:
    """The headers of a request."""

    def __init__(self, raw: Iterable[tuple[bytes, bytes]]) -> None:
        self._every: dict[str, list[str]] = {}
        for name, value in raw:
            self._every.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))

    def get(self, name: str, joined: str = ", ") -> str:
        """A header's value; empty if there is none. One that is there twice is both, so that neither is believed."""
        return joined.join(self._every.get(name, ()))


class Answer:
    """An ASGI application that answers with the same thing, whoever asks."""

    def __init__(self, body: bytes, kind: str, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        self.body = body
        self.status = status
        self.headers = strict({"content-type": kind, "content-length": str(len(body)), **(headers or {})})

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else self.body})


def strict(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """These headers, and those that every answer has."""
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in {**_STRICT, **headers}.items()]


def json_answer(value: Any, status: int = 200) -> Answer:
    return Answer(encoded(value), "application/json", status)


def error_shape(error: TakebackError) -> Shape:
    more = getattr(error, "more", {})
    return {
        "type": kind_of(error).__name__,
        "message": error.message,
        "hints": list(error.hints),
        "code": error.exit_code,
        **more,
    }


def failed(error: TakebackError) -> Answer:
    return json_answer({"error": error_shape(error)}, STATUSES.get(kind_of(error), OTHERWISE))


def kind_of(error: TakebackError) -> type[TakebackError]:
    """The error as `takeback.errors` knows it."""
    for kind in type(error).__mro__:
        if kind.__module__ == errors.__name__ and issubclass(kind, TakebackError):
            return kind
    return TakebackError


def refused(message: str, *, hints: Iterable[str] = (), status: int = 403) -> Answer:
    """A request that is not let through."""
    return json_answer({"error": {"type": "Refused", "message": message, "hints": list(hints), "code": 1}}, status)


def led(place: str, cookie: str) -> Answer:
    """Go there, and have this cookie."""
    return Answer(b"", "text/plain; charset=utf-8", 303, {"location": place, "set-cookie": cookie})


_STYLE = (
    "body{font:16px/1.6 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1.5rem;color-scheme:light dark;"
    "background:light-dark(#fff,#16181d);color:light-dark(#1c1e21,#e6e6e6)}"
    "h1{font-size:1.3rem}code{font-family:ui-monospace,monospace}"
)
_STYLE_HASH = b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_PLAIN = f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'"


def page(title: str, text: str, status: int, more: str = "") -> Answer:
    """A page that needs nothing else; ``text`` is HTML of our own."""
    body = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{title} · takeback</title>{more}<style>{_STYLE}</style></head>"
        f"<body><h1>{title}</h1>{text}</body></html>"
    )
    return Answer(body.encode(), "text/html; charset=utf-8", status, {"content-security-policy": _PLAIN})


def refused_page() -> Answer:
    text = (
        "<p>This page shows what was recorded of your work, so it opens only from the address that "
        "<code>takeback web</code> printed, with the token in it. Copy that whole address into the browser.</p>"
        "<p>If the server was started again since, it printed a new one.</p>"
    )
    return page("The token is missing, or an old one", text, 401)


def missing_page() -> Answer:
    return page("There is no such page", '<p>The timeline is <a href="/">here</a>.</p>', 404)


def sent_again(address: str) -> Answer:
    """A page that asks for an address, now by itself."""
    there = html.escape(address, quote=True)
    refresh = f'<meta http-equiv="refresh" content="0; url={there}">'
    return page("One moment", f'<p><a href="{there}">Go on</a></p>', 200, refresh)
