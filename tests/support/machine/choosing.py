"""Plans of which only some is wanted, as faces make them: what is done is what was chosen, and the rest stays."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import rule

import takeback as tb
from support.agent import World
from support.machine.base import Machine, places
from takeback import locate
from takeback.model.plan import Plan, Report
from takeback.model.tree import DIRECTORY
from takeback.views import choices
from takeback.views.choices import Wanted
from takeback.views.desk import Desk

picks = st.sets(st.integers(0, 9), min_size=1)


class Choosing(Machine):
    @rule(place=places, reference=Machine.snapshots, some=picks)
    def restore_some(self, place: int, reference: str, some: set[int]) -> None:
        world = self.world(place)
        if self.known(world, reference) is not None:
            self._choose(world, Wanted("restore", reference=reference), some)

    @rule(place=places, number=st.integers(0, 5), some=picks)
    def undo_some_of_a_move(self, place: int, number: int, some: set[int]) -> None:
        """Of any move, whether something of it was taken back before or not."""
        world = self.world(place)
        moves = [move for move in world.moves() if move.verb not in ("undo", "redo")]
        if moves:
            self._choose(world, Wanted("undo", move=moves[number % len(moves)].id), some)

    @rule(place=places, some=picks)
    def undo_some(self, place: int, some: set[int]) -> None:
        self._choose(self.world(place), Wanted("undo"), some)

    @rule(place=places, reference=Machine.snapshots, some=picks)
    def undo_some_since(self, place: int, reference: str, some: set[int]) -> None:
        world = self.world(place)
        if self.known(world, reference) is not None:
            self._choose(world, Wanted("since", reference=reference), some)

    @rule(place=places)
    def redo_it(self, place: int) -> None:
        """Whatever was undone last, a whole move or some of it, comes back exactly if nothing came between."""
        world = self.world(place)
        try:
            world.redo()
        except (tb.NotFound, tb.Conflict, tb.Partial):
            pass

    def _choose(self, world: World, wanted: Wanted, some: set[int]) -> None:
        self.saved(world, world.line.save(trigger="interval"))
        where = locate.place(str(world.root), store=str(world.store_path), timeline=world.line.name)
        with Desk(where) as desk:
            try:
                whole = choices.plan(desk, wanted)
            except (tb.NotFound, tb.Conflict, tb.Partial, tb.InvalidInput):
                return
            groups = choices.groups(desk, 0, whole)
            items = [item for group in groups for item in group.items]
            chosen = {(item.part, item.path) for number, item in enumerate(items) if number % 10 in some}
            if not chosen:
                return
            try:
                narrow = choices.plan(desk, choices.narrowed(wanted, whole, groups, chosen))
            except tb.InvalidInput:
                assert all(_is_directory(whole, path) for _, path in chosen)
                return
            self._is_what_was_chosen(whole, narrow, {path for _, path in chosen})
            before = world.tree()
            try:
                report = world.checked(lambda: choices.apply(desk, narrow))
            except tb.Conflict:
                return
            self._holds(world, before, report, chosen)

    def _is_what_was_chosen(self, whole: Plan, narrow: Plan, chosen: set[str]) -> None:
        meant = {effect.path: effect for effect in whole.effects}
        for effect in narrow.effects:
            above = effect.after is not None and effect.after.kind == DIRECTORY
            leads = above and any(path.startswith(f"{effect.path}/") for path in chosen)
            assert effect.path in chosen or leads, f"{effect.path} was not chosen"
            assert effect == meant[effect.path], f"{effect.path} is another effect than the one that was shown"
        left = chosen - {effect.path for effect in narrow.effects}
        told = {item.path for item in (*narrow.conflicts, *narrow.kept)}
        for path in left:
            assert (
                path in told
                or meant[path].before is None
                or _is_directory(whole, path)
                or _blocked(whole, path, chosen)
            ), f"{path} was chosen, and nothing is said of it"

    def _holds(self, world: World, before: object, report: Report, chosen: set[tuple[str, str]]) -> None:
        assert isinstance(before, dict)
        after = world.tree()
        self.model.learn(world, report.safety, before)
        self.model.learn(world, report.snapshot, after)
        paths = {path for _, path in chosen}
        for path in {*before, *after}:
            if before.get(path) != after.get(path) and path not in paths:
                node = after.get(path) or before[path]
                assert node.kind == "dir", f"{path} was not chosen, and changed"
                assert any(each.startswith(f"{path}/") for each in paths), f"{path} was not chosen, and changed"


def _is_directory(plan: Plan, path: str) -> bool:
    """Whether a path of a plan is a directory on one of its sides."""
    ends = next(((effect.before, effect.after) for effect in plan.effects if effect.path == path), (None, None))
    return any(end is not None and end.kind == DIRECTORY for end in ends)


def _blocked(plan: Plan, path: str, chosen: set[str]) -> bool:
    """Whether something that was not chosen stands where a chosen path would be."""
    return any(path.startswith(f"{effect.path}/") and effect.path not in chosen for effect in plan.effects)
