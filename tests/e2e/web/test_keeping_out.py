"""Who gets in: whoever has the address that the command printed, from this machine, by its own name, and nobody else."""

from __future__ import annotations

import http.client
import json

import pytest
from playwright.sync_api import expect

from e2e.web.conftest import Shop
from support.browser import Windows
from support.pageview import Page
from support.serving import Served, serving
from support.stage import BAD, Story

pytestmark = pytest.mark.service("git")

PATHS = ("/", "/store", "/operations", "/api/about", "/api/rows", "/api/events", "/api/raw?ref=@&path=README.md")


def ask(served: Served, path: str, headers: dict[str, str], method: str = "GET") -> tuple[int, bytes, dict[str, str]]:
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    found = answer.status, answer.read(), dict(answer.getheaders())
    connection.close()
    return found


def cookie(served: Served) -> str:
    _, _, headers = ask(served, served.url.removeprefix(served.origin), {})
    assert "HttpOnly" in headers["set-cookie"] and "samesite=strict" in headers["set-cookie"].lower()
    return headers["set-cookie"].partition(";")[0]


@pytest.mark.parametrize("path", PATHS)
def test_without_the_token_nothing_is_told(shop: Shop, path: str) -> None:
    for headers in ({}, {"Cookie": "takeback=guessed"}):
        status, body, _ = ask(shop.served, path, headers)
        assert status in (401, 403)
        assert BAD.encode() not in body and b"tinyshop" not in body


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "foreign",
    [{"Host": "evil.example"}, {"Host": "127.0.0.1.evil.example:80"}, {"Origin": "http://evil.example"}, {"Origin": "null"}],
    ids=["rebound name", "alike name", "another page", "no page"],
)  # fmt: skip
def test_with_the_cookie_but_from_elsewhere_it_is_refused(shop: Shop, path: str, foreign: dict[str, str]) -> None:
    status, body, _ = ask(shop.served, path, {"Cookie": cookie(shop.served), **foreign})
    assert status == 403
    assert BAD.encode() not in body


def test_a_change_needs_the_pages_own_secret(shop: Shop) -> None:
    known = {"Cookie": cookie(shop.served), "Content-Type": "application/json"}
    _, body, _ = ask(shop.served, "/api/about", known)
    csrf = json.loads(body)["csrf"]
    for more in ({}, {"X-Takeback-CSRF": "guessed"}, {"X-Takeback-CSRF": csrf, "Origin": "http://evil.example"}):
        assert ask(shop.served, "/api/save", {**known, **more}, "POST")[0] == 403


@pytest.mark.service("chromium")
def test_a_browser_without_the_token_is_told_how_to_get_in(shop: Shop, windows: Windows) -> None:
    tab = windows()
    answer = tab.goto(shop.served.origin)
    assert answer is not None and answer.status in (401, 403)
    expect(tab.locator("body")).to_contain_text("takeback web")
    windows.complaints.clear()  # Chromium says that it was refused


@pytest.mark.service("chromium")
def test_read_only_looks_and_changes_nothing(told_story: Story, windows: Windows) -> None:
    with serving(told_story.root, told_story.env, "--read-only") as served:
        page = Page(windows(viewport={"width": 1280, "height": 800}), served).opened()
        expect(page.the("read-only")).to_be_visible()
        page.choose(BAD)
        page.press("z")
        expect(page.the("toast")).to_contain_text("--read-only")
        page.choose("use it at the checkout")  # in a fork
        page.press("z", "p", "P", "x")
        expect(page.the("toast")).to_have_count(1)
        expect(page.the("act-fork")).to_be_visible()
        expect(page.tab.locator('[data-test="act-promote"], [data-test="act-drop"]')).to_have_count(0)
        page.the("act-diff").click()
        expect(page.the("diff-file").first).to_be_visible()
        page.press("r")
        expect(page.the("toast")).to_contain_text("--read-only")
        expect(page.the("drawer")).to_have_count(0)
        _, body, _ = ask(served, "/api/about", known := {"Cookie": cookie(served)})
        known |= {
            "X-Takeback-CSRF": json.loads(body)["csrf"],
            "Content-Type": "application/json",
            "Origin": served.origin,
        }
        assert ask(served, "/api/save", known, "POST")[0] == 403
        page.tab.context.close()
