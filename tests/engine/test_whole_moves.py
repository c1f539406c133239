"""Retention lets a move go as a whole, or keeps all that its undo needs; what a removed snapshot leaves of a move is said."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

import takeback as tb
from support.agent import TEXT, World, with_line
from support.stores import noise
from takeback.engine.dropping import drop_snapshots
from takeback.model.move import CUT
from takeback.store.catalogue import snapshots


def turn(world: World, number: int, session: str = "s", calls: int = 3) -> bytes:
    """A turn of several tool calls, with an edit of the person's after each; what the file was before it."""
    before = world.read("a") if world.exists("a") else b""
    agent = world.agent(session)
    agent.start(f"turn {number}")
    for call in range(calls):
        agent.act({"a": f"{session} {number}.{call}", f"{session}{number}.{call}": "made"}, key=f"{number}.{call}")
        world.write(f"mine {session} {number}.{call}", "typed meanwhile")
    agent.end()
    return before


def mine(world: World) -> set[str]:
    return {path for path in world.files() if path.startswith("mine")}


POLICIES: dict[str, tb.Policy] = {
    **{f"keep {number}": tb.Policy(keep_last=number) for number in (1, 2, 5, 9, 12, 20)},
    "age 0": tb.Policy(max_age=0),
    "no bytes": tb.Policy(max_bytes=0),
    "some bytes": tb.Policy(max_bytes=3000),
}


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_after_a_prune_each_undo_takes_back_a_whole_turn_or_none(world: World, policy: tb.Policy) -> None:
    world.write("a", "0")
    world.line.save(trigger="interval")
    before = [turn(world, number) for number in range(4)]
    kept = mine(world)
    world.store.prune(policy)
    undone = 0
    for expected in reversed(before):
        try:
            report = world.undo()
        except tb.NotFound:
            break
        undone += 1
        assert not report.partial
        assert world.read("a") == expected
        assert not any(path.startswith(f"s{4 - undone}") for path in world.files())
        assert mine(world) == kept
    assert undone >= 1, "the newest turn stays whole whatever the policy says"
    while undone:
        world.redo()
        undone -= 1
    assert world.read("a") == b"s 3.2"
    assert world.store.verify().ok


def test_old_turns_go_with_all_that_only_they_need(world: World) -> None:
    world.write("a", "0")
    world.line.save(trigger="interval")
    counts = []
    for number in range(12):
        turn(world, number)
        world.store.prune(tb.Policy(keep_last=10))
        counts.append(len(world.line.log().snapshots))
    assert max(counts) <= 20, "the limit, and at most one turn that reaches into it"
    assert counts[-1] == counts[-2] == counts[-3]
    titles = [move.title for move in world.moves() if move.level == "turn"]
    assert titles == ["turn 11", "turn 10"]


def test_a_move_within_the_limits_is_not_touched_by_one_that_goes(world: World) -> None:
    for number in range(1, 8):
        world.turn(f"turn {number}", {"a": f"{number}"}, session="s")
    pruned = world.store.prune(tb.Policy(keep_last=3))
    assert [move.title for move in world.moves()] == ["turn 7", "turn 6"]
    assert len(pruned.moves) == 5
    for expected in (b"6", b"5"):
        world.undo()
        assert world.read("a") == expected
    with pytest.raises(tb.NotFound):
        world.undo()


def test_a_dry_run_names_the_moves_that_would_go(world: World) -> None:
    world.write("a", "0")
    for number in range(4):
        turn(world, number)
    planned = world.store.prune(tb.Policy(keep_last=10), dry_run=True)
    moves = {move.id for move in world.moves()}
    done = world.store.prune(tb.Policy(keep_last=10))
    assert (planned.snapshots, planned.moves) == (done.snapshots, done.moves)
    assert moves - {move.id for move in world.moves()} == set(done.moves)


def test_what_a_limit_of_bytes_cannot_hold_goes_as_a_whole(world: World) -> None:
    for number in range(3):
        agent = world.agent()
        agent.start(f"turn {number}")
        for call in range(2):
            agent.act({"large": noise(50_000, f"{number}.{call}")}, key=str(call))
        agent.end()
    world.turn("small", {"a": "1"})
    world.store.prune(tb.Policy(max_bytes=180_000))
    assert [move.title for move in world.moves() if move.level == "turn"] == ["small", "turn 2"]
    world.undo()
    world.undo()
    assert world.read("large") == noise(50_000, "1.1")
    with pytest.raises(tb.NotFound):
        world.undo()


def test_a_crashed_turn_does_not_keep_all_that_came_after_it(world: World) -> None:
    world.write("a", "0")
    crashed = world.agent("crashed")
    crashed.start("crashed")
    crashed.act({"b": "1"}, key="1")
    for number in range(8):
        turn(world, number)
    world.store.prune(tb.Policy(keep_last=10))
    assert len(world.line.log().snapshots) <= 24
    titles = [move.title for move in world.moves() if move.level == "turn"]
    assert titles == ["turn 7", "turn 6", "crashed"]
    for _ in range(3):
        assert not world.undo().partial
    assert "b" not in world.files()
    assert len(mine(world)) == 24


