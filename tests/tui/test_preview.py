from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Button

import takeback as tb
from support.agent import TEXT, Agent, MakeWorld, World, with_line
from support.tui import Alone, play, said, screen, until, until_said, until_seen
from takeback import locate
from takeback.model.plan import Report
from takeback.store.locks import root_lock
from takeback.tui.checklist import Checklist
from takeback.tui.confirming import ConfirmScreen
from takeback.tui.difftext import DiffText
from takeback.tui.help import Help
from takeback.tui.linetext import LineText
from takeback.tui.preview import PreviewScreen
from takeback.views.choices import Wanted
from takeback.views.desk import Desk
from takeback.views.lines import plain

WIDE = (120, 36)


@pytest.fixture
def desk(start: Desk) -> Desk:
    return start


@pytest.fixture
def broken(world: World, desk: Desk) -> World:
    """An agent changed a file, made one, and deleted one."""
    world.write("gone.txt", "gone\n")
    world.line.save("before")
    world.turn("clean up", {"a.txt": "broken\n", "new.txt": "new\n", "gone.txt": None})
    return world


def preview(
    desk: Desk,
    wanted: Wanted,
    scene: Callable[[Pilot[Any], PreviewScreen], Awaitable[None]],
    title: str = "undo it",
    size: tuple[int, int] = WIDE,
) -> list[Report | None]:
    """Act on a preview; what it dismissed with."""
    shown = PreviewScreen(desk, wanted, title)
    app = Alone(shown)

    async def act(pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: shown.phase in ("ready", "failed"))
        await pilot.pause()
        await scene(pilot, shown)

    play(app, act, size)
    return app.results


async def confirm(pilot: Pilot[Any], shown: PreviewScreen) -> None:
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
    await pilot.press("y")
    await until(pilot, lambda: pilot.app.screen is shown and shown.phase != "ready")


async def done(pilot: Pilot[Any], shown: PreviewScreen) -> Report:
    await confirm(pilot, shown)
    await until(pilot, lambda: shown.phase == "done")
    await pilot.pause()
    assert shown.report is not None
    return shown.report


async def ready(pilot: Pilot[Any], shown: PreviewScreen) -> None:
    """Wait until the boxes as they are checked were planned with."""

    def is_planned() -> bool:
        choice = shown.choice
        return shown.phase == "ready" and choice is not None and choice.chosen == shown.query_one(Checklist).chosen

    await until(pilot, is_planned)
    await pilot.pause()


def beside(shown: PreviewScreen) -> str:
    """What to know first, as one line."""
    return " ".join(" ".join(map(plain, shown.query_one("#preview-beside", LineText).lines)).split())


def test_every_effect_is_shown_before_anything_happens(broken: World, desk: Desk) -> None:
    before = broken.tree()

    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        seen = screen(pilot)
        for told in ("[✓] workspace  files, 3 of 3", "create   gone.txt", "change   a.txt", "delete   new.txt"):
            assert told in seen
        assert "The present is saved first: nothing that is there now can be lost." in seen
        assert "Nothing is in the way." in seen
        assert "3 paths: create 1, change 1, delete 1" in seen
        await pilot.press("escape")

    assert preview(desk, Wanted("undo"), scene) == [None]
    assert broken.tree() == before


def test_it_is_done_only_after_a_yes_and_the_report_is_given_back(broken: World, desk: Desk) -> None:
    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
        assert "3 paths: create 1, change 1, delete 1" in screen(pilot)
        await pilot.press("n")
        await until(pilot, lambda: pilot.app.screen is shown)
        assert shown.phase == "ready" and broken.exists("new.txt")
        await done(pilot, shown)
        assert "read back and verified" in screen(pilot) and "z takes this back" in screen(pilot)
        await pilot.press("enter")

    (report,) = preview(desk, Wanted("undo"), scene)
    assert report is not None and sorted(report.changed) == ["a.txt", "gone.txt", "new.txt"]
    assert broken.files() == {"a.txt": b"one\n", "gone.txt": b"gone\n"}


def test_enter_is_a_yes_to_the_question(broken: World, desk: Desk) -> None:
    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
        await pilot.press("right", "enter")
        await until(pilot, lambda: pilot.app.screen is shown)
        assert shown.phase == "ready" and broken.exists("new.txt")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
        await pilot.press("enter")
        await until(pilot, lambda: shown.phase == "done")
        await pilot.press("escape")

    (report,) = preview(desk, Wanted("undo"), scene)
    assert report is not None and not broken.exists("new.txt")


