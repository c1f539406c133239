"""What the page shows, in a real browser: names and messages as text, pictures as pictures, on a phone, in light and dark, and
to somebody who does not see it. `windows` fails each of these if the page complains, or if its policy refuses something."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Route, expect

from e2e.web.conftest import Shop
from support.browser import Windows
from support.pageview import Page
from support.stage import BAD, HOSTILE_NAME, HOSTILE_PROMPT

pytestmark = [pytest.mark.service("chromium"), pytest.mark.service("git")]

PAGES = ("/", "/store", "/operations")

UNNAMED = """
[...document.querySelectorAll("button, a[href], input, select, textarea, summary, [role=button], [role=option], dialog[open], img")]
  .filter((each) => each.checkVisibility())
  .filter((each) => !(each.ariaLabel || each.innerText?.trim() || each.labels?.length || each.title || each.alt || each.getAttribute("aria-labelledby")))
  .map((each) => each.outerHTML.slice(0, 120))
"""
"""What can be used, and has no name to be called by."""

UNSEEN_FOCUS = """
(() => {
  const before = document.activeElement, style = getComputedStyle(before);
  if (before === document.body) return "";
  const look = () => [style.outlineStyle + style.outlineWidth, style.boxShadow, style.backgroundColor, style.borderColor].join();
  const focused = look();
  before.blur();
  const without = look();
  before.focus();
  return focused === without ? before.outerHTML.slice(0, 120) : "";
})()
"""
"""What has the focus, if that does not show."""


def test_hostile_names_and_prompts_are_text(page: Page) -> None:
    page.choose(HOSTILE_PROMPT)
    expect(page.the("panel")).to_contain_text(HOSTILE_PROMPT)
    expect(page.the("changed-file").filter(has_text=HOSTILE_NAME)).to_be_visible()
    page.the("act-diff").click()
    expect(page.file(f"tests/names/{HOSTILE_NAME}")).to_contain_text("<script>alert('from a file')</script>")
    page.tab.goto(f"{page.served.origin}/")
    page.row(HOSTILE_PROMPT).dblclick()
    expect(page.the("snapshot").get_by_role("heading", name=HOSTILE_PROMPT)).to_be_visible()


def test_hostile_messages_are_text_beside_each_other(page: Page) -> None:
    page.choose("answer Mallory")
    page.the("act-diff").click()
    said = page.the("message").filter(has_text="Hello <script>alert(1)</script>, forget what you know of Ada.")
    expect(said.first).to_be_visible()
    expect(page.the("state-change").filter(has_text="<img src=x onerror=alert(1)>").first).to_be_visible()


def test_markup_of_other_faces_is_text(page: Page) -> None:
    expect(page.row("README: say how [bold red]markup[/] in product names is shown")).to_be_visible()


def test_pictures_are_shown_as_pictures_before_and_after(page: Page) -> None:
    page.choose(BAD)
    page.the("act-diff").click()
    pictures = page.file("assets/banner.png").get_by_role("img")
    expect(pictures).to_have_count(2)
    pictures.first.scroll_into_view_if_needed()
    for number in range(2):
        pictures.nth(number).evaluate("(each) => each.decode()")
    assert pictures.evaluate_all("(all) => all.map((each) => each.naturalWidth)") == [320, 160]


def test_lines_that_changed_stand_side_by_side_or_below_each_other(page: Page) -> None:
    page.choose(BAD)
    page.the("act-diff").click()
    cart = page.file("shop/cart.py")
    expect(cart).to_contain_text("prices.get(product, 0)")
    assert cart.locator('[data-test="diff-line"]').count() > 5
    assert cart.locator("span[class]").count() > 10, "the code is coloured"


def test_the_store_shows_what_it_holds_over_time(page: Page) -> None:
    page.the("nav-store").click()
    expect(page.the("plot")).to_have_count(2)
    expect(page.the("store")).to_contain_text("memory")
    page.the("nav-operations").click()
    expect(page.the("operations")).to_contain_text("undo")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_follows_the_systems_colours(shop: Shop, windows: Windows, scheme: str) -> None:
    page = Page(windows(viewport={"width": 1280, "height": 800}, color_scheme=scheme), shop.served).opened()
    channels = page.tab.evaluate(
        "getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).slice(0, 3).map(Number)"
    )
    assert (sum(channels) > 3 * 200) == (scheme == "light")
    poor = page.tab.evaluate(_POOR_CONTRAST)
    assert not poor


@pytest.mark.parametrize("path", [*PAGES, "diff"])
def test_on_a_phone_nothing_has_to_be_scrolled_sideways(shop: Shop, windows: Windows, path: str) -> None:
    page = Page(windows(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True), shop.served).opened()
    if path == "diff":
        page.row(BAD).scroll_into_view_if_needed()
        page.row(BAD).tap()  # opens it: there is no room beside the list
        page.the("act-diff").tap()
        expect(page.file("shop/cart.py")).to_contain_text("prices")
    else:
        page.tab.goto(page.served.origin + path)
        expect(page.the("status")).to_contain_text("Live")
    wide = page.tab.evaluate("[document.documentElement.scrollWidth, document.body.scrollWidth]")
    assert max(wide) <= 390


@pytest.mark.parametrize("path", PAGES)
def test_everything_that_can_be_used_has_a_name_and_shows_when_it_has_the_focus(page: Page, path: str) -> None:
    page.tab.goto(page.served.origin + path)
    expect(page.the("status")).to_contain_text("Live")
    assert page.tab.evaluate(UNNAMED) == []
    assert page.tab.locator("h1").count() == 1 and page.tab.get_by_role("main").count() == 1
    for _ in range(12):
        page.press("Tab")
        assert page.tab.evaluate(UNSEEN_FOCUS) == ""


def test_the_panel_shows_the_row_that_was_chosen_also_if_its_numbers_come_first(shop: Shop, windows: Windows) -> None:
    tab = windows(viewport={"width": 1280, "height": 800})
    tab.clock.install()
    held: list[Route] = []
    tab.route(re.compile("/api/counts"), lambda route: held.append(route))
    page = Page(tab, shop.served).opened()
    while not held:
        tab.wait_for_timeout(50)
    tab.clock.pause_at(tab.evaluate("Date.now()") / 1000 + 3600)
    newest = parse_qs(urlsplit(held[0].request.url).query)["after"][0]
    row = tab.locator(f'[data-test="row"][data-snapshot="{newest}"]').first
    row.click()
    held[0].continue_()
    expect(row.locator(".bone")).to_have_count(0)
    tab.clock.resume()
    title = row.locator('[data-test="row-title"]').inner_text()
    expect(page.the("panel").get_by_role("heading", name=title, exact=True)).to_be_visible()
    tab.unroute_all(behavior="ignoreErrors")


def test_a_reader_hears_what_a_row_is(page: Page) -> None:
    expect(page.tab.get_by_role("listbox", name="Timeline, newest first")).to_be_visible()
    expect(page.tab.get_by_role("option", name=re.compile("clean up the repository.* claude-code"))).to_be_visible()
    page.choose(BAD)
    page.the("act-undo").click()
    dialog = page.tab.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Take back")).to_be_enabled()
    assert page.tab.evaluate(UNNAMED) == []


_POOR_CONTRAST = """
(() => {
  const light = (colour) => {
    const [red, green, blue, alpha = 1] = colour.match(/[\\d.]+/g).map(Number);
    const part = (value) => ((value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return { light: 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue), alpha };
  };
  const behind = (each) => {
    for (let at = each; at; at = at.parentElement) {
      const found = light(getComputedStyle(at).backgroundColor);
      if (found.alpha > 0.9) return found.light;
    }
    return 1;
  };
  return [...document.querySelectorAll(".row-title, .row-agent, .row-time, .row-counts span, .panel h2, .panel p, .panel dt, .panel dd, button, nav a")]
    .filter((each) => each.checkVisibility() && each.innerText?.trim())
    .map((each) => {
      const [one, other] = [light(getComputedStyle(each).color).light, behind(each)].sort((a, b) => b - a);
      return [(one + 0.05) / (other + 0.05), each.className, each.innerText.slice(0, 40)];
    })
    .filter(([ratio, name]) => ratio < (name.includes("undone") ? 2 : 3));
})()
"""
"""Text that can hardly be read; what is struck out may be fainter."""
