from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TabbedContent

import takeback as tb
from support.agent import World
from support.stage import Story
from support.tui import Alone, play, said, screen, until
from takeback import locate
from takeback.model.progress import Progress
from takeback.model.snapshot import Snapshot
from takeback.tui import diff
from takeback.tui.confirming import ConfirmScreen
from takeback.tui.diff import DiffScreen
from takeback.tui.difffiles import DiffFiles
from takeback.tui.difftext import DiffText
from takeback.tui.help import Help
from takeback.tui.linetext import LineText
from takeback.tui.pathlist import PathList
from takeback.tui.preview import PreviewScreen
from takeback.views.desk import Desk
from takeback.views.differences import Differences, differences
from takeback.views.lines import plain

WIDE, NARROW = (140, 36), (80, 24)
Scene = Callable[[Pilot[Any], DiffScreen], Awaitable[None]]

CODE = '''\
import os


def total(prices):
    """The sum."""
    return sum(prices)


''' + "".join(f"x{number} = {number}\n" for number in range(60))


def compare(
    desk: Desk, a: str, b: str | None, scene: Scene, size: tuple[int, int] = WIDE, title: str = "a turn"
) -> list[None]:
    """Act on a comparison; whether it was left."""
    shown = DiffScreen(desk, desk.here, a, b, title)
    app = Alone(shown)

    async def act(pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: shown.diff is not None or "cannot be" in screen(pilot))
        await settled(pilot, shown)
        await scene(pilot, shown)

    play(app, act, size)
    return app.results


async def settled(pilot: Pilot[Any], shown: DiffScreen) -> None:
    """Wait until the file under the cursor is shown."""
    await pilot.pause()
    files = shown.query_one("#diff-files", DiffFiles)

    def is_shown() -> bool:
        chosen, sides = files.paths.chosen, files.text.sides
        return chosen is None or (sides is not None and sides.path == chosen.path)

    await until(pilot, is_shown)
    await pilot.pause()


def told(shown: DiffScreen, id: str) -> str:
    return " ".join(" ".join(map(plain, shown.query_one(id, LineText).lines)).split())


@pytest.fixture
def desk(start: Desk) -> Desk:
    return start


@pytest.fixture
def turned(world: World, desk: Desk) -> tuple[Snapshot, Snapshot]:
    """Before and after a turn that changed, made and deleted files in some directories."""
    world.write("src/shop/cart.py", CODE)
    world.write("src/old.py", "gone = True\n")
    world.write("tool.sh", "echo\n")
    before = world.line.save()
    with world.line.turn("work"):
        changed = CODE.replace("sum(prices)", "sum(prices, 0)").replace("x50 = 50", "x50 = 'fifty'")
        world.write("src/shop/cart.py", changed)
        world.write("docs/new.md", "# New\n")
        world.write("picture.bin", bytes(range(256)))
        world.remove("src/old.py")
        world.chmod("tool.sh", 0o755)
    return before, world.line.show("@")


def test_paths_stand_below_their_directories_with_what_became_of_them(
    desk: Desk, turned: tuple[Snapshot, Snapshot]
) -> None:
    async def scene(pilot: Pilot[Any], shown: DiffScreen) -> None:
        await until(pilot, lambda: "+2 −2" in screen(pilot))
        left = [line.partition("▕")[0].rstrip() for line in screen(pilot).splitlines()]
        listed = [line for line in left[left.index(next(line for line in left if "picture" in line)) :] if line][:8]
        expected = [
            "▌ A picture.bin binary",
            "P tool.sh +0",
            "docs/",
            "A new.md +1",
            "src/",
            "D old.py −1",
            "src/shop/",
        ]
        assert [" ".join(line.split()) for line in listed] == [*expected, "M cart.py +2 −2"]
        seen = screen(pilot)
        assert "Files 5" in seen and "Memory nothing" in seen and "Container nothing" in seen and "Team nothing" in seen
        assert f"{turned[0].id[:8]} → {turned[1].id[:8]}" in seen

    compare(desk, turned[0].id, turned[1].id, scene)