def test_all_keys_are_on_one_page(broken: World, desk: Desk) -> None:
    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(pilot.app.screen, Help))
        await pilot.pause()
        assert "take this path, or this part, or leave it" in screen(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is shown)

    preview(desk, Wanted("undo"), scene)


@pytest.mark.parametrize("leave", ["escape", "q"])
def test_who_leaves_the_question_or_the_preview_has_changed_nothing(broken: World, desk: Desk, leave: str) -> None:
    before = broken.tree()

    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        await pilot.press("y")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
        await pilot.press(leave)
        await until(pilot, lambda: pilot.app.screen is shown)
        await pilot.press(leave)

    assert preview(desk, Wanted("undo"), scene) == [None]
    assert broken.tree() == before


@pytest.mark.parametrize("verb", ["restore", "undo", "since"])
def test_one_file_only(broken: World, desk: Desk, verb: str) -> None:
    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        await pilot.press("a")
        await ready(pilot, shown)
        assert "[ ] workspace  files, 0 of 3" in screen(pilot) and "nothing is chosen" in screen(pilot)
        await pilot.press("enter")
        assert pilot.app.screen is shown
        await pilot.press("g", "j", "space")
        await ready(pilot, shown)
        assert "[–] workspace  files, 1 of 3" in screen(pilot) and "1 of 3 paths: create 1" in screen(pilot)
        assert shown.choice is not None and shown.choice.plan is not None
        assert [effect.path for effect in shown.choice.plan.effects] == ["gone.txt"]
        assert (await done(pilot, shown)).changed == ("gone.txt",)

    reference = None if verb == "undo" else "before"
    preview(desk, Wanted(verb, reference=reference), scene)
    assert broken.files() == {"a.txt": b"broken\n", "new.txt": b"new\n", "gone.txt": b"gone\n"}


def test_a_box_of_a_part_stands_for_all_of_its_paths(broken: World, desk: Desk) -> None:
    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        boxes = shown.query_one(Checklist)
        every = boxes.chosen
        assert len(every) == 3
        await pilot.press("G", "space", "g", "space")
        assert boxes.chosen == every, "a part of which some are chosen becomes all of it"
        await pilot.press("space")
        assert boxes.chosen == frozenset()
        await pilot.press("a")
        assert boxes.chosen == every
        await ready(pilot, shown)
        assert shown.choice is not None and shown.choice.plan is not None and len(shown.choice.plan.effects) == 3

    preview(desk, Wanted("undo"), scene)


def test_a_box_can_be_clicked_and_so_can_the_buttons(broken: World, desk: Desk) -> None:
    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        await pilot.click(Checklist, offset=(7, 2))
        await ready(pilot, shown)
        assert ("workspace", "gone.txt") not in shown.query_one(Checklist).chosen
        await pilot.click("#do")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
        await pilot.click("#yes")
        await until(pilot, lambda: shown.phase == "done")
        await pilot.pause()
        await pilot.click("#leave")

    (report,) = preview(desk, Wanted("undo"), scene)
    assert report is not None and sorted(report.changed) == ["a.txt", "new.txt"]


def test_what_is_done_to_the_path_under_the_cursor_is_shown_line_by_line(broken: World, desk: Desk) -> None:
    broken.write("docs/x.md", "x")
    broken.turn("remove", lambda: broken.remove("docs"))
    broken.undo()
    broken.write("new.txt", "new\nmine\n")

    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        pane = shown.query_one("#preview-lines", DiffText)

        async def lines(path: str) -> str:
            await until(pilot, lambda: pane.sides is not None and pane.sides.path == path)
            await pilot.pause()
            return "\n".join(line.split("││")[-1] for line in screen(pilot).splitlines())

        assert "1 + gone" in await lines("gone.txt")
        await pilot.press("j")
        assert "1     - broken" in await lines("a.txt") and "1 + one" in await lines("a.txt")
        await pilot.press("space")
        await ready(pilot, shown)
        assert "1     - broken" in await lines("a.txt"), "what would be done is shown, too"
        await pilot.press("G")
        await until(pilot, lambda: "2     - mine" in screen(pilot))
        await pilot.press("g")
        await until(pilot, lambda: "move to a path" in screen(pilot))
        await pilot.press("tab", "tab")
        assert pane.has_focus

    preview(desk, Wanted("restore", reference="before"), scene)


