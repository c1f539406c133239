"""What a process that died left behind in a workspace, tidied up by the next one."""

from __future__ import annotations

import os

from takeback.errors import TakebackError
from takeback.sources.workspace.place.areas import abandoned, empty, is_area_name, records, remove_directory
from takeback.sources.workspace.place.directories import OPEN_DIRECTORY, Directories
from takeback.sources.workspace.place.staging import existing, tighten


def sweep_stages(root: str) -> None:
    """Remove staging directories whose process is dead, and finish what their journals tell. Never raises."""
    try:
        directories = Directories(root)
    except TakebackError:
        return
    try:
        for name in map(os.fsencode, os.listdir(directories.root_handle)):
            if is_area_name(name):
                _sweep(directories, "", name)
    except OSError:
        pass
    finally:
        directories.close()


def _sweep(directories: Directories, path: str, name: bytes) -> None:
    parent = existing(directories, path)
    if parent is None:
        return
    try:
        handle = os.open(name, OPEN_DIRECTORY, dir_fd=parent)
    except OSError:
        return
    try:
        if not abandoned(handle):
            return
        settled = False
        for kind, value, place in records(handle):
            settled = settled or kind == b"settled"
            if kind == b"mode" and value.isdigit() and not settled:
                tighten(directories, place, int(value, 8))
            elif kind == b"area" and is_area_name(value) and not path:
                _sweep(directories, place, value)
        empty(handle)
    except (OSError, ValueError):
        return
    finally:
        os.close(handle)
    parent = existing(directories, path)
    if parent is not None:
        remove_directory(parent, name)
