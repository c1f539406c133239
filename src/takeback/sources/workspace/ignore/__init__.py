"""Which paths a workspace leaves out.

For each entry, in this order: ``.git`` and our staging directories are always left out; files that hold rules, and
``takeback.toml``, are always kept where rules count; the caller's ``include`` patterns win; what git tracks is kept; then the caller's ``exclude``; then ``.takebackignore`` files, deepest first; then
git's own rules exactly as git applies them: ``.gitignore`` files, deepest first, ``info/exclude``, the user's global
excludes. Outside git `DEFAULT_EXCLUDES` stand in their place. What lies below an ignored directory stays ignored, unless
it is tracked or an include pattern names the way to it: ``.env`` does not reach into ignored directories,
``vendor/.env`` does. A directory that is included is included with all that is in it.

Where git has no answer: a nested repository's rules come before those of the one around it, which still hold; and a
root that its own repository ignores is treated as if it were outside git. Like git since 2.32, a ``.gitignore`` that is
a link is not read. `takeback.sources.workspace.git.config` says what is not read of git's configuration.

Rules cost little where there is nothing to decide: texts are compiled for the first new name, and the index is read
only when a pattern matches a new name, or when the index changed since the last walk.
"""

from __future__ import annotations

import os

from takeback.model.tree import name_text
from takeback.sources.workspace import git
from takeback.sources.workspace.git.config import TEXT_LIMIT, read_file
from takeback.sources.workspace.ignore.record import RulesRecord
from takeback.sources.workspace.ignore.rules import Rules, Walk, repository_texts
from takeback.sources.workspace.ignore.texts import (
    ALWAYS_CAPTURED,
    DEFAULT_EXCLUDES,
    DEFAULTS,
    GIT_IGNORE,
    RULE_FILES,
    TAKEBACK_IGNORE,
    Patterns,
    Text,
    as_text,
)
from takeback.sources.workspace.ignore.tracking import TrackedCache

__all__ = [
    "ALWAYS_CAPTURED",
    "DEFAULT_EXCLUDES",
    "RULE_FILES",
    "Patterns",
    "Rules",
    "RulesRecord",
    "TrackedCache",
    "root_rules",
]


def root_rules(root: str, patterns: Patterns, *, tracked_cache: TrackedCache | None = None) -> Rules:
    """The rules of a workspace's root directory. ``tracked_cache`` saves reading git's index again."""
    root = os.path.realpath(root)
    repository = git.find(root)
    above = _texts_above(root, repository) if repository else None
    if repository is None or above is None:
        rules = Walk(root, "", patterns, False, tracked_cache).start()
        rules.add([Text("", DEFAULTS, as_text(DEFAULT_EXCLUDES)), *_rule_file(root, "", GIT_IGNORE)])
    else:
        prefix = _prefix(root, repository)
        rules = Walk(root, prefix, patterns, repository.settings.ignore_case, tracked_cache).start()
        rules.add([*above, *_rule_file(root, prefix, GIT_IGNORE)])
        rules.track(repository, 0)
    rules.add(_rule_file(root, rules.walk.prefix, TAKEBACK_IGNORE))
    return rules


def _texts_above(root: str, repository: git.Repository) -> list[Text] | None:
    """What the repository says about the root from further up; None if it is that the root is ignored."""
    probe = Walk(repository.top_level, "", Patterns(), repository.settings.ignore_case).start()
    probe.add(repository_texts("", repository))
    for name in _prefix(root, repository).split("/")[:-1]:
        here = probe.path
        probe.add(_rule_file(os.path.join(repository.top_level, here), here, GIT_IGNORE))
        if probe.matched(name, True):
            return None
        probe = probe.below(name, (), None, ignored=False)
    return sorted(RulesRecord.of(probe).texts)


def _prefix(root: str, repository: git.Repository) -> str:
    inside = os.path.relpath(root, repository.top_level)
    return "" if inside == "." else name_text(os.fsencode(inside)) + "/"


def _rule_file(directory: str, path: str, kind: str) -> list[Text]:
    name = ".gitignore" if kind == GIT_IGNORE else ".takebackignore"
    data = read_file(os.path.join(directory, name), TEXT_LIMIT, os.O_NOFOLLOW)
    return [Text(path, kind, data)] if data else []
