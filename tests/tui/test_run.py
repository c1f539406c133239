"""The app on a real terminal, as the command starts it."""

from __future__ import annotations

import os
import re
import sys

from support.agent import World
from support.cli import PROGRAM
from support.terminal import Terminal

BROKEN = """
import sys
from takeback.cli import main
from takeback.tui.help import Help
Help.compose = lambda self: 1 / 0
sys.exit(main(sys.argv[1:]))
"""


def test_it_starts_shows_and_leaves_the_terminal_as_it_was(world: World) -> None:
    world.write("a.txt", "one\n")
    world.line.save("start")
    terminal = Terminal([*PROGRAM, "ui", "--store", str(world.store_path)], world.root, dict(os.environ), columns=120)
    terminal.wait_for(b"original")
    terminal.type(b"q")
    assert terminal.end() == 0
    assert terminal.shown.rindex(b"\x1b[?1049l") > terminal.shown.index(b"\x1b[?1049h")
    assert b"Traceback" not in terminal.shown


def test_no_colour_is_heeded_and_marks_are_still_seen(world: World) -> None:
    world.write("a.txt", "one\n")
    world.line.save("start")
    env = {**os.environ, "NO_COLOR": "1", "COLORTERM": "truecolor"}
    terminal = Terminal([*PROGRAM, "ui", "--store", str(world.store_path)], world.root, env, columns=120)
    terminal.wait_for(b"original")
    terminal.type(b"q")
    assert terminal.end() == 0
    colours = set(re.findall(rb"[34]8;2;(\d+);(\d+);(\d+)", terminal.shown))
    assert colours and all(red == green == blue for red, green, blue in colours)
    assert "▌●".encode() in re.sub(rb"\x1b\[[0-9;]*m", b"", terminal.shown)


def test_a_bug_ends_it_with_one_line_and_no_traceback(world: World) -> None:
    world.write("a.txt", "one\n")
    world.line.save("start")
    command = [sys.executable, "-c", BROKEN, "ui", "--store", str(world.store_path)]
    terminal = Terminal(command, world.root, dict(os.environ), columns=120)
    terminal.wait_for(b"original")
    terminal.type(b"?")
    assert terminal.end() == 1
    assert b"this is a bug in takeback: ZeroDivisionError" in terminal.shown
    assert b"Traceback" not in terminal.shown
