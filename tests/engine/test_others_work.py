"""What was not the move's to begin with: undo, redo, restore and drop never cost it."""

from __future__ import annotations

import pytest

import takeback as tb
from support.agent import TEXT, MakeWorld, World

# renamed there and back


def test_a_file_that_a_person_renamed_back_is_left_alone(world: World) -> None:
    world.write("notes.txt", TEXT)
    world.turn("rename", lambda: world.rename("notes.txt", "old.txt"))
    world.rename("old.txt", "notes.txt")
    with pytest.raises(tb.NotFound):
        world.undo()
    assert world.files() == {"notes.txt": TEXT.encode()}


def test_taking_a_rename_back_twice_deletes_nothing(world: World) -> None:
    world.write("notes.txt", TEXT)
    move = world.turn("rename", lambda: world.rename("notes.txt", "old.txt"))
    world.undo()
    with pytest.raises(tb.NotFound):
        world.undo(move)
    assert world.files() == {"notes.txt": TEXT.encode()}


def test_a_short_file_of_a_persons_own_is_not_taken_for_the_moves(world: World) -> None:
    world.write("other", "0")
    world.turn("configure", {"conf.json": "{}", "other": "1"})
    world.remove("conf.json")
    world.write("data.json", "{}")
    world.undo()
    assert world.files() == {"data.json": b"{}", "other": b"0"}


def test_a_rename_whose_old_name_is_taken_keeps_its_new_one(world: World) -> None:
    world.edit({"notes.txt": TEXT, "other": "0"})

    def rename() -> None:
        world.rename("notes.txt", "old.txt")
        world.write("other", "1")

    world.turn("rename", rename)
    world.write("notes.txt", "mine\n")
    report = world.undo()
    assert world.files() == {"notes.txt": b"mine\n", "old.txt": TEXT.encode(), "other": b"0"}
    assert {item.path for item in report.conflicts} == {"notes.txt", "old.txt"}


# ignored all along


def test_a_file_that_was_ignored_when_it_was_made_survives_the_undo_of_the_rule(world: World) -> None:
    world.write("a", "0")
    first = world.line.save()
    world.write(".gitignore", ".env\n")
    world.line.save()
    world.write(".env", "secret")
    undone = world.line.restore(first)  # from here on it is not ignored, and the next save will find it
    world.write("a", "1")
    world.line.save()
    report = world.restore(undone.snapshot)
    assert world.read(".env") == b"secret"
    assert ".env" in {item.path for item in report.kept}


def test_a_file_that_only_an_agents_rule_ignores_is_captured_and_survives_the_undo_of_the_rule(world: World) -> None:
    world.write("a", "0")
    world.line.save()
    world.turn("ignore", {".gitignore": ".env\n"})
    world.write(".env", "secret")
    undone = world.line.undo()
    assert world.line.read(undone.safety, ".env") == b"secret"
    world.write("a", "1")
    world.line.save()
    world.restore(undone.snapshot)
    assert world.read(".env") == b"secret"


