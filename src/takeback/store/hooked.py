"""What hooks remember from one call to the next: each session's first root, and when each agent last called.

Small files of the store's directory, one an agent and one a session. Like derived files they are not synced, and one that
is missing or torn counts as absent: a session that is forgotten begins anew.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from blake3 import blake3

from takeback.errors import Locked
from takeback.store.durable import NotPlain, read_plain_file

DIRECTORY = "hooks"
SESSIONS = "sessions"
_LIMIT = 1 << 20
_FORGOTTEN_AFTER = 30 * 86400
"""A session of which nothing was heard for so many seconds is forgotten."""
_HALF = ".half-"
"""In the names of files that are being written, or that somebody who was killed has left."""
_POLL = 0.01


class LastRun(NamedTuple):
    """When an agent's hook last ran, and where."""

    time_ns: int
    session: str
    root: str
    event: str


class Remembered(NamedTuple):
    """One session of an agent."""

    root: str
    on: bool = True
    """Whether it is recorded at all: what a project's file says later, an agent may have written."""
    in_turn: bool = False
    prompt: str = ""
    since_ms: int = 0
    """When its turn began, if the agent said so."""
    actions: bool = True
    """Whether it is saved around each tool call, and not only at its turns."""
    effects: tuple[Mapping[str, str], ...] = ()
    """What its turn did that no snapshot can take back, where no tool call has a move to keep that."""
    agent: Mapping[str, Any] = {}
    """The agent's process and those above it, as `takeback.engine.processes` writes them."""
    deaf: bool = False
    """Whether the installed hooks do not hear of the agent's questions."""
    batches: bool = False
    """Whether the session has told of the end of a batch of calls."""
    asked: tuple[str, ...] = ()
    """Calls about which a person is asked, or was."""
    running: tuple[str, ...] = ()
    """Calls that have begun and not ended, by key."""
    calls: tuple[Mapping[str, Any], ...] = ()
    """Calls of its turn around which nothing is saved: when they ran."""


def ran(directory: str, agent: str, session: str, root: str, event: str) -> None:
    """Note that an agent's hook ran just now."""
    _write(directory, _path(directory, agent), LastRun(time.time_ns(), session, root, event)._asdict())


def last(directory: str, agent: str) -> LastRun | None:
    """When an agent's hook last ran; None if it never did."""
    raw = _read(_path(directory, agent))
    try:
        return LastRun(int(raw["time_ns"]), str(raw["session"]), str(raw["root"]), str(raw["event"]))
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def remember(directory: str, agent: str, session: str, what: Remembered) -> None:
    _write(directory, _session(directory, agent, session), what._asdict())


def recall(directory: str, agent: str, session: str) -> Remembered | None:
    raw = _read(_session(directory, agent, session))
    try:
        return Remembered(
            str(raw["root"]),
            raw["on"] is True,
            raw["in_turn"] is True,
            str(raw["prompt"]),
            int(raw["since_ms"]),
            raw.get("actions") is not False,
            tuple({str(key): str(value) for key, value in each.items()} for each in raw.get("effects", ())),
            dict(raw.get("agent", {})),
            raw.get("deaf") is True,
            raw.get("batches") is True,
            tuple(map(str, raw.get("asked", ()))),
            tuple(map(str, raw.get("running", ()))),
            tuple(dict(each) for each in raw.get("calls", ())),
        )
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
        return None


@contextmanager
def alone(directory: str, agent: str, session: str, timeout: float = 30.0) -> Iterator[None]:
    """One event of a session after the other: agents do not always wait for one before they tell the next. Locked if
    that takes too long; where there can be no lock, nobody waits."""
    path = f"{_session(directory, agent, session)}.lock"
    try:
        _make_directories(os.path.dirname(path))
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    except OSError:
        yield
        return
    try:
        _lock(fd, time.monotonic() + timeout)
        yield
    finally:
        os.close(fd)


def _lock(fd: int, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise Locked(
                    "an event was not recorded, because an earlier one of its session is still being saved",
                    hints=["`takeback doctor` may say why that takes so long"],
                ) from None
            time.sleep(_POLL)
        except OSError:
            return


def forget_old(directory: str) -> None:
    """Forget sessions of which nothing was heard for long."""
    oldest = time.time() - _FORGOTTEN_AFTER
    _forget(directory, lambda entry: entry.stat(follow_symlinks=False).st_mtime < oldest)


def forget_what(directory: str, says: Callable[[str], bool]) -> None:
    """Forget sessions of which something is remembered that must not be."""
    _forget(directory, lambda entry: _HALF in entry.name or says(json.dumps(_read(entry.path), ensure_ascii=False)))


def _forget(directory: str, chosen: Callable[[os.DirEntry[str]], bool]) -> None:
    try:
        with os.scandir(_path(directory, SESSIONS)) as entries:
            for entry in entries:
                if chosen(entry):
                    os.unlink(entry.path)
    except OSError:
        pass


def _session(directory: str, agent: str, session: str) -> str:
    name = blake3(f"{agent}\0{session}".encode("utf-8", "replace")).hexdigest()[:32]
    return _path(directory, SESSIONS, name)


def _path(directory: str, *names: str) -> str:
    return os.path.join(directory, DIRECTORY, *names)


def _write(directory: str, path: str, value: dict[str, Any]) -> None:
    temporary = _path(directory, SESSIONS, f"{os.path.basename(path)}{_HALF}{os.urandom(8).hex()}")
    try:
        _make_directories(os.path.dirname(temporary))
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(json.dumps(value).encode())
        os.replace(temporary, path)
    except OSError:
        try:
            os.unlink(temporary)
        except OSError:
            pass


def _make_directories(path: str) -> None:
    if not os.path.isdir(path):
        above, name = os.path.split(path)
        if name == SESSIONS:
            os.makedirs(above, mode=0o700, exist_ok=True)
        os.makedirs(path, mode=0o700, exist_ok=True)


def _read(path: str) -> dict[str, Any]:
    try:
        raw = json.loads(read_plain_file(path, _LIMIT))
    except (OSError, NotPlain, ValueError, RecursionError):
        return {}
    return raw if isinstance(raw, dict) else {}
