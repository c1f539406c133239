"""What other tests rely on: a browser that complains, and that is in nobody's way."""

from __future__ import annotations

import asyncio

import pytest

from support.browser import Windows

pytestmark = pytest.mark.service("chromium")


@pytest.mark.parametrize(
    "page",
    ["<script>console.error('bad')</script>", "<script>nowhere()</script>", "<script>alert('bad')</script>"],
    ids=["said", "thrown", "popped up"],
)
def test_what_goes_wrong_in_a_page_is_heard(windows: Windows, page: str) -> None:
    windows().set_content(page)
    assert len(windows.complaints) == 1
    windows.complaints.clear()


def test_windows_share_nothing(windows: Windows) -> None:
    first, second = windows(), windows()
    first.context.add_cookies([{"name": "a", "value": "b", "url": "http://127.0.0.1/"}])
    assert first.context.cookies() and not second.context.cookies()


def test_a_test_without_a_window_runs_its_own_loop(browser: object) -> None:
    async def answer() -> int:
        return 1

    assert asyncio.run(answer()) == 1
