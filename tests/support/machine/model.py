"""What the machine knows without asking takeback: plain dicts of what was on the disk when something was saved."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import pairwise

from support.agent import World, held
from support.trees import Node
from takeback.model.move import Move

Tree = dict[str, Node]


@dataclass
class Model:
    """Snapshots by id: what they must hold, and of which timeline they are."""

    trees: dict[str, Tree] = field(default_factory=dict)
    """Those that must be there."""
    owners: dict[str, str] = field(default_factory=dict)
    """The timeline that each was made on."""
    gone: dict[str, Tree] = field(default_factory=dict)
    """Those that were dropped or pruned."""
    swept: set[str] = field(default_factory=set)
    """Those of them that a maintenance may have removed for good."""
    pinned: set[str] = field(default_factory=set)
    dice: random.Random = field(default_factory=lambda: random.Random(0))

    def learn(self, world: World, snapshot: str, tree: Tree) -> str:
        """A snapshot was reported while the directory held ``tree``."""
        assert snapshot not in self.gone, "a snapshot that was let go is given out again"
        if snapshot in self.trees:
            assert self.trees[snapshot] == tree, "an old snapshot was given out for a directory that differs from it"
        self.trees[snapshot] = tree
        self.owners[snapshot] = world.line.name
        return snapshot

    def let_go(self, snapshot: str) -> None:
        """A snapshot was dropped; one that takeback made by itself may be unknown here."""
        self.gone[snapshot] = self.trees.pop(snapshot, {})

    def came_back(self, snapshot: str) -> None:
        tree = self.gone.pop(snapshot)
        self.swept.discard(snapshot)
        if snapshot in self.owners:
            self.trees[snapshot] = tree

    def maintained(self) -> None:
        self.swept |= self.gone.keys()

    def of(self, world: World, snapshot: str) -> Tree | None:
        """What a snapshot of a world must hold; None if it was let go or is another's."""
        return self.trees.get(snapshot) if self.owners.get(snapshot) == world.line.name else None

    def check(self, worlds: dict[str, World], most: int | None = None) -> int:
        """Read snapshots back, some at random or all; how many."""
        ids = list(self.trees)
        chosen = ids if most is None or len(ids) <= most else self.dice.sample(ids, most)
        for id in chosen:
            assert held(worlds[self.owners[id]].line, id) == self.trees[id], f"snapshot {id} is not what was saved"
        return len(chosen)

    def touched(self, world: World, moves: list[Move]) -> tuple[set[str], set[bytes]] | None:
        """The paths that changed inside some moves, and the bytes that stood there; None if not all is known."""
        order = [row.id for row in reversed(world.line.log().snapshots)]
        paths: set[str] = set()
        contents: set[bytes] = set()
        for move in moves:
            if move.opening not in order or move.closing not in order:
                return None
            inside = order[order.index(move.opening) : order.index(move.closing) + 1]
            if any(id not in self.trees for id in inside):
                return None
            for old, new in pairwise(self.trees[id] for id in inside):
                changed = {path for path in old.keys() | new.keys() if old.get(path) != new.get(path)}
                paths |= changed
                contents |= {tree[path].data for tree in (old, new) for path in changed if path in tree}
        return paths, contents
