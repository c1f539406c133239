"""Who is let in, through a real socket."""

from __future__ import annotations

import pytest

from support.web import Client
from takeback.web.serving import Server

PAGES = ["/", "/snapshot/@", "/diff?a=@-", "/store", "/operations"]
STATIC = ["/static/base.css", "/static/timeline.js"]
API = ["/api/about", "/api/lanes", "/api/rows", "/api/sessions", "/api/events"]


@pytest.mark.parametrize("path", [*PAGES, *STATIC, *API, "/favicon.ico", "/nothing", "/api/nothing"])
def test_nothing_is_shown_without_the_cookie(stranger: Client, path: str) -> None:
    for cookie in (None, "takeback-1=x", f"takeback-{stranger.port}=", f"takeback-{stranger.port}=wrong"):
        got = stranger.get(path, Cookie=cookie)
        assert got.status == 401
        assert b"takeback web" in got.body, "it says how to get in"


@pytest.mark.parametrize("path", API)
def test_the_token_is_no_key_to_anything_but_the_cookie(stranger: Client, server: Server, path: str) -> None:
    assert stranger.get(f"{path}?token={server.keys.token}").status == 401
    assert stranger.get(path, Cookie=f"takeback-{server.address.port}={server.keys.token}").status == 401
    assert stranger.get(path, Authorization=f"Bearer {server.keys.token}").status == 401


def test_the_token_becomes_a_cookie_and_leaves_the_address(stranger: Client, server: Server) -> None:
    got = stranger.get(f"/?token={server.keys.token}")
    assert (got.status, got.headers["location"]) == (303, "/")
    cookie, *attributes = got.headers["set-cookie"].split("; ")
    assert cookie.startswith(f"takeback-{server.address.port}=")
    assert set(attributes) == {"Path=/", "HttpOnly", "SameSite=Strict"}
    assert server.keys.token not in cookie
    assert got.headers["referrer-policy"] == "no-referrer"
    assert stranger.get("/api/about", Cookie=cookie).status == 200


@pytest.mark.parametrize(
    "query",
    [
        "token=",
        "token=x",
        "token={}x",
        "token={}&token={}",
        "token={}%00",
        "TOKEN={}",
        "&".join("abcdefghijkl") + "&token={}",
    ],
)
def test_a_wrong_token_opens_nothing(stranger: Client, server: Server, query: str) -> None:
    got = stranger.get(f"/?{query.replace('{}', server.keys.token)}")
    assert got.status == 401
    assert "set-cookie" not in got.headers


def test_a_pass_is_good_once(stranger: Client, server: Server) -> None:
    given = server.keys.new_pass()
    assert stranger.get(f"/?token={given}").status == 303
    assert stranger.get(f"/?token={given}").status == 401


def test_cookies_of_other_programs_are_in_nobodys_way(client: Client) -> None:
    for other in ('a={"b": [1,2]}', "x", "=", "a=b;;", "\x01=\xff", f"takeback-{client.port}=stale"):
        assert client.get("/api/about", Cookie=f"{other}; {client.cookie}").status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1.evil.example:{port}",
        "localhost.evil.example:{port}",
        "10.0.0.1:{port}",
        "[::2]:{port}",
        "127.0.0.1:{port}@evil.example",
        "127.0.0.1:{port},evil.example",
        "127.0.0.1:0{port}9",
        "",
    ],
)
def test_another_name_is_refused_even_with_the_cookie(client: Client, server: Server, host: str) -> None:
    """DNS rebinding: the browser believes that it is on the attacker's own site."""
    for path in ("/", "/api/rows", "/api/events", f"/?token={server.keys.token}", "/static/base.css"):
        got = client.get(path, Host=host.format(port=client.port))
        assert got.status == 403
        assert "set-cookie" not in got.headers


@pytest.mark.parametrize("host", ["127.0.0.1:{}", "localhost:{}", "LOCALHOST:{}", "[::1]:{}"])
def test_the_machines_own_names_are_taken(client: Client, host: str) -> None:
    assert client.get("/api/about", Host=host.format(client.port)).status == 200


