from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from support.agent import World
from support.tui import play, said, screen, turn, until, until_said, until_seen
from takeback import locate
from takeback.model.ids import short
from takeback.store.locks import root_lock
from takeback.tui.app import TakebackApp
from takeback.tui.details import Details
from takeback.tui.rowlist import RowList
from takeback.tui.timeline import TimelineScreen
from takeback.views.desk import Desk

ALL = ("third turn", "second turn", "first turn", "<original>")


def rows(app: TakebackApp) -> RowList:
    return app.screen.query_one(RowList)


def titles(app: TakebackApp) -> list[str]:
    listing = rows(app).listing
    return [listing[index].title or listing[index].kind for index in range(len(listing))]


def test_the_first_screen_shows_the_history_with_the_cursor_on_the_present(app: TakebackApp) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL, "1 file changed", "+3")
        lines = screen(pilot).splitlines()
        assert lines[1].startswith("▌●")
        assert lines[2].startswith(" ○")
        assert "codex" in lines[2] and "third turn" in lines[2] and "F···" in lines[2]
        assert lines[5].startswith(" ◆") and "start" in lines[5]
        assert "takeback" in lines[0] and "main" in lines[0] and "live" in lines[0]
        assert lines[-1].startswith(" d diff  z undo  Z redo  m save") and lines[-1].endswith("? help")

    play(app, scene)


def test_every_key_that_moves_the_cursor(app: TakebackApp) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        for key, at in [("down", 1), ("j", 2), ("k", 1), ("up", 0), ("G", 4), ("g", 0), ("end", 4), ("home", 0), ("pagedown", 4), ("pageup", 0)]:  # fmt: skip
            await pilot.press(key)
            assert rows(app).cursor == at, key

    play(app, scene)


def test_the_details_say_all_of_the_row_under_the_cursor(app: TakebackApp, world: World) -> None:
    third = world.move("third turn")

    async def scene(pilot: Pilot[Any]) -> None:
        details = app.screen.query_one(Details)
        await until(pilot, lambda: "notes.txt" in details.text and "world0/project" in details.text)
        await pilot.press("down")
        await until(pilot, lambda: "third turn" in details.text)
        for part in (
            short(third.id),
            "codex",
            "session   s1",
            "just now",
            "A 2.py +2",
            "M a.txt +1 −1",
            "Files  2 files",
        ):
            assert part in details.text or part == "just now", part
        await pilot.press("end")
        await until(pilot, lambda: "first snapshot" in details.text)
        assert "start" in details.text and "workspace" in details.text

    play(app, scene)


def test_the_details_of_the_present_say_whom_they_wait_for(app: TakebackApp, world: World) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)  # before that there is no row to go down to
        details = app.screen.query_one(Details)
        await pilot.press("down")
        await until(pilot, lambda: "A 2.py +2" in details.text)
        with root_lock(str(world.root)):
            app.simulate_key("up")
            await until(pilot, lambda: "waiting for process" in details.text)
            assert "2.py" not in details.text
        await until(pilot, lambda: "notes.txt" in details.text)

    play(app, scene)


def test_the_footer_shows_what_is_possible_for_the_row(app: TakebackApp) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        assert "r back to here" not in screen(pilot)
        await pilot.press("down")
        await until_seen(pilot, "r back to here", "f fork", "p pin", "m label")
        await pilot.press("end")
        await until(pilot, lambda: "d diff" not in screen(pilot))

    play(app, scene, size=(140, 32))


def test_a_key_of_the_footer_can_be_clicked(app: TakebackApp) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        at = screen(pilot).splitlines()[-1].index("? help")
        await pilot.click(offset=(at + 2, 31))
        await until_seen(pilot, "Keys", "one line")

    play(app, scene)


def test_actions_are_shown_when_they_are_asked_for(app: TakebackApp) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        assert "Edit for" not in screen(pilot)
        await pilot.press("a")
        await until_seen(pilot, "╰", "Edit for third turn", "Edit for first turn")
        await pilot.press("a")
        await until(pilot, lambda: "Edit for" not in screen(pilot))

    play(app, scene)


