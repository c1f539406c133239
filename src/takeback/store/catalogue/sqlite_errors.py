"""SQLite's errors in our words."""

from __future__ import annotations

import errno
import os

import apsw

from takeback.errors import Conflict, Integrity, Locked, TakebackError, Unavailable
from takeback.store.durable import disk_full

PATIENCE = 30.0
"""Seconds that a writer waits for the others."""


def busy() -> Locked:
    return Locked(
        f"the store's catalogue has been busy for {PATIENCE:.0f} seconds: another takeback is writing.",
        hints=["try again when it is done"],
    )


def replaced() -> Locked:
    return Locked(
        "the store's catalogue has been replaced since it was opened: a repair put a new one in its place. "
        "Nothing was recorded.",
        hints=["run the same command again"],
    )


def catalogue_error(error: apsw.Error, path: str = "", system: int = 0) -> TakebackError:
    """SQLite's error in our words; ``path`` is the database's file, ``system`` the number of the error that the system
    gave SQLite, if that is known."""
    if system in (errno.ENOSPC, errno.EDQUOT):
        error = apsw.FullError(str(error))
    match error:
        case apsw.BusyError() | apsw.LockedError():
            return busy()
        case apsw.FullError():
            return disk_full("writing to the catalogue", os.path.dirname(path))
        case (
            apsw.CorruptError() | apsw.NotADBError() | apsw.MismatchError() | apsw.TooBigError()
            | apsw.FormatError() | apsw.SchemaChangeError() | apsw.NoMemError()
        ):  # fmt: skip
            return Integrity(
                f"the store's catalogue is damaged: {error}",
                hints=["`takeback store repair` shows what can be brought back, and does it"],
            )
        case apsw.SQLError() if str(error).startswith(("no such ", "malformed ", "integer overflow")):
            return Integrity(
                f"the store's catalogue is damaged: {error}",
                hints=["`takeback store repair` shows what can be brought back, and does it"],
            )
        case apsw.ReadOnlyError() | apsw.CantOpenError() | apsw.PermissionsError() | apsw.AuthError():
            return Unavailable(
                f"the store's catalogue cannot be opened or written: {error}.",
                hints=[
                    "check who owns the store's directory, whether it is mounted read-only, and whether the disk is full"
                ],
            )
        case apsw.ConstraintError():
            return Conflict(f"the catalogue already holds something else there: {error}")
        case apsw.IOError():
            return Unavailable(f"the store's catalogue cannot be read or written: {error}.", hints=["check the disk"])
    return TakebackError(f"the store's catalogue refused a statement: {error}")