def test_a_file_is_shown_side_by_side_where_there_is_room_and_unified_where_not(
    desk: Desk, turned: tuple[Snapshot, Snapshot]
) -> None:
    async def wide(pilot: Pilot[Any], shown: DiffScreen) -> None:
        await pilot.press("G")
        await settled(pilot, shown)
        line = next(line for line in screen(pilot).splitlines() if "sum(prices, 0)" in line)
        assert "6 -     return sum(prices)" in line and "6 +     return sum(prices, 0)" in line
        await pilot.press("u")
        await pilot.pause()
        lines = [line.rstrip() for line in screen(pilot).splitlines()]
        assert any(line.endswith("6     -     return sum(prices)") for line in lines)
        assert any(line.endswith("6 +     return sum(prices, 0)") for line in lines)
        assert "unified" in screen(pilot)
        await pilot.press("u")
        await pilot.pause()
        assert "hunks, side by side" in screen(pilot)

    async def narrow(pilot: Pilot[Any], shown: DiffScreen) -> None:
        await pilot.press("G")
        await settled(pilot, shown)
        assert any(line.rstrip().endswith("6     -     return sum(prices)") for line in screen(pilot).splitlines())

    compare(desk, turned[0].id, turned[1].id, wide)
    compare(desk, turned[0].id, turned[1].id, narrow, NARROW)


def test_what_differs_and_what_it_is_has_colours(desk: Desk, turned: tuple[Snapshot, Snapshot]) -> None:
    async def scene(pilot: Pilot[Any], shown: DiffScreen) -> None:
        await pilot.press("G")
        await settled(pilot, shown)
        text = shown.query_one("#diff-files-text", DiffText)
        inks: dict[str, set[Any]] = {}
        grounds: dict[str, set[Any]] = {}
        for y in range(20):
            for segment in text.render_line(y):
                if segment.text.strip() and segment.style is not None:
                    inks.setdefault(segment.text.strip(), set()).add(segment.style.color)
                    grounds.setdefault(segment.text.strip(), set()).add(segment.style.bgcolor)
        assert len({frozenset(inks[word]) for word in ("return", "sum", '"""The sum."""')}) == 3
        assert grounds["-"].isdisjoint(grounds["+"])
        assert grounds[","].isdisjoint(grounds["+"]), "what is new in a line stands out from it"

    compare(desk, turned[0].id, turned[1].id, scene)


def test_hunks_are_gone_through_from_file_to_file(desk: Desk, turned: tuple[Snapshot, Snapshot]) -> None:
    async def scene(pilot: Pilot[Any], shown: DiffScreen) -> None:
        files = shown.query_one("#diff-files", DiffFiles)
        seen: list[tuple[str, int]] = []

        async def step(key: str) -> None:
            await pilot.press(key)
            await settled(pilot, shown)
            assert files.paths.chosen is not None
            seen.append((files.paths.chosen.path, files.text.hunk))

        for _ in range(5):
            await step("n")
        assert seen[-2:] == [("src/shop/cart.py", 0), ("src/shop/cart.py", 1)]
        assert list(dict.fromkeys(path for path, _ in seen)) == [
            "tool.sh",
            "docs/new.md",
            "src/old.py",
            "src/shop/cart.py",
        ]
        await pilot.press("n")
        assert "last hunk" in said(pilot)
        seen.clear()
        for _ in range(3):
            await step("N")
        assert [path for path, _ in seen] == ["src/shop/cart.py", "src/old.py", "docs/new.md"]

    compare(desk, turned[0].id, turned[1].id, scene, (140, 14))


def test_every_key_moves(desk: Desk, turned: tuple[Snapshot, Snapshot]) -> None:
    async def scene(pilot: Pilot[Any], shown: DiffScreen) -> None:
        paths, text = shown.query_one("#diff-files-paths", PathList), shown.query_one("#diff-files-text", DiffText)

        def at() -> str:
            assert paths.chosen is not None
            return paths.chosen.path

        assert paths.has_focus
        seen = []
        for key in ("j", "down", "k", "up", "G", "g", "end", "home", "pagedown", "pageup"):
            await pilot.press(key)
            seen.append(at())
        first, second, third, last = "picture.bin", "tool.sh", "docs/new.md", "src/shop/cart.py"
        assert seen == [second, third, second, first, last, first, last, first, last, first]
        await pilot.press("G")
        await settled(pilot, shown)
        await pilot.press("enter")
        assert text.has_focus
        bottom = text.max_scroll_y
        assert bottom > 3
        tops = []
        for key in ("j", "down", "k", "up", "G", "g", "end", "home", "pagedown", "pageup"):
            await pilot.press(key)
            await pilot.pause()
            await until(pilot, lambda: not text.is_scrolling)
            tops.append(text.scroll_offset.y)
        assert tops[:8] == [1, 2, 1, 0, bottom, 0, bottom, 0] and tops[8] > 2 and tops[9] == 0
        await pilot.press("tab")
        await pilot.press("shift+tab")
        assert text.has_focus
        await pilot.press("shift+tab")
        assert paths.has_focus

    compare(desk, turned[0].id, turned[1].id, scene, (140, 16))


