"""Nothing that anybody can send is a bug: every answer is one of ours, with words, and never a traceback.

In process a bug is raised where it happens (`Server` with ``raises``), so that none can hide behind an answer; and bytes that
are no HTTP go to a real socket.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote_from_bytes

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support import campaigns
from support.web import Client, record
from takeback import locate
from takeback.views.desk import Desk
from takeback.web import api, pages, serving
from takeback.web.asked import MOST_BYTES
from takeback.web.serving import Server

pytestmark = pytest.mark.campaign("web-fuzz")

EXAMPLES = campaigns.size(40, 5_000)
STATUSES = {200, 303, 400, 401, 403, 404, 405, 409, 415, 422, 423, 503}

PATHS = sorted({path for _, path, _ in (*api.ROUTES, *pages.ROUTES)})
NAMES = (
    "lane lanes cursor limit text session agent part actions before after ref path a b context "
    "verb reference move only paths shared fork plan name label token here"
).split()
WORDS: tuple[Any, ...] = (
    *(
        "@",
        "@-",
        "@--",
        "@-1",
        "@-99999999999999999999",
        "@+1",
        "begin",
        "root",
        "original",
        "10m ago",
        "-1s ago",
        "1e9d ago",
    ),
    *(
        "99999999999999999999y ago",
        "∞ ago",
        "undo",
        "redo",
        "restore",
        "since",
        "promote",
        "explode",
        "workspace",
        "memory",
    ),
    *(
        "app.py",
        "new.py",
        "pixel.png",
        "../x",
        "/",
        "//",
        "/etc/passwd",
        ".",
        "..",
        ".git",
        "a/../../b",
        "%",
        "%2",
        "%zz",
    ),
    *(
        "",
        " ",
        "0",
        "1",
        "2",
        "-1",
        "1.5",
        "1e3",
        "0x10",
        "٣",
        "1,2,3",
        "1,,2",
        ",",
        "1:5",
        "1:",
        ":1",
        "1:99999999999999999999",
    ),
    *(
        "9" * 30,
        "9" * 5000,
        "1" * 16,
        "9007199254740992",
        "4611686018427387904",
        "true",
        "false",
        "null",
        "None",
        "NaN",
        "Infinity",
    ),
    *("\0", "a\0b", "\n", "\x1b[31m", "\u202e", "\ufffe", "é", "caf\udce9", "\ud800", "\udfff", "𐏿", "a" * 9000),
    *(
        "<script>alert(1)</script>",
        "{{7*7}}",
        "'; DROP TABLE snapshots; --",
        "session-1",
        "session-2",
        "main",
        "_",
        "__proto__",
    ),
)
VALUES: tuple[Any, ...] = (
    *WORDS,
    *(None, True, False, 0, 1, 2, 3, -1, 2**31, 2**53, 2**63, 2**64, 10**400, 0.5, -0.0, 1e308),
    *([], {}, [[]], ["workspace"], ["app.py"], [1], [None], ["\ud800"], ["a"] * 300),
    *(
        {"workspace": ["app.py"]},
        {"workspace": []},
        {"memory": ["x"]},
        {"": [""]},
        {"x": 1},
        {"workspace": [1]},
        {"a": {"b": []}},
    ),
)


class Inside:
    """A server without a socket: its application, called as uvicorn calls it."""

    def __init__(self, server: Server, runner: asyncio.Runner) -> None:
        self.server = server
        self._runner = runner
        self._headers = [
            (b"host", server.address.authority.encode()),
            (b"cookie", f"takeback-{server.address.port}={server.keys.session}".encode()),
            (b"x-takeback-csrf", server.keys.csrf.encode()),
            (b"content-type", b"application/json"),
        ]

    def __call__(
        self, method: str, path: str, query: bytes = b"", pieces: tuple[bytes, ...] = (b"",)
    ) -> tuple[int, bytes]:
        return self._runner.run(self._asked(method, path, query, pieces))

    async def _asked(self, method: str, path: str, query: bytes, pieces: tuple[bytes, ...]) -> tuple[int, bytes]:
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode("utf-8", "surrogatepass"),
            "query_string": query,
            "headers": self._headers,
            "root_path": "",
            "scheme": "http",
            "http_version": "1.1",
        }
        waiting = [
            {"type": "http.request", "body": piece, "more_body": number < len(pieces) - 1}
            for number, piece in enumerate(pieces)
        ]
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return waiting.pop(0) if waiting else {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await self.server.app(scope, receive, send)
        start, *rest = sent
        headers = {name.decode(): value.decode() for name, value in start["headers"]}
        body = b"".join(each.get("body", b"") for each in rest)
        assert start["status"] in STATUSES, (start["status"], body[:300])
        assert b"Traceback" not in body
        assert headers["x-content-type-options"] == "nosniff" and "content-security-policy" in headers
        if headers["content-type"] == "application/json" and method != "HEAD":
            said = json.loads(body)
            if start["status"] >= 400:
                assert said["error"]["message"] and isinstance(said["error"]["hints"], list)
            await self._followed(said)
        return start["status"], body

    async def _followed(self, said: Any) -> None:
        """Work that was begun ends in words, too."""
        if not isinstance(said.get("job"), str):
            return
        job = self.server.shared.jobs.get(said["job"])
        while not job.done.is_set():
            await asyncio.sleep(0.002)
        assert job.error is None or "unexpected" not in job.error.message, job.error


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Inside]:
    root, store = record(tmp_path_factory.mktemp("fuzz"))
    with Desk(locate.place(str(root), store=str(store))) as desk, asyncio.Runner() as runner:
        listening = serving.bind("127.0.0.1", 0)
        yield Inside(Server(desk, listening, "127.0.0.1", raises=True), runner)
        listening.close()


def encoded(value: str) -> bytes:
    try:
        raw = os.fsencode(value)  # a name as a page sends it
    except UnicodeEncodeError:
        raw = value.encode("utf-8", "surrogatepass")
    return quote_from_bytes(raw).encode()


texts = st.one_of(
    st.sampled_from(WORDS), st.text(max_size=30), st.text(st.characters(categories=("Cs", "Cc", "Nd")), max_size=5)
)
broken = st.one_of(
    st.binary(max_size=12), st.sampled_from([b"%", b"%f", b"%ff", b"%00", b"%ed%a0%80", b"+", b"=", b"&", b"%C3%28"])
)
pairs = st.tuples(st.sampled_from(NAMES), texts).map(lambda pair: b"%b=%b" % (pair[0].encode(), encoded(pair[1])))
queries = st.lists(st.one_of(pairs, pairs, pairs, broken), max_size=6).map(b"&".join)
values = st.recursive(
    st.one_of(st.sampled_from(VALUES), st.text(max_size=12), st.integers(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)),
    max_leaves=6,
)
objects = st.dictionaries(st.one_of(st.sampled_from(NAMES), st.text(max_size=6)), values, max_size=6)
bodies = st.one_of(
    objects.map(lambda made: json.dumps(made).encode()),
    objects.map(lambda made: json.dumps(made).encode()),
    values.map(lambda made: json.dumps(made).encode()),
    st.binary(max_size=40),
    st.sampled_from(
        [
            b"[" * 50_000,
            b'{"a":' * 20_000,
            b'{"verb": NaN}',
            b'{"a":1,"a":2}',
            b'"\\ud800"',
            b"\xff\xfe{}",
            b"{" + b" " * MOST_BYTES,
        ]
    ),
)
methods = st.sampled_from(["GET", "GET", "GET", "HEAD", "POST"])
CAREFUL = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@st.composite
def addresses(draw: st.DrawFn) -> str:
    """The path of something that is there, with anything in its place for a name."""
    path = draw(st.sampled_from(PATHS))
    while "{" in path:
        before, _, rest = path.partition("{")
        path = before + draw(texts) + rest.partition("}")[2]
    return path


@CAREFUL
@given(method=methods, path=addresses(), query=queries)
def test_any_query_is_answered(inside: Inside, method: str, path: str, query: bytes) -> None:
    inside(method, path, query, (b"{}",))


@CAREFUL
@given(path=st.sampled_from([path for method, path, _ in api.ROUTES if method == "POST"]), name=texts, body=bodies)
def test_any_body_is_answered(inside: Inside, path: str, name: str, body: bytes) -> None:
    half = len(body) // 2
    inside("POST", path.replace("{id}", name), b"", (body[:half], body[half:]))


REFERENCES = st.sampled_from(["@", "\udcff", "@-", "begin", "root", "original", "@-99", "none", "10m ago", "\ud800"])
PARTS = st.sampled_from(["workspace", "memory", "none", "", "\udc80"])
PLANS = st.fixed_dictionaries(
    {"verb": st.sampled_from(["undo", "redo", "restore", "since", "promote", "none"])},
    optional={
        "lane": st.sampled_from([None, 0, 1, 2, 99]),
        "reference": REFERENCES,
        "move": st.sampled_from([None, "", "none", "0", "\udcff"]),
        "only": st.lists(PARTS, max_size=2),
        "paths": st.dictionaries(
            PARTS,
            st.lists(st.sampled_from(["app.py", "", ".", "../x", "/", "new.py", "x" * 300, "\udcff"]), max_size=2),
            max_size=2,
        ),
        "shared": st.booleans(),
        "fork": st.sampled_from([None, "\udcff", "none", "main", "@", "main@-1", "main@"]),
    },
)


LOOKS = [path for method, path, _ in api.ROUTES if method == "GET" and path != "/api/events"]
PLAUSIBLE = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("a", "b", "ref", "before", "after"), REFERENCES),
        "part": PARTS,
        "path": st.sampled_from(
            ["app.py", "new.py", "pixel.png", "notes.txt", "", "/", "../x", "app.py/x", "\udcff", "a" * 300]
        ),
        "lane": st.sampled_from(["0", "1", "2", "99"]),
        "lanes": st.sampled_from(["1", "1,2", "0", "99,1"]),
        "limit": st.sampled_from(["1", "2", "500", "501"]),
        "cursor": st.sampled_from(
            ["1:1", "1:3", "1:0", "2:1", "1:3,2:1", "1:-1", "x", "1:1:1", "1:4611686018427387904"]
        ),
        "context": st.sampled_from(["0", "3", "100000", "100001"]),
        "text": texts,
        "actions": st.sampled_from(["0", "1", "x"]),
    },
)


@CAREFUL
@given(path=st.sampled_from(LOOKS), name=REFERENCES, asked=PLAUSIBLE)
def test_any_look_that_makes_some_sense_is_answered(
    inside: Inside, path: str, name: str, asked: Mapping[str, str]
) -> None:
    query = b"&".join(b"%b=%b" % (key.encode(), encoded(value)) for key, value in asked.items())
    inside("GET", path.replace("{ref:path}", name).replace("{id}", name), query)


@settings(CAREFUL, max_examples=EXAMPLES // 2)
@given(wanted=PLANS, applied=st.booleans())
def test_any_plan_is_made_or_refused_and_applied_or_failed_with_words(
    inside: Inside, wanted: Mapping[str, Any], applied: bool
) -> None:
    status, body = inside("POST", "/api/plan", b"", (json.dumps(wanted).encode(),))
    if status == 200 and applied:
        assert inside("POST", "/api/apply", b"", (json.dumps({"plan": json.loads(body)["plan"]}).encode(),))[0] == 200


@settings(CAREFUL, max_examples=EXAMPLES // 4)
@given(
    path=st.sampled_from(
        ["/api/save", "/api/label", "/api/unlabel", "/api/pin", "/api/unpin", "/api/drop", "/api/undrop", "/api/fork"]
    ),
    body=st.fixed_dictionaries(
        {},
        optional={
            "ref": REFERENCES,
            "name": texts,
            "label": texts,
            "lane": st.sampled_from([None, 0, 1, 2, 99]),
            "to": st.sampled_from(
                [None, "", "../fork", "../\udcff", "a\0b", "x" * 300, "app.py", ".", "../store", "\ud800"]
            ),
        },
    ),
)
def test_any_mark_is_set_or_refused(inside: Inside, path: str, body: Mapping[str, Any]) -> None:
    inside("POST", path, b"", (json.dumps(body).encode(),))


def test_bytes_that_are_no_request_are_answered_without_a_word_of_ours(client: Client) -> None:
    head = f"Host: 127.0.0.1:{client.port}\r\nCookie: {client.cookie}\r\n".encode()
    change = head + f"X-Takeback-CSRF: {client.csrf}\r\nContent-Type: application/json\r\n".encode()
    for sent in (
        b"",
        b"\r\n\r\n",
        b"\0" * 100,
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\n" + head + b"\r\n",
        b"GET /api/rows?text=\xff\xfe HTTP/1.1\r\n" + head + b"\r\n",
        b"GET /%ff%fe%00 HTTP/1.1\r\n" + head + b"\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\n" + head + b"\r\n",
        b"GET * HTTP/1.1\r\n" + head + b"\r\n",
        b"GET /api/rows HTTP/1.1\r\n" + head + b"X: " + b"y" * 100_000 + b"\r\n\r\n",
        b"GET /api/rows HTTP/1.1\r\n" + head + b"Bad Header: 1\r\n\r\n",
        b"GET /api/rows HTTP/1.1\r\n" + head + b"Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        b"POST /api/plan HTTP/1.1\r\n" + change + b"Content-Length: 100\r\n\r\n{",
        b"POST /api/plan HTTP/1.1\r\n" + change + b"Content-Length: -1\r\n\r\n",
        b"POST /api/plan HTTP/1.1\r\n" + change + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"POST /api/plan HTTP/1.1\r\n" + change + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nnonsense",
        b"POST /api/plan HTTP/1.1\r\n" + change + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        b"POST /api/plan HTTP/1.1\r\n"
        + change
        + b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        b"POST /api/plan HTTP/1.1\r\n" + change + b"Content-Length: 16777216\r\n\r\n" + b" " * 16777216,
    ):
        got = client.raw(sent)
        assert b" 500 " not in got.split(b"\r\n")[0], (sent[:80], got[:200])
        assert b"Traceback" not in got
    assert client.get("/api/about").status == 200, "it goes on"


def test_a_body_that_is_too_large_is_refused(client: Client) -> None:
    got = client.ask("POST", "/api/plan", b" " * (MOST_BYTES + 1))
    assert (got.status, "larger" in got.error["message"]) == (400, True)
    got = client.ask("POST", "/api/plan", b" " * MOST_BYTES)
    assert (got.status, "JSON" in got.error["message"]) == (400, True)


def test_a_bug_is_answered_without_its_details(tmp_path: Path) -> None:
    """There is none that we know of, so one is made."""
    root, store = record(tmp_path)
    told: list[Exception] = []
    with Desk(locate.place(str(root), store=str(store))) as desk, asyncio.Runner() as runner:
        listening = serving.bind("127.0.0.1", 0)
        server = Server(desk, listening, "127.0.0.1", told=told.append)
        desk.lanes = lambda: 1 / 0  # type: ignore[method-assign, assignment, return-value]
        STATUSES.add(500)
        try:
            status, body = Inside(server, runner)("GET", "/api/lanes")
        finally:
            STATUSES.discard(500)
            listening.close()
        assert status == 500 and b"ZeroDivision" not in body and b"bug in takeback" in body
        assert [type(each) for each in told] == [ZeroDivisionError]
        server.shared.raises = True
        with pytest.raises(ZeroDivisionError):
            Inside(server, runner)("GET", "/api/lanes")
