"""`takeback ui` in a real terminal: every key once, a file put back and taken back again, and a terminal that is as before."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.cli import PROGRAM, takeback
from support.stage import BAD, Story
from support.tmux import Tmux

pytestmark = [pytest.mark.service("tmux"), pytest.mark.service("git")]

GONE = "tests/test_checkout.py"
NEXT = "CI is red"


@pytest.fixture
def terminal(own_story: Story) -> Iterator[Tmux]:
    """The timeline of a story of the test's own, with all that is counted for its rows."""
    with Tmux(own_story.root, own_story.env, columns=150) as opened:
        opened.start([*PROGRAM, "ui"])
        opened.wait_until(lambda screen: BAD in screen and "−33" in screen)
        yield opened


def chosen(screen: str) -> str:
    """The line that the cursor stands on; none in the middle of being drawn."""
    lines = [line for line in screen.splitlines() if "▌" in line]
    return lines[0] if len(lines) == 1 else ""


def place(screen: str) -> int | None:
    """Which line that is."""
    return screen.splitlines().index(chosen(screen)) if chosen(screen) else None


def go_to(terminal: Tmux, title: str) -> None:
    """One line after the other."""
    for _ in range(40):
        screen = terminal.wait_until(lambda screen: place(screen) is not None)
        if title in chosen(screen):
            return
        before = place(screen)
        terminal.keys("j")
        terminal.wait_until(lambda now, before=before: place(now) not in (None, before))  # type: ignore[misc]
    raise AssertionError(f"{title} is not on the way down:\n{terminal.screen()}")


def on(terminal: Tmux, words: str) -> None:
    """The cursor comes to stand on a line with these words."""
    terminal.wait_until(lambda screen: words in chosen(screen), f"the cursor does not come to {words!r}")


def test_every_key_does_what_it_says(terminal: Tmux, own_story: Story) -> None:
    on(terminal, "the present")
    for key, words in {
        "j": NEXT, "k": "the present", "Down": NEXT, "Up": "the present", "G": "<original>", "g": "the present",
        "End": "<original>", "Home": "the present",
    }.items():  # fmt: skip
        terminal.keys(key)
        on(terminal, words)
    terminal.keys("?")
    terminal.wait_for("Esc closes")
    terminal.keys("Escape")
    terminal.wait_until(lambda screen: "Esc closes" not in screen)
    terminal.keys("r")
    terminal.wait_for("this is the present")

    terminal.keys("/")
    terminal.wait_for("words, session: agent: part:")
    terminal.type("clean up")
    terminal.keys("Enter")
    terminal.wait_until(lambda screen: BAD in screen and "add dark mode" not in screen)
    go_to(terminal, BAD)
    terminal.keys("p")
    terminal.wait_until(lambda screen: "⚑" in chosen(screen))
    terminal.keys("m")
    terminal.wait_for("Enter goes on")
    terminal.type("the bad one")
    terminal.keys("Enter")
    terminal.wait_until(lambda screen: "the bad one" in chosen(screen) and "Enter goes on" not in screen)
    terminal.keys("f")
    terminal.wait_for("Enter goes on")
    terminal.keys("Escape")
    terminal.wait_until(lambda screen: "Enter goes on" not in screen)
    terminal.keys("Tab")
    terminal.wait_until(lambda screen: screen.count("▌") > 10)  # the details have the focus
    terminal.keys("Tab")
    on(terminal, BAD)
    terminal.keys("Enter")
    terminal.wait_until(lambda screen: "Diff" in screen and "cart.py" in screen)
    terminal.keys("Escape")
    terminal.wait_until(lambda screen: BAD in chosen(screen))
    for keys, words in {
        ("d",): "Memory",
        ("z",): "undo clean up",
        ("r", "s"): "1 path:",
        ("r", "e"): "change 2",
    }.items():
        terminal.keys(keys[0])
        if len(keys) > 1:
            terminal.wait_for("Restore exactly")
            terminal.keys(keys[1])
            terminal.wait_for("What would happen")
        terminal.wait_for(words)
        terminal.keys("Escape")
        terminal.wait_until(lambda screen: BAD in chosen(screen))
    terminal.keys("Escape")  # the filter goes first
    terminal.wait_for("add dark mode")
    for key, words in {"o": "redo", "s": "workspace"}.items():
        terminal.keys(key)
        terminal.wait_until(lambda screen, words=words: words in screen and "add dark mode" not in screen)  # type: ignore[misc]
        terminal.keys("q")
        terminal.wait_for("add dark mode")
    terminal.keys("q")
    assert terminal.ended() == 0
    assert terminal.state() == (False, True, False)
    shown = takeback("show", "the bad one", cwd=own_story.root, env=own_story.env)
    assert b"pinned" in shown.stdout, shown


