"""Sessions of an agent in a project of which its hook was never told, although it was installed before they began.

Agents keep each session in a file of its own, whose first lines say when and where it began. What cannot be read is
passed over: this only says where to look, and is never sure.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from takeback.store import hooked

_HEAD = 64 << 10
_NEWEST = 20
"""Files that are looked at, the newest ones."""


class Session(NamedTuple):
    id: str
    began_ns: int


def unheard(directory: str, agent: str, home: str, root: str, since_ns: int) -> Session | None:
    """The newest session in ``root`` that began after ``since_ns`` and that is not known in the store's ``directory``."""
    sessions = _KEPT[agent](home, root) if agent in _KEPT else iter(())
    found = [each for each in sessions if each.began_ns > since_ns and hooked.recall(directory, agent, each.id) is None]
    return max(found, key=lambda each: each.began_ns, default=None)


def _of_claude_code(home: str, root: str) -> Iterator[Session]:
    """``projects/<the path, with dashes>/<session>.jsonl``, with a ``timestamp`` in most lines."""
    folder = os.path.join(home, "projects", re.sub(r"[^A-Za-z0-9]", "-", root))
    for path in _newest(folder, deep=False):
        for line in _lines(path):
            if line.get("cwd") == root and (began := _time(line.get("timestamp"))):
                yield Session(os.path.basename(path).removesuffix(".jsonl"), began)
                break


def _of_codex(home: str, root: str) -> Iterator[Session]:
    """``sessions/<year>/<month>/<day>/rollout-….jsonl``, whose first line is about the session."""
    for path in _newest(os.path.join(home, "sessions"), deep=True):
        about = next(_lines(path), {}).get("payload")
        if isinstance(about, dict) and about.get("cwd") == root and (began := _time(about.get("timestamp"))):
            yield Session(str(about.get("id")), began)


_KEPT: Mapping[str, Callable[[str, str], Iterator[Session]]] = {"claude-code": _of_claude_code, "codex": _of_codex}


def _newest(folder: str, *, deep: bool) -> list[str]:
    found: list[tuple[int, str]] = []
    for directory, inner, names in os.walk(folder):
        for name in names:
            path = os.path.join(directory, name)
            try:
                if name.endswith(".jsonl"):
                    found.append((os.stat(path).st_mtime_ns, path))
            except OSError:
                continue
        if not deep:
            inner.clear()
    return [path for _, path in sorted(found, reverse=True)[:_NEWEST]]


def _lines(path: str) -> Iterator[dict[str, Any]]:
    """The objects in a file's beginning."""
    try:
        with open(path, "rb") as file:
            for line in file.read(_HEAD).splitlines():
                value = json.loads(line)
                if isinstance(value, dict):
                    yield value
    except (OSError, ValueError, RecursionError):
        return


def _time(text: Any) -> int:
    try:
        return int(datetime.fromisoformat(str(text)).timestamp() * 1e9)
    except (ValueError, OverflowError):
        return 0