def test_paths_are_filtered(desk: Desk, turned: tuple[Snapshot, Snapshot]) -> None:
    async def scene(pilot: Pilot[Any], shown: DiffScreen) -> None:
        paths = shown.query_one("#diff-files-paths", PathList)
        await pilot.press("slash", *"SHOP")
        await settled(pilot, shown)
        assert [each.path for each in paths.listed] == ["src/shop/cart.py"]
        assert "sum(prices, 0)" in screen(pilot)
        await pilot.press("enter")
        assert paths.has_focus and len(paths.listed) == 1
        await pilot.press("slash", *"nowhere")
        await pilot.pause()
        assert paths.listed == [] and "no path is like that" in screen(pilot)
        await pilot.press("enter", "n", "r")
        assert "choose one" in said(pilot)
        await pilot.press("escape")
        await settled(pilot, shown)
        assert len(paths.listed) == 5 and paths.has_focus
        assert not shown.query(Input).first().display

    assert compare(desk, turned[0].id, turned[1].id, scene) == []


def test_all_keys_are_on_one_page(desk: Desk, turned: tuple[Snapshot, Snapshot]) -> None:
    async def scene(pilot: Pilot[Any], shown: DiffScreen) -> None:
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(pilot.app.screen, Help))
        await pilot.pause()
        assert "the next hunk" in screen(pilot) and "this file as it was before" in screen(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is shown)

    compare(desk, turned[0].id, turned[1].id, scene)


@pytest.mark.parametrize("key", ["escape", "q"])
def test_it_is_left_with_a_key(desk: Desk, turned: tuple[Snapshot, Snapshot], key: str) -> None:
    async def scene(pilot: Pilot[Any], shown: DiffScreen) -> None:
        await pilot.press(key)
        await pilot.pause()

    assert compare(desk, turned[0].id, turned[1].id, scene) == [None]


def test_esc_goes_from_the_text_to_the_paths_first_and_q_closes_at_once(
    desk: Desk, turned: tuple[Snapshot, Snapshot]
) -> None:
    async def scene(pilot: Pilot[Any], shown: DiffScreen) -> None:
        text, paths = shown.query_one("#diff-files-text"), shown.query_one("#diff-files-paths")
        await pilot.press("enter")
        await until(pilot, lambda: text.has_focus and "Esc to the paths" in screen(pilot))
        await pilot.press("escape")
        await until(pilot, lambda: paths.has_focus and "Esc close" in screen(pilot))
        await pilot.press("enter")
        await until(pilot, lambda: text.has_focus)
        await pilot.press("q")
        await pilot.pause()

    assert compare(desk, turned[0].id, turned[1].id, scene) == [None]