def test_a_directory_that_a_chosen_file_needs_comes_along(world: World, desk: Desk) -> None:
    world.write("deep/down/x.txt", "x\n")
    world.write("deep/down/y.txt", "y\n")
    world.line.save("before")
    world.turn("remove", lambda: world.remove("deep"))

    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        await pilot.press("a")
        await ready(pilot, shown)
        await pilot.press("g", "j", "j", "j", "space")
        await ready(pilot, shown)
        lines = {
            line.split("create")[1].split("│")[0].strip() for line in screen(pilot).splitlines() if "create  " in line
        }
        assert {"deep  comes along", "deep/down  comes along", "deep/down/x.txt", "deep/down/y.txt"} <= lines
        await done(pilot, shown)

    preview(desk, Wanted("undo"), scene)
    assert world.files() == {"a.txt": b"one\n", "deep/down/x.txt": b"x\n"}


def test_a_memory_is_taken_or_left_as_a_whole_and_waits_for_its_owner(world: World, desk: Desk) -> None:
    memory = {"mood": "calm"}
    world.line.add(tb.State("memory", memory))
    world.line.save("before")
    with world.line.turn("upset"):
        memory["mood"] = "cross"
        world.write("a.txt", "two\n")

    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        assert "[✓] memory  as a whole" in screen(pilot) and "pending memory lives in another program" in screen(pilot)
        await pilot.press("g", "j", "space")
        await ready(pilot, shown)
        await pilot.press("G", "space")
        await ready(pilot, shown)
        assert "[ ] memory  not this" in screen(pilot)
        await pilot.press("space")
        await ready(pilot, shown)
        await done(pilot, shown)

    preview(desk, Wanted("undo"), scene)
    assert world.read("a.txt") == b"two\n"
    world.line.sync()
    assert memory == {"mood": "calm"}


def test_if_the_world_moved_meanwhile_nothing_is_done_before_somebody_agrees_again(broken: World, desk: Desk) -> None:
    broken.write("a.txt", "broken\n" + TEXT)
    broken.turn("more", {"a.txt": "broken\n" + with_line(TEXT, 9, "nine")})

    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
        broken.write("a.txt", "mine\n" + with_line(TEXT, 9, "nine"))
        moved = broken.tree()
        await pilot.press("y")
        await until(pilot, lambda: "Look at it, and say yes again." in screen(pilot))
        assert broken.tree() == moved
        seen = screen(pilot)
        assert "The world changed since this was shown, so nothing was done." in seen
        assert "change   → merge    a.txt  changed since" in seen
        assert "merge    a.txt  changed since" in seen.split("What would happen")[1]
        report = await done(pilot, shown)
        assert report.merged == ("a.txt",)

    preview(desk, Wanted("undo"), scene)
    assert broken.read("a.txt") == ("mine\n" + TEXT).encode()


def test_what_came_and_went_since_is_told_and_what_was_left_out_stays_so(broken: World, desk: Desk) -> None:
    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        await pilot.press("G", "space")
        await ready(pilot, shown)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
        broken.write("gone.txt", "gone\n")
        broken.write("other.txt", "other\n")
        await pilot.press("y")
        await until(pilot, lambda: "Look at it, and say yes again." in screen(pilot))
        assert "create   → —        gone.txt  gone" in screen(pilot)
        assert shown.query_one(Checklist).chosen == {("workspace", "a.txt")}
        await done(pilot, shown)

    preview(desk, Wanted("restore", reference="before"), scene)
    assert broken.files() == {"a.txt": b"one\n", "gone.txt": b"gone\n", "new.txt": b"new\n", "other.txt": b"other\n"}


def test_conflicts_are_shown_with_their_reasons_and_a_move_of_only_such_cannot_be_taken_back(
    world: World, desk: Desk
) -> None:
    world.turn("agent", {"a.txt": "agent\n"})
    world.write("a.txt", "mine\n")

    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        told = beside(shown)
        assert "conflict: left alone, because taking it back would lose somebody's work" in told
        assert "a.txt: the same lines were changed since" in told
        assert "nothing of it can be taken back" in screen(pilot)
        assert shown.query_one("#do", Button).disabled
        await pilot.press("enter")
        assert pilot.app.screen is shown
        assert "see on the right why" in said(pilot)

    preview(desk, Wanted("undo"), scene)
    assert world.read("a.txt") == b"mine\n"


