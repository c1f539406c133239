"""Keeping a container's processes still for a moment, and never for longer: also when we are killed meanwhile.

While a container is paused a marker says so: a file with a kernel lock in a directory of the user's own
(`takeback.sources.container.marks`). A marker without its lock is of a process that died, and whoever comes by (`let_go`, which the
next command of any kind calls) lets the container run again.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count

from takeback.errors import Conflict, NotFound, TakebackError, Unavailable
from takeback.sources.container.daemon import Daemon, Inspected
from takeback.sources.container.marks import directory, noted

_ID = re.compile("[0-9a-f]{64}")
_CREATE = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


_PATIENCE = 5.0
_A_MOMENT = 0.004
_TWICE, _OFTEN = 2, 10
_FREEZES, _NOT_FROZEN = 8, "freeze"
"""How often a pause is tried that the runtime gives up, and the word in what it says then."""


@contextmanager
def paused(daemon: Daemon, box: Inspected) -> Iterator[None]:
    """Nothing in the container runs inside of this. One that does not run, or was paused before, is left as it is."""
    hold = Hold(daemon, box)
    try:
        yield
    finally:
        hold.release()


class Hold:
    """A pause, until it is released; or until the container is gone, or has been killed."""

    def __init__(self, daemon: Daemon, box: Inspected) -> None:
        self._daemon, self._box = daemon, box
        self._marker: int | None = None
        self.ours = box.running and not box.paused
        """Whether it is us who paused it."""
        if not self.ours:
            return
        self._marker = _mark(daemon, box)
        try:
            _pause(daemon, box)
        except Conflict:
            self.ours = False  # somebody else was quicker, or it has ended
            self._unmark()
        except BaseException:
            self.release()
            raise

    def holds(self, box: Inspected) -> bool:
        """Whether a container is the one that this keeps still."""
        return self._marker is not None and box.id == self._box.id

    def release(self) -> None:
        """Let it run again; quiet the second time."""
        if self._marker is None:
            return
        try:
            _unpause(self._daemon, self._box.id)
        except BaseException:
            os.close(self._marker)  # the mark stays: whoever comes by tries again
            self._marker = None
            raise
        self._unmark()

    def _unmark(self) -> None:
        if self._marker is not None:
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(_directory(), self._box.id))
            os.close(self._marker)
            self._marker = None


def let_go() -> list[str]:
    """Let every container run that a process of this user paused and died; their names."""
    found: list[str] = []
    if not noted():
        return found
    for id in filter(_ID.fullmatch, noted()):
        path = os.path.join(_directory(), id)
        try:
            marker = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            fcntl.flock(marker, fcntl.LOCK_EX | fcntl.LOCK_NB)
            said = json.loads(os.read(marker, 1 << 16) or b"{}")
            name = said.get("name")
            if name is not None and _let_run(str(said.get("address") or ""), id):
                found.append(str(name))
            os.unlink(path)
        except (BlockingIOError, FileNotFoundError, ValueError, AttributeError):
            continue  # its process lives, or another one was quicker
        except TakebackError:
            continue  # the engine is down, and nothing runs in it; another time
        finally:
            os.close(marker)
    return found


def wait_for(id: str) -> bool:
    """Whether somebody keeps a container still who is dead, or about to let it go: then that is waited for. Whoever asks has
    the container's lock, so nobody is at work on it."""
    if id not in noted():
        return False
    until = time.monotonic() + _PATIENCE
    while id in noted() and time.monotonic() < until:
        let_go()
        time.sleep(_A_MOMENT)
    return True


def _mark(daemon: Daemon, box: Inspected) -> int:
    path = os.path.join(_directory(), box.id)
    while True:
        marker = os.open(path, _CREATE, 0o600)
        fcntl.flock(marker, fcntl.LOCK_EX)
        try:
            if os.fstat(marker).st_ino == os.stat(path, follow_symlinks=False).st_ino:
                break
        except FileNotFoundError:
            pass
        os.close(marker)  # whoever had it has removed it
    said = {"name": box.name, "address": daemon.address}
    os.ftruncate(marker, 0)
    os.pwrite(marker, json.dumps(said).encode(), 0)
    return marker


def _pause(daemon: Daemon, box: Inspected) -> None:
    """Pause a container. The runtime waits some milliseconds for its processes to stand still. On a busy machine that may not be
    enough: then it lets them run and says so, and is asked again."""
    for tries in count(1):
        try:
            daemon.call(f"pause the container {box.name!r}", daemon.api.pause, box.id)
            return
        except Unavailable as error:
            if tries == _FREEZES or _NOT_FROZEN not in error.message:
                raise
        time.sleep(_A_MOMENT * tries)


def _unpause(daemon: Daemon, id: str) -> bool:
    """Let a container run, if it is there and paused; whether it was.

    An engine hears late of what it has done itself: for a moment after it has let a container go on, or has paused one
    again, it may say, and believe, the opposite. So it is asked until it says the same several times.
    """
    was, steady = False, 0
    until = time.monotonic() + _PATIENCE
    paused = True
    while True:
        if paused:
            try:
                daemon.call("let the container run again", daemon.api.unpause, id)
                was = True
            except NotFound:
                return was
            except Conflict:
                pass  # it is not paused, as far as the engine knows
            except TakebackError:
                if time.monotonic() > until:
                    raise
        box = daemon.find(id)
        if box is None or not box.running:
            return was
        paused = box.paused
        steady = 0 if paused else steady + 1
        if steady >= (_TWICE if was else _OFTEN):
            return was
        if time.monotonic() > until:
            raise Unavailable(f"the container {box.name!r} stays paused", hints=[f"docker unpause {box.name}"])
        time.sleep(_A_MOMENT)


def _let_run(address: str, id: str) -> bool:
    """The same, in the engine at an address; Unavailable if that does not run. Every command comes by here, so a socket
    that is not there is not asked."""
    socket = address.removeprefix("unix://")
    if socket != address and not os.path.exists(socket):
        raise Unavailable(f"there is no engine at {address}")
    return _unpause_at(address, id)


def _unpause_at(address: str, id: str) -> bool:
    daemon = Daemon()
    if address and address != daemon.address:
        import docker

        with daemon.speaking("reach Docker"):
            daemon = Daemon(docker.APIClient(base_url=address, version="auto"))
    try:
        return _unpause(daemon, id)
    finally:
        daemon.close()
        if daemon.given is not None:
            daemon.given.close()


def _directory() -> str:
    """The directory of markers, made if it is not there; nobody else may write to it."""
    path = directory()
    with suppress(FileExistsError):
        os.mkdir(path, 0o700)
    status = os.stat(path, follow_symlinks=False)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise TakebackError(
            f"{path} is not only this user's, so it cannot be noted there which containers are paused",
            hints=[f"remove it: rm -r {path}"],
        )
    return path
