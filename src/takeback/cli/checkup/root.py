"""The root itself: whether it can be locked, and what a killed restore left in it."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from takeback.cli.checkup.finding import Finding

if TYPE_CHECKING:
    from takeback.cli.call import Call
    from takeback.locate import Place


def locks(call: Call, place: Place) -> Iterator[Finding]:
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


def stages(call: Call, place: Place) -> Iterator[Finding]:
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
