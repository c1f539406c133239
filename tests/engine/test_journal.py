"""A restore or undo that was killed is finished by the next command, or is as if it had never begun; nothing in between.

Here at chosen points, and with what others did meanwhile; at every point: `tests/crash`."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from support.agent import World
from support.processes import KILLED, in_child
from support.scenes import BEFORE, turn
from support.trees import Node, make_tree
from takeback.engine import apply
from takeback.store.catalogue import journals

Tree = dict[str, Node]


class Scene:
    """A world after a turn, the states on both sides of it, and what is checked once something was killed."""

    def __init__(self, base: Path) -> None:
        base.mkdir(parents=True, exist_ok=True)
        self.base = base
        world = World(base)
        make_tree(world.root, BEFORE)
        world.line.save("before")
        self.before = world.tree()
        with world.line.turn("work"):
            turn(world)
        self.after = world.tree()
        world.store.close()

    def killed(self, act: Callable[[World], object], arm: Callable[[], object]) -> None:
        """Do something in a process that dies of what ``arm`` set up."""

        def work() -> None:
            world = World(self.base)
            arm()
            act(world)

        code, _ = in_child(work)
        assert code == KILLED

    def pending(self) -> bool:
        world = World(self.base)
        with world.store.blobs.database.read() as tx:
            return bool(journals.every(tx))

    def next_command(self, act: Callable[[World], object] = lambda world: world.line.save()) -> World:
        world = World(self.base)
        act(world)
        return world

    def check_clean(self, world: World) -> None:
        """Nothing is left over, and what was recorded is what is there."""
        with world.store.blobs.database.read() as tx:
            assert journals.every(tx) == []
        assert [name for name in os.listdir(world.root) if name.startswith(".takeback")] == []
        assert not world.line.diff()
        assert not world.store.verify(read_data=True).problems
        assert world.line.interrupted() is None


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def die(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_before(module: Any, name: str) -> None:
    setattr(module, name, die)


def kill_after(module: Any, name: str) -> None:
    function = getattr(module, name)

    def then_die(*arguments: Any, **options: Any) -> Any:
        function(*arguments, **options)
        die()

    setattr(module, name, then_die)


CHANGING = ("rename", "link", "unlink", "rmdir", "mkdir", "chmod", "fchmod", "symlink")


def kill_at_change(number: int, begin: tuple[Any, str] = (apply, "_begin")) -> None:
    """Die just before the change of this number that is made to the workspace once the journal is committed."""
    module, name = begin
    function = getattr(module, name)

    def then_count(*arguments: Any, **options: Any) -> Any:
        result = function(*arguments, **options)
        count_changes(number)
        return result

    setattr(module, name, then_count)


def count_changes(number: int) -> None:
    made = 0

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal made
            made += 1
            if made == number:
                die()
            return function(*arguments, **options)

        return call

    for name in CHANGING:
        setattr(os, name, counted(getattr(os, name)))


def undo(world: World) -> object:
    return world.line.undo()


def restore(world: World) -> object:
    return world.line.restore("before")


def refused(world: World) -> None:
    """A plan that was made in the middle of it does not fit any more once it is finished."""
    plan = world.line.plan("@")
    with pytest.raises(tb.Conflict):
        world.line.apply(plan)


# chosen points


def test_killed_before_the_journal_was_written_nothing_has_happened(scene: Scene) -> None:
    scene.killed(undo, lambda: kill_before(apply, "_begin"))
    world = World(scene.base)
    assert {path: node for path, node in world.tree().items() if not path.startswith(".takeback")} == scene.after
    assert not scene.pending()
    world = scene.next_command()
    assert world.tree() == scene.after
    scene.check_clean(world)
    world.undo()
    assert world.tree() == scene.before


@pytest.mark.parametrize("act", [undo, restore])
@pytest.mark.parametrize(
    "arm",
    [
        lambda: kill_after(apply, "_begin"),
        lambda: kill_at_change(1),
        lambda: kill_at_change(5),
        lambda: kill_before(apply, "_read_back"),
        lambda: kill_before(apply, "conclude"),
        lambda: kill_before(apply, "_record_move"),
    ],
    ids=["journal", "first change", "fifth change", "all changes", "read back", "last commit"],
)
def test_killed_after_the_journal_was_written_it_is_finished(
    scene: Scene, act: Callable[[World], object], arm: Callable[[], object]
) -> None:
    scene.killed(act, arm)
    assert scene.pending()
    assert World(scene.base).line.interrupted() is not None
    world = scene.next_command()
    assert world.tree() == scene.before
    scene.check_clean(world)
    verb = "undo" if act is undo else "restore"
    assert [move.verb for move in world.line.log().moves if move.level == "takeback"] == [verb]
    if act is undo:
        world.redo()
    else:
        world.undo()
    assert world.tree() == scene.after


@pytest.mark.parametrize(
    "act",
    [
        lambda world: world.line.save(trigger="turn_start"),
        lambda world: world.line.restore("@"),
        lambda world: world.line.redo() and world.line.undo(),
        refused,
    ],
    ids=["save", "restore", "redo", "apply"],
)
def test_whatever_the_next_command_is_it_finishes_first(scene: Scene, act: Callable[[World], object]) -> None:
    scene.killed(undo, lambda: kill_at_change(4))
    world = scene.next_command(act)
    assert world.tree() == scene.before
    scene.check_clean(world)


def test_another_timeline_of_the_same_root_finishes_it_for_its_owner(scene: Scene) -> None:
    scene.killed(undo, lambda: kill_at_change(4))
    world = World(scene.base)
    world.store.timeline("another", sources=[tb.Workspace(world.root)]).save()
    assert world.tree() == scene.before
    assert world.line.log().moves[0].verb == "undo"
    scene.check_clean(world)


def test_looking_does_not_finish_anything(scene: Scene) -> None:
    scene.killed(undo, lambda: kill_after(apply, "_begin"))
    world = World(scene.base)
    world.line.log()
    world.line.show("@")
    assert scene.pending()


# what somebody did after the kill


@pytest.mark.parametrize("number", [1, 3, 6, 9, 12, 15, 18])
def test_a_path_that_a_person_changed_after_the_kill_is_left_alone(scene: Scene, number: int) -> None:
    scene.killed(undo, lambda: kill_at_change(number))
    world = World(scene.base)
    edits = {"changed": b"by a person\n", "deleted": b"by a person too\n", "gone/deep/file": b"and this\n"}
    for path, data in edits.items():
        world.write(path, data)
    world.write("new/a/mine", "a person's own")
    world = scene.next_command()
    for path, data in edits.items():
        assert world.read(path) == data
    assert world.read("new/a/mine") == b"a person's own"
    scene.check_clean(world)
    mixed = {path: node for path, node in world.tree().items() if path not in edits and not path.startswith("new")}
    planned = {path: node for path, node in scene.before.items() if path not in edits}
    assert mixed == planned
    assert not world.exists("new/a/b")
    # nothing of what the person wrote is lost to a later undo either
    held = {path: world.line.read("@", path) for path in edits}
    assert held == edits


def test_all_that_was_planned_was_changed_by_a_person_so_nothing_is_done(tmp_path: Path) -> None:
    base = tmp_path
    world = World(base)
    world.write("file", "1")
    world.line.save("before")
    world.turn("work", {"file": "2"})
    scene = Scene.__new__(Scene)
    scene.base = base
    scene.killed(undo, lambda: kill_at_change(1))
    world.write("file", "a person's")
    world = scene.next_command()
    assert world.read("file") == b"a person's"
    scene.check_clean(world)
    assert all(move.verb != "undo" for move in world.line.log().moves)


@pytest.mark.parametrize("number", [11, 13, 15])
def test_what_a_person_put_in_the_way_after_the_kill_stays_and_the_rest_is_finished(scene: Scene, number: int) -> None:
    scene.killed(undo, lambda: kill_at_change(number))
    world = World(scene.base)
    taken = [path for path in ("file then directory", "directory then file", "gone") if not world.exists(path)]
    assert taken
    for path in taken:
        world.write(path, "mine")
    world = scene.next_command()
    for path in taken:
        assert world.read(path) == b"mine"
    scene.check_clean(world)

    def aside(tree: Tree) -> Tree:
        return {path: node for path, node in tree.items() if path.split("/")[0] not in taken}

    assert aside(world.tree()) == aside(scene.before)


def test_permissions_that_a_person_changed_after_the_kill_stay(scene: Scene) -> None:
    scene.killed(undo, lambda: kill_at_change(1))
    world = World(scene.base)
    world.chmod("directory", 0o700)
    world.chmod("mode", 0o640)
    world = scene.next_command()
    assert (world.mode("directory"), world.mode("mode")) == (0o700, 0o640)
    assert world.read("changed") == b"as it was\n"
    scene.check_clean(world)


def test_a_file_that_a_person_edited_after_the_kill_keeps_its_permissions(scene: Scene) -> None:
    """The undo was to change only the permissions."""
    scene.killed(undo, lambda: kill_at_change(1))
    world = World(scene.base)
    edited = world.mode("mode")
    assert edited != scene.before["mode"].mode
    world.write("mode", "by a person\n")
    world = scene.next_command()
    assert (world.mode("mode"), world.read("mode")) == (edited, b"by a person\n")
    assert world.read("changed") == b"as it was\n"
    scene.check_clean(world)
