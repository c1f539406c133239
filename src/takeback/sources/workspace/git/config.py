"""The few settings of git that decide what git ignores, read from its configuration files.

This is git's own configuration, not ours: to leave out what git leaves out, the files that git reads have to be read,
and they stand under ``$HOME`` and ``$XDG_CONFIG_HOME``. Nothing here configures takeback. Understood are sections,
comments, quotes, escapes, continued lines and plain ``include.path``; ``includeIf`` and ``GIT_CONFIG_*`` are not.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from typing import NamedTuple

from takeback.model.tree import name_bytes

_SECTION = re.compile(r'\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]')
_KEY = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(=?)")
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}
_DEPTH = 5
_TRUE = ("true", "yes", "on", "1", "")
TEXT_LIMIT = 16 << 20
"""Longer text files are taken for broken."""


class Settings(NamedTuple):
    """What takeback wants to know of git's configuration."""

    excludes_file: str | None = None
    ignore_case: bool = False
    sha256: bool = False


def read_file(path: str, limit: int = TEXT_LIMIT, flags: int = 0) -> bytes | None:
    """A regular file's bytes; None if there is none, it cannot be read or is longer than ``limit``. Never waits."""
    try:
        fd = os.open(name_bytes(path), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY | flags)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
            return None
        with open(fd, "rb", closefd=False) as file:
            return file.read(limit)
    except OSError:
        return None
    finally:
        os.close(fd)


def settings(repository: str | None) -> Settings:
    """Git's settings as they hold in the repository with this common directory, or outside any."""
    values: dict[str, str] = {}
    for path in [*_user_files(), *([os.path.join(repository, "config")] if repository else [])]:
        values.update(_values(path, 0))
    return Settings(
        excludes_file=values.get("core.excludesfile"),
        ignore_case=values.get("core.ignorecase", "false").lower() in _TRUE,
        sha256=values.get("extensions.objectformat", "").lower() == "sha256",
    )


def global_excludes_text(found: Settings) -> bytes:
    """The user's global excludes: ``core.excludesFile``, else ``git/ignore`` beside git's configuration."""
    path = os.path.join(_xdg(), "git", "ignore") if found.excludes_file is None else _expand(found.excludes_file)
    return (read_file(path) if path else None) or b""


def _user_files() -> list[str]:
    return ["/etc/gitconfig", os.path.join(_xdg(), "git", "config"), os.path.expanduser("~/.gitconfig")]


def _xdg() -> str:
    # Where git itself looks for its configuration; see above.
    return os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: TID251


def _expand(path: str) -> str:
    return os.path.expanduser(path) if path.startswith("~") else path


def _values(path: str, depth: int) -> dict[str, str]:
    text = read_file(path)
    values: dict[str, str] = {}
    if not text or depth > _DEPTH:
        return values
    for key, value in parse(text.decode("utf-8", "surrogateescape")):
        if key == "include.path":
            values.update(_values(os.path.join(os.path.dirname(path), _expand(value)), depth + 1))
        else:
            values[key] = value
    return values


def parse(text: str) -> Iterator[tuple[str, str]]:
    """``section.key`` (lower case; subsections keep theirs) and value, in order; what is not understood is skipped."""
    section = ""
    lines = iter(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"))
    for raw in lines:
        line = raw.lstrip()
        header = _SECTION.match(line)
        if header:
            section = header[1].lower() + (f".{header[2]}" if header[2] is not None else "")
            line = line[header.end() :].lstrip()
        found = _KEY.match(line)
        if found and section:
            value = _value(line[found.end() :], lines) if found[2] else ""
            yield f"{section}.{found[1].lower()}", value


def _value(line: str, lines: Iterator[str]) -> str:
    """The value at the start of ``line``, which may go on in the lines after it."""
    out: list[str] = []
    quoted, kept, at = False, 0, 0
    line = line.lstrip()
    while at < len(line):
        char = line[at]
        at += 1
        if char == "\\":
            if at == len(line):
                line, at = next(lines, ""), 0
                continue
            out.append(_ESCAPES.get(line[at], line[at]))
            at += 1
            kept = len(out)
        elif char == '"':
            quoted = not quoted
            kept = len(out)
        elif char in "#;" and not quoted:
            break
        else:
            out.append(char)
            if quoted or not char.isspace():
                kept = len(out)
    return "".join(out[:kept])