def test_snapshots_by_the_clock_in_a_long_own_move_go_and_its_undo_stays_exact(world: World) -> None:
    world.write("a", "0")
    world.line.save("good")
    for number in range(1, 12):
        world.write("a", f"{number}")
        world.line.save(trigger="interval")
    world.store.prune(tb.Policy(keep_last=3))
    assert len(world.line.log().snapshots) == 4
    assert not world.undo().partial
    assert world.read("a") == b"0"


def test_an_undo_inside_an_own_move_stays_nobody_s_after_a_prune(world: World) -> None:
    world.edit({"a": "0", "mine": "0"})
    world.turn("work", {"a": "1"})
    world.line.save("mine")
    world.write("mine", "1")
    world.undo()
    world.write("mine", "2")
    world.line.save("and again")
    world.write("b", "0")
    world.line.save("latest")
    world.store.prune(tb.Policy(keep_last=4))
    move = next(move for move in world.moves() if move.title == "mine")
    world.undo(move.id)
    assert (world.read("mine"), world.read("a")) == (b"0", b"0")


@pytest.mark.parametrize("keep", range(1, 16))
def test_what_one_session_loses_never_becomes_another_s(world: World, keep: int) -> None:
    world.edit({"a": TEXT, "b": TEXT})
    one, other = world.agent("one"), world.agent("other")
    one.start("one")
    one.begin("1", paths=["a"])
    other.start("other")
    other.begin("1", paths=["b"])
    world.edit({"a": with_line(TEXT, 1, "one"), "b": with_line(TEXT, 1, "other")})
    one.done("1")
    world.write("c", "other")
    other.done("1")
    one.end()
    other.act({"d": "other"}, key="2", paths=["d"])
    other.act({"e": "other"}, key="3", paths=["e"])
    other.end()
    before = world.tree()
    world.store.prune(tb.Policy(keep_last=keep))
    assert world.undo(session="other").title == "other"
    assert world.read("a") == with_line(TEXT, 1, "one").encode(), "it is the other session's"
    assert not world.exists("d") and not world.exists("e")
    world.redo()
    assert world.tree() == before
    try:
        report = world.undo(session="one")
    except tb.NotFound:
        return
    assert (world.read("a"), world.read("b")) == (TEXT.encode(), with_line(TEXT, 1, "other").encode())
    assert not report.partial


