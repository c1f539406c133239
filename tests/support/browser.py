"""A real Chromium, one for all tests of a worker; each test has windows of its own, with nothing remembered.

A window listens: what the page says on its console, what it throws, what its security policy refuses and what it pops up
are `complaints`, and a test that leaves any behind fails.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:  # most tests have nothing to do with it
    from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page

PROGRAMS = ("chromium-headless-shell", "chromium")
"""The first that is there is taken. Without windows and menus it is the same engine, for a third of the work."""
FLAGS = (
    "--no-sandbox",  # tests may run as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--font-render-hinting=none",  # pictures look the same whatever the machine's settings are
    "--force-color-profile=srgb",
)
PATIENCE = 60_000  # milliseconds; a busy machine takes its time


@contextmanager
def chromium(settings: Mapping[str, str] | None = None) -> Iterator[Browser]:
    """Started for the length of the block, with a home directory of its own and nothing of the environment but what is
    given."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    home = tempfile.mkdtemp(prefix="takeback-browser-")
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=next(filter(None, map(shutil.which, PROGRAMS))),
                args=list(FLAGS),
                env={"HOME": home, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **_calm(Path(home)), **(settings or {})},
            )
            yield browser
            browser.close()
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _calm(directory: Path) -> dict[str, str]:
    """What keeps it from hearing of networks that come and go; without a compiler it hears of them."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return {}
    library = directory / "calm.so"
    source = Path(__file__).with_name("calm.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return {"LD_PRELOAD": str(library)}


class Windows:
    """``windows()`` opens one, with what `playwright` calls a context's options; they share nothing, not even cookies."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self.complaints: list[str] = []

    def __call__(self, **options: Any) -> Page:
        usual = {"locale": "en-GB", "timezone_id": "UTC", "reduced_motion": "reduce"}  # what moves costs time to draw
        context = self._browser.new_context(**{**usual, **options})
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.complaints.append(f"thrown: {error}"))
        page.on("dialog", self._popped_up)
        return page

    def close(self) -> None:
        for context in self._browser.contexts:
            context.close()

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")

    def _popped_up(self, dialog: Dialog) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as started, _loop_out_of_sight():
        yield started


@pytest.fixture
def windows(browser: Browser) -> Iterator[Windows]:
    """Everything of it takes ``@pytest.mark.service("chromium")`` along."""
    with _loop_in_sight(browser):
        mine = Windows(browser)
        try:
            yield mine
        finally:
            mine.close()
        assert not mine.complaints


@contextmanager
def _loop_out_of_sight() -> Iterator[None]:
    """While it is not asked, playwright's event loop stands still in this thread; others may want to run theirs."""
    loop = asyncio.get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(loop)


@contextmanager
def _loop_in_sight(browser: Browser) -> Iterator[None]:
    asyncio._set_running_loop(browser._loop)
    try:
        yield
    finally:
        asyncio._set_running_loop(None)
