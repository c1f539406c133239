"""Permission tests that mean something when the suite runs as root.

Root reads a file of mode 0000. A process without capabilities does not, although it still owns its files: it sees
permissions as any person sees them on files of their own. So these run the test's work in a child that gave them up.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import subprocess
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pytest

T = TypeVar("T")

_PR_CAPBSET_DROP = 24
_CAPABILITY_VERSION_3 = 0x20080522
_LAST_CAPABILITY = 63


def as_ordinary_user(work: Callable[..., T], *arguments: Any) -> T:
    """What ``work(*arguments)`` returns or raises in a forked child that has no privileges; results are pickled."""
    _skip_if_impossible()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        _run_and_report(write, work, arguments)
    os.close(write)
    with open(read, "rb") as stream:
        answer = stream.read()
    _, status = os.waitpid(child, 0)
    assert answer, f"the child died: wait status {status}"
    ok, value = pickle.loads(answer)
    if not ok:
        raise value
    return value  # type: ignore[no-any-return]


def run_as_ordinary_user(command: Sequence[str | bytes], **options: Any) -> subprocess.CompletedProcess[bytes]:
    """`subprocess.run` with output captured, for a command that has no privileges."""
    _skip_if_impossible()
    return subprocess.run(command, capture_output=True, preexec_fn=drop_privileges, **options)


def drop_privileges() -> None:
    """Give up every capability of this process, for good and for whatever it executes. Nothing to do if not root."""
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in range(_LAST_CAPABILITY + 1):
        if libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break  # past the last one that this kernel knows
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    nothing = (ctypes.c_uint32 * 6)()
    if libc.capset(header, nothing) != 0:
        raise OSError(ctypes.get_errno(), "capset")


def _skip_if_impossible() -> None:
    if os.geteuid() == 0 and not sys.platform.startswith("linux"):
        pytest.skip("root cannot give up its privileges here; run the tests as an ordinary user")


def _run_and_report(write: int, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """In the child: never returns."""
    try:
        drop_privileges()
        try:
            answer = (True, work(*arguments))
        except Exception as error:
            error.add_note("".join(traceback.format_exception(error)))
            answer = (False, error)
        with open(write, "wb") as stream:
            pickle.dump(answer, stream)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)