def test_a_comparison_that_takes_long_says_how_far_it_is_and_ends_when_somebody_leaves(
    start: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()

    def slow(*given: Any) -> None:
        hear = given[-1]
        try:
            for number in itertools.count():
                hear(Progress("scan", number))
                time.sleep(0.001)
        finally:
            ended.set()

    monkeypatch.setattr("takeback.tui.diff.differences", slow)
    app = Alone(DiffScreen(start, start.here, start.lane().head or "", None, "the present"))

    async def scene(pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: "comparing: looking at" in screen(pilot))
        for key in ("n", "r", "1", "slash"):  # it is still listened to
            app.simulate_key(key)
        await until(pilot, lambda: "this is for files" in said(pilot))
        assert not ended.is_set()
        app.simulate_key("escape")
        await until(pilot, ended.is_set)

    play(app, scene)
    assert app.results == [None]


def test_nothing_in_a_name_a_file_or_a_message_is_obeyed(world: World, desk: Desk) -> None:
    memory = {"messages": [{"role": "user", "content": "hello"}]}
    world.line.add(tb.State("memory", memory))
    before = world.line.save("before")
    with world.line.turn("bad"):
        world.write("[red]x[/].txt", "[@click=app.quit]press[/] \x1b[31mred\x1b[0m \u202e\n\tTab\r\n")
        world.write("\x1b[2Jy", "y\n")
        memory["messages"].append({"role": "[b]assistant[/]", "content": "[@click=app.bell]x[/] \x1b[2J\nand <script>"})
        memory["note"] = [{"[u]key[/]": "\x07"}]

    async def scene(pilot: Pilot[Any], shown: DiffScreen) -> None:
        seen = screen(pilot)
        assert r"\x1b[2Jy" in seen and "[red]x[/" in seen
        await pilot.press("j")
        await settled(pilot, shown)
        seen = screen(pilot)
        assert r"[@click=app.quit]press[/] \x1b[31mred\x1b[0m \u202e" in seen and "    Tab␍" in seen
        assert r"[i]title[/] \x07" in seen and "[red]x[/].txt" in seen
        await pilot.press("2")
        await pilot.pause()
        seen = screen(pilot)
        assert r"[@click=app.bell]x[/] \x1b[2J" in seen and "and <script>" in seen and "[b]assistant[/]" in seen
        assert "[u]key[/]" in seen
        for each in (seen, screen(pilot)):
            assert "\x1b" not in each and "\x07" not in each and "\u202e" not in each

    compare(desk, before.id, world.line.head, scene, title="[i]title[/] \x07")


def test_conversations_stand_side_by_side_and_the_rest_is_a_table(world: World, desk: Desk) -> None:
    messages = [{"role": "user", "content": f"question {number}"} for number in range(9)]
    memory: dict[str, Any] = {"messages": messages, "facts": {"sky": "blue", "sea": "deep"}}
    world.line.add(tb.State("memory", memory))
    before = world.line.save("before")
    with world.line.turn("learn"):
        messages[7] = {"role": "user", "content": "question seven, asked again"}
        messages.append({"role": "assistant", "content": "a long answer " * 20})
        memory["facts"] = {"sky": "grey", "sun": "warm"}

    async def wide(pilot: Pilot[Any], shown: DiffScreen) -> None:
        assert shown.query_one(TabbedContent).active == "memory"
        lines = [line.rstrip() for line in screen(pilot).splitlines()]
        assert any("memory.messages  2 messages differ" in line for line in lines)
        assert any("5 messages the same" in line for line in lines)
        both = next(line for line in lines if "asked again" in line)
        assert both.index("question 7") < both.index("│") < both.index("question seven, asked again")
        answer = [line for line in lines if "a long answer" in line]
        assert len(answer) > 2 and all(line.index("│") < line.index("a long answer") for line in answer)
        row = next(line for line in lines if "'blue'" in line)
        assert row.index("['facts']['sky']") < row.index("'blue'") < row.index("'grey'")
        assert "['messages']" not in "\n".join(lines), "what is said above is not said again"
        for key in ("G", "g", "end", "home", "pagedown", "pageup", "j", "k"):
            await pilot.press(key)
        for key, why in (("n", "for files"), ("u", "for files"), ("slash", "for files"), ("r", "takes a file")):
            await pilot.press(key)
            assert why in said(pilot)
        await pilot.press("1")
        assert "nothing differs in files" in said(pilot)

    async def narrow(pilot: Pilot[Any], shown: DiffScreen) -> None:
        seen = told(shown, "#diff-memory")
        assert seen.index("question 7") < seen.index("question seven")

    assert world.line.head is not None
    compare(desk, before.id, world.line.head, wide)
    compare(desk, before.id, world.line.head, narrow, (50, 30))


@pytest.mark.service("git")
def test_a_story_with_a_team_has_a_tab_for_each(told_story: Story) -> None:
    async def scene(pilot: Pilot[Any], shown: DiffScreen) -> None:
        seen = screen(pilot)
        assert "Files 2" in seen and "Team 6" in seen and "Container nothing" in seen
        await pilot.press("4")
        await pilot.pause()
        assert "Pack the parcels" in screen(pilot) and "All parcels have gone out." in screen(pilot)
        await pilot.press("2")
        await pilot.pause()
        assert shown.query_one("#diff-memory").has_focus
        await shown.run_action("next_tab")
        await pilot.pause()
        assert shown.query_one(TabbedContent).active == "team"

    with Desk(locate.place(str(told_story.root))) as desk:
        line = desk.look(desk.here)
        last = line.head
        assert last is not None
        compare(desk, line.show("root").id, last, scene)


def test_one_file_is_restored_from_what_differs_from_the_present(world: World, desk: Desk) -> None:
    before = world.line.save()
    world.edit({"a.txt": "two\n", "b.txt": "b\n"})

    async def scene(pilot: Pilot[Any], shown: DiffScreen) -> None:
        assert "the present" in screen(pilot)
        await pilot.press("r")
        await until(pilot, lambda: isinstance(pilot.app.screen, PreviewScreen))
        preview = pilot.app.screen
        assert isinstance(preview, PreviewScreen)
        await until(pilot, lambda: preview.phase == "ready")
        await pilot.pause()
        assert "1 path: change 1" in screen(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
        await pilot.press("y")
        await until(pilot, lambda: preview.phase == "done")
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is shown and "Files 1" in screen(pilot))

    compare(desk, before.id, None, scene)
    assert world.files() == {"a.txt": b"one\n", "b.txt": b"b\n"}


def test_in_eighty_columns_the_way_to_restore_and_the_way_out_are_seen(world: World, desk: Desk) -> None:
    before = world.line.save()
    world.edit({"a.txt": "two\n"})

    async def scene(pilot: Pilot[Any], shown: DiffScreen) -> None:
        assert "r restore this file" in screen(pilot) and "Esc close" in screen(pilot)
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(pilot.app.screen, Help))
        await pilot.pause()
        assert "this file as it was before" in screen(pilot)

    compare(desk, before.id, None, scene, NARROW)


