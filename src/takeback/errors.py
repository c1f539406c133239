"""Every error that takeback raises, grouped by what a caller can do about it.

::

    TakebackError            1    anything else that went wrong
    ├── InvalidInput         2    fix the call: a bad value, a wrong kind of file, an ambiguous reference
    ├── Partial              3    done in part; the message names the rest
    ├── NotFound            10    no such snapshot, move, path or store; nothing to undo
    ├── Locked              11    somebody else is at work; try again
    ├── WrongKey            12    the store is encrypted and this key does not open it
    ├── Integrity           13    stored bytes are not what they should be, or a read-back failed
    ├── Conflict            14    the world moved, or somebody else's work is in the way
    ├── Unavailable         15    a service is down, an extra is missing, a disk is full, a store is read-only or too new
    ├── OutOfTime            1    the time budget ran out; nothing was recorded
    └── Cancelled          130    the person said no, or pressed Ctrl-C

A message says what happened and why; ``hints`` say what to do next. An error is raised, never printed here.
"""

from __future__ import annotations

from collections.abc import Iterable


class TakebackError(Exception):
    """The base of all errors; ``exit_code`` is what the command line exits with."""

    exit_code = 1

    def __init__(self, message: str, *, hints: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.hints = tuple(hints)

    def __str__(self) -> str:
        return "\n".join([self.message, *(f"hint: {hint}" for hint in self.hints)])


class InvalidInput(TakebackError):
    exit_code = 2


class Partial(TakebackError):
    exit_code = 3


class NotFound(TakebackError):
    exit_code = 10


class Locked(TakebackError):
    exit_code = 11


class WrongKey(TakebackError):
    exit_code = 12


class Integrity(TakebackError):
    exit_code = 13


class Conflict(TakebackError):
    exit_code = 14


class Unavailable(TakebackError):
    exit_code = 15


class OutOfTime(TakebackError):
    exit_code = 1


class Cancelled(TakebackError):
    exit_code = 130