def test_what_is_typed_at_once_after_the_slash_goes_into_the_filter_and_acts_on_nothing(app: TakebackApp) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        for key in ("slash", "p", "a", "l", "f"):  # pin, actions, another timeline, fork
            app.simulate_key(key)
        asked = app.screen.query_one("#filter", Input)
        await until(pilot, lambda: asked.value == "palf")
        assert isinstance(app.screen, TimelineScreen) and not app.screen.actions and not said(pilot)

    play(app, scene)


def test_the_cursor_stays_on_its_row_when_all_are_shown_again(app: TakebackApp, world: World) -> None:
    for number in range(70):
        world.line.label("@", f"l{number}")
        world.write("n.txt", f"{number}")
        world.line.save(trigger="interval")

    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, "the present")
        await pilot.press("slash", *"turn", "enter")
        await until(pilot, lambda: titles(app) == list(ALL[:3]))
        await pilot.press("down", "escape")
        await until(pilot, lambda: len(titles(app)) > 60 and rows(app).selected is not None and rows(app).cursor)
        assert rows(app).selected.title == "second turn"  # type: ignore[union-attr]
        await until_seen(pilot, "second turn")
        await pilot.press("a")
        await until_seen(pilot, "Edit for third turn")
        await until(pilot, lambda: (row := rows(app).selected) is not None and row.title == "second turn")

    play(app, scene)


def test_a_filter_narrows_as_it_is_typed_and_esc_shows_everything_again(app: TakebackApp, world: World) -> None:
    world.remove("notes.txt")
    turn(world, "a turn of another agent", {"b.txt": "b"}, session="s2", agent="claude-code")

    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        await pilot.press("slash", *"second")
        await until(pilot, lambda: titles(app) == ["second turn"])
        assert "Enter to the list  Esc show all" in screen(pilot) and "d diff" not in screen(pilot)
        await pilot.press("enter")
        assert rows(app).has_focus
        await until_seen(pilot, "d diff  Esc show all")
        assert titles(app) == ["second turn"]
        await until_seen(pilot, "/second")
        await pilot.press("escape")
        await until_seen(pilot, *ALL)
        assert app.is_running
        for words, found in [
            ("agent:cla", ["a turn of another agent"]),
            ("session:s2", ["a turn of another agent"]),
            ("part:files turn first", ["first turn"]),
        ]:
            await pilot.press("slash", *words, "enter")
            await until(pilot, lambda found=found: titles(app) == found)  # type: ignore[misc]
            await pilot.press("escape")
            await until(pilot, lambda: len(titles(app)) == 6)
        await pilot.press("slash", *"no such thing")
        await until_seen(pilot, "Nothing matches no such thing", "shows everything again")
        await pilot.press("escape")
        await until_seen(pilot, *ALL)

    play(app, scene)


def test_what_arrives_is_shown_and_the_cursor_stays_on_what_is_looked_at(app: TakebackApp, world: World) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        await pilot.press("down", "down")
        assert titles(app)[rows(app).cursor] == "second turn"
        turn(world, "a turn that arrives", {"c.txt": "c"})
        await until_seen(pilot, "a turn that arrives")
        assert titles(app)[rows(app).cursor] == "second turn"
        await pilot.press("home")
        turn(world, "another one", {"c.txt": "d"})
        await until_seen(pilot, "another one")
        assert rows(app).cursor == 0
        world.line.undo()
        await until_seen(pilot, "undo: another one", "taken back")

    play(app, scene)


def test_a_turn_at_work_is_shown_until_it_ends(app: TakebackApp, world: World) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        agent = world.agent("s9")
        agent.start("a long turn")
        await until_seen(pilot, "a long turn", "at work")
        agent.act({"z.txt": "z"})
        agent.end()
        await until(pilot, lambda: "at work" not in screen(pilot) and "a long turn" in screen(pilot))

    play(app, scene)


def test_timelines_are_switched_by_key_by_dialog_and_by_mouse(app: TakebackApp, world: World) -> None:
    fork = world.fork("start", "attempt")
    fork.turn("a turn of the fork", {"f.txt": "f"})

    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL, "⑂ attempt")
        await pilot.press("right")
        await until_seen(pilot, "a turn of the fork", "world0/attempt")
        assert "third turn" not in screen(pilot)
        await pilot.press("l")
        await until_seen(pilot, "a turn of the fork", "third turn")
        await pilot.press("h", "left")
        await until(pilot, lambda: "a turn of the fork" not in screen(pilot) and "third turn" in screen(pilot))
        await pilot.press("t")
        await until_seen(pilot, "Timelines", "all of this project together", "world0/attempt")
        await pilot.press("j", "enter")
        await until_seen(pilot, "a turn of the fork")
        at = screen(pilot).splitlines()[0].index("main")
        await pilot.click(offset=(at, 0))
        await until_seen(pilot, *ALL)

    play(app, scene, size=(180, 32))


