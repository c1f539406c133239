"""Plans as tests need them: the effects that lead from one tree of files to another, and their content."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from blake3 import blake3

from support.trees import Node, Tree, read_tree
from takeback.model.plan import Effect
from takeback.model.tree import DIRECTORY, FILE, LINK, Entry, name_text
from takeback.sources.workspace.names import STAGE_PREFIX
from takeback.sources.workspace.place.files import StagedFiles, stage

_KINDS = {"file": FILE, "link": LINK, "dir": DIRECTORY}


@dataclass
class Goal:
    """A tree to get to, by way of effects; ``content`` gives the bytes of its files and links."""

    effects: tuple[Effect, ...]
    blobs: dict[bytes, bytes] = field(default_factory=dict)

    def content(self, blob: bytes) -> Iterator[bytes]:
        data = self.blobs[blob]
        yield from (data[at : at + 7] for at in range(0, len(data), 7)) if len(data) < 100 else (data,)

    def stage(self, root: Path, **options: Any) -> StagedFiles:
        return stage(str(root), self.effects, self.content, **options)

    def apply(self, root: Path) -> StagedFiles:
        staged = self.stage(root)
        try:
            staged.apply()
        finally:
            staged.discard()
        return staged


def goal(before: Tree | Path, after: Tree | Path) -> Goal:
    """What leads from one tree to the other."""
    old = read_tree(before) if isinstance(before, Path) else before
    new = read_tree(after) if isinstance(after, Path) else after
    paths = sorted(path for path in {*old, *new} if old.get(path) != new.get(path))
    effects = [Effect("workspace", name_text(path), entry(old.get(path)), entry(new.get(path))) for path in paths]
    return Goal(tuple(effects), {blake3(node.data).digest(): node.data for node in new.values() if node.kind != "dir"})


def entry(node: Node | None) -> Entry | None:
    if node is None:
        return None
    blob = bytes(32) if node.kind == "dir" else blake3(node.data).digest()
    return Entry(_KINDS[node.kind], 0o777 if node.kind == "link" else node.mode, len(node.data), blob)


def leftovers(root: Path) -> list[str]:
    """Staging directories that are still there, at any depth."""
    return [os.path.join(at, name) for at, names, _ in os.walk(root) for name in names if name.startswith(STAGE_PREFIX)]


def open_descriptors() -> int:
    """How many descriptors this process has open; garbage of other tests has closed its own before."""
    gc.collect()
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else len(os.listdir("/dev/fd"))
