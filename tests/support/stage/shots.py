"""Pictures of both faces, of the staged story: ``scripts/screenshots`` makes those in README with it.

Time, ids and window sizes are given, so that pictures change only when the faces do. Fonts are the machine's: `scripts/screenshots`
installs those that are named here, and without them others stand in.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from unittest import mock

from support.browser import PATIENCE, chromium
from support.pageview import Page
from support.serving import Served, serving
from support.stage import BAD, Story, story

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from textual.pilot import Pilot

FACES = ("ui", "web")
NOW = datetime(2026, 5, 6, 15, 42, tzinfo=UTC)
SCREEN = (124, 34)
"""Columns and lines of the terminal."""
WINDOW = (1280, 800)
PHONE = (390, 844)
SHARPNESS = 2
MONO, SANS = "JetBrains Mono", "Inter"
_FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>/usr/share/fonts</dir><dir>/usr/local/share/fonts</dir><cachedir prefix="xdg">fontconfig</cachedir>
{}</fontconfig>"""
_ALIAS = '<alias binding="strong"><family>{}</family><prefer><family>{}</family><family>{}</family></prefer></alias>\n'


def shoot(directory: Path, faces: Collection[str] = FACES, *, stage: Path | None = None) -> list[Path]:
    """Make the pictures of these faces; their paths. They show where the ``stage`` is, so it is one with a short name unless
    it is said where."""
    directory.mkdir(parents=True, exist_ok=True)
    made: list[Path] = []

    def keep(name: str, data: bytes) -> None:
        path = directory / f"{name}.png"
        path.write_bytes(small(data))
        made.append(path)

    with _staged(stage or Path(tempfile.gettempdir()) / "robin") as staged, _fonts() as settings:
        screens = asyncio.run(_screens(staged)) if "ui" in faces else {}
        with chromium(settings) as browser:
            for name, drawing in screens.items():
                keep(name, _drawn(browser, drawing))
            if "web" in faces:
                with serving(staged.root, staged.env) as served:
                    _pages(browser, served, keep)
    return made


def small(data: bytes) -> bytes:
    """The same picture in 256 colours, which is all that it has, but for soft edges."""
    from PIL import Image

    with Image.open(BytesIO(data)) as picture:
        fewer = picture.convert("RGB").quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        packed = BytesIO()
        fewer.save(packed, "PNG", optimize=True)
    return packed.getvalue()


@contextmanager
def _staged(place: Path) -> Iterator[Story]:
    place.mkdir()
    try:
        yield story(place, int(NOW.timestamp()) * 10**9)
    finally:
        shutil.rmtree(place)


@contextmanager
def _fonts() -> Iterator[dict[str, str]]:
    """What has a browser choose the fonts that are named here."""
    with tempfile.TemporaryDirectory(prefix="takeback-fonts-") as name:
        wanted = {"sans-serif": (SANS, "DejaVu Sans"), "system-ui": (SANS, "DejaVu Sans")}
        wanted |= dict.fromkeys(("monospace", "ui-monospace"), (MONO, "DejaVu Sans Mono"))
        aliases = "".join(_ALIAS.format(name, *fonts) for name, fonts in wanted.items())
        (Path(name) / "fonts.conf").write_text(_FONTS.format(aliases))
        yield {"FONTCONFIG_FILE": str(Path(name) / "fonts.conf")}


# the terminal


async def _screens(staged: Story) -> dict[str, str]:
    """Drawings of the terminal face, by name."""
    from takeback import locate
    from takeback.tui.app import TakebackApp
    from takeback.views.desk import Desk

    found: dict[str, str] = {}
    now_ns = int(NOW.timestamp()) * 10**9
    with (
        mock.patch.dict(os.environ, {**staged.env, "TZ": "UTC", "COLORTERM": "truecolor", "TERM": "xterm-256color"}),
        mock.patch.object(time, "time_ns", return_value=now_ns),
    ):
        time.tzset()
        for name, look in SCREENS.items():
            with Desk(locate.place(str(staged.root))) as desk:
                app = TakebackApp(desk)
                async with app.run_test(size=SCREEN) as pilot:
                    await look(pilot)
                    await _at_rest(pilot)
                    found[name] = app.export_screenshot(title="takeback ui")
    return found


