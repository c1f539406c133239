"""The list of the page in a real browser: only rows in sight exist, what one looks at stays where it is, the address holds what
is shown, and what was done can be taken back and done again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from support.browser import Windows
from support.cli import takeback
from support.pageview import Page
from support.serving import serving
from support.stage import BAD, Story

pytestmark = [pytest.mark.service("chromium"), pytest.mark.service("git")]

LOW = {"width": 1280, "height": 420}


@pytest.fixture
def page(own_story: Story, windows: Windows) -> Iterator[Page]:
    with serving(own_story.root, own_story.env) as served:
        page = Page(windows(viewport=LOW), served).opened()
        yield page
        page.tab.close()  # before the server ends, which it would complain about


def save(story: Story, label: str) -> None:
    (story.root / "note.txt").write_text(f"{label}\n")
    done = takeback("save", "-m", label, cwd=story.root, env=story.env)
    assert done.returncode == 0, done.stderr


def test_only_rows_in_sight_exist_and_the_end_is_a_key_away(page: Page) -> None:
    length = int(page.the("present").get_attribute("aria-setsize") or 0)
    assert page.tab.locator('[role="option"]').count() < length
    page.press("G")
    expect(page.the("original").last).to_be_focused()
    assert page.tab.locator('[role="option"]').count() < length
    page.press("g")
    expect(page.the("present")).to_be_focused()


def test_a_row_that_arrives_does_not_move_what_one_looks_at(own_story: Story, page: Page) -> None:
    page.the("scroller").evaluate("(each) => { each.scrollTop = 400; }")
    row = page.row("add a health endpoint")
    row.click()
    before = row.bounding_box()
    save(own_story, "made elsewhere")
    expect(page.the("news")).to_have_text("1 new move above")
    assert row.bounding_box() == before
    expect(row).to_be_focused()
    expect(row).to_have_attribute("aria-selected", "true")
    page.the("news").click()
    expect(page.rows().filter(has_text="made elsewhere")).to_be_visible()


def test_a_filter_is_in_the_address_and_the_back_button_takes_it_away(page: Page) -> None:
    page.press("/")
    page.tab.keyboard.type("health")
    expect(page.rows()).to_have_count(1)
    assert page.tab.url.endswith("/?text=health")
    page.tab.reload()
    expect(page.rows()).to_have_count(1)
    expect(page.the("filter-text")).to_have_value("health")
    page.tab.go_back()
    expect(page.row(BAD)).to_be_visible()
    expect(page.the("filter-text")).to_have_value("")


def test_an_undo_can_be_redone_and_undone_again_from_its_message(own_story: Story, page: Page) -> None:
    gone = own_story.root / "docs/deploy.md"
    page.choose(BAD)
    page.the("act-undo").click()
    page.the("confirm").click()
    for words, there in (("Took back", True), ("Redid", False), ("Took back", True), ("Redid", False)):
        expect(page.the("toast").filter(has_text=words)).to_be_visible()
        assert gone.exists() == there
        page.press("u")
    expect(page.the("toast").filter(has_text="Took back")).to_be_visible()
