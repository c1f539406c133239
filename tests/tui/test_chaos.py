"""Keys in any order, faster than anything loads, in a window of any size, over a world full of strange names: the face goes
on, and what is on the screen holds nothing that a terminal would obey."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from random import Random
from typing import Any

import pytest
from textual.events import Resize
from textual.geometry import Size
from textual.pilot import Pilot

from support import campaigns
from support.agent import World
from support.tui import play, screen, until_seen
from takeback import locate
from takeback.tui.app import TakebackApp
from takeback.views.desk import Desk

STRANGE = (
    "[red]x[/red]",
    "[/]",
    "\x1b[31mred",
    "a\nb",
    "‮gnp.exe",
    "[link=file:///etc]x[/link]",
    "\udcff\udcfe",
    "$(x)",
    "%s",
)
KEYS = (
    *(
        "up",
        "down",
        "j",
        "k",
        "g",
        "G",
        "home",
        "end",
        "enter",
        "d",
        "r",
        "z",
        "Z",
        "f",
        "p",
        "P",
        "m",
        "slash",
        "tab",
        "space",
    ),
    *(
        "question_mark",
        "escape",
        "q",
        "o",
        "s",
        "a",
        "x",
        "shift+tab",
        "pageup",
        "pagedown",
        "left",
        "right",
        "1",
        "n",
        "y",
    ),
)
SIZES = ((1, 1), (3, 2), (20, 5), (80, 24), (200, 60))


def strange(world: World) -> None:
    world.write("a.txt", "one\n")
    world.line.save("[b]start[/b]")
    for number, name in enumerate(STRANGE):
        with world.line.turn(name, session=f"s{name}"):
            world.write("a.txt", f"{number} {name}\n".encode("utf-8", "surrogateescape"))
            with open(os.path.join(os.fsencode(world.root), os.fsencode(name.replace("/", "_"))), "wb") as file:
                file.write(name.encode("utf-8", "surrogateescape"))


@pytest.mark.campaign("tui-chaos")
@pytest.mark.parametrize("seed", [6, *campaigns.rest((*range(6), *range(7, 100)))])
def test_no_keys_in_any_order_and_no_size_break_it(
    world: World, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where forks with names of any letters go
    strange(world)
    chance = Random(1000 * (campaigns.seed() - 1) + seed)

    async def scene(pilot: Pilot[Any]) -> None:
        app = pilot.app
        await until_seen(pilot, "<original>")
        for _ in range(50):
            for key in chance.choices(KEYS, k=3):
                app.simulate_key(key)  # without waiting for what the last one began
            if chance.random() < 0.3:
                size = Size(*chance.choice(SIZES))
                app.post_message(Resize(size, size))
            await asyncio.sleep(0.005)
            if not app.is_running:
                return
            shown = screen(pilot)
            assert "\x1b" not in shown and "\u202e" not in shown
        async with asyncio.timeout(60):
            while app.is_running:  # it still listens
                app.simulate_key("ctrl+q")
                await asyncio.sleep(0.05)

    with Desk(locate.place(str(world.root), store=str(world.store_path))) as desk:
        play(TakebackApp(desk), scene, every_frame=True)
