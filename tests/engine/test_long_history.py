"""A long history makes nothing slower: each verb takes about as many steps of the database with 10,000 snapshots as with
100. Steps are SQLite's own virtual machine's, so the count is the same on every machine."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from bench.long_history import lengthen
from support.agent import World
from support.steps import steps
from takeback.errors import NotFound
from takeback.model.ids import new_id

SHORT, LONG = 100, 10_000


def missing(world: World, reference: str) -> None:
    with pytest.raises(NotFound):
        world.line.show(reference)


def turn(world: World) -> None:
    world.write("a", new_id())
    with world.line.turn("a turn", session="session-0"):
        world.write("a", new_id())


def save(world: World) -> None:
    world.write("a", new_id())
    world.line.save()


VERBS: dict[str, Callable[[World], object]] = {
    "log": lambda world: world.line.log(20),
    "turn": turn,
    "undo": lambda world: world.line.undo(),
    "redo": lambda world: world.line.redo(),
    "save": save,
    "show the latest": lambda world: world.line.show("@"),
    "show the one before": lambda world: world.line.show("@-"),
    "show by label": lambda world: world.line.show("known"),
    "show by a label that is none": lambda world: missing(world, "no such label"),
    "show by prefix": lambda world: world.line.show(world.line.log(1).snapshots[0].id[:12]),
    "show by time": lambda world: world.line.show("0s ago"),
    "show the first of a session": lambda world: world.line.log(1, session="session-0"),
    "label": lambda world: world.line.label("@", "good"),
    "diff": lambda world: world.line.diff("@"),
}


def test_no_verb_takes_more_steps_because_the_history_is_long(tmp_path: Path) -> None:
    taken: dict[int, dict[str, int]] = {}
    for length in (SHORT, LONG):
        base = tmp_path / str(length)
        base.mkdir()
        world = World(base)
        world.write("a", "first")
        world.line.save(trigger="interval")
        lengthen(world.line, length, per_session=1 << 30)
        turn(world)
        world.line.label("@", "known")
        taken[length] = {name: steps(world.store, partial(verb, world)) for name, verb in VERBS.items()}
        assert not world.line.diff("@"), "the last undo was taken back"
    grown = {
        name: (taken[SHORT][name], many) for name, many in taken[LONG].items() if many > 2 * taken[SHORT][name] + 500
    }
    assert not grown, grown
