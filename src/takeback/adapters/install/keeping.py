"""Files with secrets and local settings, such as .env: ignored, hence in no snapshot, unless their owner wants them to be.

An agent that breaks one costs the person more than any tracked file. Whether they are kept is the user's own choice for
all projects, so it goes to the user's own configuration, and stays there when an agent's hooks go.
"""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from itertools import islice
from typing import NamedTuple

from takeback.adapters.install import files
from takeback.adapters.install.formats import tomllist
from takeback.adapters.install.owned import Change
from takeback.adapters.install.planning import naming
from takeback.model.tree import name_text
from takeback.sources.workspace.counted import Counted, full
from takeback.sources.workspace.ignore import Patterns

PATTERNS = (".env", ".env.*", ".envrc", "*.local")
_MOST_DIRECTORIES = 2000
"""A project that has more is looked at in part: this is an offer, not a promise."""


class Unkept(NamedTuple):
    """Files that no snapshot holds because they are ignored, and the patterns that would keep them."""

    paths: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()


def unkept(root: str, include: tuple[str, ...], exclude: tuple[str, ...]) -> Unkept:
    """The .env-like files of a project that are ignored; those inside of ignored directories do not count."""
    counted = Counted(root, Patterns(include, exclude))
    paths = []
    for directory in islice(counted.below(""), _MOST_DIRECTORIES):
        for name in _files_like_env(full(root, directory)):
            path = f"{directory}/{name}" if directory else name
            if not counted.counts(path, False):
                paths.append(path)
    wanted = tuple(each for each in PATTERNS if any(fnmatchcase(os.path.basename(path), each) for path in paths))
    return Unkept(tuple(sorted(paths)), wanted)


def plan_keep(config: str, patterns: tuple[str, ...]) -> tuple[Change, ...]:
    """Add patterns to ``include`` in the user's own configuration; no change if they are there."""
    file = files.read(config)
    with naming(config):
        after = tomllist.extend(files.text_of(file), "include", patterns).encode()
    if after == (file.data or b""):
        return ()
    files.check_writable(file)
    return (Change(file, after),)


def _files_like_env(directory: str) -> list[str]:
    try:
        with os.scandir(directory) as found:
            files = [name_text(os.fsencode(each.name)) for each in found if each.is_file(follow_symlinks=False)]
    except OSError:
        return []
    return [name for name in files if any(fnmatchcase(name, pattern) for pattern in PATTERNS)]