def test_it_survives_the_undo_of_another_sessions_turn_too(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    other = world.agent("other")
    world.turn("ignore", {".gitignore": ".env\n"}, session="one")
    world.write(".env", "secret")
    other.start("work")
    world.line.undo(world.move("ignore").id)
    world.write("b", "1")
    other.end()
    world.undo(world.move("work").id)
    assert world.read(".env") == b"secret"


@pytest.mark.parametrize("back", ["undo", "restore"])
def test_an_ignored_file_that_the_agent_moved_is_not_deleted_under_its_new_name(world: World, back: str) -> None:
    world.edit({".gitignore": ".env\ncache/\n", ".env": "secret", "cache/deep/data": "computed for hours", "a": "0"})
    world.line.save("before")

    def move() -> None:
        world.rename(".env", "env.txt")
        world.rename("cache", "kept")
        world.write("a", "1")
        world.write("new", "1")

    world.turn("tidy", move)
    report = world.undo() if back == "undo" else world.restore("before")
    assert world.read("env.txt") == b"secret"
    assert world.read("kept/deep/data") == b"computed for hours"
    assert world.read("a") == b"0" and not world.exists("new")
    assert {"env.txt", "kept/deep/data"} <= {item.path for item in (*report.kept, *report.conflicts)}


def test_redo_takes_away_what_undo_brought_back_although_it_is_ignored_by_now(world: World) -> None:
    world.edit({"x.log": "log", "a": "0"})
    world.turn("ignore", {"x.log": None, ".gitignore": "*.log\n"})
    move = world.turn("more", {"a": "1"})
    world.undo(world.move("ignore").id)
    world.write(".gitignore", "*.log\n")
    world.redo(world.move("ignore").id)
    assert not world.exists("x.log")
    assert world.move_by_id(move).undone_by is None


# another store inside


def test_a_store_inside_a_workspace_is_never_put_back_by_another_one(world: World) -> None:
    world.write("a", "0")
    inner = tb.open(world.root / ".store")
    line = inner.timeline(sources=[tb.Workspace(world.root)])
    for number in range(3):
        world.write("a", str(number))
        line.save()
    first = world.line.save("before")
    for number in range(3, 6):
        world.write("a", str(number))
        line.save()
    inner.close()
    report = world.line.restore("before")
    assert world.read("a") == b"2"
    with tb.open(world.root / ".store") as again:
        found = again.timeline(sources=[tb.Workspace(world.root)])
        assert len(found.log().snapshots) == 6
        assert again.verify(read_data=True).ok
    assert first.changed == 1 and report.changed == ("a",)


# dropped


def test_the_snapshot_at_which_an_open_turn_begins_is_not_dropped(world: World) -> None:
    world.write("a", "0")
    world.line.save()
    world.write("mine", "1")
    agent = world.agent()
    agent.start("work")
    with pytest.raises(tb.InvalidInput, match="has not ended"):
        world.line.drop("@")
    world.write("a", "1")
    agent.end()
    world.undo()
    assert world.files() == {"a": b"0", "mine": b"1"}


def test_dropping_an_undos_snapshot_gives_its_work_to_nobody_else(world: World) -> None:
    world.edit({"a": "0", "gone": "kept\n"})
    first = world.turn("delete", {"gone": None}, session="one")
    other = world.agent("two")
    other.start("work")
    undone = world.undo(first)
    world.write("a", "1")
    other.end()
    world.line.drop(undone.snapshot)
    with pytest.raises(tb.NotFound):
        world.undo(world.move("work").id)
    assert world.exists("gone")
    assert world.move("delete").undone_by == undone.move


# the wrong plan, the wrong name


def test_a_plan_is_applied_only_where_it_was_made(make_world: MakeWorld) -> None:
    one, two = make_world(), make_world()
    for world in (one, two):
        world.write("a", "0")
        world.turn("edit", {"a": "1"})
    plan = one.line.plan_undo()
    with pytest.raises(tb.InvalidInput, match="was made for"):
        two.line.apply(plan)
    assert one.read("a") == two.read("a") == b"1"


def test_a_fork_that_is_refused_leaves_nothing_behind(world: World) -> None:
    world.write("a", "0")
    world.line.save()
    place = world.base / "second"
    world.line.fork("@", "other", to={"workspace": place})
    for path in place.iterdir():
        path.unlink()
    with pytest.raises(tb.InvalidInput, match="already"):
        world.line.fork("@", "other", to={"workspace": place})
    assert list(place.iterdir()) == []


def test_the_first_save_after_a_fork_makes_no_snapshot(repository: World) -> None:
    repository.edit({".gitignore": "*.log\n", "a": "0", "a.log": "1"})
    repository.line.save()
    fork = repository.line.fork("@", "other", to={"workspace": repository.base / "second"})
    assert fork.save().trigger == "fork"
    assert len(fork.log().snapshots) == 1


# many


def test_every_agent_move_is_taken_back_and_every_edit_between_them_stays(world: World) -> None:
    world.write("a", "start")
    world.line.save()
    for number in range(40):
        world.turn(f"turn {number}", {"a": str(number)})
        world.write(f"mine{number}", "1")
    report = world.undo(since="root")
    assert len(report.moves) == 40
    assert world.read("a") == b"start"
    assert all(world.exists(f"mine{number}") for number in range(40))
