"""Operations on a directory, as editors and commands do them. One that is impossible where it stands does nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

LIMIT = 4096
"""Larger files are not captured: the setting ``max_file_size`` of the worlds here."""

RULES = {
    "exclude": 'exclude = ["**"]\n',
    "stop": "snapshots = false\n",
    "hurry": 'time_budget = "1ms"\n',
}
"""What an agent may write into takeback.toml to hide what it does."""


def write(root: Path, path: str, line: str) -> bool:
    """Put one line in the place of all that a file holds."""
    return _put(root / path, f"{line}\n".encode()) if _is_file_or_free(root, path) else False


def append(root: Path, path: str, line: str) -> bool:
    return _put(root / path, _read(root / path) + f"{line}\n".encode()) if _is_file_or_free(root, path) else False


def insert(root: Path, path: str, line: str) -> bool:
    return _put(root / path, f"{line}\n".encode() + _read(root / path)) if _is_file_or_free(root, path) else False


def swap(root: Path, path: str, line: str) -> bool:
    """Add a line in the middle, and put a new file in the place of the old one, as many editors save."""
    if not _is_file_or_free(root, path):
        return False
    lines = _read(root / path).splitlines(keepends=True)
    lines.insert(len(lines) // 2, f"{line}\n".encode())
    beside = root / path
    beside = beside.with_name(f".{beside.name}.new")
    _put(beside, b"".join(lines))
    beside.replace(root / path)
    return True


def cut(root: Path, path: str, line: str) -> bool:
    """Remove a file's first line."""
    if not _is_file(root / path):
        return False
    lines = _read(root / path).splitlines(keepends=True)
    return bool(lines) and _put(root / path, b"".join(lines[1:]))


def fill(root: Path, path: str, line: str) -> bool:
    """Write a file that is too large to be captured."""
    data = f"{line}\n".encode() + b"-" * LIMIT + b"\n"
    return _put(root / path, data) if _is_file_or_free(root, path) else False


def delete(root: Path, path: str, line: str) -> bool:
    target = root / path
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    elif os.path.lexists(target):
        target.unlink()
    else:
        return False
    return True


def move(root: Path, old: str, new: str, line: str) -> bool:
    """Rename a file, a link or a directory; a file takes the place of another one."""
    source, target = root / old, root / new
    if not os.path.lexists(source) or not _has_room(root, new) or _is_inside(new, old) or _is_inside(old, new):
        return False
    if _is_directory(target) or (_is_directory(source) and os.path.lexists(target)):
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    source.replace(target)
    return True


def copy(root: Path, old: str, new: str, line: str) -> bool:
    if not _is_file(root / old) or not _is_file_or_free(root, new) or old == new:
        return False
    (root / new).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(root / old, root / new)
    return True


def link(root: Path, path: str, line: str) -> bool:
    """Make a symbolic link, or lead the one that stands there elsewhere."""
    target = root / path
    if not _has_room(root, path) or (os.path.lexists(target) and not target.is_symlink()):
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    target.symlink_to(line)
    return True


def mode(root: Path, path: str, line: str) -> bool:
    """Make a file executable, or an executable one not."""
    target = root / path
    if not _is_file(target):
        return False
    target.chmod(0o644 if target.stat().st_mode & 0o100 else 0o755)
    return True


def mkdir(root: Path, path: str, line: str) -> bool:
    target = root / path
    if not _has_room(root, path) or os.path.lexists(target):
        return False
    target.mkdir(parents=True)
    return True


def replace(root: Path, path: str, line: str, old: str, new: str) -> bool:
    """Put one text in the place of another, as an editing tool does; nothing if the old one is not there."""
    if not _is_file(root / path) or old.encode() not in (data := _read(root / path)):
        return False
    return _put(root / path, data.replace(old.encode(), new.encode(), 1))


def ignore(root: Path, pattern: str, line: str) -> bool:
    return _put(root / ".gitignore", _read(root / ".gitignore") + f"{pattern}\n".encode())


def rules(root: Path, kind: str, line: str) -> bool:
    return _put(root / "takeback.toml", RULES[kind].encode())


OPERATIONS: dict[str, tuple[int, Callable[..., bool]]] = {
    "write": (1, write),
    "append": (1, append),
    "insert": (1, insert),
    "swap": (1, swap),
    "cut": (1, cut),
    "fill": (1, fill),
    "delete": (1, delete),
    "move": (2, move),
    "copy": (2, copy),
    "link": (1, link),
    "mode": (1, mode),
    "mkdir": (1, mkdir),
    "ignore": (1, ignore),
    "rules": (1, rules),
}
"""How many words each takes, and what it does with them and a line that nobody wrote before."""


def perform(root: Path, verb: str, words: Sequence[str], line: str) -> bool:
    """Do it; whether it was possible."""
    return OPERATIONS[verb][1](root, *words, line)


def _put(target: Path, data: bytes) -> bool:
    target.parent.mkdir(parents=True, exist_ok=True)
    is_new = not target.exists()
    target.write_bytes(data)
    if is_new:
        target.chmod(0o644)
    return True


def _read(target: Path) -> bytes:
    return target.read_bytes() if _is_file(target) else b""


def _is_file(target: Path) -> bool:
    return target.is_file() and not target.is_symlink()


def _is_directory(target: Path) -> bool:
    return target.is_dir() and not target.is_symlink()


def _is_file_or_free(root: Path, path: str) -> bool:
    return _is_file(root / path) or (not os.path.lexists(root / path) and _has_room(root, path))


def _has_room(root: Path, path: str) -> bool:
    """Whether all that stands above a path is directories."""
    above = [root / each for each in Path(path).parents]
    return not any(os.path.lexists(each) and not _is_directory(each) for each in above)


def _is_inside(path: str, directory: str) -> bool:
    return path == directory or path.startswith(f"{directory}/")
