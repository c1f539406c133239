"""Reading and replacing an agent's files: whole or not at all, through links, with mode and owner kept."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from takeback.errors import Conflict, InvalidInput, TakebackError, Unavailable

LARGEST = 8 << 20
"""No configuration is larger; what is, is something else."""


class File(NamedTuple):
    """A file as it was found. ``data`` is None where there is none."""

    path: str
    target: str
    """Where the bytes are: the path itself, or what a symbolic link leads to."""
    data: bytes | None
    mode: int | None = None
    """Its permissions; None for what a new file has."""


def read(path: str) -> File:
    """A file that may be edited, or that may be made."""
    target = os.path.realpath(path)
    try:
        status = os.stat(target)
    except FileNotFoundError:
        if os.path.islink(path):
            raise InvalidInput(
                f"cannot edit {path}: it is a link to {target}, which does not exist",
                hints=["remove the link, or make what it leads to"],
            ) from None
        return File(path, target, None)
    except OSError as error:
        raise unreadable(path, error) from None
    if not stat.S_ISREG(status.st_mode):
        raise InvalidInput(f"cannot edit {path}: it is not a file", hints=["move it away, then install again"])
    if status.st_size > LARGEST:
        raise InvalidInput(
            f"cannot edit {path}: it has {status.st_size:,} bytes, too many for a configuration",
            hints=["look what it is, and move it away"],
        )
    try:
        with open(target, "rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise unreadable(path, error) from None
    return File(path, target, data, stat.S_IMODE(status.st_mode))


def text_of(file: File) -> str:
    try:
        return (file.data or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"cannot edit {file.path}: it is not UTF-8 (byte {error.start:,})", hints=["save it as UTF-8"]
        ) from None


def check_writable(file: File) -> None:
    """Refuse early what a person protected against writing: replacing a file needs no permission of the file itself."""
    if file.data is not None and (not (file.mode or 0) & 0o222 or not os.access(file.target, os.W_OK)):
        where = "" if file.target == os.path.abspath(file.path) else f" (it leads to {file.target})"
        raise Unavailable(
            f"cannot edit {file.path}{where}: it is read-only",
            hints=["make it writable, or add the hooks where it is generated; --dry-run shows them"],
        )
    if file.data is None:
        directory = _existing(os.path.dirname(file.target))
        if not os.path.isdir(directory) or not os.access(directory, os.W_OK | os.X_OK):
            raise Unavailable(
                f"cannot make {file.path}: {directory} is not a directory that you may write to",
                hints=["check its permissions"],
            )


def write(file: File, data: bytes) -> tuple[str, ...]:
    """Replace a file's bytes if they are still those that were read; the directories that had to be made for it."""
    made = _make_directories(file.target)
    temporary = f"{file.target}.takeback-{os.urandom(6).hex()}"
    try:
        if read(file.path).data != file.data:
            raise changed(file.path)
        _write_new(temporary, data, file)
        os.rename(temporary, file.target)
    except OSError as error:
        _drop(temporary, made)
        raise Unavailable(f"cannot write {file.path}: {error.strerror}", hints=["nothing was changed"]) from error
    except BaseException:
        _drop(temporary, made)
        raise
    if read(file.path).data != data:
        raise TakebackError(f"{file.path} is not what was written: somebody else writes to it", hints=["look at it"])
    return made


def remove(file: File) -> None:
    """Remove a file if its bytes are still those that were read."""
    if read(file.path).data != file.data:
        raise changed(file.path)
    try:
        os.unlink(file.target)
    except OSError as error:
        raise Unavailable(f"cannot remove {file.path}: {error.strerror}", hints=["nothing was changed"]) from error


def remove_directories(directories: tuple[str, ...]) -> None:
    """Remove directories that were made, innermost first, as far as they are empty."""
    for directory in sorted(directories, key=len, reverse=True):
        try:
            os.rmdir(directory)
        except OSError:
            pass  # somebody uses it


def unreadable(path: str, error: OSError) -> Unavailable:
    return Unavailable(f"cannot read {path}: {error.strerror}", hints=["check its permissions"])


def changed(path: str) -> Conflict:
    return Conflict(f"{path} changed meanwhile; nothing was written to it", hints=["try again"])


def _write_new(temporary: str, data: bytes, file: File) -> None:
    mode = 0o666 if file.mode is None else 0o600  # a new file has what the umask leaves
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
    with open(fd, "wb") as out:
        out.write(data)
        out.flush()
        if file.data is not None:
            old, new = os.stat(file.target), os.fstat(fd)
            if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
                os.fchown(fd, old.st_uid, old.st_gid)
        if file.mode is not None:
            os.fchmod(fd, file.mode)
        os.fsync(fd)


def missing_directories(path: str) -> tuple[str, ...]:
    """The directories that have to be made for a file, outermost first."""
    directory, missing = os.path.dirname(path), []
    while not os.path.lexists(directory):
        missing.append(directory)
        directory = os.path.dirname(directory)
    return tuple(reversed(missing))


def _existing(directory: str) -> str:
    while not os.path.lexists(directory):
        directory = os.path.dirname(directory)
    return directory


def _make_directories(path: str) -> tuple[str, ...]:
    made: list[str] = []
    for each in missing_directories(path):
        try:
            os.mkdir(each)
        except OSError as error:
            remove_directories(tuple(made))
            raise Unavailable(f"cannot make {each}: {error.strerror}", hints=["nothing was changed"]) from error
        made.append(each)
    return tuple(made)


def _drop(temporary: str, made: tuple[str, ...]) -> None:
    try:
        os.unlink(temporary)
    except OSError:
        pass  # it was not made, or the disk is gone
    remove_directories(made)
