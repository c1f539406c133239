"""The page as somebody sees it in a browser: what is on it, by the names that it gives its own parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.serving import Served

if TYPE_CHECKING:
    from playwright.sync_api import Locator
    from playwright.sync_api import Page as Tab


class Page:
    """A window on the page."""

    def __init__(self, tab: Tab, served: Served) -> None:
        self.tab, self.served = tab, served

    def opened(self) -> Page:
        """By the address that the command prints, until the newest rows are there."""
        self.tab.goto(self.served.url)
        self.rows().first.wait_for()
        self.the("present").wait_for()
        self.the("status").filter(has_text="Live").wait_for()
        return self

    def the(self, name: str) -> Locator:
        """What the page calls so."""
        return self.tab.locator(f'[data-test="{name}"]:visible')

    def rows(self) -> Locator:
        return self.the("row")

    def row(self, title: str) -> Locator:
        return self.rows().filter(has=self.tab.get_by_text(title, exact=True))

    def choose(self, title: str) -> None:
        """Click on a row, and wait until all about it stands beside the list."""
        self.row(title).click()
        self.the("panel").get_by_role("heading", name=title, exact=True).wait_for()

    def file(self, path: str) -> Locator:
        """A file of a diff."""
        return self.tab.locator(f'[data-test="diff-file"][data-path="{path}"]')

    def press(self, *keys: str) -> None:
        for key in keys:
            self.tab.keyboard.press(key)

    def focused(self) -> str:
        """What has the focus, in words."""
        return str(
            self.tab.evaluate(
                "document.activeElement.ariaLabel || document.activeElement.innerText || document.activeElement.name"
            )
        )