def test_what_several_sessions_changed_is_taken_with_a_key(world: World, desk: Desk) -> None:
    one, other = Agent(world, "s1"), Agent(world, "s2")
    one.start("one")
    other.start("other")
    one.begin("1", paths=["a.txt"])
    other.begin("1", paths=["b.txt"])
    world.edit({"a.txt": "1", "b.txt": "1", "c.txt": "1"})
    one.done("1")
    other.done("1")
    one.end()
    other.end()
    move = world.move("one").id

    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        assert "commands of other sessions ran at the same time" in beside(shown)
        assert "s takes it back, too" in beside(shown)
        assert "delete   c.txt" not in screen(pilot) and "s shared, too" in screen(pilot)
        await pilot.press("s")
        await ready(pilot, shown)
        assert "delete   c.txt" in screen(pilot)
        await pilot.press("s")
        await ready(pilot, shown)
        assert "delete   c.txt" not in screen(pilot)
        await pilot.press("s")
        await ready(pilot, shown)
        await done(pilot, shown)

    preview(desk, Wanted("undo", move=move), scene)
    assert world.files() == {"a.txt": b"one\n", "b.txt": b"1"}


@pytest.mark.parametrize(
    ("verb", "why"), [("restore", "only an undo asks"), ("undo", "no path was changed by several")]
)
def test_where_nothing_is_shared_the_key_says_why(broken: World, desk: Desk, verb: str, why: str) -> None:
    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        assert "s shared" not in screen(pilot)
        await pilot.press("z")
        assert "nothing was done yet" in said(pilot)
        await pilot.press("s")
        assert why in said(pilot)

    preview(desk, Wanted(verb, reference="before" if verb == "restore" else None), scene)


def test_a_redo_is_done_as_a_whole_so_there_are_no_boxes(broken: World, desk: Desk) -> None:
    broken.undo()

    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        assert "change   a.txt" in screen(pilot) and "[" not in screen(pilot)
        assert "a redo is done as a whole" in beside(shown) and "Nothing is in the way." in beside(shown)
        assert "Space choose" not in screen(pilot)
        for key in ("space", "a"):
            pilot.app.clear_notifications()
            await pilot.press(key)
            await until_said(pilot, "a redo is done as a whole")
        assert (await done(pilot, shown)).verb == "redo"

    preview(desk, Wanted("redo"), scene)
    assert broken.read("a.txt") == b"broken\n"


def test_undo_and_redo_from_the_report(broken: World, desk: Desk) -> None:
    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        await done(pilot, shown)
        assert not broken.exists("new.txt")
        await pilot.press("z")
        await until(pilot, lambda: isinstance(pilot.app.screen, PreviewScreen) and pilot.app.screen is not shown)
        back = pilot.app.screen
        assert isinstance(back, PreviewScreen)
        await ready(pilot, back)
        assert (await done(pilot, back)).verb == "redo"
        assert broken.exists("new.txt")
        await pilot.press("escape")

    (report,) = preview(desk, Wanted("undo"), scene)
    assert report is not None and report.verb == "redo"
    assert broken.files() == {"a.txt": b"broken\n", "new.txt": b"new\n"}


@pytest.mark.parametrize("verb", ["restore", "redo"])
def test_the_way_back_of_a_restore_and_of_a_redo_is_an_undo(broken: World, desk: Desk, verb: str) -> None:
    if verb == "redo":
        broken.undo()
    before = broken.files()

    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        await done(pilot, shown)
        assert broken.files() != before
        await pilot.click("#back")
        await until(pilot, lambda: isinstance(pilot.app.screen, PreviewScreen) and pilot.app.screen is not shown)
        back = pilot.app.screen
        assert isinstance(back, PreviewScreen)
        await ready(pilot, back)
        await done(pilot, back)

    preview(desk, Wanted(verb, reference="before" if verb == "restore" else None), scene)
    assert broken.files() == before


