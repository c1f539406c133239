"""Long merges are computed while no lock is held, and with what the files are afterwards."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

import takeback as tb
from support.agent import World
from takeback.model.line_diff.effort import Effort
from takeback.sources.workspace import merge, merge_memo
from takeback.sources.workspace.merge_memo import MergeMemo
from takeback.sources.workspace.text_merge import merge_lines
from takeback.store.locks import root_lock

LENGTH, DISTANCE = 60_000, 4000
TOO_LONG = "it was changed since, and comparing its lines takes too long"


def text(*, agent: bool = False, person: bool | str = False) -> bytes:
    """A text of few different lines, so that it takes effort to compare it. Each has lines of its own, far from the other's."""
    chance = random.Random(11)
    lines = [f"{chance.randrange(10)}\n" for _ in range(LENGTH)]
    for number in range(LENGTH // DISTANCE - 1, 0, -1):
        name = ("agent" if agent else "") if number % 2 else ("person" if person is True else person)
        if name:
            at = number * DISTANCE
            lines[at : at + 1] = [f"{name} {number}\n", f"{name} {number} again\n"]
    return "".join(lines).encode()


def hopeless(seed: int) -> bytes:
    chance = random.Random(seed)
    return b"".join(b"%d\n" % chance.randrange(10) for _ in range(50_000))


def is_locked(world: World) -> bool:
    try:
        with root_lock(str(world.root), 0):
            return False
    except tb.Locked:
        return True


class Merges:
    """What was merged, and with how much effort, while the root was locked and while it was not."""

    def __init__(self, world: World, patch: pytest.MonkeyPatch) -> None:
        self.locked: list[int] = []
        self.unlocked: list[int] = []
        self.meanwhile: Callable[[], object] = lambda: None
        catch_up = MergeMemo.catch_up

        def merged(base: bytes, theirs: bytes, ours: bytes, effort: Effort) -> bytes | None:
            (self.locked if is_locked(world) else self.unlocked).append(effort.left)
            return merge_lines(base, theirs, ours, effort)

        def then(memo: MergeMemo) -> None:
            self.meanwhile()
            catch_up(memo)

        patch.setattr(merge, "merge_lines", merged)
        patch.setattr(MergeMemo, "catch_up", then)


@pytest.fixture
def merges(world: World, monkeypatch: pytest.MonkeyPatch) -> Merges:
    return Merges(world, monkeypatch)


def begin(world: World, path: str = "long.txt") -> None:
    world.write(path, text())
    world.turn("work", {path: text(agent=True)})
    world.write(path, text(agent=True, person=True))


def test_a_long_merge_is_computed_while_the_root_is_not_locked(world: World, merges: Merges) -> None:
    begin(world)
    report = world.undo()
    assert world.read("long.txt") == text(person=True)
    assert report.merged == ("long.txt",)
    assert merges.unlocked
    assert all(steps <= merge_memo._UNDER_LOCK for steps in merges.locked)
    world.redo()
    assert world.read("long.txt") == text(agent=True, person=True)


def test_a_plan_computes_it_while_the_root_is_not_locked_and_is_what_is_done(world: World, merges: Merges) -> None:
    begin(world)
    plan = world.line.plan_undo()
    assert merges.unlocked
    assert all(steps <= merge_memo._UNDER_LOCK for steps in merges.locked)
    assert [effect.merged for effect in plan.effects] == [text(person=True)]
    merged = len(merges.locked) + len(merges.unlocked)
    world.checked(lambda: world.line.apply(plan))
    assert world.read("long.txt") == text(person=True)
    assert len(merges.locked) + len(merges.unlocked) == merged


def test_a_short_merge_needs_one_look_at_the_files(world: World, merges: Merges) -> None:
    world.write("short.txt", "1\n2\n3\n4\n5\n")
    world.turn("work", {"short.txt": "agent\n2\n3\n4\n5\n"})
    world.write("short.txt", "agent\n2\n3\n4\nperson\n")
    world.undo()
    assert world.read("short.txt") == b"1\n2\n3\n4\nperson\n"
    assert len(merges.locked) == 1 and not merges.unlocked


def test_an_edit_in_the_middle_of_a_long_merge_is_kept(world: World, merges: Merges) -> None:
    begin(world)

    def edit() -> None:
        merges.meanwhile = lambda: None
        world.write("long.txt", text(agent=True, person="somebody"))
        world.write("other.txt", "new\n")

    merges.meanwhile = edit
    report = world.line.undo()
    assert world.files() == {"long.txt": text(person="somebody"), "other.txt": b"new\n"}
    assert report.changed == report.merged == ("long.txt",)


def test_a_file_that_changes_all_the_time_is_left_alone_in_the_end(world: World, merges: Merges) -> None:
    begin(world)
    world.write("a.txt", "1\n")
    edits = 0

    def edit() -> None:
        nonlocal edits
        edits += 1
        world.write("long.txt", text(agent=True, person=f"edit {edits}"))

    merges.meanwhile = edit
    with pytest.raises(tb.Conflict, match=TOO_LONG):
        world.line.undo()
    assert 1 < edits < 10
    assert world.read("long.txt") == text(agent=True, person=f"edit {edits}")


def test_a_text_that_takes_too_long_is_a_conflict_and_the_rest_is_taken_back(world: World, merges: Merges) -> None:
    world.edit({"a.txt": "1\n", "hopeless.txt": hopeless(1), "long.txt": text(), "z.txt": "1\n2\n3\n4\n"})
    world.turn(
        "work", {"a.txt": "2\n", "hopeless.txt": hopeless(2), "long.txt": text(agent=True), "z.txt": "agent\n2\n3\n4\n"}
    )
    world.edit(
        {"hopeless.txt": hopeless(3), "long.txt": text(agent=True, person=True), "z.txt": "agent\n2\n3\nperson\n"}
    )
    then = world.tree()
    report = world.undo()
    assert [(kept.path, kept.reason) for kept in report.conflicts] == [("hopeless.txt", TOO_LONG)]
    assert report.changed == ("a.txt", "long.txt", "z.txt") and report.merged == ("long.txt", "z.txt")
    assert world.files() == {
        "a.txt": b"1\n",
        "hopeless.txt": hopeless(3),
        "long.txt": text(person=True),
        "z.txt": b"1\n2\n3\nperson\n",
    }
    world.redo()
    assert world.tree() == then


def test_one_text_leaves_effort_for_the_next(world: World, merges: Merges) -> None:
    """However many texts take too long, a short one after them is merged."""
    names = [f"{number}.txt" for number in range(4)]
    for seed, turn in enumerate((False, True, False)):
        edits: dict[str, str | bytes | None] = {name: hopeless(seed) for name in names}
        edits["z.txt"] = ("1\n2\n3\n4\n", "agent\n2\n3\n4\n", "agent\n2\n3\nperson\n")[seed]
        world.turn("work", edits) if turn else world.edit(edits)
    report = world.undo()
    assert {kept.path: kept.reason for kept in report.conflicts} == dict.fromkeys(names, TOO_LONG)
    assert world.read("z.txt") == b"1\n2\n3\nperson\n"
    assert sum(steps for steps in (*merges.locked, *merges.unlocked)) < 3 * merge_memo._WHOLE_VERB


def test_a_long_merge_of_the_result_of_a_long_merge(world: World, merges: Merges) -> None:
    """Two turns on the same text, and a person's edits after each: the second merge needs the first one's result."""
    world.write("long.txt", text())
    first = world.line.save("before")
    world.turn("one", {"long.txt": text(agent=True)})
    world.write("long.txt", text(agent=True, person=True))
    world.turn("two", {"long.txt": b"agent\n" + text(agent=True, person=True)})
    world.write("long.txt", b"agent\n" + text(agent=True, person="somebody"))
    world.undo(since=first.id)
    assert world.read("long.txt") == text(person="somebody")
    assert merges.unlocked


def test_a_long_merge_of_a_promote(world: World, merges: Merges) -> None:
    world.write("long.txt", text())
    world.line.save("begin")
    fork = world.fork("@", "attempt")
    fork.write("long.txt", text(agent=True))
    world.write("long.txt", text(person=True))
    report = world.checked(lambda: world.line.promote("attempt"))
    assert world.read("long.txt") == text(agent=True, person=True)
    assert report.merged == ("long.txt",)
    assert merges.unlocked
    assert all(steps <= merge_memo._UNDER_LOCK for steps in merges.locked)


def test_what_is_held_of_postponed_merges_is_bounded(
    world: World, merges: Merges, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are computed in several rounds then."""
    monkeypatch.setattr(merge_memo, "_WAITING_BYTES", 3 * len(text(agent=True, person=True)))
    rounds = 0

    def count() -> None:
        nonlocal rounds
        rounds += 1

    merges.meanwhile = count
    for name in "ab":
        world.write(name, name.encode() + text())
    world.turn("work", {name: name.encode() + text(agent=True) for name in "ab"})
    for name in "ab":
        world.write(name, name.encode() + text(agent=True, person=True))
    world.undo()
    assert world.files() == {name: name.encode() + text(person=True) for name in "ab"}
    assert rounds == 2
