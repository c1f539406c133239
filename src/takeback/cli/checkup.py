"""What `takeback doctor` looks at. Each check is a function; none of them makes or changes anything that stays."""

from __future__ import annotations

import errno
import fcntl
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from takeback.cli.text import age
from takeback.errors import NotFound, TakebackError
from takeback.model.sizes import format_size

if TYPE_CHECKING:
    from takeback.cli.call import Call
    from takeback.locate import Place

_OLDEST_SQLITE = (3, 51, 3)
"""Earlier ones have a bug that can corrupt a database in WAL mode."""

_TOO_LITTLE = 64 << 20
_SANE_CLOCK = 1_700_000_000
_HOUR = 3_600_000_000_000


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report: ``ok``, ``warn`` or ``fail``, what was found, and what to do next."""

    check: str
    state: str
    found: str
    next: str = ""


def checkup(call: Call) -> list[Finding]:
    findings = [_python(), _sqlite(), _git()]
    try:
        place = call.place()
    except TakebackError as error:
        return [*findings, Finding("configuration", "fail", error.message, "; ".join(error.hints))]
    findings.append(Finding("root", "ok", f"{place.root} (found by {place.found_by})"))
    findings += (Finding("configuration", "warn", warning, "correct it, or move it away") for warning in place.warnings)
    checks: tuple[Callable[[Call, Place], Iterator[Finding]], ...] = (
        _store,
        _space,
        _upkeep,
        _timeline,
        _locks,
        _stages,
    )
    for check in checks:
        findings += check(call, place)
    return findings


def _python() -> Finding:
    return Finding("python", "ok", f"{platform.python_version()}, {sys.executable}")


def _sqlite() -> Finding:
    from takeback.store.catalogue.sqlite import SqliteDatabase

    database = SqliteDatabase(None)
    with database.read() as tx:
        version = str(tx.execute("SELECT sqlite_version()")[0][0])
    database.close()
    if tuple(int(part) for part in version.split(".")[:3]) < _OLDEST_SQLITE:
        return Finding("sqlite", "fail", f"{version} can damage the catalogue", "pip install --upgrade apsw")
    return Finding("sqlite", "ok", version)


def _git() -> Finding:
    where = shutil.which("git")
    if where is None:
        return Finding("git", "ok", "not installed; takeback reads repositories without it")
    return Finding("git", "ok", where)


def _store(call: Call, place: Place) -> Iterator[Finding]:
    path = str(place["store"])
    try:
        store = call.open(place)
    except NotFound:
        parent = _existing(path)
        if os.access(parent, os.W_OK | os.X_OK):
            yield Finding("store", "ok", f"{path} is made by the first save")
        else:
            yield Finding("store", "fail", f"{path} cannot be made", f"make {parent} writable, or use --store DIR")
        return
    except TakebackError as error:
        yield Finding("store", "fail", error.message, "; ".join(error.hints))
        return
    if store.blobs.readonly or not os.access(path, os.W_OK):
        yield Finding("store", "fail", f"{path} is read-only", "make it writable, or use another one with --store DIR")
    else:
        yield Finding("store", "ok", path)


def _space(call: Call, place: Place) -> Iterator[Finding]:
    from takeback import locate
    from takeback.store.space import Space, space

    room = space(_existing(str(place["store"]))) or Space(0, 0)
    words = f"{format_size(room.free)} free"
    if room.free < _TOO_LITTLE:
        yield Finding("space", "fail", words, "free some space: the next save may not fit")
    elif room.free < (wanted := locate.limits(place).free_wanted(room.total)):
        yield Finding("space", "warn", f"{words}; {format_size(wanted)} should be", "free some space soon")
    else:
        yield Finding("space", "ok", words)


def _upkeep(call: Call, place: Place) -> Iterator[Finding]:
    """When the store was last maintained, whether that is due, and what was noted meanwhile."""
    from takeback import locate
    from takeback.engine.due import due
    from takeback.store.catalogue import figures

    for notice in call.notices(place):
        yield Finding(notice.where, "warn", f"{age(notice.time_ns)}: {notice.message}", "; ".join(notice.hints))
    try:
        blobs = call.open(place).blobs
        with blobs.database.read() as tx:
            last = figures.figures(tx).maintained_ns
        waiting = place["upkeep"] == "off" and due(blobs, locate.limits(place), "session_end")
    except TakebackError:
        return  # the store's own check says why
    when = f"{place['upkeep']}; last maintained {age(last)}" if last else f"{place['upkeep']}; not maintained yet"
    if waiting:
        yield Finding("upkeep", "warn", f"{when}, and it is time", '`takeback maintain`, or set upkeep = "auto"')
    else:
        yield Finding("upkeep", "ok", when)


def _timeline(call: Call, place: Place) -> Iterator[Finding]:
    """The clock, beside what was recorded, and whether a restore was interrupted."""
    try:
        line = call.line()
        newest = line.log(1).snapshots
        interrupted = line.interrupted()
    except TakebackError:
        newest, interrupted = (), None  # the store's own check says why
    now = time.time_ns()
    if now < _SANE_CLOCK * 1_000_000_000:
        yield Finding("clock", "fail", time.strftime("it says %Y-%m-%d"), "set the clock")
    elif newest and newest[0].time_ns > now + _HOUR:
        yield Finding("clock", "warn", "the newest snapshot is from the future", "compare the clock with another's")
    else:
        yield Finding("clock", "ok", time.strftime("%Y-%m-%d %H:%M:%S"))
    if interrupted is not None:
        yield Finding("restore", "warn", f"one was interrupted {age(interrupted)}", "`takeback save` finishes it")
    else:
        yield Finding("restore", "ok", "none is unfinished")


def _locks(call: Call, place: Place) -> Iterator[Finding]:
    try:
        handle = os.open(place.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        yield Finding("lock", "fail", f"{place.root} cannot be opened: {error.strerror}", "check who owns it")
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield Finding("lock", "ok", "the root can be locked")
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES):
            yield Finding("lock", "ok", "the root is locked: another takeback is at work")
        else:
            yield Finding(
                "lock",
                "warn",
                f"this filesystem cannot lock directories ({error.strerror}); a lock file in /tmp is used",
                "do not use takeback on this directory from two machines at once",
            )
    finally:
        os.close(handle)


def _stages(call: Call, place: Place) -> Iterator[Finding]:
    """Staging directories that a killed process left in the root."""
    from takeback.sources.workspace.names import STAGE_PREFIX

    try:
        left = [name for name in os.listdir(place.root) if name.startswith(STAGE_PREFIX)]
    except OSError:
        left = []
    stale = [name for name in left if not _in_use(os.path.join(place.root, name))]
    if stale:
        yield Finding("leftovers", "warn", f"{stale[0]} was left by a killed restore", "`takeback save` removes it")
    else:
        yield Finding("leftovers", "ok", "none")


def _in_use(directory: str) -> bool:
    try:
        handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return False
    except OSError:
        return True
    finally:
        os.close(handle)


def _existing(path: str) -> str:
    """The nearest directory above, or at, a path that exists."""
    while not os.path.isdir(path):
        path = os.path.dirname(path) or "/"
    return path
