"""Whole new directories, built in a staging directory and moved in with one rename.

Nobody can look into a directory that does not exist yet, so its files need no rename each: a restore into an empty
place takes half the time.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from takeback.model.plan import Effect
from takeback.model.tree import DIRECTORY, name_bytes
from takeback.sources.workspace.place.areas import Area, Item
from takeback.sources.workspace.place.content import Stager
from takeback.sources.workspace.place.directories import OPEN_DIRECTORY, Directories
from takeback.sources.workspace.place.permissions import change_mode, own_as
from takeback.sources.workspace.place.standing import PERMISSIONS


def growable(effects: Mapping[str, Effect]) -> set[str]:
    """Directories that a plan makes together with all that it names below them."""
    made = {path for path, effect in effects.items() if effect.before is None and _is_directory(effect)}
    others: set[str] = set()
    for path, effect in effects.items():
        parent = path.rpartition("/")[0]
        if effect.before is not None or parent not in made:
            while parent and parent not in others:
                others.add(parent)
                parent = parent.rpartition("/")[0]
    return made - others


def grow(area: Area, effects: Sequence[Effect], stager: Stager, owner: os.stat_result | None) -> Item:
    """Build the directory that the first effect makes, with all that the others put below it, parents first.

    Modes are set, but for that of the directory itself: one that is not writable could not be moved.
    """
    item = Item(area, area.next_name())
    above = len(effects[0].path)
    directories = [effect for effect in effects if _is_directory(effect)]
    inside: dict[str, list[Effect]] = {effect.path: [] for effect in directories}
    for effect in effects:
        if not _is_directory(effect):
            inside[effect.path.rpartition("/")[0]].append(effect)
    exact: set[int] = set()
    tree = Directories(area.handle)
    try:
        for effect in directories:
            parent, name = _place(tree, item, effect.path[above:])
            os.mkdir(name, 0o700, dir_fd=parent)
            if owner is not None:
                own_as(name, owner, parent)
            if inside[effect.path]:
                handle = os.open(name, OPEN_DIRECTORY, dir_fd=parent)
                try:
                    for each in inside[effect.path]:
                        stager.put(handle, name_bytes(each.path.rpartition("/")[2]), each, owner, exact)
                finally:
                    os.close(handle)
        for effect in reversed(directories):
            parent, name = _place(tree, item, effect.path[above:])
            if effect is not effects[0] and effect.after is not None:
                change_mode(parent, name, effect.after.mode & PERMISSIONS)
            if stager.sync:
                os.fsync(parent)
    finally:
        tree.close()
    return item


def _place(tree: Directories, item: Item, inside: str) -> tuple[int, bytes]:
    handle, name = tree.parent(item.name.decode() + inside)
    assert handle is not None, "the directory was made a moment ago"
    return handle, name


def _is_directory(effect: Effect) -> bool:
    return effect.after is not None and effect.after.kind == DIRECTORY
