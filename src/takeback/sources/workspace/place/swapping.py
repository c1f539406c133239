"""Two names exchanged in one step, so that what stood in a place can be looked at after it has left it.

Between a last look at a file and a rename over it somebody may write there, and what they wrote would be nowhere. An
exchange loses nothing: what comes out is checked, and put back if it is not what was expected.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from functools import cache

_EXCHANGE = 2
"""RENAME_EXCHANGE of Linux, and RENAME_SWAP of macOS."""

_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP)


def exchange(directory: int, name: bytes, other_directory: int, other_name: bytes) -> bool:
    """Exchange two entries that exist; False if the system or the filesystem cannot."""
    call = _system_call()
    if call is None:
        return False
    number = call(directory, name, other_directory, other_name)
    if number in _UNSUPPORTED:
        return False
    if number:
        raise OSError(number, os.strerror(number))
    return True


@cache
def _system_call() -> Callable[[int, bytes, int, bytes], int] | None:
    """The call that exchanges, which gives the number of its error; None if the system has none."""
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    function = getattr(library, "renameatx_np" if sys.platform == "darwin" else "renameat2", None)
    if function is None:
        return None
    function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)

    def call(directory: int, name: bytes, other_directory: int, other_name: bytes) -> int:
        failed = function(directory, name, other_directory, other_name, _EXCHANGE)
        return ctypes.get_errno() if failed else 0

    return call
