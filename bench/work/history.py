"""Bytes on disk after many turns of five small edits each, one snapshot a turn."""

from __future__ import annotations

from pathlib import Path

from bench.peers import restic
from bench.peers.restic import Restic
from bench.peers.shadow_git import ShadowGit
from bench.peers.takeback import Takeback
from bench.rows import Row
from bench.scale import Scale
from bench.trees import Tree, append, size
from bench.work import maintenance

EDITS = 5


def measure(base: Path, tree: Tree, scale: Scale) -> list[Row]:
    mine = Takeback(base / "takeback", tree.root)
    git = ShadowGit(base / "shadow", tree.root)
    other = Restic(base / "restic", tree.root) if restic.is_there() else None
    if other is not None:
        other.prepare()
        other.save()
    mine.turn_start()
    git.turn_start()
    rows = []
    for turn in range(1, scale.history + 1):
        append(tree.spread(EDITS, turn), f"# turn {turn} rewrote this line for {turn * 7919 % 10_007}\n")
        mine.turn_end()
        mine.turn_start()
        git.turn_start()
        if other is not None and turn <= scale.restic_history:
            other.save()
            if turn == scale.restic_history:
                rows.append(_row(tree, turn, "restic", mine, other.directory))
    git.collect_garbage()
    beside = maintenance.measure(tree, mine)
    rows.insert(0, _row(tree, scale.history, "docker-agent git, gc", mine, git.directory))
    return rows + beside


def _row(tree: Tree, turns: int, peer: str, mine: Takeback, directory: Path) -> Row:
    mine.maintain()
    mine.close()
    work = f"bytes after {turns:,} turns of {EDITS} edits, {tree.count:,} files"
    return Row(work, peer, "B", (float(size(mine.directory)),), (float(size(directory)),), 1.0, "after maintain")
