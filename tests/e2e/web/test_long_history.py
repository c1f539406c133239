"""A long history in a real browser: only what is in sight is drawn, all the way down."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from bench.long_history import NEWEST, make
from support.browser import Windows
from support.pageview import Page
from support.serving import serving

pytestmark = pytest.mark.service("chromium")

MANY = 3_000
FEW = 80
"""Rows that a window has room for, and some beyond."""


def size(page: Page) -> int:
    return int(page.tab.locator("[aria-setsize]").first.get_attribute("aria-setsize") or 0)


def who_does_something_else_is_not_taken_to_the_end(page: Page) -> None:
    """A large page is held up until somebody has pressed another key."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.tab.route("**/api/rows?*cursor*", hold)
    page.press("End")
    while not held:
        page.tab.wait_for_timeout(10)
    page.press("j")
    expect(page.tab.locator('[data-index="1"]')).to_be_focused()
    held.pop().continue_()
    expect(page.tab.locator('[data-index="1"]')).to_have_attribute("aria-setsize", re.compile(r"\d{4}"))
    expect(page.tab.locator('[data-index="1"]')).to_be_focused()
    page.tab.unroute_all()


def test_only_rows_in_sight_are_drawn_from_the_present_to_the_original(memory_path: Path, windows: Windows) -> None:
    long = make(memory_path, MANY)
    with serving(long.root, {"TAKEBACK_STORE": str(long.store)}) as served:
        page = Page(windows(viewport={"width": 1280, "height": 800}), served).opened()
        expect(page.row(f"real turn {NEWEST - 1}")).to_be_visible()
        who_does_something_else_is_not_taken_to_the_end(page)
        page.opened()
        asked: list[str] = []
        page.tab.on("request", lambda request: asked.append(request.url) if "/api/rows" in request.url else None)
        for key, there in {"End": "original", "Home": "present", "G": "original", "g": "present"}.items():
            page.press(key)
            expect(page.the(there)).to_be_visible()
            assert page.tab.locator(".row").count() < FEW
        assert size(page) > MANY
        assert len(asked) == 1, "what is left comes in large pages, and once"
        page.the("filter-text").fill("turn 1234")
        expect(page.row("turn 1234")).to_be_visible()
        page.tab.context.close()
    # What was made up has no manifest of its own, so the page is refused its lines.
    assert all("422" in complaint for complaint in windows.complaints), windows.complaints
    windows.complaints.clear()
