"""The first capture of a tree: how long, and how many bytes are kept. Every party runs as whole commands.

Making the repository is counted with takeback and git, where it is part of the first snapshot, and not with restic and
borg, where it is a command of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bench.measure import Aside, alternating, seconds, settled
from bench.peers import borg, restic
from bench.peers.borg import Borg
from bench.peers.opencode import OpenCode
from bench.peers.restic import Restic
from bench.peers.shadow_git import ShadowGit
from bench.peers.takeback import Takeback
from bench.rows import Row, against
from bench.trees import Tree, size
from bench.work import project

TIMES = {"docker-agent git": 1 / 10, "restic": 1 / 2.5, "borg": 1 / 3, "opencode git": None}
BYTES = {"docker-agent git": 1.0, "docker-agent git, gc": 1.0, "restic": 1.0, "borg": 1.0}


class Party(NamedTuple):
    directory: Path
    first: Callable[[], object]
    prepare: Callable[[], object] = lambda: None


class Kept(NamedTuple):
    """The peers with what they captured last, for the work that follows on the same tree."""

    takeback: Takeback
    shadow: ShadowGit
    opencode: OpenCode
    restic: Restic


def measure(base: Path, tree: Tree, rounds: int) -> tuple[list[Row], Kept]:
    kept = Kept(
        Takeback(base / "takeback", tree.root),
        ShadowGit(base / "shadow", tree.root),
        OpenCode(base / "opencode", tree.root),
        Restic(base / "restic", tree.root),
    )
    parties: dict[str, Party] = {
        "takeback": Party(kept.takeback.directory, kept.takeback.first),
        "docker-agent git": Party(kept.shadow.directory, kept.shadow.turn_start),
        "opencode git": Party(kept.opencode.directory, kept.opencode.turn_start),
    }
    if restic.is_there():
        parties["restic"] = Party(kept.restic.directory, kept.restic.save, kept.restic.prepare)
    if borg.is_there():
        other = Borg(base / "borg", tree.root)
        parties["borg"] = Party(other.directory, other.first, other.prepare)
    times: dict[str, list[float]] = {name: [] for name in parties}
    sizes: dict[str, list[float]] = {}
    aside = Aside(base)
    for _, order in alternating(parties, rounds):
        for name, party in order:
            for left in base.glob(f"{party.directory.name}*"):
                aside.put(left)
            party.prepare()
            project.warm(tree)  # borg tells the system to forget what it has read
            times[name].append(settled(party.first))
            sizes[name] = [float(size(party.directory))]
    collecting = seconds(kept.shadow.collect_garbage)
    sizes["docker-agent git, gc"] = [float(size(kept.shadow.directory))]
    files = f"{tree.count:,} files"
    note = f"git gc took {collecting:.1f} s more"
    rows = against(f"first capture, {files}", "s", times, TIMES)
    rows += against(f"bytes of the first capture, {files}", "B", sizes, BYTES, note)
    return rows, kept
