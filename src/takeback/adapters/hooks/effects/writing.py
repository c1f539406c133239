"""Which files outside the root a command writes, moves or removes: they are in no snapshot.

Only what stands there is seen: a path that begins with ``/``, ``~``, ``$HOME`` or ``..``. What is temporary is left out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Final

WRITERS: Final = {
    # program: which of its words it writes to; the options that take a value
    "rm": ("all", ""),
    "rmdir": ("all", ""),
    "unlink": ("all", ""),
    "mv": ("all", "-t --target-directory -S"),
    "cp": ("last", "-S"),
    "ln": ("last", "-S"),
    "install": ("last", "-m -o -g --mode --owner --group"),
    "rsync": ("last", "-e --rsh --exclude --include --filter -f --files-from --exclude-from"),
    "tee": ("all", ""),
    "touch": ("all", "-d -t -r"),
    "mkdir": ("all", "-m --mode"),
    "truncate": ("all", "-s -r --size"),
    "chmod": ("rest", ""),
    "chown": ("rest", ""),
    "chgrp": ("rest", ""),
    "sed": ("in place", "-e -f --expression --file"),
    "perl": ("in place", "-e"),
    "dd": ("of", ""),
}

_TEMPORARY: Final = ("/dev/", "/proc/", "/tmp/", "/var/tmp/", "/private/tmp/", "/var/folders/")


def writes_outside(program: str, words: Sequence[str], root: str, cwd: str) -> bool:
    """Whether a command writes to a path outside the root; where its output goes aside."""
    return any(is_outside(path, root, cwd) for path in _paths(program, words[1:200]))


def is_outside(path: str, root: str, cwd: str) -> bool:
    """Whether a path, as it is typed, is outside the root and will stay."""
    for home in ("$HOME", "${HOME}"):
        if path == home or path.startswith(f"{home}/"):
            path = f"~{path[len(home) :]}"
    if not path.startswith(("/", "~", "..")) or len(path) > 4096 or "\0" in path:
        return False
    whole = os.path.normpath(os.path.join(cwd or root, os.path.expanduser(path)))
    if whole.startswith(_TEMPORARY) and not path.startswith("~"):
        return False
    return whole != root and not whole.startswith(f"{root.rstrip('/')}/")


def _paths(program: str, words: Sequence[str]) -> Iterator[str]:
    which, valued = WRITERS.get(program, ("", ""))
    if not which or "--help" in words:
        return
    if which == "of":
        yield from (word[3:] for word in words if word.startswith("of="))
        return
    if which == "in place" and not any(word.startswith(("-i", "--in-place", "-pi", "-ni")) for word in words):
        return
    plain = list(_plain(words, valued.split()))
    yield from {"last": plain[-1:], "rest": plain[1:]}.get(which, plain)


def _plain(words: Sequence[str], valued: Sequence[str]) -> Iterator[str]:
    rest = iter(words)
    for word in rest:
        if word in ("-t", "--target-directory"):
            continue  # what follows is where to
        if word in valued:
            next(rest, "")
        elif word == "--":
            yield from rest
        elif not word.startswith("-"):
            yield word
