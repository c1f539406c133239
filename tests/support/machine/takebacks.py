"""Undo, redo and restore, held to the laws: `World.checked` sees to those that need no model, this to the others."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st
from hypothesis.stateful import rule

import takeback as tb
from support.agent import World
from support.machine.base import Machine, anything, places
from takeback.model.move import Move
from takeback.model.plan import Report


class Takebacks(Machine):
    @rule(place=places, reference=Machine.snapshots)
    def restore(self, place: int, reference: str) -> None:
        world = self.world(place)
        if (tree := self.known(world, reference)) is not None:
            self.attempt(world, lambda: world.restore(reference))
            assert world.tree() == tree

    @rule(place=places, reference=Machine.snapshots, some=st.lists(anything, min_size=1, max_size=3))
    def restore_paths(self, place: int, reference: str, some: list[str]) -> None:
        world = self.world(place)
        tree = self.known(world, reference)
        if tree is None or any(path not in tree and not world.exists(path) for path in some):
            return
        before = world.tree()
        report = self.attempt(world, lambda: world.restore(reference, paths=some))
        assert report is not None
        after, kept = world.tree(), {item.path for item in report.kept}
        for path in {*before, *after, *tree}:
            if not _within(some, path) and not any(each.startswith(f"{path}/") for each in some):
                assert after.get(path) == before.get(path), f"{path} was not asked for"
            elif _within(some, path) and not kept:
                assert after.get(path) == tree.get(path), f"{path} is not as in the snapshot"

    @rule(place=places)
    def undo_then_redo(self, place: int) -> None:
        world = self.world(place)
        before = world.tree()
        report = self.attempt_undo(world)
        if report is None or report.conflicts or report.kept or report.shared:
            return
        self.attempt(world, world.redo)
        assert world.tree() == before

    @rule(place=places)
    def undo(self, place: int) -> None:
        self.attempt_undo(self.world(place))

    @rule(place=places, number=st.integers(0, 8), shared=st.booleans())
    def undo_some_move(self, place: int, number: int, shared: bool) -> None:
        """One in the middle, and what came after stays."""
        world = self.world(place)
        moves = [move for move in world.moves() if move.verb not in ("undo", "redo")]
        if moves:
            chosen = moves[number % len(moves)].id
            self.saved(world, world.line.save(trigger="interval"))
            self.attempt(world, lambda: world.undo(chosen, shared=shared))

    @rule(place=places, reference=Machine.snapshots)
    def undo_since(self, place: int, reference: str) -> None:
        world = self.world(place)
        if self.known(world, reference) is not None:
            self.saved(world, world.line.save(trigger="interval"))
            self.attempt(world, lambda: world.undo(since=reference))

    @rule(place=places)
    def redo(self, place: int) -> None:
        self.attempt(self.world(place), self.world(place).redo)

    def attempt(self, world: World, act: Callable[[], Report]) -> Report | None:
        """Do it; what was there must be in its safety snapshot, and only paths that the moves touched may change."""
        before = world.tree()
        try:
            report = act()
        except (tb.NotFound, tb.Conflict, tb.Partial, tb.InvalidInput):
            return None
        self.model.learn(world, report.safety, before)
        self.model.learn(world, report.snapshot, world.tree())
        if report.verb != "restore":
            self._only_what_was_touched(world, report)
        return report

    def attempt_undo(self, world: World) -> Report | None:
        """An undo, which must leave every line that a person wrote, unless it takes back a person's own move."""
        lines = _persons_lines(world)
        self.saved(world, world.line.save(trigger="interval"))
        report = self.attempt(world, world.undo)
        if report is not None:
            levels = {move.level for move in _taken(world, report)}
            if levels <= {"turn"} and not self._overlapped(world, report):
                assert lines <= _persons_lines(world)
        return report

    def _only_what_was_touched(self, world: World, report: Report) -> None:
        taken = _taken(world, report)
        found = self.model.touched(world, taken)
        if found is None or len(taken) < len(report.moves):
            return
        paths, contents = found
        before = self.model.trees[report.safety]
        after = self.model.trees[report.snapshot]
        strangers = [
            path
            for path in report.changed
            if path not in paths
            and not any(each.startswith(f"{path}/") for each in {*paths, *report.changed})
            and not {tree[path].data for tree in (before, after) if path in tree} & contents  # it was renamed since
        ]
        assert not strangers, f"{report.verb} changed paths that the move had not touched: {strangers}"

    def _overlapped(self, world: World, report: Report) -> bool:
        """Without action marks a turn owns its whole window, and so what a person did in it."""
        moves = _taken(world, report)
        return any(move.closing_seq is None or move.closing_seq - move.opening_seq > 1 for move in moves) or any(
            line.startswith(b"a person") for data in self._written_inside(world, report) for line in data.splitlines()
        )

    def _written_inside(self, world: World, report: Report) -> list[bytes]:
        """What the moves themselves added, a person's lines inside their windows included."""
        found = []
        for move in _taken(world, report):
            opening, closing = (self.model.trees.get(str(end), {}) for end in (move.opening, move.closing))
            for path, node in closing.items():
                before = set(opening[path].data.splitlines()) if path in opening else set()
                found += [line for line in node.data.splitlines() if line not in before]
        return found


def _taken(world: World, report: Report) -> list[Move]:
    """The moves that were taken back. One that was open and ends as it began is none any more, even if actions in it
    took away what a person had brought in between."""
    return [move for move in world.moves() if move.id in report.moves]


def _within(paths: list[str], path: str) -> bool:
    return any(path == each or path.startswith(f"{each}/") for each in paths)


def _persons_lines(world: World) -> set[bytes]:
    return {
        line
        for data in world.files().values()
        for line in data.splitlines(keepends=True)
        if line.startswith(b"a person")
    }
