from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from support.agent import World
from support.tui import play, screen, until, until_seen
from takeback.tui.app import TakebackApp
from takeback.tui.store import policy_lines
from takeback.tui.timeline import TimelineScreen
from takeback.views.lines import plain
from takeback.views.store_figures import Limit


def test_the_store_shows_space_by_part_growth_and_policy(app: TakebackApp, world: World) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, "third turn")
        await pilot.press("s")
        await until_seen(
            pilot, "as plain copies", "on disk", "By timeline and part", "workspace", "Growth", "keep_last"
        )
        assert "█" in screen(pilot)
        assert str(world.store_path) in screen(pilot)
        await pilot.press("j", "k", "escape")
        await until(pilot, lambda: isinstance(app.screen, TimelineScreen))

    play(app, scene, size=(120, 40))


def test_the_figures_fit_a_narrow_terminal(app: TakebackApp) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, "third turn")
        await pilot.press("s")
        await until_seen(pilot, "as plain copies")
        await pilot.resize_terminal(80, 50)
        await until_seen(pilot, "By timeline and part", "workspace", "snap.")
        lines = [line.strip() for line in screen(pilot).splitlines()]
        after = lines[lines.index(next(line for line in lines if "snap." in line)) + 1]
        assert not after or "snap." in after  # a long path does not break it
        await pilot.resize_terminal(100, 50)
        await until_seen(pilot, "no limit", "default")

    play(app, scene, size=(60, 15))


def test_a_limit_says_who_set_it_and_none_that_all_is_kept() -> None:
    unlimited = [
        plain(line) for line in policy_lines([Limit("keep_last", "", "default"), Limit("min_free", "1GiB", "default")])
    ]
    assert "  keep_last  no limit  default" in unlimited
    assert "nothing goes by itself" in unlimited[-1]
    limited = [plain(line) for line in policy_lines([Limit("keep_last", "50", "/home/me/config.toml")])]
    assert limited == ["Policy", "  keep_last  50  /home/me/config.toml"]