async def _at_rest(pilot: Pilot[Any]) -> None:
    """Until nothing works behind the screen any more."""
    for _ in range(2):
        while not all(worker.is_finished for worker in pilot.app.workers):
            await pilot.pause(0.02)
        await pilot.pause(0.6)


async def _on(pilot: Pilot[Any], screen: str) -> None:
    """Until that screen is shown, with all that is on it."""
    deadline = time.monotonic() + PATIENCE / 1000
    while type(pilot.app.screen).__name__ != screen:
        assert time.monotonic() < deadline, f"there is no {screen}"
        await pilot.pause(0.05)
    await _at_rest(pilot)


async def _to_the_bad_turn(pilot: Pilot[Any]) -> None:
    await _at_rest(pilot)
    await pilot.press("j", "j")


async def _diff(pilot: Pilot[Any]) -> None:
    await _to_the_bad_turn(pilot)
    await pilot.press("d")
    await _on(pilot, "DiffScreen")
    await pilot.press(*"jjjj", "u")  # shop/cart.py, with whole lines


async def _preview(pilot: Pilot[Any]) -> None:
    await _to_the_bad_turn(pilot)
    await pilot.press("z")
    await _on(pilot, "PreviewScreen")
    await pilot.press("G", "k")  # shop/cart.py


SCREENS: dict[str, Callable[[Pilot[Any]], Awaitable[None]]] = {
    "ui-timeline": _to_the_bad_turn,
    "ui-diff": _diff,
    "ui-preview": _preview,
}


def _drawn(browser: Browser, drawing: str) -> bytes:
    """A drawing as a picture, in the font that is wanted."""
    drawing = re.sub(r"@font-face\s*{[^}]*}", "", drawing)
    drawing = drawing.replace("Fira Code", MONO)
    width, height = (float(size) for size in re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawing).groups())  # type: ignore[union-attr]
    context = browser.new_context(
        viewport={"width": round(width), "height": round(height)}, device_scale_factor=SHARPNESS
    )
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.set_content(f"<style>body{{margin:0}}svg{{display:block}}</style>{drawing}")
    picture = page.screenshot(omit_background=True)
    context.close()
    return picture


# the page


def _pages(browser: Browser, served: Served, keep: Callable[[str, bytes], None]) -> None:
    dark = _window(browser, served, WINDOW, "dark")
    dark.choose(BAD)
    _shot(dark, "web-timeline", keep)
    dark.the("act-undo").click()
    dark.the("plan-item").first.wait_for()
    _shot(dark, "web-restore", keep)
    dark.press("Escape")
    dark.the("act-diff").click()
    dark.file("shop/cart.py").get_by_text("prices.get").first.wait_for()
    dark.the("diff-list-item").filter(has_text="cart.py").click()
    _shot(dark, "web-diff", keep)

    light = _window(browser, served, WINDOW, "light")
    light.choose(BAD)
    _shot(light, "web-timeline-light", keep)
    light.the("nav-store").click()
    light.the("plot").first.wait_for()
    _shot(light, "web-store", keep)

    phone = _window(browser, served, PHONE, "dark")
    _shot(phone, "web-phone", keep)


def _window(browser: Browser, served: Served, size: tuple[int, int], scheme: Literal["dark", "light"]) -> Page:
    options: dict[str, Any] = {"is_mobile": True, "has_touch": True} if size == PHONE else {}
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, device_scale_factor=SHARPNESS,
        locale="en-GB", timezone_id="UTC", reduced_motion="reduce", **options,
    )  # fmt: skip
    context.clock.set_fixed_time(NOW)
    context.set_default_timeout(PATIENCE)
    return Page(context.new_page(), served).opened()


def _shot(page: Page, name: str, keep: Callable[[str, bytes], None]) -> None:
    """Once everything that was asked for has come."""
    from playwright.sync_api import expect

    page.tab.mouse.move(0, 0)
    expect(page.tab.locator(".bone:visible")).to_have_count(0)
    page.tab.wait_for_timeout(400)
    keep(name, page.tab.screenshot())


if __name__ == "__main__":
    for each in shoot(Path(sys.argv[1]), sys.argv[2:] or FACES):
        print(f"{each} {each.stat().st_size // 1024} KiB")
