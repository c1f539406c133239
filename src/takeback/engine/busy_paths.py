"""Paths that other programs write to while they are put back: they are left, and all others are done.

A path that changed between the look at it and its replacement is given back, and with it all that was done. A restore tries
everything again, because it only has to save what is there now. An undo does so where a program goes on writing; where a person
edited the path just then, it is for her to look once more. After two tries the paths that were in the way, and those that changed
meanwhile, are left out of the plan and said.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace

from takeback.engine.line import Line
from takeback.model.plan import Kept, Plan, Report
from takeback.model.tree import DIRECTORY, Entry, name_bytes
from takeback.sources.protocol import Busy
from takeback.sources.trees import parents
from takeback.sources.workspace.place.standing import look

_WHOLE = 2
"""So often a plan is tried as a whole."""
_TRIES = 10
_MOMENT = 0.1
"""For so many seconds a path is watched."""
_REASON = "another program writes to it now"

Key = tuple[str, str]


class BusyPaths:
    """What is known of busy paths from one try to the next."""

    def __init__(self) -> None:
        self._tries = 0
        self._seen: dict[Key, Entry | None] = {}
        self._left: set[Key] = set()

    def leave(self, plan: Plan) -> Plan:
        """The plan without what is busy."""
        now = {(effect.part, effect.path): effect.before for effect in plan.effects}
        self._left |= {key for key, before in now.items() if key in self._seen and self._seen[key] != before}
        self._seen = now
        self._tries += 1
        if self._tries <= _WHOLE:
            return plan
        busy = {key for key in now if self._is_left(key)}
        effects = tuple(effect for effect in plan.effects if (effect.part, effect.path) not in busy)
        left = tuple(Kept(part, path, _REASON) for part, path in sorted(busy))
        return replace(plan, effects=effects, partial=(*plan.partial, *left))

    def add(self, error: Busy) -> bool:
        """Note the path that was in the way; False if nothing can be done without it."""
        key = (error.part, error.path)
        known = key in self._seen and (key not in self._left or self._tries <= _WHOLE)
        self._left.add(key)
        others = any(not self._is_left(each) for each in self._seen)
        return known and (others or self._tries < _WHOLE) and self._tries < _TRIES

    def _is_left(self, key: Key) -> bool:
        part, path = key
        if key in self._left:
            return True
        above = ((part, parent) for parent in parents(path))
        return any(each in self._left and not _is_directory(self._seen.get(each)) for each in above)


def past_busy(line: Line, attempt: Callable[[BusyPaths], Report], *, edits: bool = False) -> Report:
    """What a verb gives that is tried until nothing is in its way; it leaves what is busy out of its plan. Single ``edits``
    are a reason to try again, too."""
    busy = BusyPaths()
    while True:
        try:
            return attempt(busy)
        except Busy as error:
            if not (edits or _goes_on(line, error)):
                raise
            if not busy.add(error):
                error.hints = (*error.hints, "stop the program that writes there, or name other paths")
                raise


def _is_directory(entry: Entry | None) -> bool:
    return entry is not None and entry.kind == DIRECTORY


def _goes_on(line: Line, error: Busy) -> bool:
    """Whether a path changes again within a moment, or is open for writing."""
    from takeback.sources.workspace.place.writers import is_written_to

    source = line.sources.get(error.part)
    if source is None or not source.root:
        return False
    place = name_bytes(f"{source.root}/{error.path}")
    try:
        directory = os.open(os.path.dirname(place), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        before = look(directory, os.path.basename(place))
        if is_written_to(directory, os.path.basename(place)):
            return True
        time.sleep(_MOMENT)
        after = look(directory, os.path.basename(place))
    finally:
        os.close(directory)
    return _times(before) != _times(after)


def _times(status: os.stat_result | None) -> tuple[int, ...]:
    return () if status is None else (status.st_ino, status.st_size, status.st_ctime_ns)
