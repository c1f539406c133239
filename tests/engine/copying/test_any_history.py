"""Whatever happened on a timeline, and whenever it is copied, the copy is the same and can be worked with."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import takeback as tb
from support.agent import World
from support.copies import history, line_of

NAMES = st.sampled_from(["a", "b", "dir/a", "dir/b"])
STEPS = st.one_of(
    st.tuples(st.just("write"), NAMES, st.text(max_size=20)),
    st.tuples(st.just("remove"), NAMES),
    st.tuples(st.just("turn"), NAMES, st.text(max_size=20)),
    st.tuples(st.sampled_from(["save", "undo", "redo", "push", "export", "label", "pin", "drop"])),
)


def _try(act: object, *arguments: object) -> None:
    try:
        act(*arguments)  # type: ignore[operator]
    except (tb.NotFound, tb.Conflict, tb.InvalidInput):
        pass  # nothing to undo, nothing to drop


def _step(world: World, step: tuple[str, ...], other: tb.Store, base: Path) -> None:
    match step:
        case ("write", path, text):
            world.write(path, text)
        case ("remove", path):
            if world.exists(path):
                world.remove(path)
        case ("turn", path, text):
            with world.line.turn("turn"):
                world.write(path, text)
        case ("save",):
            world.line.save()
        case ("undo",):
            _try(world.line.undo)
        case ("redo",):
            _try(world.line.redo)
        case ("label",):
            _try(world.line.label, "@", "here")
        case ("pin",):
            _try(world.line.pin, "@")
        case ("drop",):
            _try(world.line.drop, "@-")
        case ("push",):
            _try(world.store.push, other)
        case ("export",):
            with tempfile.TemporaryDirectory(dir=base) as place:
                _try(world.store.export, Path(place) / "x")


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(STEPS, max_size=14))
def test_any_history_is_copied_as_it_is(steps: list[tuple[str, ...]]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        base = Path(directory)
        world = World(base)
        world.line.save("first")
        with tb.open(":memory:") as other, tb.open(":memory:") as fresh:
            for step in steps:
                _step(world, step, other, base)
            world.store.export(base / "x")
            fresh.import_(base / "x")
            assert history(fresh, world.line.root) == history(world.store, world.line.root)
            assert not fresh.verify(read_data=True).problems
            if all(step[0] not in ("drop", "label", "pin") for step in steps):
                world.store.push(other)  # what has changed about snapshots that are there stays as it was
                assert history(other, world.line.root) == history(world.store, world.line.root)
            copy = line_of(fresh, world.root)
            with copy.turn("after the copy"):
                world.write("new", "new")
            assert copy.undo().verified and not world.exists("new")
            assert not fresh.verify(read_data=True).problems
        world.store.close()
