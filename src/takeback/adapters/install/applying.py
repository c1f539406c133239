"""Carrying out a plan: every file or none. What takeback added is noted before, so that a kill in between loses nothing."""

from __future__ import annotations

from takeback.adapters.install import files, record
from takeback.adapters.install.files import File
from takeback.adapters.install.owned import Change
from takeback.adapters.install.planning import Installation


def apply(plan: Installation) -> None:
    """Make the planned changes; if one fails, those before it are taken back and its error is raised."""
    noted = record.read(plan.state)
    new = {change.file.target: change.added for change in plan.changes if change.added is not None}
    if new:
        record.write(plan.state, {**noted, **new})
    done: list[Change] = []
    try:
        for change in plan.changes:
            _carry_out(change)
            done.append(change)
    except BaseException:
        for change in reversed(done):
            _take_back(change)
        if new:
            record.write(plan.state, noted)
        raise
    gone = {change.file.target for change in plan.changes if change.added is None}
    if gone:
        left = {path: added for path, added in noted.items() if path not in gone}
        record.write(plan.state, {**left, **new})
        for change in plan.changes:
            added = noted.get(change.file.target)
            if change.after is None and added is not None:
                files.remove_directories(added.directories)


def _carry_out(change: Change) -> None:
    if change.after is None:
        files.remove(change.file)
    else:
        files.write(change.file, change.after)


def _take_back(change: Change) -> None:
    file = change.file
    if file.data is None:
        files.remove(File(file.path, file.target, change.after, file.mode))
        if change.added is not None:
            files.remove_directories(change.added.directories)
    else:
        files.write(File(file.path, file.target, change.after, file.mode), file.data)
