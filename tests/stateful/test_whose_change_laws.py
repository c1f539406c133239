"""The laws of `test_whose_change.py` can be broken: each lie below is found."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from support.ownership.deed import Broken
from support.ownership.generator import Generator
from support.ownership.player import play
from support.ownership.script import parse, text_of
from support.ownership.shrinker import shortest
from takeback.cli import main

A_TURN = """
one begin
one prompt
one call-write new.txt
one end
one call-write b.txt
one end
one stop
person append a.txt
takeback undo
takeback redo
"""

Lie = Callable[[Path, dict[str, object]], None]
"""What an undo does wrong, and says of it; a dry run says the same."""


def changes_another_file(root: Path, said: dict[str, object]) -> None:
    if not said["dry_run"]:
        (root / "a.txt").write_text("nothing\n")
    said["changed"] = [*_list(said["changed"]), "a.txt"]


def shows_less_than_it_does(root: Path, said: dict[str, object]) -> None:
    if said["dry_run"]:
        said["changed"] = []


def changes_more_than_it_says(root: Path, said: dict[str, object]) -> None:
    if not said["dry_run"]:
        (root / "src" / "c.py").unlink()


def leaves_what_the_agent_made(root: Path, said: dict[str, object]) -> None:
    if not said["dry_run"]:
        (root / "new.txt").write_bytes(b"one-00001-" + b"x" * 30 + b"\n")
    said["changed"] = [path for path in _list(said["changed"]) if path != "new.txt"]


def says_that_all_is_well(root: Path, said: dict[str, object]) -> None:
    said["shared"] = ["a.txt"]


def says_that_it_left_what_it_changed(root: Path, said: dict[str, object]) -> None:
    said["kept"] = [{"path": "b.txt", "reason": "just so"}]


LIES: dict[Lie, str] = {
    changes_another_file: "somebody's work",
    shows_less_than_it_does: "dry run",
    changes_more_than_it_says: "reported changes",
    leaves_what_the_agent_made: "certain",
    says_that_all_is_well: "exit code",
    says_that_it_left_what_it_changed: "left alone or changed",
}


def test_a_turn_keeps_the_laws(memory_path: Path, home: Path) -> None:
    tally = play(parse(A_TURN), memory_path, home)
    assert tally == {"undo 0": 1, "redo 0": 1, "ordinary paths taken back": 2}


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_a_lie_is_found(lie: Lie, memory_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lying(arguments: Sequence[str]) -> int:
        if arguments[0] != "undo":
            return main(arguments)
        code, said = _heard(arguments)
        lie(memory_path / "project", said)
        print(json.dumps(said))
        return code

    monkeypatch.setattr("support.ownership.player.main", lying)
    with pytest.raises(Broken) as found:
        play(parse(A_TURN), memory_path, home)
    assert found.value.law == LIES[lie]


def test_a_seed_writes_the_same_script_each_time() -> None:
    script = Generator(11).script()
    assert script == Generator(11).script() != Generator(12).script()
    assert parse(text_of(script)) == script


def test_a_script_is_made_as_short_as_it_can_be() -> None:
    script = Generator(11).script()
    needed = {script[3], script[30]}
    assert set(shortest(script, lambda each: needed <= set(each))) == needed


def _heard(arguments: Sequence[str]) -> tuple[int, dict[str, object]]:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = main(arguments)
    return code, json.loads(out.getvalue())


def _list(value: object) -> list[str]:
    assert isinstance(value, list)
    return value
