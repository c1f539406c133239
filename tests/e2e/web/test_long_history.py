"""A long history in a real browser: only what is in sight is drawn, all the way down."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from bench.long_history import NEWEST, make
from support.browser import Windows
from support.pageview import Page
from support.serving import serving

pytestmark = pytest.mark.service("chromium")

MANY = 3_000
FEW = 80
"""Rows that a window has room for, and some beyond."""


def test_only_rows_in_sight_are_drawn_from_the_present_to_the_original(memory_path: Path, windows: Windows) -> None:
    long = make(memory_path, MANY)
    with serving(long.root, {"TAKEBACK_STORE": str(long.store)}) as served:
        page = Page(windows(viewport={"width": 1280, "height": 800}), served).opened()
        expect(page.row(f"real turn {NEWEST - 1}")).to_be_visible()
        for key, there in {"End": "original", "Home": "present", "G": "original", "g": "present"}.items():
            page.press(key)
            expect(page.the(there)).to_be_visible()
            assert page.tab.locator(".row").count() < FEW
        sizes = page.tab.locator("[aria-setsize]").first.get_attribute("aria-setsize")
        assert int(sizes or 0) > MANY
        page.the("filter-text").fill("turn 1234")
        expect(page.row("turn 1234")).to_be_visible()
        page.tab.context.close()
    # What was made up has no manifest of its own, so the page is refused its lines.
    assert all("422" in complaint for complaint in windows.complaints), windows.complaints
    windows.complaints.clear()
