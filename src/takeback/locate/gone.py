"""Directories that do not exist, and the projects that they were: how one comes back."""

from __future__ import annotations

import os
import shlex

from takeback.engine.store import open_store
from takeback.errors import TakebackError
from takeback.locate.layers import store_path


def ways_back(directory: str, store: str | None = None) -> list[str]:
    """Hints at what brings back a directory that was, or was in, a project of a store; none if it was not."""
    try:
        with open_store(store or store_path(), create=False) as opened:
            roots = {row.root for row in opened.timelines() if row.root and row.head is not None}
    except TakebackError:
        return []  # there is no store, or none that could be asked
    place = os.path.join(os.path.realpath(os.path.dirname(directory)), os.path.basename(directory))
    around = [root for root in roots if f"{place}/".startswith(f"{root.rstrip('/')}/")]
    if not around:
        return []
    root = max(around, key=len)
    typed = shlex.quote(root)
    if os.path.isdir(root):
        return [f"it was in {root}: `takeback -C {typed} undo` takes back the newest move there"]
    return [
        f"it was a project: `mkdir -p {typed} && takeback -C {typed} undo` takes back the move that removed it",
        f"after mkdir, `takeback -C {typed} restore @` makes it as it was saved last instead",
    ]