def test_one_timeline_cannot_be_switched_and_says_so(app: TakebackApp) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        await pilot.press("right")
        await until_said(pilot, "only one timeline")

    play(app, scene)


def test_tab_goes_to_the_details_and_back(app: TakebackApp) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        await pilot.press("tab")
        assert app.screen.query_one(Details).has_focus
        await pilot.press("j", "k", "tab")
        assert rows(app).has_focus
        await pilot.press("tab", "escape")
        assert rows(app).has_focus
        assert app.is_running

    play(app, scene)


def test_in_a_small_terminal_tab_shows_the_details_instead_of_the_list(app: TakebackApp) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, "third turn", "<original>")
        assert all(len(line) <= 60 for line in screen(pilot).splitlines())
        assert not app.screen.query_one(Details).display
        await pilot.press("down", "tab")
        await until_seen(pilot, "codex", "2.py", "session   s1")
        await pilot.press("escape")
        await until_seen(pilot, "<original>")
        await pilot.resize_terminal(80, 40)
        await until_seen(pilot, "<original>", "session   s1")
        await pilot.resize_terminal(250, 70)
        await until_seen(pilot, "<original>", "session   s1")

    play(app, scene, size=(60, 15))


@pytest.mark.parametrize("key", ["q", "escape", "ctrl+c", "ctrl+q"])
def test_leaving(app: TakebackApp, key: str) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, "takeback")
        await pilot.press(key)
        await until(pilot, lambda: not app.is_running or app._exit)

    play(app, scene)


def test_markup_and_escapes_in_what_agents_said_are_only_text(app: TakebackApp, world: World) -> None:
    title = "[red]x[/] [@click=app.quit]y[/] \x1b[31mz"
    turn(world, title, {"[b]name[/b].txt": "t", "we\x1bird": "t"}, agent="[i]agent[/i]")
    world.line.label("@", "[u]label[/u]")

    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, "[red]x[/] [@click=app.quit]y[/] \\x1b[31mz", "[u]label[/u]", "[i]agent[/i]"[:12])
        await pilot.press("down")
        await until_seen(pilot, "[b]name[/b].txt", "we\\x1bird")
        await pilot.press("r")
        await until_seen(pilot, "Back to [red]x[/] [@click=app.quit]y[/] \\x1b[31mz")
        await pilot.press("escape", "m")
        await until_seen(pilot, "it has: [u]label[/u]")

    play(app, scene, size=(200, 32))


def test_a_directory_without_history_says_what_to_do_and_fills_by_itself(world: World) -> None:
    other = world.base / "other"
    other.mkdir()
    (other / "a.txt").write_text("a")
    world.write("a.txt", "a")
    world.line.save()
    place = locate.place(str(other), store=str(world.store_path))

    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, "Nothing was recorded here yet", "takeback install", "1 timeline of other directories")
        await pilot.press("d")
        await until_said(pilot, "there is nothing here yet")
        await pilot.press("m")
        await until_seen(pilot, "Save the present")
        await pilot.press(*"begin", "enter")
        await until_seen(pilot, "<original>", "begin")

    with Desk(place) as desk:
        play(TakebackApp(desk), scene)


def test_the_theme_is_light_or_dark_and_a_key_changes_it(app: TakebackApp) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        assert app.theme == "takeback-dark"
        await pilot.press("T")
        assert app.theme == "takeback-light"
        await pilot.press("T")
        assert app.theme == "takeback-dark"

    play(app, scene)


def test_help_lists_every_key_and_closes(app: TakebackApp) -> None:
    async def scene(pilot: Pilot[Any]) -> None:
        await until_seen(pilot, *ALL)
        for key in ("escape", "q", "question_mark"):
            await pilot.press("question_mark")
            await until_seen(pilot, "Keys", "undo this move", "choose a timeline")
            await pilot.press(key)
            await until(pilot, lambda: isinstance(app.screen, TimelineScreen))
        assert said(pilot) == ""

    play(app, scene, size=(120, 50))