@pytest.mark.parametrize("key", ["z", "Z", "f", "p", "m"])
def test_a_key_of_the_timeline_says_that_it_is_one(world: World, desk: Desk, key: str) -> None:
    before = world.line.save()
    world.edit({"a.txt": "two\n"})

    async def scene(pilot: Pilot[Any], shown: DiffScreen) -> None:
        await pilot.press(key)
        await until(pilot, lambda: "a row of the timeline" in said(pilot))
        assert pilot.app.screen is shown

    compare(desk, before.id, None, scene)


def test_nothing_to_see_is_said(world: World, desk: Desk) -> None:
    async def scene(pilot: Pilot[Any], shown: DiffScreen) -> None:
        assert "nothing differs" in screen(pilot)
        await pilot.press("n", "r", "u", "slash", "1", "q")
        await pilot.pause()

    assert world.line.head is not None
    assert compare(desk, world.line.head, None, scene) == [None]


def test_what_cannot_be_compared_is_said_with_the_reason(world: World, desk: Desk) -> None:
    async def scene(pilot: Pilot[Any], shown: DiffScreen) -> None:
        assert "no snapshot" in screen(pilot) and "Traceback" not in screen(pilot)

    compare(desk, "f" * 32, world.line.head, scene)


def test_a_part_that_could_not_be_looked_at_is_said_with_the_reason(
    world: World, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    before = world.line.save()
    world.line.add(tb.Container("sandbox"))
    world.write("a.txt", "two\n")
    after = world.line.save()

    async def scene(pilot: Pilot[Any], shown: DiffScreen) -> None:
        assert "without container: cannot reach Docker" in screen(pilot) and "Files 1" in screen(pilot)

    compare(desk, before.id, after.id, scene)


def test_a_long_diff_draws_only_what_is_seen(world: World, desk: Desk) -> None:
    world.write("long.txt", "".join(f"old {number}\n" for number in range(10_000)))
    before = world.line.save()
    world.write("long.txt", "".join(f"new {number}\n" for number in range(10_000)))
    after = world.line.save()

    async def scene(pilot: Pilot[Any], shown: DiffScreen) -> None:
        text = shown.query_one("#diff-files-text", DiffText)
        await pilot.press("enter", "u")
        await pilot.pause()
        assert text.virtual_size.height == 20_001
        for key in ("G", "g", "pagedown", "pagedown", "j", "G"):
            await pilot.press(key)
            await pilot.pause()
        await until(pilot, lambda: "new 9999" in screen(pilot))
        assert len(text._drawn) < 400

    compare(desk, before.id, after.id, scene)


def test_long_lines_are_scrolled_sideways_and_their_numbers_stay(world: World, desk: Desk) -> None:
    before = world.line.save()
    world.write("a.txt", "begin" + "." * 300 + "end\n")
    after = world.line.save()

    async def scene(pilot: Pilot[Any], shown: DiffScreen) -> None:
        await pilot.press("enter", *["right"] * 36)
        await pilot.pause()
        line = next(line for line in screen(pilot).splitlines() if "end" in line)
        assert "1 +" in line and "begin" not in line
        await pilot.press("g")
        await pilot.pause()
        assert "begin" in screen(pilot)

    compare(desk, before.id, after.id, scene)


def test_what_is_found_while_a_screen_is_left_is_not_shown_on_it(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = DiffScreen(desk, desk.here, "start", None, "since the start")
    going, go, handed = threading.Event(), threading.Event(), threading.Event()
    call_later = shown.call_later

    def hand_over(*call: Any) -> None:
        call_later(*call)
        handed.set()

    def compared(*arguments: Any) -> Differences:
        found = differences(*arguments)
        going.set()
        go.wait(60)
        monkeypatch.setattr(shown, "call_later", hand_over)
        return found

    monkeypatch.setattr(diff, "differences", compared)

    async def scene(pilot: Pilot[Any]) -> None:
        await until(pilot, going.is_set)
        go.set()
        assert handed.wait(60)  # nothing else happens here meanwhile: what was found waits for its turn
        shown.dismiss()
        await until(pilot, lambda: pilot.app.screen is not shown and not shown.is_running)
        assert shown.diff is None

    play(Alone(shown), scene)
