"""Where one stands: on the row one came from, in one's own directory, and with a next step where there is nothing yet."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from e2e.web.conftest import Shop
from support.browser import Windows
from support.cli import takeback
from support.pageview import Page
from support.serving import serving
from support.stage import BAD

pytestmark = [pytest.mark.service("chromium"), pytest.mark.service("git")]

EARLIER = "add a health endpoint"


def test_who_comes_back_from_a_diff_stands_on_the_row_and_has_the_filter_of_before(page: Page) -> None:
    page.press("/")
    page.tab.keyboard.type("health")
    page.tab.wait_for_url("**/?text=health")
    expect(page.rows()).to_have_count(1)
    page.choose(EARLIER)
    page.press("d")
    page.tab.wait_for_url("**/diff?**")
    expect(page.tab.get_by_role("heading", name=EARLIER)).to_be_visible()
    for back in (lambda: page.press("Escape"), page.tab.go_back):
        back()
        page.tab.wait_for_url("**/?text=health")
        expect(page.row(EARLIER)).to_have_attribute("aria-selected", "true")
        page.press("d")
        page.tab.wait_for_url("**/diff?**")
        expect(page.tab.get_by_role("heading", name=EARLIER)).to_be_visible()


def test_what_is_being_typed_stays_when_the_page_learns_more(shop: Shop, windows: Windows) -> None:
    tab = windows(viewport={"width": 1280, "height": 800})
    tab.clock.install()
    held: list[Route] = []
    tab.route(re.compile("/api/snapshots/"), lambda route: held.append(route))
    page = Page(tab, shop.served).opened()
    while not held:
        tab.wait_for_timeout(50)
    tab.clock.pause_at(tab.evaluate("Date.now()") / 1000 + 3600)
    page.press("/")
    tab.keyboard.type("health")
    held[0].continue_()
    expect(tab.locator('[data-test="filter-part"] option')).not_to_have_count(1)
    expect(page.the("filter-text")).to_have_value("health")
    tab.clock.run_for(1000)
    tab.wait_for_url("**/?text=health")
    tab.unroute_all(behavior="ignoreErrors")


def test_z_is_about_the_chosen_move_and_about_the_newest_on_the_present(page: Page) -> None:
    page.choose(BAD)
    page.press("z")
    expect(page.the("drawer").get_by_role("heading", name=f"Undo “{BAD}”")).to_be_visible()
    page.press("Escape", "g", "z")
    expect(page.the("drawer").get_by_role("heading", name="Undo the newest move")).to_be_visible()
    page.press("Escape")


def test_a_filter_that_finds_nothing_says_so(page: Page) -> None:
    page.press("/")
    page.tab.keyboard.type("there is no such move")
    expect(page.tab.get_by_text("No move is like that")).to_be_in_viewport()


def test_a_directory_without_history_shows_none_of_others_and_offers_to_begin(
    shop: Shop, windows: Windows, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    with serving(tmp_path, shop.story.env) as served:
        tab = windows(viewport={"width": 1280, "height": 800})
        tab.goto(served.url)
        expect(tab.get_by_role("heading", name="Nothing was recorded here yet")).to_be_in_viewport()
        page = Page(tab, served)
        expect(page.rows()).to_have_count(0)
        page.the("act-save").click()
        page.the("ask-ok").click()
        expect(page.the("present")).to_be_visible()
        expect(page.the("original")).to_be_visible()
        tab.context.close()


def test_a_name_that_is_no_text_is_compared_and_put_back_like_any_other(
    shop: Shop, windows: Windows, tmp_path: Path
) -> None:
    strange = Path(os.fsdecode(os.fsencode(tmp_path) + b"/b\xfed.txt"))
    for text in ("one\n", "two\n"):
        strange.write_text(text)
        (tmp_path / "z.txt").write_text(text)
        assert takeback("save", cwd=tmp_path, env=shop.story.env).returncode == 0
    with serving(tmp_path, shop.story.env) as served:
        page = Page(windows(viewport={"width": 1280, "height": 800}), served).opened()
        page.rows().first.click()
        expect(page.the("changed-file")).to_have_count(2)
        page.the("act-diff").click()
        expect(page.the("diff-list-item")).to_have_count(2)
        page.the("diff-list-item").first.click()
        page.tab.wait_for_url("**#b%FEd.txt")
        expect(page.the("diff-file").first).to_contain_text("two")
        page.the("restore-file").first.click()
        page.the("confirm").click()
        expect(page.the("toast")).to_contain_text("Restored 1 ")
        page.tab.context.close()
    assert strange.read_text() == "one\n" and (tmp_path / "z.txt").read_text() == "two\n"
