"""Undo follows what a move made to the name that a person has given it since, and takes no file of her own for it."""

from __future__ import annotations

from typing import Any

import pytest

import takeback as tb
from support.agent import TEXT, World, with_line


def test_undo_tells_of_a_renamed_file_that_it_had_changed_while_a_command_ran(world: World) -> None:
    world.write("f.txt", TEXT)
    agent = world.agent()
    agent.start("run")
    agent.begin("1")
    world.write("f.txt", with_line(TEXT, 2, "an agent's") + "a person's, meanwhile\n")
    agent.done("1")
    agent.end()
    world.rename("f.txt", "g.txt")
    report = world.undo()
    assert world.files() == {"g.txt": TEXT.encode()}
    assert [each.paths for each in report.while_running] == [("g.txt",)]


def test_undo_of_a_tiny_change_leaves_another_file_of_the_same_bytes_alone(world: World) -> None:
    world.write("VERSION", "1\n")
    world.turn("edit", {"VERSION": "2\n"})
    world.remove("VERSION")
    world.write("count.txt", "2\n")
    with pytest.raises(tb.Conflict, match=r"VERSION: it was deleted since"):
        world.undo()
    assert world.files() == {"count.txt": b"2\n"}


@pytest.mark.parametrize("edited", [False, True])
def test_undo_keeps_a_file_that_was_renamed_twice_and_whose_first_name_is_taken(world: World, edited: bool) -> None:
    """The agent renamed her file first, then she did; it is the only copy of her text."""
    text = rename_in_a_turn(world, edited=edited)
    world.rename("draft.txt", "mine.txt")
    world.write("notes.txt", "her new notes\n")
    with pytest.raises(tb.Conflict, match=r"mine\.txt: the move took it from notes\.txt"):
        world.undo()
    assert world.files() == {"mine.txt": text.encode(), "notes.txt": b"her new notes\n"}


@pytest.mark.parametrize("choice", [{"keep": {"workspace": ["notes.txt"]}}, {"paths": {"workspace": ["mine.txt"]}}])
def test_undo_keeps_a_file_that_was_renamed_twice_if_it_may_not_give_the_first_name_back(
    world: World, choice: dict[str, Any]
) -> None:
    text = rename_in_a_turn(world, edited=False)
    world.rename("draft.txt", "mine.txt")
    with pytest.raises(tb.Conflict, match=r"mine\.txt: the move took it from notes\.txt"):
        world.undo(**choice)
    assert world.files() == {"mine.txt": text.encode()}


@pytest.mark.parametrize("then", [None, "see the copy\n"])
def test_undo_keeps_an_agents_copy_once_it_is_the_only_one_of_a_persons_text(world: World, then: str | None) -> None:
    world.edit({"notes.txt": TEXT, "other.txt": "1\n"})
    world.line.save("hers")
    world.turn("copy", {"copy.txt": TEXT, "other.txt": "2\n"})
    world.edit({"notes.txt": then})
    report = world.undo()
    assert [(item.path, item.reason) for item in report.conflicts] == [
        ("copy.txt", "the move took it from notes.txt, and notes.txt stays as it is")
    ]
    assert world.read("copy.txt") == TEXT.encode() and world.read("other.txt") == b"1\n"


def test_undo_of_an_older_turn_keeps_the_copy_of_what_a_newer_one_wrote_over(world: World) -> None:
    world.edit({"notes.txt": TEXT})
    world.line.save("hers")
    older = world.turn("back up", {"notes.bak": TEXT})
    world.turn("rewrite", {"notes.txt": "an agent's\n"})
    with pytest.raises(tb.Conflict, match=r"notes\.bak: the move took it from notes\.txt"):
        world.undo(older)
    assert world.files() == {"notes.bak": TEXT.encode(), "notes.txt": b"an agent's\n"}
    world.undo(since="root")
    assert world.files() == {"notes.txt": TEXT.encode()}


def test_undo_tells_of_a_file_of_the_agents_that_was_renamed_and_edited(world: World) -> None:
    world.turn("make", {"made.txt": TEXT, "other.txt": "2\n"})
    world.rename("made.txt", "kept.txt")
    with (world.root / "kept.txt").open("a") as file:
        file.write("a person's\n")
    report = world.undo()
    assert [(item.path, item.reason) for item in report.conflicts] == [
        ("kept.txt", "it was made.txt, which the move made, and was changed since")
    ]
    assert world.files() == {"kept.txt": f"{TEXT}a person's\n".encode()}


def rename_in_a_turn(world: World, *, edited: bool) -> str:
    """An agent renames a person's notes; what they hold then."""
    text = "".join(f"her line {number}\n" for number in range(30))
    world.write("notes.txt", text)
    world.line.save("hers")
    after = text.replace("her line 3\n", "an agent's line\n") if edited else text

    def rename() -> None:
        world.rename("notes.txt", "draft.txt")
        if edited:
            world.write("draft.txt", after)

    world.turn("tidy", rename)
    return after