def test_a_fork_is_brought_back(broken: World, desk: Desk) -> None:
    fork = broken.fork("before", "attempt")
    with fork.line.turn("better"):
        fork.write("a.txt", "better\n")

    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        assert "conflict" in screen(pilot) or "a.txt" in screen(pilot)
        await pilot.press("escape")

    assert preview(desk, Wanted("promote", fork="attempt"), scene) == [None]
    broken.undo()

    async def again(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        await done(pilot, shown)

    preview(desk, Wanted("promote", fork="attempt"), again)
    assert broken.read("a.txt") == b"better\n"


def test_work_that_takes_long_tells_how_far_it_is_and_can_be_cancelled(broken: World, desk: Desk) -> None:
    before = broken.tree()

    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        with root_lock(str(broken.root)):
            await confirm(pilot, shown)
            await until(pilot, lambda: "waiting for" in screen(pilot))
            assert "Esc cancels" in screen(pilot)
            for key, why in {"enter": "it is being done", "a": "there is nothing to choose now"}.items():
                pilot.app.simulate_key(key)  # `press` waits until nothing works any more, and this does
                await until_said(pilot, why)
            pilot.app.simulate_key("escape")
            await until(pilot, lambda: shown.phase != "applying")
        await until_seen(pilot, "cancelled: everything is as it was before")
        await ready(pilot, shown)
        assert broken.tree() == before
        await done(pilot, shown)

    preview(desk, Wanted("undo"), scene)
    assert broken.files() == {"a.txt": b"one\n", "gone.txt": b"gone\n"}


def test_an_error_is_told_with_its_hints(world: World, desk: Desk) -> None:
    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        assert shown.phase == "failed"
        seen = screen(pilot)
        assert "there is nothing to undo" in seen and "hint: `takeback log` shows what was recorded" in seen
        assert "Traceback" not in seen
        for key, why in (
            ("enter", "nothing that could be done"),
            ("a", "nothing to choose"),
            ("s", "nothing to choose"),
        ):
            await pilot.press(key)
            assert why in said(pilot)
        await pilot.press("escape")

    assert preview(desk, Wanted("undo"), scene) == [None]


def test_nothing_in_a_name_or_a_title_is_obeyed(world: World, desk: Desk) -> None:
    world.turn("bad", {"[red]x[/]": "1", "[@click=app.quit]y": "2", "\x1b[31mz": "3", "w\nv": "4"})

    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        seen = screen(pilot)
        for told in ("delete   [red]x[/]", "delete   [@click=app.quit]y", r"delete   \x1b[31mz", r"delete   w\nv"):
            assert told in seen
        assert r"[b]title[/] \x1b[2J" in seen and "\x1b" not in seen
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
        assert r"[b]title[/] \x1b[2J" in screen(pilot)

    preview(desk, Wanted("undo"), scene, title="[b]title[/] \x1b[2J")


def test_what_happened_outside_and_what_was_not_captured_is_told(make_world: MakeWorld) -> None:
    world = make_world(max_file_size=1000)
    world.write("a.txt", "one\n")
    world.line.save("start")
    agent = Agent(world, "s1")
    agent.start("push it")
    world.edit({"a.txt": "two\n", "large.bin": bytes(5000)})
    agent.hook("turn_end", context={"effects": [{"kind": "push", "what": "git push [b]--force[/]"}]})

    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        told = beside(shown)
        assert "happened outside and cannot be taken back" in told and "push git push [b]--force[/]" in told
        assert "is not in the snapshot, and is left alone large.bin: too large" in told

    with Desk(locate.place(str(world.root), store=str(world.store_path), max_file_size=1000)) as desk:
        preview(desk, Wanted("undo"), scene)


@pytest.mark.parametrize("size", [(120, 36), (60, 20)])
def test_all_that_matters_fits_on_any_terminal(broken: World, desk: Desk, size: tuple[int, int]) -> None:
    async def scene(pilot: Pilot[Any], shown: PreviewScreen) -> None:
        seen = screen(pilot)
        for told in ("What would happen", "What to know first", "Do it (Enter)", "3 paths", "saved first"):
            assert told in seen
        await pilot.press("tab", "j", "k", "G", "g", "pagedown", "pageup", "tab")

    preview(desk, Wanted("undo"), scene, size=size)


def test_what_fails_under_another_screen_is_shown_when_that_is_closed(
    broken: World, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()

    def planned(*_: object) -> None:
        go.wait(60)
        raise tb.NotFound("there is nothing to undo")

    monkeypatch.setattr("takeback.tui.preview.choosing.begin", planned)
    shown = PreviewScreen(desk, Wanted("undo"), "undo it", stays=False)
    app = Alone(shown)

    async def scene(pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: shown.is_active)
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(pilot.app.screen, Help))
        go.set()
        await until(pilot, lambda: shown.phase == "failed")
        assert isinstance(pilot.app.screen, Help)
        await pilot.press("escape")
        await until_seen(pilot, "there is nothing to undo")
        await pilot.press("escape")
        await until(pilot, lambda: app.results == [None])

    play(app, scene)
