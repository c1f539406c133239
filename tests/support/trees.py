"""Directory trees as values: write one from a dict, read all of one back, compare with ``==``."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

StrPath = str | bytes | os.PathLike[str]


@dataclass(frozen=True)
class File:
    """A file with a mode; plain text or bytes in `make_tree` mean mode 0644."""

    data: bytes | str = b""
    mode: int = 0o644


@dataclass(frozen=True)
class Dir:
    """A directory, empty unless other paths lead into it."""

    mode: int = 0o755


@dataclass(frozen=True)
class Link:
    """A symbolic link."""

    target: str | bytes


Spec = str | bytes | File | Dir | Link


class Node(NamedTuple):
    """What `read_tree` found at one path: ``data`` is a file's bytes or a link's target."""

    kind: str
    mode: int
    data: bytes


Tree = dict[bytes, Node]


def remove(directory: os.PathLike[str]) -> None:
    """Remove a directory with all that is in it, also what nobody may write to."""
    for at, names, _ in os.walk(directory):
        for name in names:
            path = os.path.join(at, name)
            if not os.path.islink(path):
                os.chmod(path, 0o700)
    shutil.rmtree(directory)


def make_tree(root: StrPath, tree: Mapping[str, Spec] | Mapping[bytes, Spec]) -> None:
    """Write ``tree`` under ``root``, over what is there; parents are made as needed.

    Keys are relative paths; ``{"a.txt": "text", "run.sh": File("…", 0o755), "empty": Dir(), "link": Link("a.txt")}``.
    """
    top = os.fsencode(root)
    os.makedirs(top, exist_ok=True)
    modes: dict[bytes, int] = {}
    for name, spec in tree.items():
        path = os.path.join(top, os.fsencode(name))
        if isinstance(spec, Dir):
            os.makedirs(path, exist_ok=True)
            modes[path] = spec.mode
            continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if isinstance(spec, Link):
            if os.path.lexists(path):
                os.unlink(path)
            os.symlink(os.fsencode(spec.target), path)
            continue
        file = spec if isinstance(spec, File) else File(spec)
        data = file.data.encode() if isinstance(file.data, str) else file.data
        with open(path, "wb") as stream:
            stream.write(data)
        os.chmod(path, file.mode)
    # Deepest first, and last of all: a directory may forbid writing into it.
    for path in sorted(modes, reverse=True):
        os.chmod(path, modes[path])


def read_tree(root: StrPath, *, skip: tuple[bytes, ...] = (b".git",)) -> Tree:
    """Everything under ``root`` by relative path, names as bytes; directories too, the root itself not.

    ``skip`` names entries that are left out wherever they stand.
    """
    top = os.fsencode(root)
    found: Tree = {}
    todo = [b""]
    while todo:
        at = todo.pop()
        with os.scandir(os.path.join(top, at) if at else top) as entries:
            for entry in entries:
                if entry.name in skip:
                    continue
                relative = os.path.join(at, entry.name)
                node = found[relative] = read_node(entry.path)
                if node.kind == "dir":
                    todo.append(relative)
    return dict(sorted(found.items()))


def read_node(path: StrPath) -> Node:
    """One path, links not followed."""
    status = os.lstat(path)
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISLNK(status.st_mode):
        return Node("link", 0, os.readlink(os.fsencode(path)))
    if stat.S_ISDIR(status.st_mode):
        return Node("dir", mode, b"")
    if stat.S_ISREG(status.st_mode):
        with open(path, "rb") as stream:
            return Node("file", mode, stream.read())
    return Node("special", mode, b"")
