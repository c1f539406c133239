"""What the page is for, in a real browser: find the bad turn, look at it, put one file back, and take that back again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from e2e.web.conftest import Shop
from support.cli import takeback
from support.pageview import Page
from support.stage import BAD

pytestmark = [pytest.mark.service("chromium"), pytest.mark.service("git")]

GONE = "tests/test_checkout.py"
ALSO_GONE = "tests/test_discounts.py"


@pytest.fixture(autouse=True)
def tidy(shop: Shop) -> Iterator[None]:
    """What a test that fails has put back does not fail the next one."""
    yield
    for path in (GONE, ALSO_GONE):
        (shop.story.root / path).unlink(missing_ok=True)


def test_find_the_bad_turn_restore_one_file_and_take_that_back(shop: Shop, page: Page) -> None:
    gone = shop.story.root / GONE
    assert not gone.exists()
    page.the("filter-text").fill("clean up")
    expect(page.rows()).to_have_count(1)
    page.choose(BAD)
    expect(page.the("panel")).to_contain_text(
        "shop/cart.py"
    )  # all of it is there: nothing is drawn anew under the pointer
    page.the("act-diff").click()

    page.tab.wait_for_url("**/diff?**")
    expect(page.file("shop/cart.py")).to_contain_text("self.items.pop(product, None)")
    expect(page.the("diff-file")).to_have_count(8)
    page.file(GONE).get_by_role("button", name="Restore this file").click()
    expect(page.the("plan-item")).to_have_count(1)
    assert not gone.exists()
    page.the("confirm").click()

    expect(page.the("toast")).to_contain_text("Restored 1 ")
    assert gone.read_text().startswith("from shop.cart import Cart")
    assert not (shop.story.root / ALSO_GONE).exists()
    page.the("toast-undo").click()
    expect(page.the("toast").filter(has_text="Took back 1 ")).to_be_visible()
    assert not gone.exists()


def test_all_of_it_by_keyboard(shop: Shop, page: Page) -> None:
    gone = shop.story.root / GONE
    page.press("/")
    page.tab.keyboard.type("clean up")
    expect(page.rows()).to_have_count(1)
    page.press("ArrowDown", "d")

    page.tab.wait_for_url("**/diff?**")
    expect(page.file(GONE)).to_be_visible()
    _tab_to(page, lambda: page.tab.evaluate("document.activeElement.closest('article')?.dataset.path") == GONE and page.focused() == "Restore this file")  # fmt: skip
    page.press("Enter")
    expect(page.the("confirm")).to_be_focused()
    page.press("Enter")
    expect(page.the("toast")).to_contain_text("Restored 1 ")
    assert gone.exists()
    page.press("u")
    expect(page.the("toast").filter(has_text="Took back 1 ")).to_be_visible()
    assert not gone.exists()


def test_a_snapshot_that_another_process_makes_arrives(shop: Shop, page: Page) -> None:
    note = shop.story.root / "note.txt"
    note.write_text("somebody was here\n")
    try:
        done = takeback("save", "-m", "made elsewhere", cwd=shop.story.root, env=shop.story.env)
        assert done.returncode == 0, done.stderr
        expect(page.rows().filter(has_text="made elsewhere")).to_be_visible()
    finally:
        note.unlink()


def test_a_world_that_moved_since_the_plan_is_shown_before_anything_is_done(shop: Shop, page: Page) -> None:
    place = shop.story.root / GONE
    page.choose(BAD)
    page.the("act-undo").click()
    expect(page.the("plan-item").filter(has_text=GONE)).to_be_visible()
    place.write_text("a person wrote this meanwhile\n")
    page.the("confirm").click()
    expect(page.the("changed-world")).to_be_visible()
    assert place.read_text() == "a person wrote this meanwhile\n"
    assert not (shop.story.root / ALSO_GONE).exists()
    page.the("cancel").click()


def test_a_plan_can_be_narrowed_by_checkboxes_and_says_what_stays_done(shop: Shop, page: Page) -> None:
    page.choose(BAD)
    # What stands out is not the way back to where it was done.
    expect(page.the("panel").locator(".primary")).to_have_attribute("data-test", "act-undo")
    page.the("act-undo").click()
    drawer = page.the("drawer")
    expect(drawer).to_contain_text("git push --force origin main")
    expect(drawer).to_contain_text("The present is saved first")
    page.the("plan-item").filter(has_text=GONE).get_by_role("checkbox").uncheck()
    expect(page.the("confirm")).to_have_text(re.compile("Take back 8 "))
    page.press("Escape")
    expect(drawer).to_have_count(0)
    assert not (shop.story.root / "docs").exists()


def test_what_cannot_be_done_says_why(page: Page) -> None:
    page.press("g", "r")
    expect(page.the("toast")).to_contain_text("This is the present")


def _tab_to(page: Page, there: Callable[[], bool]) -> None:
    for _ in range(200):
        page.press("Tab")
        if there():
            return
    raise AssertionError(f"Tab never gets there; it stands on {page.focused()!r}")
