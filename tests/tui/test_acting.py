from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from support.agent import World
from support.tui import play, said, screen, until, until_said, until_seen
from takeback.errors import NotFound
from takeback.tui.app import TakebackApp
from takeback.tui.asking import Choosing
from takeback.tui.confirming import ConfirmScreen
from takeback.tui.operations import OperationList
from takeback.tui.rowlist import RowList
from takeback.tui.timeline import TimelineScreen
from takeback.views.desk import Desk

ALL = ("third turn", "second turn", "first turn", "<original>")


def on_timeline(app: TakebackApp) -> bool:
    return isinstance(app.screen, TimelineScreen)


def screen_name(app: TakebackApp) -> str:
    return type(app.screen).__name__


def test_p_pins_and_unpins(app: TakebackApp, world: World) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        await pilot.press("down", "p")
        await until_seen(pilot, "⚑", "p unpin")
        assert world.line.show("@").pinned
        await until_said(pilot, "pinned")
        await pilot.press("p")
        await until(pilot, lambda: not world.line.show("@").pinned and "p pin " in screen(pilot))

    play(app, scene)


@pytest.mark.parametrize("key", ["x", "delete"])
def test_x_drops_a_snapshot_after_a_question_and_operations_bring_it_back(
    app: TakebackApp, world: World, key: str
) -> None:
    target, before = world.line.show("@-1").id, world.tree()

    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        await pilot.press("down", "down")
        await until_seen(pilot, "x drop")
        await pilot.press(key)
        await until_seen(
            pilot,
            "Drop second turn",
            "goes",
            target[:8],
            "stays",
            "every file as it is",
            "brought back",
            "the moves stay",
        )
        await pilot.press("n")
        await until(pilot, lambda: on_timeline(app))
        assert world.line.show(target)
        await pilot.press(key)
        await until_seen(pilot, "Drop it (y)")
        await pilot.press("y")
        await until_said(pilot, f"{target[:8]} is dropped")
        await until(pilot, lambda: "second turn +" in screen(pilot) or "+ third turn" in screen(pilot))
        with pytest.raises(NotFound):
            world.line.show(target)
        await pilot.press("o")
        await until(pilot, lambda: (listed := app.screen.query(OperationList)) and listed.first().rows)
        await pilot.press("down", "z")
        await until_said(pilot, "nothing was dropped here")
        await pilot.press("up", "z")
        await until_said(pilot, f"{target[:8]} is back on its timeline")
        await until(pilot, lambda: (row := app.screen.query_one(OperationList).chosen) and row.verb == "undrop")
        assert world.line.show(target)

    play(app, scene)
    assert world.tree() == before


def test_when_all_is_dropped_the_present_is_there_to_be_saved(start: Desk) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, "<original>")
        await pilot.press("down", "x")
        await until_seen(pilot, "Drop it (y)")
        await pilot.press("y")
        await until_seen(pilot, "the present  nothing is saved")
        await until(pilot, lambda: "latest snapshot" not in screen(pilot))
        await pilot.press("d")
        await until_said(pilot, "there is nothing here yet\n→ m saves the present")

    play(TakebackApp(start), scene)


def test_what_is_pinned_is_not_dropped(app: TakebackApp, world: World) -> None:
    world.line.pin("@")

    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL, "⚑")
        await pilot.press("down")
        await until_seen(pilot, "p unpin")
        assert "x drop" not in screen(pilot)
        await pilot.press("x")
        await until_said(pilot, "is pinned, so it is not dropped\n→ p unpins it")
        assert not isinstance(app.screen, ConfirmScreen)

    play(app, scene)


def test_m_gives_a_label_and_takes_it_away(app: TakebackApp, world: World) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        await pilot.press("down", "m")
        await until_seen(pilot, "Label third turn")
        await pilot.press("enter")
        await until_seen(pilot, "this is needed")
        await pilot.press(*"good", "enter")
        await until_seen(pilot, " good ")
        assert world.line.show("good").labels == ("good",)
        await pilot.press("m")
        await until_seen(pilot, "it has: good")
        await pilot.press(*"good", "enter")
        await until(pilot, lambda: world.line.show("@").labels == () and on_timeline(app))

    play(app, scene)


def test_a_label_that_cannot_be_one_is_told_with_what_to_do(app: TakebackApp) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        await pilot.press("down", "m", *"@-3", "enter")
        await until(pilot, lambda: said(pilot) and on_timeline(app))
        assert "Traceback" not in screen(pilot)
        assert "@-3" in said(pilot)

    play(app, scene)


