"""Many pages of one browser, which has few connections to a server."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from support.browser import Windows
from support.web import record, save_live, served

pytestmark = pytest.mark.service("chromium")


def test_many_tabs_are_all_told_and_still_are_when_the_first_is_closed(tmp_path: Path, windows: Windows) -> None:
    root, store = record(tmp_path)
    with served(root, store) as server:
        first = windows()
        first.goto(server.url())
        tabs = [first, *(first.context.new_page() for _ in range(7))]
        for tab in tabs[1:]:
            tab.goto(f"http://127.0.0.1:{server.address.port}/")
        for tab in tabs:
            expect(tab.locator("#status")).to_contain_text("Live")
        assert len(server.shared.hub) == 1
        save_live(root, store, "seen by all")
        for tab in tabs:
            tab.get_by_text("seen by all").first.wait_for()
        first.close()
        save_live(root, store, "seen by the rest")
        for tab in tabs[1:]:
            tab.get_by_text("seen by the rest").first.wait_for()
            expect(tab.locator("#status")).to_contain_text("Live")
        assert len(server.shared.hub) == 1
        tabs[1].context.close()
    windows.complaints.clear()
