"""Who is let in: every request passes here before anything else looks at it.

In this order, each with words of its own:

1. ``Host`` must name this server, or it is DNS rebinding: 403.
2. A browser that says where a request comes from (``Origin``, ``Sec-Fetch-Site``) must say that it is our own page: 403. Other
   ports of this machine are "same-site", and strangers all the same.
3. ``/?token=…`` is exchanged for the cookie, and leads to ``/`` without it: nothing else takes a token.
4. Without the cookie nothing is answered, styles and scripts included: 401.
5. What changes anything is a POST, as JSON, with the page's CSRF token: 403; with ``--read-only`` only what looks is let
   through: 403.

The cookie is ``SameSite=Strict``, so a browser that comes by a link from elsewhere does not send it at first. It gets a page
that does nothing but load itself again, once, which is then a request of our own.
"""

from __future__ import annotations

import re
from typing import Any, Literal
from urllib.parse import parse_qsl

from takeback.web.addresses import Address
from takeback.web.answers import Headers, led, refused, refused_page, sent_again
from takeback.web.keys import Keys, same

App = Any
"""An ASGI application, or what it is called with; Starlette's types are not there without the extra."""

From = Literal["us", "link", "elsewhere"]
"""Where a request comes from: our page or no page, a link that a person followed, or something that another page does."""

CSRF_HEADER = "x-takeback-csrf"
AGAIN = "here=1"
"""In the address of a page that has loaded itself again."""

_LOOKS = ("GET", "HEAD")
_METHODS = (*_LOOKS, "POST")
_TOKEN_LENGTH = 200
_OWN_PAGE = re.compile(r"/([A-Za-z0-9][A-Za-z0-9/@~._-]*)?")
"""Paths that cannot be taken for an address elsewhere, as ``//example.org`` would be."""


class Gate:
    """The ASGI application that stands before the other."""

    def __init__(self, app: App, address: Address, keys: Keys, *, read_only: bool = False) -> None:
        self._app = app
        self._address = address
        self._keys = keys
        self._read_only = read_only
        self.cookie = f"takeback-{address.port}"

    async def __call__(self, scope: App, receive: App, send: App) -> None:
        if scope["type"] != "http":
            return  # there are no web sockets here
        answer = self._judged(scope, Headers(scope["headers"]))
        await (self._app if answer is None else answer)(scope, receive, send)

    def _judged(self, scope: App, headers: Headers) -> App | None:
        """The answer to a request that is not let through; None for one that is."""
        path, method = scope["path"], scope["method"]
        if not self._address.is_ours(headers.get("host")):
            return self._misnamed()
        if method not in _METHODS:
            return refused("nothing here has this method", status=405)
        came = _came(method, headers)
        page = method in _LOOKS and not path.startswith(("/api/", "/static/"))
        if came == "elsewhere" or (came == "link" and not page):
            return refused("this request does not come from takeback's own page")
        if page and (answer := self._exchanged(scope)) is not None:
            return answer
        if not self._knows(headers):
            if came == "link" and (again := _again(scope)) is not None:
                return sent_again(again)
            return refused_page() if page else _unknown()
        return None if method in _LOOKS else self._change(path, headers)

    def _misnamed(self) -> App:
        port = self._address.port
        return refused(
            f"this server is http://{self._address.authority}/, and was asked for under another name",
            hints=[f"through a tunnel, use the same port on both sides: ssh -L {port}:127.0.0.1:{port} HOST"],
        )

    def _exchanged(self, scope: App) -> App | None:
        """The cookie for the token, if the address has one."""
        if scope["path"] != "/" or b"token=" not in scope["query_string"]:
            return None
        try:
            pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True, max_num_fields=10)
        except ValueError:
            return refused_page()
        tokens = [value for name, value in pairs if name == "token"]
        good = scope["method"] == "GET" and len(tokens) == 1 and len(tokens[0]) <= _TOKEN_LENGTH
        if not good or not self._keys.opens(tokens[0]):
            return refused_page()
        return led("/", f"{self.cookie}={self._keys.session}; Path=/; HttpOnly; SameSite=Strict")

    def _knows(self, headers: Headers) -> bool:
        """Whether the cookie is there. Cookies of other ports may be of any form, so each is looked at by itself."""
        found = False
        for each in headers.get("cookie", "; ").split(";"):
            name, _, value = each.strip().partition("=")
            found |= name == self.cookie and same(value, self._keys.session)
        return found

    def _change(self, path: str, headers: Headers) -> App | None:
        if not same(headers.get(CSRF_HEADER), self._keys.csrf):
            return refused("a change needs the page's CSRF token", hints=["load the page again"])
        if self._read_only and not _only_looks(path):
            return refused("this page was started with --read-only", hints=["takeback web, without it"])
        if headers.get("content-type").partition(";")[0].strip().lower() != "application/json":
            return refused("a change is sent as application/json", status=415)
        return None


def _came(method: str, headers: Headers) -> From:
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if origin and origin.lower() != f"http://{headers.get('host')}".lower():
        return "elsewhere"
    if not site or site == "same-origin" or (site == "none" and method in _LOOKS):
        return "us"
    return "link" if headers.get("sec-fetch-mode") == "navigate" and method in _LOOKS else "elsewhere"


def _again(scope: App) -> str | None:
    """The same address once more, to be asked for by our own page; None if it has been."""
    query = scope["query_string"].decode("latin-1")
    if AGAIN in query or not _OWN_PAGE.fullmatch(scope["path"]):
        return None
    return f"{scope['path']}?{f'{query}&' if query else ''}{AGAIN}"


def _only_looks(path: str) -> bool:
    """Whether a POST changes nothing: planning, and giving up what was begun to look."""
    return path == "/api/plan" or (path.startswith("/api/jobs/") and path.endswith("/cancel"))


def _unknown() -> App:
    return refused(
        "this needs the cookie that the page gets from the address with the token",
        hints=["open the address that `takeback web` printed"],
        status=401,
    )