def test_a_request_without_a_host_is_refused(client: Client) -> None:
    sent = f"GET /api/about HTTP/1.0\r\nCookie: {client.cookie}\r\n\r\n".encode()
    assert client.raw(sent).startswith(b"HTTP/1.1 403")
    twice = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nHost: evil.example\r\n\r\n".encode()
    assert client.raw(twice).startswith(b"HTTP/1.1 400")


FOREIGN = ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}", "http://localhost:{port}"]


@pytest.mark.parametrize("origin", FOREIGN)
@pytest.mark.parametrize("path", ["/api/rows", "/api/events", "/", "/static/base.css"])
def test_another_origin_is_refused_even_to_look(client: Client, path: str, origin: str) -> None:
    assert client.get(path, Origin=origin.format(port=client.port)).status == 403


@pytest.mark.parametrize("origin", FOREIGN)
def test_another_origin_changes_nothing(client: Client, origin: str) -> None:
    got = client.post("/api/plan", {"verb": "undo"}, Origin=origin.format(port=client.port))
    assert got.status == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none", "else"])
def test_a_browser_that_says_it_comes_from_elsewhere_changes_nothing(client: Client, site: str) -> None:
    """A page on another port of this machine is "same-site", and its requests have the cookie."""
    assert client.post("/api/plan", {"verb": "undo"}, Sec_Fetch_Site=site).status == 403
    if site != "none":
        assert client.get("/api/events", Sec_Fetch_Site=site).status == 403
        assert client.get("/api/rows", Sec_Fetch_Site=site, Sec_Fetch_Mode="navigate").status == 403
        assert client.get("/", Sec_Fetch_Site=site, Sec_Fetch_Mode="no-cors").status == 403


def test_our_own_page_is_let_through(client: Client) -> None:
    own = f"http://127.0.0.1:{client.port}"
    assert client.get("/api/rows", Origin=own, Sec_Fetch_Site="same-origin").status == 200
    assert client.get("/api/rows", Sec_Fetch_Site="none").status == 200


def test_who_follows_a_link_from_elsewhere_comes_in_by_our_own_page(stranger: Client) -> None:
    """The browser leaves the cookie out at first, because it is for our own pages alone."""
    linked = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}
    got = stranger.get("/diff?a=%22%3E%3Cscript%3E", **linked)
    assert got.status == 200
    assert b'content="0; url=/diff?a=%22%3E%3Cscript%3E&amp;here=1"' in got.body
    assert b"<script" not in got.body
    assert stranger.get("/diff?a=1&here=1", **linked).status == 401, "it does so once"
    assert stranger.get("//evil.example/x", **linked).status == 401


def test_a_change_needs_the_csrf_token(client: Client, server: Server) -> None:
    for wrong in (None, "", "x", server.keys.token, server.keys.session, f"{client.csrf}, {client.csrf}"):
        got = client.post("/api/plan", {"verb": "undo"}, X_Takeback_CSRF=wrong)
        assert got.status == 403
        assert "CSRF" in got.error["message"]


@pytest.mark.parametrize("kind", [None, "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_a_change_is_json(client: Client, kind: str | None) -> None:
    assert client.post("/api/plan", {"verb": "undo"}, Content_Type=kind).status == 415


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get"])
def test_other_methods_are_refused(client: Client, method: str) -> None:
    assert client.ask(method, "/api/rows").status == 405


@pytest.mark.parametrize("path", [*API, "/nothing", "/api/nothing", "/static/nothing.js"])
def test_every_answer_is_strict(client: Client, path: str) -> None:
    if path == "/api/events":
        got = client.ask("HEAD", path)
    else:
        got = client.get(path)
    policy = got.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert got.headers["x-content-type-options"] == "nosniff"
    assert got.headers["x-frame-options"] == "DENY"
    assert got.headers["referrer-policy"] == "no-referrer"
    assert got.headers["cross-origin-resource-policy"] == "same-origin"
    assert got.headers["cross-origin-opener-policy"] == "same-origin"
    assert got.headers["cache-control"] == "no-store"
    assert not {"access-control-allow-origin", "server"} & got.headers.keys()
