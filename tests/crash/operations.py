"""What the campaign puts under fire. To add an operation: a function that makes the world for it (`crash.worlds`), one
that does it and yields the ids of the snapshots that it tells its caller of, and a question whether it has been done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import takeback as tb
from crash import worlds
from support import faults
from support.agent import World, held, look
from support.effects import leftovers
from support.privileges import drop_privileges
from support.stores import residue
from takeback.adapters.hooks.recording import record
from takeback.engine.repair import repair

Act = Callable[[World], Iterator[str]]
Question = Callable[[World], bool]


@dataclass(frozen=True)
class Operation:
    name: str
    prepare: Callable[[Path], None]
    act: Act
    """Does it in a world that is opened when it is first used."""
    done: Question
    """Whether it has had its effect: doing it again would be another one."""
    holds: Question = lambda world: True
    """What else must be true once it is done."""
    edits: bool = False
    """An agent edits files in the middle of it."""
    first: bool = False
    """Nothing else can be done before it: the store is damaged, or the timeline is elsewhere."""
    or_as: str | None = None
    """It begins in the middle of a restore, which may also be taken back: to the state of the snapshot of this label."""


OPERATIONS: dict[str, Operation] = {}


def operation(
    name: str,
    prepare: Callable[[Path], None],
    done: Question = lambda world: False,
    holds: Question = lambda world: True,
    *,
    edits: bool = False,
    first: bool = False,
    or_as: str | None = None,
) -> Callable[[Act], Act]:
    """Put a function under fire; without ``done`` it is one that can be done any number of times."""

    def declare(act: Act) -> Act:
        OPERATIONS[name] = Operation(name, prepare, act, done, holds, edits, first, or_as)
        return act

    return declare


# what tells that it has been done


def labelled(name: str) -> Question:
    return lambda world: any(name in snapshot.labels for snapshot in world.line.log().snapshots)


def gone(name: str) -> Question:
    return lambda world: not labelled(name)(world)


def last_move(verb: str) -> Question:
    return lambda world: any(move.verb == verb for move in world.moves()[:1])


def at_most(count: int) -> Question:
    return lambda world: world.counts()[0] <= count


def action_is_open(world: World) -> bool:
    return any(move.open and move.key == worlds.CALL.id for move in world.moves())


def turn_is_over(world: World) -> bool:
    told = {(move.level, move.open) for move in world.moves() if move.session == "s"}
    return told == {("turn", False), ("action", False)}


def nothing_to_repair(world: World) -> bool:
    return not repair(world.store_path).findings


def exported(world: World) -> bool:
    return (world.base / worlds.EXPORT).exists()


def export_is_whole(world: World) -> bool:
    with tb.open(":memory:") as store:
        store.import_(world.base / worlds.EXPORT)
        return store.verify(read_data=True).ok and len(store.timelines()) == 1


def imported(world: World) -> bool:
    return len(world.store.timelines()) == 2


def import_is_whole(world: World) -> bool:
    line = world.store.timeline("main", sources=[tb.Workspace(world.base / worlds.ELSEWHERE)])
    return [line.read(row.id, "a.txt") for row in line.log().snapshots] == [b"2\n", b"1\n", b"0\n"]


def forked(world: World) -> bool:
    return any(row.name == "other" for row in world.store.timelines())


def the_other_place_is_whole(world: World) -> bool:
    """And the next to come there removes what may be left beside it."""
    place = world.base / worlds.ELSEWHERE
    whole = look(place) == held(world.line, "before")
    world.line.restore("before", to=place)
    return whole and not leftovers(world.base)


def relocated(world: World) -> bool:
    return [row.root for row in world.store.timelines()] == [str(world.root)]


def pushed(world: World) -> bool:
    with tb.open(world.base / worlds.SECOND) as second:
        return bool(second.timelines())


def second_store_is_whole(world: World) -> bool:
    with tb.open(world.base / worlds.SECOND) as second:
        second.maintain()
        second.maintain()
        return second.verify(read_data=True).ok and not list((world.base / worlds.SECOND / "tmp").iterdir())


def no_secret_is_left(world: World) -> bool:
    return all(worlds.SECRET not in data for _, data in residue(world.store_path))


# operations


@operation("save (new store)", worlds.no_store, labelled("mine"))
@operation("save (hot)", worlds.edited, labelled("mine"))
@operation("save (packed)", worlds.with_large_files, labelled("mine"))
@operation("save (finishes an undo)", worlds.undo_was_killed, labelled("mine"), or_as="as the agent left it")
def save(world: World) -> Iterator[str]:
    yield world.line.save("mine").id


@operation("turn", worlds.edited, labelled("end"), edits=True)
def whole_turn(world: World) -> Iterator[str]:
    yield world.line.save(trigger="turn_start", session="s", title="fix").id
    with faults.paused():
        world.write("by the agent", "x")
    yield world.line.save("end", trigger="turn_end", session="s").id


@operation("hook (before a tool)", worlds.prompted, action_is_open)
def hook_before(world: World) -> Iterator[str]:
    agent = worlds.hooked_agent(world)
    record(agent.agent, worlds.heard(agent, agent.before(worlds.CALL)))
    yield from ()


@operation("hook (end of a turn)", worlds.acting, turn_is_over, turn_is_over)
def hook_end(world: World) -> Iterator[str]:
    agent = worlds.hooked_agent(world)
    record(agent.agent, worlds.heard(agent, agent.stop()))
    yield from ()


@operation("restore", worlds.after_a_turn, last_move("restore"))
def restore(world: World) -> Iterator[str]:
    report = world.line.restore("before")
    yield from (report.safety, report.snapshot)


@operation("undo", worlds.after_a_turn, last_move("undo"))
def undo(world: World) -> Iterator[str]:
    report = world.line.undo()
    yield from (report.safety, report.snapshot)


@operation("undo (sealed directories)", worlds.sealed, last_move("undo"))
def undo_without_privileges(world: World) -> Iterator[str]:
    drop_privileges()
    yield from undo(world)


@operation("redo", worlds.undone, last_move("redo"))
def redo(world: World) -> Iterator[str]:
    report = world.line.redo()
    yield from (report.safety, report.snapshot)


@operation("drop", worlds.with_history, gone("to go"))
def drop(world: World) -> Iterator[str]:
    world.line.drop("to go")
    yield from ()


@operation("prune", worlds.with_history, at_most(4))
def prune(world: World) -> Iterator[str]:
    world.store.prune(tb.Policy(keep_last=2))
    yield from ()


@operation("maintain", worlds.pruned)
def maintain(world: World) -> Iterator[str]:
    world.store.maintain()
    yield from ()


@operation("purge", worlds.with_a_secret, no_secret_is_left, no_secret_is_left)
def purge(world: World) -> Iterator[str]:
    world.line.purge("secret")
    yield from ()


@operation("export", worlds.after_a_turn, exported, export_is_whole)
def export(world: World) -> Iterator[str]:
    world.store.export(world.base / worlds.EXPORT)
    yield from ()


@operation("import", worlds.with_an_export, imported, import_is_whole)
def import_(world: World) -> Iterator[str]:
    world.store.import_(world.base / worlds.EXPORT)
    yield from ()


@operation("push", worlds.with_large_files_saved, pushed, second_store_is_whole)
def push(world: World) -> Iterator[str]:
    with tb.open(world.base / worlds.SECOND) as second:
        world.store.push(second)
    yield from ()


@operation("restore (elsewhere)", worlds.after_a_turn, holds=the_other_place_is_whole)
def restore_elsewhere(world: World) -> Iterator[str]:
    world.line.restore("before", to=world.base / worlds.ELSEWHERE)
    yield from ()


@operation("fork", worlds.after_a_turn, forked, the_other_place_is_whole)
def fork(world: World) -> Iterator[str]:
    world.line.fork("before", "other", {"workspace": str(world.base / worlds.ELSEWHERE)})
    yield from ()


@operation("relocate", worlds.moved, relocated, first=True)
def relocate(world: World) -> Iterator[str]:
    world.store.relocate(world.base / worlds.ELSEWHERE, world.root)
    yield from ()


@operation("repair (no catalogue)", worlds.without_catalogue, nothing_to_repair, first=True)
@operation("repair (torn pack)", worlds.with_a_torn_pack, nothing_to_repair, first=True)
def repair_store(world: World) -> Iterator[str]:
    repair(world.store_path, apply=True)
    yield from ()