def test_one_file_is_put_back_through_the_preview_and_that_is_taken_back(terminal: Tmux, own_story: Story) -> None:
    gone = own_story.root / GONE
    go_to(terminal, BAD)
    terminal.keys("d")
    terminal.wait_for("test_checkout.py")
    go_to(terminal, "test_checkout.py")
    terminal.keys("r")
    terminal.wait_until(lambda screen: "1 path: create 1" in screen and "Do it" in screen)
    assert not gone.exists()
    terminal.keys("Enter")
    terminal.wait_for("Yes, do it")
    terminal.keys("y")
    terminal.wait_for("verified")
    assert gone.read_text().startswith("from shop.cart import Cart")
    assert not (own_story.root / "tests/test_discounts.py").exists()
    terminal.keys("z")
    terminal.wait_until(lambda screen: "1 path: delete 1" in screen and "Do it" in screen)
    terminal.keys("Enter")
    terminal.wait_for("Yes, do it")
    terminal.keys("y")
    terminal.wait_for("verified")
    assert not gone.exists()


def test_the_newest_move_is_undone_and_redone(terminal: Tmux, own_story: Story) -> None:
    changed = own_story.root / "tests/test_cart.py"
    after = changed.read_text()
    for key, text in {"z": None, "Z": after}.items():
        terminal.keys("g")
        on(terminal, "the present")
        terminal.keys(key)
        terminal.wait_until(lambda screen: "Do it" in screen and "1 path: change 1" in screen)
        terminal.keys("Enter")
        terminal.wait_for("Yes, do it")
        terminal.keys("y")
        terminal.wait_for("verified")
        assert (changed.read_text() == after) == (text == after)
        terminal.keys("Escape")
        terminal.wait_for(BAD)


def test_what_another_process_saves_appears(terminal: Tmux, own_story: Story) -> None:
    (own_story.root / "note.txt").write_text("somebody was here\n")
    done = takeback("save", "-m", "made elsewhere", cwd=own_story.root, env=own_story.env)
    assert done.returncode == 0, done.stderr
    terminal.wait_for("made elsewhere")


def test_a_world_that_moved_since_the_plan_is_shown_and_nothing_is_done(terminal: Tmux, own_story: Story) -> None:
    go_to(terminal, BAD)
    terminal.keys("z")
    terminal.wait_until(lambda screen: "9 paths" in screen and "Do it" in screen)
    (own_story.root / GONE).write_text("a person wrote this meanwhile\n")
    terminal.keys("Enter")
    terminal.wait_for("Yes, do it")
    terminal.keys("y")
    terminal.wait_until(lambda screen: "8 paths" in screen and "Do it" in screen)
    assert (own_story.root / GONE).read_text() == "a person wrote this meanwhile\n"
    assert not (own_story.root / "docs").exists()


def test_a_smaller_and_a_larger_window_show_the_same(terminal: Tmux) -> None:
    go_to(terminal, BAD)
    for columns, lines in ((60, 14), (200, 50), (40, 8), (110, 32)):
        terminal.resize(columns, lines)
        terminal.wait_until(lambda screen: "clean up" in chosen(screen))


def test_control_c_leaves_a_terminal_as_it_was(terminal: Tmux) -> None:
    assert terminal.state()[0]
    terminal.keys("C-c")
    assert terminal.ended() in (0, 130)
    assert terminal.state() == (False, True, False)
    assert "Traceback" not in terminal.screen()
    terminal.start(["echo", "still", "a shell"])
    terminal.wait_for("still a shell")


def test_hostile_names_do_not_reach_the_terminal(terminal: Tmux) -> None:
    screen = terminal.wait_for("[bold red]")
    assert "<scr" in screen