def test_a_move_that_went_is_said_to_be_gone(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    world.line.save(trigger="interval")
    world.write("mine", "1")
    one, other = world.agent("one"), world.agent("other")
    one.start("one")
    one.act({"a": "1"}, key="1")
    other.start("other")
    one.begin("2")
    other.act({"b": "1"}, key="1")
    one.done("2")
    one.end()
    other.act({"c": "1"}, key="2")
    other.act({"d": "1"}, key="3")
    other.end()
    move = world.move("one").id
    world.store.prune(tb.Policy(keep_last=2))
    with pytest.raises(tb.NotFound, match="removed by retention"):
        world.undo(move)
    assert [choice.title for choice in world.line.undo_choices()] == ["other"]


def test_a_reset_says_which_paths_it_cannot_know_after_a_prune(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    world.line.save(trigger="interval")
    for number in range(1, 4):
        world.turn(f"turn {number}", {"a": f"{number}"})
    world.turn("turn 4", {"b": "1"})
    world.turn("turn 5", {"b": "2"})
    world.store.prune(tb.Policy(keep_last=2))
    report = world.undo(since="root")
    assert world.files() == {"a": b"3", "b": b"1"}
    assert {item.path for item in report.partial} == {"a", "b"}


# snapshots that are dropped, and stores whose moves were cut before


def cut(world: World, seqs: Callable[[list[int]], list[int]]) -> None:
    """Take snapshots out as an earlier prune did: moves that began or ended there begin and end elsewhere."""
    rows = list(reversed(world.line.log().snapshots))
    some = [rows[number].id for number in seqs(list(range(len(rows))))]
    with world.store.blobs.database.write() as tx:
        drop_snapshots(tx, some, "prune")
    with world.store.blobs.database.write() as tx:
        for move in world.moves():  # nothing was said of it then
            context = {key: value for key, value in move.context.items() if key != CUT}
            tx.execute("UPDATE moves SET context = ? WHERE id = ?", (json.dumps(context), move.id))


def test_a_turn_without_its_opening_is_said_to_be_taken_back_in_part(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    world.line.save(trigger="interval")
    world.write("mine", "1")
    agent = world.agent()
    agent.start("work")
    agent.act({"a": "1"}, key="1")
    world.write("mine", "2")
    agent.act({"b": "1"}, key="2")
    agent.act({"c": "1"}, key="3")
    agent.end()
    world.turn("later", {"x": "1"})
    cut(world, lambda numbers: [1])
    assert not world.undo().partial
    before = world.tree()
    report = world.undo()
    assert report.title == "work"
    assert world.files() == {"a": b"1", "b": b"0", "mine": b"2"}, "what is still known goes back"
    assert {item.path for item in report.partial} == {"a", "mine"}
    world.redo()
    assert world.tree() == before


def test_a_turn_that_begins_in_the_middle_of_itself_is_said_to_be_taken_back_in_part(world: World) -> None:
    """It has no tool calls that say so; its first snapshots were removed."""
    world.edit({"a": "0", "b": "0"})
    world.line.save(trigger="interval")
    with world.line.turn("work", session="s"):
        world.write("a", "1")
        world.line.save(trigger="interval")
        world.write("b", "1")
    world.turn("later", {"x": "1"}, session="t")
    cut(world, lambda numbers: [0])
    report = world.undo(world.move("work").id)
    assert world.read("b") == b"0"
    assert [item.path for item in report.partial] == ["workspace"]


def test_a_dropped_snapshot_inside_a_turn_is_said_to_make_its_undo_partial(world: World) -> None:
    world.edit({"a": "0", "mine": "0"})
    agent = world.agent()
    agent.start("work")
    agent.act({"a": "1"}, key="1")
    inner = world.line.log().snapshots[0].id
    world.write("mine", "1")
    agent.act({"b": "1"}, key="2")
    agent.end()
    world.line.drop(inner)
    before = world.tree()
    report = world.undo()
    assert world.files() == {"a": b"1", "mine": b"1"}
    assert {item.path for item in report.partial} == {"a", "mine"}
    assert not any(item.path == "b" for item in report.partial)
    world.redo()
    assert world.tree() == before


def test_a_dropped_end_of_a_turn_is_said_to_make_its_undo_partial(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    world.line.save(trigger="interval")
    with world.line.turn("work", session="s"):
        world.write("a", "1")
        world.line.save(trigger="interval")
        world.write("b", "1")
    end = world.line.log().snapshots[0].id
    world.write("mine", "1")
    world.line.save(trigger="interval")
    world.line.drop(end)
    report = world.undo()
    assert world.files() == {"a": b"0", "b": b"1", "mine": b"1"}
    assert {item.path for item in report.partial} == {"b", "mine"}


def test_a_dropped_snapshot_between_two_turns_of_a_session_joins_them_exactly(world: World) -> None:
    world.write("a", "0")
    world.turn("one", {"a": "1"}, session="s")
    middle = world.line.log().snapshots[0].id
    world.turn("two", {"a": "2"}, session="s")
    world.line.drop(middle)
    report = world.undo()
    assert (world.read("a"), report.partial, report.title) == (b"0", (), "one + two")


def test_a_dropped_snapshot_between_actions_of_a_run_that_is_alone_costs_its_undo_nothing(world: World) -> None:
    world.write("a", "0")
    world.line.save(trigger="interval")
    world.line.save(trigger="run_start", session="s", title="run", context={"marks": False})
    inner = []
    for number in (1, 2):
        inner.append(world.line.save(trigger="before_action", session="s", title="click", always=True))
        world.write("a", f"{number}")
        world.write(f"new{number}", "x")
        inner.append(world.line.save(trigger="after_action", session="s", title="click", always=True))
    world.line.save(trigger="run_end", session="s", always=True)
    for snapshot in inner:
        world.line.drop(snapshot)
    report = world.undo()
    assert report.title == "run"
    assert (world.files(), report.partial) == ({"a": b"0"}, ())


def test_a_part_that_is_not_known_is_no_success_on_the_command_line(world: World) -> None:
    """Its exit code is another one, and the paths are said first: `tests/cli/test_taking_back.py`."""
    world.edit({"a": "0"})
    agent = world.agent()
    agent.start("work")
    agent.act({"a": "1"}, key="1")
    inner = world.line.log().snapshots[0].id
    world.write("mine", "1")
    agent.act({"b": "1"}, key="2")
    agent.end()
    world.line.drop(inner)
    plan = world.line.plan_undo()
    assert [item.path for item in plan.partial] == ["a", "mine"]
    assert all("snapshot" in item.reason for item in plan.partial)


def test_a_pinned_snapshot_of_a_move_that_went_stays(world: World) -> None:
    world.write("a", "0")
    turn(world, 0)
    pinned = world.line.log().snapshots[2].id
    world.line.pin(pinned)
    for number in range(1, 4):
        turn(world, number)
    world.store.prune(tb.Policy(keep_last=3))
    assert world.line.show(pinned).pinned
    assert [move.title for move in world.moves() if move.level == "turn"] == ["turn 3"]
    with world.store.blobs.database.read() as tx:
        assert snapshots.by_id(tx, pinned) is not None
