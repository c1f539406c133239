"""A walk over a directory that asks for decisions as a capture does."""

from __future__ import annotations

import os
from pathlib import Path

from takeback.model.tree import name_text
from takeback.sources.workspace.ignore import Rules


def walk(root: Path, rules: Rules, inside: bytes = b"", *, everywhere: bool = True) -> dict[bytes, bool]:
    """The verdict on each path below a directory; ``everywhere``: also in directories that a capture would skip."""
    found = {}
    top = os.fsencode(root)
    for name in os.listdir(os.path.join(top, inside)):
        path, text = os.path.join(inside, name), name_text(name)
        place = os.path.join(top, path)
        is_dir = os.path.isdir(place) and not os.path.islink(place)
        ignored = found[path] = rules.ignored(text, is_dir)
        if is_dir and name != b".git" and (everywhere or not ignored or rules.must_descend(text)):
            found.update(walk(root, enter(rules, place, ignored), path, everywhere=everywhere))
    return found


def enter(rules: Rules, place: bytes, ignored: bool) -> Rules:
    """The rules inside the directory at ``place``."""
    names = {name_text(each) for each in os.listdir(place)}
    return rules.enter(name_text(os.path.basename(place)), lambda file: _read(place, file), names, ignored=ignored)


def captured(root: Path, rules: Rules) -> set[str]:
    """The files that a capture takes."""
    verdicts = walk(root, rules, everywhere=False)
    return {
        name_text(path)
        for path, ignored in verdicts.items()
        if not ignored and not os.path.isdir(os.path.join(os.fsencode(root), path))
    }


def _read(directory: bytes, name: str) -> bytes | None:
    path = os.path.join(os.fsdecode(directory), name)
    return Path(path).read_bytes() if os.path.isfile(path) and not os.path.islink(path) else None
