"""What happens to the store itself: letting go and bringing back, maintenance, forks, other processes, and kills."""

from __future__ import annotations

from collections.abc import Callable

from blake3 import blake3
from hypothesis import strategies as st
from hypothesis.stateful import rule

import takeback as tb
from support.agent import World, held
from support.faults.zygote import Zygote
from support.machine.base import Machine, places
from support.machine.model import Tree
from support.trees import Node
from takeback.model.move import GONE, Move
from takeback.model.plan import Effect, Plan

FORKS = 2


def save(world: World, trigger: str = "manual") -> str:
    return world.line.save(trigger=trigger).id


def maintain(world: World) -> None:
    world.store.maintain()


def restore(world: World, reference: str) -> None:
    world.line.restore(reference)


def take_back(world: World, redo: bool) -> None:
    world.line.redo() if redo else world.line.undo()


class Keeping(Machine):
    zygote: Zygote
    """Forks the other processes; whoever runs the machine sets it."""

    @rule(place=places, snapshot=Machine.snapshots)
    def drop(self, place: int, snapshot: str) -> None:
        world = self.world(place)
        if self.known(world, snapshot) is not None:
            try:
                world.line.drop(snapshot)
            except tb.InvalidInput:
                return
            assert snapshot not in self.model.pinned
            self.model.let_go(snapshot)

    @rule(number=st.integers(0, 100))
    def undrop(self, number: int) -> None:
        if not self.model.gone:
            return
        snapshot = sorted(self.model.gone)[number % len(self.model.gone)]
        try:
            self.worlds[0].store.undrop(snapshot)
        except tb.NotFound:
            assert snapshot in self.model.swept, "what was dropped can be taken back until it is swept"
        else:
            self.model.came_back(snapshot)

    @rule(place=places, snapshot=Machine.snapshots, pin=st.booleans())
    def pin_or_unpin(self, place: int, snapshot: str, pin: bool) -> None:
        world = self.world(place)
        if self.known(world, snapshot) is not None:
            (world.line.pin if pin else world.line.unpin)(snapshot)
            (self.model.pinned.add if pin else self.model.pinned.discard)(snapshot)

    @rule(most=st.integers(1, 12))
    def prune(self, most: int) -> None:
        """What goes is beyond the limit and not protected; what stays beyond it is needed by a move that stays; and a move
        stays with both ends and all within its actions, or goes."""
        order = {world.line.name: world.line.log().snapshots for world in self.worlds}
        known = {move.id: move for world in self.worlds for move in world.moves()}
        gone = set(self.worlds[0].store.prune(tb.Policy(keep_last=most)).snapshots)
        for world in self.worlds:
            rows, left = order[world.line.name], [move for move in world.moves() if GONE not in move.context]
            beyond = {row.id: row.seq for row in rows[most:-1]}
            opened = {move.opening for move in left if move.open}
            mine = gone & {row.id for row in rows}
            assert mine <= beyond.keys() - opened - self.model.pinned
            for move in left:
                was = known[move.id]
                assert (move.opening, move.closing) == (was.opening, was.closing) or move.level == "takeback"
                assert not {move.opening, move.closing} & mine
                if move.level == "action" and not move.open:
                    assert not any(row.id in mine and _is_over(move, row.seq) for row in rows)
            for id, seq in beyond.items():
                if id not in mine and id not in self.model.pinned:
                    assert any(_is_over(move, seq) for move in left), "nothing needs it"
        for snapshot in gone:
            self.model.let_go(snapshot)

    @rule()
    def maintain(self) -> None:
        done = self.worlds[0].store.maintain()
        assert not done.busy and not done.waiting
        self.model.maintained()

    @rule(place=places, reference=Machine.snapshots)
    def fork(self, place: int, reference: str) -> None:
        """A timeline of its own, in a directory of its own, in which work goes on."""
        world = self.world(place)
        tree = self.known(world, reference)
        if tree is not None and len(self.worlds) <= FORKS:
            before = world.tree()
            other = world.fork(reference, f"fork{len(self.worlds)}")
            assert other.tree() == tree and world.tree() == before
            self.worlds.append(other)
            self.model.learn(other, other.line.log().snapshots[0].id, tree)

    @rule(target=Machine.snapshots, place=places)
    def look_again(self, place: int) -> str:
        """A save after nothing happened makes no snapshot, for nobody who opens the store."""
        first = self.saved(self.world(place), self.world(place).line.save(trigger="interval"))
        assert self.world(place).line.save(trigger="interval").id == first
        self.reopen()
        assert self.world(place).line.save(trigger="interval").id == first
        return first

    @rule(target=Machine.snapshots, place=places)
    def another_process_saves(self, place: int) -> str:
        world = self.world(place)
        return self.model.learn(world, self.zygote.do(save, world, "interval"), world.tree())

    # kills

    @rule(place=places, step=st.integers(1, 60), what=st.sampled_from(["save", "maintain"]))
    def killed_while_it_keeps(self, place: int, step: int, what: str) -> None:
        world = self.world(place)
        before = world.tree()
        self._killed(world, step, save if what == "save" else maintain)
        if what == "maintain":
            self.model.maintained()
        assert world.tree() == before, "it is none of its business"

    @rule(place=places, step=st.integers(1, 160), reference=Machine.snapshots)
    def killed_while_it_restores(self, place: int, step: int, reference: str) -> None:
        world = self.world(place)
        if self.known(world, reference) is not None:
            plan = world.line.plan(reference)
            self._killed_while_it_changes(world, step, plan, restore, reference)

    @rule(place=places, step=st.integers(1, 160), redo=st.booleans(), edit=st.booleans())
    def killed_while_it_takes_back(self, place: int, step: int, redo: bool, edit: bool) -> None:
        world = self.world(place)
        if edit and not redo:  # so that there is something to take back
            self.saved(world, world.line.save())
            self.put(world, "dir/a.txt", self.token("a person"))
            self.clear(world, "x")
        try:
            plan = world.line.plan_redo() if redo else world.line.plan_undo()
        except (tb.NotFound, tb.Conflict, tb.Partial):
            return
        if not plan.stuck:
            self._killed_while_it_changes(world, step, plan, take_back, redo)

    def _killed_while_it_changes(
        self, world: World, step: int, plan: Plan, act: Callable[..., object], *arguments: object
    ) -> None:
        """The next command leaves the directory as it was or as it was planned, and what was there is saved."""
        before = world.tree()
        self._killed(world, step, act, *arguments)
        world = self.by_name()[world.line.name]
        snapshot = world.line.save(trigger="interval")
        now = world.tree()
        assert now == before or _as_planned(before, plan, now), "neither as it was nor as it was planned"
        self.model.learn(world, snapshot.id, now)
        if now != before:
            newest = [row.id for row in world.line.log(5).snapshots]
            saved = next((id for id in newest if held(world.line, id) == before), None)
            assert saved is not None, "what was replaced was not saved first"
            self.model.learn(world, saved, before)

    def _killed(self, world: World, step: int, act: Callable[..., object], *arguments: object) -> None:
        self.zygote.killed(self.base, step, act, world, *arguments)
        self.reopen()


def _is_over(move: Move, seq: int) -> bool:
    return move.opening_seq <= seq and (move.closing_seq is None or seq <= move.closing_seq)


def _as_planned(before: Tree, plan: Plan, now: Tree) -> bool:
    effects = {effect.path: effect for effect in plan.effects}
    others = all(now.get(path) == before.get(path) for path in {*before, *now} - effects.keys())
    return others and all(_is_after(effect, now.get(path)) for path, effect in effects.items())


def _is_after(effect: Effect, node: Node | None) -> bool:
    entry = effect.after
    if entry is None or node is None:
        return entry is None and node is None
    kinds = {"f": "file", "d": "dir", "l": "link"}
    same = node.kind == kinds[entry.kind] and (entry.kind == "l" or node.mode == entry.mode)
    return same and (entry.kind == "d" or blake3(node.data).digest() == entry.id)
