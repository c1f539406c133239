"""What a page of another server can do in the same, real browser, which has the cookie: nothing but to link to ours."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from support.browser import Windows
from support.web import Client
from takeback.web.serving import Server

pytestmark = pytest.mark.service("chromium")


@contextmanager
def another(html: str) -> Iterator[int]:
    """The port of another server of this machine, which has one page."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        try:
            yield other.server_address[1]
        finally:
            other.shutdown()
            thread.join()


ATTACKS = """async (ours) => {
  const tried = {};
  const attempt = async (name, path, options) => {
    try { tried[name] = (await fetch(ours + path, { credentials: "include", ...options })).type; } catch { tried[name] = "refused"; }
  };
  await attempt("read", "/api/rows");
  await attempt("look", "/api/rows", { mode: "no-cors" });
  await attempt("change", "/api/save", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
  await attempt("form", "/api/save", { method: "POST", mode: "no-cors", headers: { "Content-Type": "text/plain" }, body: "{}" });
  const load = (name, element, address) => new Promise((done) => {
    element.onload = () => done((tried[name] = "loaded"));
    element.onerror = () => done((tried[name] = "refused"));
    element.src = ours + address;
    document.body.append(element);
  });
  await load("picture", new Image(), "/api/raw?ref=@&path=pixel.png");
  await load("script", document.createElement("script"), "/static/theme.js");
  await new Promise((done) => {
    const stream = new EventSource(ours + "/api/events", { withCredentials: true });
    stream.onopen = () => done((tried.events = "loaded"));
    stream.onerror = () => { stream.close(); done((tried.events = "refused")); };
  });
  return tried;
}"""


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_page_of_another_port_gets_nothing(server: Server, client: Client, windows: Windows, name: str) -> None:
    """By the same name it is same-site, and its requests have the cookie; by another it is a foreign site."""
    before = client.get("/api/operations").json
    ours = f"http://127.0.0.1:{server.address.port}"
    with another("<title>another</title><body>") as port:
        tab = windows()
        tab.goto(server.url())
        tab.goto(f"http://{name}:{port}/")
        tried = tab.evaluate(ATTACKS, ours)
        assert tried.pop("look") in ("opaque", "refused")
        assert tried.pop("form") in ("opaque", "refused")
        assert set(tried.values()) == {"refused"}, tried
        tab.set_content(f'<iframe src="{ours}/" onload="window.framed = true"></iframe>')
        tab.wait_for_function("window.framed")
        assert tab.frames[1].query_selector("#root, [data-test]") is None, "nobody can click what is in no frame"
        tab.context.close()
    windows.complaints.clear()  # Chromium says what was refused
    assert client.get("/api/operations").json == before


def test_a_link_on_another_site_leads_in_and_the_token_leaves_the_address(server: Server, windows: Windows) -> None:
    """Such as in a terminal that is itself a page. The cookie is not sent along with what another site began."""
    with another(f'<a id="token" href="{server.url()}">in</a>') as port:
        tab = windows()
        tab.goto(f"http://localhost:{port}/")
        tab.click("#token")
        tab.wait_for_selector("#root:not(:empty)")
        assert tab.url.partition("?")[0] == f"http://127.0.0.1:{server.address.port}/"
        assert server.keys.token not in tab.url
        tab.context.close()
    windows.complaints.clear()


def test_a_link_to_a_page_inside_leads_there(server: Server, windows: Windows) -> None:
    ours = f"http://127.0.0.1:{server.address.port}"
    with another(f'<a id="inside" href="{ours}/store?x=1">in</a><a id="out" href="{ours}/store">out</a>') as port:
        tab = windows()
        tab.goto(f"http://localhost:{port}/")
        tab.click("#out")
        tab.get_by_text("The token is missing").wait_for()
        assert tab.url == f"{ours}/store?here=1", "without the cookie it asks once more, and no further"
        tab.goto(server.url())
        tab.goto(f"http://localhost:{port}/")
        tab.click("#inside")
        tab.wait_for_selector("#root:not(:empty)")
        assert tab.url == f"{ours}/store?x=1&here=1"
        tab.context.close()
    windows.complaints.clear()
