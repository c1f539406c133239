"""Which paths of a workspace count: what a walk over it would capture, asked path by path, without a walk.

A file that is captured although it is ignored by now does not count here; only a snapshot tells of such.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from takeback.model.tree import name_bytes
from takeback.sources.workspace.git.config import TEXT_LIMIT, read_file
from takeback.sources.workspace.ignore import Patterns, Rules, root_rules
from takeback.sources.workspace.names import is_store


class Counted:
    """The rules of a workspace's directories, each read when it is first asked for, until they are forgotten."""

    def __init__(self, root: str, patterns: Patterns) -> None:
        self._root, self._patterns = root, patterns
        self._rules: dict[str, Rules] = {}

    def forget(self) -> None:
        """From now on the rules may be others."""
        self._rules.clear()

    def counts(self, path: str, is_directory: bool) -> bool:
        """Whether a change at a path is one that a save may see."""
        above, _, name = path.rpartition("/")
        rules = self._rules_of(above)
        return rules is not None and _wanted(rules, name, is_directory)

    def _rules_of(self, path: str) -> Rules | None:
        """The rules inside a directory; None if nothing in it counts."""
        if path in self._rules:
            return self._rules[path]
        if not path:
            rules = root_rules(self._root, self._patterns)
        else:
            above, _, name = path.rpartition("/")
            outer = self._rules_of(above)
            if outer is None or not _wanted(outer, name, True):
                return None
            try:
                names = os.listdir(full(self._root, path))
            except OSError:
                names = []
            ignored = outer.ignored(name, True)
            rules = outer.enter(name, lambda file: self._text(path, file), names, ignored=ignored)
        self._rules[path] = rules
        return rules

    def below(self, path: str) -> Iterator[str]:
        """A directory and all below it that count."""
        waiting = [path]
        while waiting:
            path = waiting.pop()
            rules = self._rules_of(path)
            try:
                with os.scandir(full(self._root, path)) as entries:
                    found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
            except OSError:
                continue
            if rules is None or is_store([name for name, _ in found]):
                continue
            yield path
            waiting += [
                f"{path}/{name}" if path else name for name, is_dir in found if is_dir and _wanted(rules, name, True)
            ]

    def _text(self, directory: str, name: str) -> bytes | None:
        return read_file(os.path.join(full(self._root, directory), name), TEXT_LIMIT, os.O_NOFOLLOW)


def full(root: str, path: str) -> str:
    """A path of a workspace for the system."""
    return os.fsdecode(name_bytes(f"{root}/{path}" if path else root))


def _wanted(rules: Rules, name: str, is_directory: bool) -> bool:
    return not rules.ignored(name, is_directory) or (is_directory and rules.must_descend(name))
