"""Forks and long work in the page: what was done in a fork is brought here, a snapshot is dropped, work is stopped; each is taken
back or changes nothing."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from e2e.web.conftest import Shop
from support.browser import Windows
from support.pageview import Page
from support.stage import BAD
from takeback.store.locks import root_lock

pytestmark = [pytest.mark.service("chromium"), pytest.mark.service("git")]

LAST_OF_THE_FORK = "use it at the checkout"


def test_a_fork_is_promoted_and_that_is_taken_back_and_dropped(shop: Shop, page: Page, windows: Windows) -> None:
    brought = shop.story.root / "shop/tax.py"
    checkout = (shop.story.root / "shop/checkout.py").read_text()
    page.choose(LAST_OF_THE_FORK)
    page.press("P")
    drawer = page.the("drawer")
    expect(page.the("plan-item")).to_have_count(2)
    expect(drawer).to_contain_text("The fork itself is saved, and stays as it is.")
    expect(page.the("conflict")).to_contain_text("shop/cart.py")

    command = "takeback diff @ attempt-2@ -- shop/cart.py"
    page.tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    expect(drawer).not_to_contain_text("`")
    drawer.get_by_role("button", name=f"Copy {command}").click()
    page.tab.wait_for_function("(text) => navigator.clipboard.readText().then((each) => each === text)", arg=command)

    assert not brought.exists()
    page.the("confirm").click()
    expect(page.the("toast")).to_contain_text("Brought 2 paths, 1 conflict left alone")
    assert brought.exists()
    page.press("u")
    expect(page.the("toast").filter(has_text="Took back 2 paths")).to_be_visible()
    assert not brought.exists()
    assert (shop.story.root / "shop/checkout.py").read_text() == checkout

    newest = page.rows().first
    expect(newest).to_contain_text("Undo “promote attempt-2”")
    id = newest.get_attribute("data-snapshot") or ""
    page.choose("Undo “promote attempt-2”")
    page.press("x")
    expect(page.the("ask")).to_contain_text(re.compile(f"Goes.*{id[:8]}.*Stays.*Every file as it is now", re.DOTALL))
    expect(page.the("ask-cancel")).to_be_focused()
    page.the("ask-ok").click()
    expect(page.tab.locator(f'[data-snapshot="{id}"]:visible')).to_have_count(0)
    expect(page.the("toast").filter(has_text=f"Dropped {id[:8]}")).to_be_visible()
    page.press("u")
    expect(page.tab.locator(f'[data-snapshot="{id}"]:visible')).to_have_count(1)
    # The page may have asked for the numbers of what was dropped in that moment.
    windows.complaints[:] = [complaint for complaint in windows.complaints if "404" not in complaint]


def test_a_restore_that_waits_is_stopped_and_everything_is_as_it_was(shop: Shop, page: Page) -> None:
    page.choose(BAD)
    page.the("act-undo").click()
    expect(page.the("confirm")).to_contain_text("Take back")
    with root_lock(str(shop.story.root)):
        page.the("confirm").click()
        expect(page.the("drawer")).to_contain_text("Waiting for ")
        page.the("stop").click()
        expect(page.the("toast")).to_contain_text("Stopped: everything is as it was")
    expect(page.the("drawer")).to_have_count(0)
    assert not (shop.story.root / "docs").exists()
