"""The names that containers have while one takes another's place, and what is to be done when nobody ends that.

``NAME.takeback-new-XXXXXXXX`` is being made ready. ``NAME.takeback-old-R-ID`` is what had the name before, where R says what
it did (``r`` ran, ``p`` was paused, ``s`` was stopped) and ID is the beginning of the id of what has it now. So the engine
itself knows all that is needed to go on after a kill, whatever store or journal that was in.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from typing import NamedTuple

from takeback.errors import Conflict, TakebackError, Unavailable
from takeback.sources.container.daemon import Daemon, Inspected

_PATIENCE, _A_MOMENT = 60.0, 0.01
_MARK = ".takeback-"
_NEW = re.compile(re.escape(_MARK) + "new-[0-9a-f]{8}")
_OLD = re.compile(re.escape(_MARK) + "old-([rps])-([0-9a-f]{12})")


BEING_REPLACED: set[str] = set()
"""Names of containers that this process is replacing just now: nothing about them is left over."""


class Aside(NamedTuple):
    """A container that was put aside for another."""

    box: Inspected
    was: str
    successor: str
    """The beginning of the other's id."""


def is_ours(name: str) -> bool:
    """Whether a name is one that a container has only while another takes its place."""
    ending = name[name.find(_MARK) :] if _MARK in name else ""
    return _NEW.fullmatch(ending) is not None or _OLD.fullmatch(ending) is not None


def new_name(name: str) -> str:
    return f"{name}{_MARK}new-{os.urandom(4).hex()}"


def old_name(box: Inspected, successor: Inspected) -> str:
    was = "p" if box.paused else "r" if box.running else "s"
    return f"{box.name}{_MARK}old-{was}-{successor.id[:12]}"


def heal(daemon: Daemon, name: str) -> None:
    """End what a killed process began: with the successor if that has the name already, else with what had it before."""
    if name in BEING_REPLACED:
        return
    around = [(box, box.name.removeprefix(name)) for box in daemon.named(name + _MARK)]
    for box, ending in around:
        if (match := _OLD.fullmatch(ending)) is not None:
            _settle(daemon, name, Aside(box, match[1], match[2]))
    for box, ending in around:
        if _NEW.fullmatch(ending):
            remove(daemon, box, volumes=True)


def _settle(daemon: Daemon, name: str, aside: Aside) -> None:
    here = called(daemon, name)
    if here is None:
        put_back(daemon, name, aside)
        return
    if not here.id.startswith(aside.successor):
        raise Conflict(
            f"somebody else has made a container {name!r} while it was being restored; what it was before is "
            f"{aside.box.name!r}",
            hints=[f"rename one of them: docker rename {name} OTHER, or docker rename {aside.box.name} OTHER"],
        )
    if aside.was != "s" and not here.running:
        if aside.box.running:  # it had not ended yet, so it is the present
            give_way(daemon, name, here, aside)
            return
        try:
            start(daemon, here)
        except TakebackError:
            give_way(daemon, name, here, aside)
            return
    remove(daemon, aside.box, volumes=False)


def give_way(daemon: Daemon, name: str, successor: Inspected, aside: Aside) -> None:
    """Let what had the name before have it again."""
    remove(daemon, successor, volumes=True)
    put_back(daemon, name, aside)


def put_back(daemon: Daemon, name: str, aside: Aside) -> None:
    """Give a container its name again, and let it do what it did."""
    daemon.call(f"give {aside.box.name!r} its name again", daemon.api.rename, aside.box.id, name)
    if aside.was != "s":
        start(daemon, aside.box)
    if aside.was == "p":
        with suppress(Conflict):
            daemon.call(f"pause {name!r} again", daemon.api.pause, aside.box.id)


def called(daemon: Daemon, name: str) -> Inspected | None:
    """The container of exactly this name; the engine also takes the beginning of an id."""
    found = daemon.find(name)
    return found if found is not None and found.name == name else None


def start(daemon: Daemon, box: Inspected) -> None:
    daemon.call(f"start the container {box.name!r}", daemon.api.start, box.id)


def kill(daemon: Daemon, box: Inspected) -> None:
    """End all processes of a container at once: what they would do in their last moments, no snapshot has. One that is
    paused gets no such moment; one that its engine starts again meanwhile is ended again."""
    doing = f"end the container {box.name!r}"
    until = time.monotonic() + _PATIENCE
    while daemon.inspect(box.id).running:
        if time.monotonic() > until:
            raise Unavailable(f"cannot {doing}: it does not end", hints=[f"docker kill {box.name}"])
        with suppress(Conflict):  # it has ended by itself
            daemon.call(doing, daemon.api.kill, box.id)
        time.sleep(_A_MOMENT)


def remove(daemon: Daemon, box: Inspected, *, volumes: bool) -> None:
    """Remove a container; with ``volumes``, those that the engine made for it and gave no other container."""
    daemon.call(f"remove the container {box.name!r}", daemon.api.remove_container, box.id, v=volumes, force=True)
