"""takeback on a terminal: it asks, it shows colours, and Ctrl-C is the command's."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from support.cli import PROGRAM, takeback
from support.terminal import Terminal

COLOURS = re.compile(rb"\x1b\[[0-9;]*m")


@pytest.fixture
def broken(project: Path) -> Path:
    """A project whose last run broke a file."""
    (project / "a.txt").write_text("one\n")
    takeback("save", "-m", "good", cwd=project)
    takeback("run", "-m", "work", "--", "sh", "-c", "echo two > a.txt; echo new > b.txt", cwd=project)
    return project


def _log(project: Path) -> object:
    return json.loads(takeback("log", "--json", cwd=project).stdout)


@pytest.mark.parametrize(
    "arguments", [["undo"], ["restore", "good"], ["drop", "good"]], ids=["undo", "restore", "drop"]
)
@pytest.mark.parametrize("answer", [b"n\n", b"\n", b"nonsense\n", b"\x04"], ids=["no", "enter", "nonsense", "eof"])
def test_anything_but_yes_changes_nothing(broken: Path, arguments: list[str], answer: bytes) -> None:
    before = _log(broken)
    terminal = Terminal([*PROGRAM, *arguments], broken, {})
    terminal.wait_for(b"[y/N] ")
    terminal.type(answer)
    assert terminal.end() == 130
    assert b"nothing was changed" in terminal.shown
    assert (broken / "a.txt").read_text() == "two\n"
    assert _log(broken) == before


def test_undo_shows_its_plan_and_does_it_after_a_yes(broken: Path) -> None:
    terminal = Terminal([*PROGRAM, "undo"], broken, {})
    terminal.wait_for(b"[y/N] ")
    plan = COLOURS.sub(b"", terminal.shown)
    assert re.search(rb"change +a\.txt", plan)
    assert re.search(rb"delete +b\.txt", plan)
    terminal.type(b"y\n")
    assert terminal.end() == 0
    assert b"read back and verified" in terminal.shown
    assert (broken / "a.txt").read_text() == "one\n"
    redo = Terminal([*PROGRAM, "redo"], broken, {})
    redo.wait_for(b"[y/N] ")
    redo.type(b"yes\n")
    assert redo.end() == 0
    assert (broken / "a.txt").read_text() == "two\n"


def test_what_changed_while_the_question_stood_is_a_conflict(broken: Path) -> None:
    terminal = Terminal([*PROGRAM, "undo"], broken, {})
    terminal.wait_for(b"[y/N] ")
    (broken / "a.txt").write_text("a person was here\n")
    terminal.type(b"y\n")
    assert terminal.end() == 14
    assert (broken / "a.txt").read_text() == "a person was here\n"
    assert (broken / "b.txt").exists()


def test_where_nothing_can_be_taken_back_nothing_is_asked(project: Path) -> None:
    (project / "a.txt").write_text("one\n")
    takeback("run", "--", "sh", "-c", "echo two > a.txt", cwd=project)
    (project / "a.txt").write_text("three\n")
    terminal = Terminal([*PROGRAM, "undo"], project, {})
    assert terminal.end() == 14
    assert b"[y/N]" not in terminal.shown
    assert b"takeback restore" in terminal.shown


def test_control_c_at_the_question(broken: Path) -> None:
    terminal = Terminal([*PROGRAM, "undo"], broken, {})
    terminal.wait_for(b"[y/N] ")
    terminal.type(b"\x03")
    assert terminal.end() == 130
    assert b"Traceback" not in terminal.shown
    assert b"\ntakeback: nothing was changed" in terminal.shown
    assert (broken / "a.txt").read_text() == "two\n"


def test_json_never_asks(broken: Path) -> None:
    terminal = Terminal([*PROGRAM, "undo", "--json"], broken, {})
    assert terminal.end() == 2
    assert b"--json asks nothing" in terminal.shown
    assert b"--yes" in terminal.shown


def test_yes_does_not_ask(broken: Path) -> None:
    terminal = Terminal([*PROGRAM, "undo", "--yes"], broken, {})
    assert terminal.end() == 0
    assert b"[y/N]" not in terminal.shown
    assert (broken / "a.txt").read_text() == "one\n"


def test_colours_on_a_terminal_unless_they_are_not_wanted(broken: Path) -> None:
    for arguments in (["log"], ["show", "@"], ["diff", "good"], []):
        shown = Terminal([*PROGRAM, *arguments], broken, {})
        assert shown.end() == 0
        assert COLOURS.search(shown.shown), arguments
        for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            plain = Terminal([*PROGRAM, *arguments], broken, env)
            assert plain.end() == 0
            assert b"\x1b" not in plain.shown, (arguments, env)


@pytest.mark.parametrize("env", [{}, {"NO_COLOR": "1"}], ids=["colours", "plain"])
def test_hostile_names_and_contents_do_not_reach_a_terminal(project: Path, env: dict[str, str]) -> None:
    (project / "\x1b]0;name\x07").write_text("before\n")
    takeback("save", cwd=project)
    script = "for f in *name*; do printf 'a\\033]0;content\\007\\n' > \"$f\"; done"
    takeback("run", "-m", "\x1b]0;title\x07", "--", "sh", "-c", script, cwd=project)
    for arguments in (["log"], ["show", "@"], ["diff", "@-"], ["undo", "--dry-run"], []):
        terminal = Terminal([*PROGRAM, *arguments], project, env)
        assert terminal.end() == 0
        assert not set(COLOURS.sub(b"", terminal.shown)) & {0x1B, 0x07}, arguments


def test_control_c_goes_to_the_command_and_the_run_is_closed(project: Path) -> None:
    script = "trap 'echo stopped > f; exit 7' INT; echo ready; while :; do sleep 0.05; done"
    terminal = Terminal([*PROGRAM, "run", "-m", "work", "--", "sh", "-c", script], project, {})
    terminal.wait_for(b"ready")
    terminal.type(b"\x03")
    assert terminal.end() == 7
    assert b"takeback undo" in terminal.shown
    (move,) = json.loads(takeback("log", "--json", cwd=project).stdout)["moves"]
    assert move["closed"] is not None
    assert takeback("undo", "--yes", cwd=project).returncode == 0
    assert not (project / "f").exists()


def test_a_command_that_control_c_kills_exits_with_130(project: Path) -> None:
    terminal = Terminal([*PROGRAM, "run", "--", "sh", "-c", "echo x > f; echo ready; exec sleep 60"], project, {})
    terminal.wait_for(b"ready")
    terminal.type(b"\x03")
    assert terminal.end() == 130
    assert len(json.loads(takeback("log", "--json", cwd=project).stdout)["moves"]) == 1


@pytest.fixture
def both(broken: Path) -> Path:
    """The same after a save of the person's, and an edit."""
    takeback("save", "-m", "mine", cwd=broken)
    (broken / "mine.txt").write_text("mine\n")
    return broken