def test_m_on_the_present_saves_it(app: TakebackApp, world: World) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        await pilot.press("m")
        await until_seen(pilot, "Save the present")
        await pilot.press(*"by hand", "enter")
        await until_seen(pilot, "by hand", "as in the latest snapshot")
        assert world.line.read("by hand", "notes.txt") == b"mine\n"

    play(app, scene)


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        (["r"], "this is the present"),
        (["p"], "the present is not a snapshot yet"),
        (["f"], "the present is not a snapshot yet"),
        (["x"], "the present is not a snapshot"),
        (["P"], "this is no fork, and none begins here"),
        (["end", "d"], "this is the first snapshot"),
        (["end", "enter"], "this is the first snapshot"),
        (["end", "z"], "no move ended here"),
    ],
)
def test_a_key_that_is_not_possible_says_why(app: TakebackApp, keys: list[str], why: str) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        await pilot.press(*keys)
        await until_said(pilot, why)
        assert "→" in said(pilot)
        assert on_timeline(app)

    play(app, scene)


def test_a_redo_with_nothing_to_redo_says_what_the_engine_says(app: TakebackApp) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        await pilot.press("Z")
        await until(pilot, lambda: on_timeline(app) and "there is nothing to redo" in said(pilot))
        assert "→ redo takes back an undo" in said(pilot)

    play(app, scene)


def test_what_is_at_work_cannot_be_marked_yet(app: TakebackApp, world: World) -> None:
    world.agent("s9").start("a long turn")

    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, "at work")
        await pilot.press("down")
        for key in "rfpmx":
            await pilot.press(key)
            await until_said(pilot, "has not ended")
            assert on_timeline(app)

    play(app, scene)


def test_a_move_that_was_taken_back_says_so_to_z(app: TakebackApp, world: World) -> None:
    world.line.undo()

    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, "taken back")
        rows = app.screen.query_one(RowList)
        place = next(at for at in range(len(rows.listing)) if rows.listing[at].undone_by)
        await pilot.press(*["down"] * place, "z")
        await until_said(pilot, "already taken back")

    play(app, scene)


def test_r_asks_how_to_go_back_and_esc_answers_not_at_all(app: TakebackApp, world: World) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        await pilot.press("down", "down", "r")
        await until_seen(pilot, "Back to second turn", "Take back what agents did since", "Restore exactly")
        assert isinstance(app.screen, Choosing)
        await pilot.press("escape")
        assert on_timeline(app)
        assert world.read("a.txt") == b"2\n"

    play(app, scene)


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        (["d"], "DiffScreen"),
        (["enter"], "DiffScreen"),
        (["down", "d"], "DiffScreen"),
        (["z"], "PreviewScreen"),
        (["down", "down", "z"], "PreviewScreen"),
        (["down", "down", "r", "s"], "PreviewScreen"),
        (["down", "down", "r", "down", "enter"], "PreviewScreen"),
    ],
)
def test_what_opens_another_screen_comes_back_with_esc(app: TakebackApp, keys: list[str], name: str) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        await pilot.press(*keys)
        await until(pilot, lambda: screen_name(app) == name)
        await pilot.press("escape")
        await until(pilot, lambda: on_timeline(app))

    play(app, scene)


async def agree(pilot: Pilot[Any]) -> None:
    """Say yes to what the preview shows, and close it."""
    await until_seen(pilot, "Preview")
    await until(pilot, lambda: getattr(pilot.app.screen, "phase", "") == "ready")
    await pilot.press("enter")
    await until_seen(pilot, "Yes, do it")
    await pilot.press("y")
    await until(pilot, lambda: getattr(pilot.app.screen, "phase", "") == "done")
    await pilot.press("escape")
    await until(pilot, lambda: isinstance(pilot.app.screen, TimelineScreen))


def test_z_takes_the_newest_move_back_and_capital_z_brings_it_again(app: TakebackApp, world: World) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        await pilot.press("z")
        await agree(pilot)
        assert world.read("a.txt") == b"1\n" and not world.exists("2.py")
        assert world.read("notes.txt") == b"mine\n"
        await until_seen(pilot, "undo: third turn", "taken back")
        await pilot.press("Z")
        await agree(pilot)
        assert world.read("a.txt") == b"2\n" and world.exists("2.py")
        await until_seen(pilot, "redo: third turn")

    play(app, scene)


def test_z_on_a_row_takes_back_that_move_alone(app: TakebackApp, world: World) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        await pilot.press("down", "down", "down", "z")
        await agree(pilot)
        assert not world.exists("0.py") and world.exists("1.py") and world.exists("2.py")
        await until_seen(pilot, "undo: first turn")

    play(app, scene)


def test_r_takes_back_what_agents_did_since_or_restores_exactly(app: TakebackApp, world: World) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        await pilot.press("end", "r", "s")
        await agree(pilot)
        assert world.files() == {"a.txt": b"one\n", "notes.txt": b"mine\n"}
        await pilot.press("home", "down")
        await until(pilot, lambda: "takeback" in screen(pilot))
        await pilot.press("end", "r", "e")
        await agree(pilot)
        assert world.files() == {"a.txt": b"one\n"}

    play(app, scene)