@pytest.mark.parametrize(("number", "left"), [(b"1", {"a.txt", "mine.txt"}), (b"2", {"a.txt", "b.txt"})])
def test_undo_asks_which_where_the_person_has_a_move_of_her_own(both: Path, number: bytes, left: set[str]) -> None:
    terminal = Terminal([*PROGRAM, "undo"], both, {})
    terminal.wait_for(b"Which one? [1-2] ")
    shown = COLOURS.sub(b"", terminal.shown).decode()
    assert re.search("1  run [0-9a-f]+ “work”", shown) and "2  your own changes since “mine”" in shown
    terminal.type(number + b"\n")
    terminal.wait_for(b"[y/N] ")
    terminal.type(b"y\n")
    assert terminal.end() == 0
    assert {path.name for path in both.iterdir()} == left


@pytest.mark.parametrize("answer", [b"\n", b"3\n", b"y\n", b"\x04"], ids=["enter", "3", "y", "eof"])
def test_no_number_of_a_move_changes_nothing(both: Path, answer: bytes) -> None:
    before = _log(both)
    terminal = Terminal([*PROGRAM, "undo"], both, {})
    terminal.wait_for(b"Which one? [1-2] ")
    terminal.type(answer)
    assert terminal.end() == 130
    assert (both / "b.txt").exists() and (both / "mine.txt").exists()
    assert _log(both) == before


def test_where_only_the_person_s_own_move_is_left_a_terminal_offers_it(both: Path) -> None:
    takeback("undo", "--yes", cwd=both)
    assert takeback("undo", "--yes", cwd=both).returncode == 10
    terminal = Terminal([*PROGRAM, "undo"], both, {})
    terminal.wait_for(b"[y/N] ")
    assert b"Which one?" not in terminal.shown
    terminal.type(b"y\n")
    assert terminal.end() == 0
    assert not (both / "mine.txt").exists()
