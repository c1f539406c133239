"""The rules of one directory on a walk: what of its entries is left out. See `takeback.sources.workspace.ignore`."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Sequence

from blake3 import blake3

from takeback.model.tree import name_bytes
from takeback.sources.workspace import git
from takeback.sources.workspace.ignore.includes import Includes
from takeback.sources.workspace.ignore.patterns import Matcher, matcher
from takeback.sources.workspace.ignore.texts import (
    ALWAYS_CAPTURED,
    GIT_EXCLUDE,
    GIT_GLOBAL,
    HEAVY,
    RULE_FILES,
    TAKEBACK_IGNORE,
    Patterns,
    Text,
    as_text,
)
from takeback.sources.workspace.ignore.tracking import TrackedCache, Tracking
from takeback.sources.workspace.names import never_captured

Read = Callable[[str], bytes | None]

_VERSION = 2
"""Another number whenever the same texts decide otherwise, so that nobody relies on what was decided before."""


class Walk:
    """What all rules of one walk share. Paths are from the top level; the root's own is ``prefix``."""

    def __init__(
        self, root: str, prefix: str, patterns: Patterns, ignore_case: bool, cache: TrackedCache | None = None
    ) -> None:
        self.root = root
        self.prefix = prefix
        self.patterns = patterns
        self.ignore_case = ignore_case
        self.cache = TrackedCache() if cache is None else cache
        self.includes = Includes(patterns.include, ignore_case) if patterns.include else None
        self.exclude = _Level(len(prefix), as_text(patterns.exclude), ignore_case) if patterns.exclude else None
        self.texts: dict[tuple[str, str], bytes] = {}
        self.fingerprints: dict[tuple[bytes, bool, bool], bytes] = {}

    def start(self) -> Rules:
        """The root's rules, before any text or repository is added."""
        seed = repr((_VERSION, self.prefix, self.patterns, self.ignore_case)).encode("ascii", "backslashreplace")
        return Rules(self, self.prefix, blake3(seed).digest())


class _Level:
    """One text, for what lies below the directory whose path has ``start`` characters; compiled when it is needed."""

    __slots__ = ("_ignore_case", "_matcher", "_start", "_text")

    def __init__(self, start: int, text: bytes, ignore_case: bool) -> None:
        self._start = start
        self._text = text
        self._ignore_case = ignore_case
        self._matcher: Matcher | None = None

    def decide(self, path: str, name: str, is_dir: bool) -> bool | None:
        if self._matcher is None:
            self._matcher = matcher(self._text, self._ignore_case)
        return self._matcher.decide(path[self._start :], name, is_dir)


class Rules:
    """What decides about the entries of one directory."""

    __slots__ = (
        "_git",
        "_included",
        "_otherwise",
        "_own",
        "_tracking",
        "consulted",
        "heavy",
        "ignored_itself",
        "path",
        "texts",
        "walk",
    )

    def __init__(self, walk: Walk, path: str, texts: bytes) -> None:
        self.walk = walk
        self.path = path
        """From the top level; empty, or with a slash at the end."""
        self._own: tuple[_Level, ...] = ()
        self._git: tuple[_Level, ...] = ()
        self._tracking: tuple[Tracking, ...] = ()
        self._included = False
        self._otherwise = False
        """Only the caller's include patterns keep this directory from being ignored."""
        self.ignored_itself = False
        """The directory is itself ignored, and walked only for what is tracked, included or was captured before."""
        self.heavy = False
        """The directory, or one above it inside the root, is one that a tool makes and can make again."""
        self.texts = texts
        """Digest of all texts and patterns that decide here, without what git tracks."""
        self.consulted = False
        """Whether any answer given here so far depends on what git tracks."""

    @property
    def fingerprint(self) -> bytes:
        """Digest of all that decides here: as long as it is the same for a directory, so are all decisions."""
        key = (self.texts, self.ignored_itself, self._included)
        known = self.walk.fingerprints.get(key)
        if known is None:
            pieces = [each.digest() for each in self._tracking]
            known = blake3(b"".join([*pieces, self.texts, bytes(key[1:])])).digest()
            self.walk.fingerprints[key] = known
        return known

    def enter(self, name: str, read: Read, names: Container[str], *, ignored: bool) -> Rules:
        """The rules inside the directory ``name``, whose entries have ``names``; ``read`` gives a rule file's bytes.

        ``read`` should not follow links. Rule files and repositories in an ignored directory do not count.
        """
        if ignored or not (".gitignore" in names or ".git" in names or ".takebackignore" in names):
            return self.below(name, (), None, ignored=ignored)
        path = f"{self.path}{name}/"
        repository = git.at(self._place(path)) if ".git" in names else None
        texts = repository_texts(path, repository) if repository else []
        for file, kind in RULE_FILES.items():
            if file in names and (data := read(file)):
                texts.append(Text(path, kind, data))
        return self.below(name, texts, repository, ignored=ignored)

    def below(self, name: str, texts: Sequence[Text], repository: git.Repository | None, *, ignored: bool) -> Rules:
        """The rules inside the directory ``name``, in which these texts and this repository stand."""
        child = Rules(self.walk, f"{self.path}{name}/", self.texts)
        child._own, child._git, child._tracking = self._own, self._git, self._tracking
        child.ignored_itself = ignored
        child.heavy = self.heavy or name in HEAVY
        if self.walk.includes is not None:
            child._included = self._includes(self.walk.includes, name, True)
            child._otherwise = child._included and (self.ignored_itself or self._otherwise or self.matched(name, True))
        if texts or repository:
            child.add(texts)
        if repository:
            child.track(repository, len(child.path))
        return child

    def add(self, texts: Sequence[Text]) -> None:
        """Let texts decide before all that are known here so far; the last of them first."""
        walk = self.walk
        pieces = [self.texts]
        for text in texts:
            walk.texts[text.directory, text.kind] = text.data
            level = (_Level(len(text.directory), text.data, walk.ignore_case),)
            if text.kind == TAKEBACK_IGNORE:
                self._own = level + self._own
            else:
                self._git = level + self._git
            pieces += (blake3(name_bytes(text.directory)).digest(), text.kind.encode(), blake3(text.data).digest())
        self.texts = blake3(b"".join(pieces)).digest()

    def track(self, repository: git.Repository, start: int) -> None:
        """Keep what this repository tracks; ``start`` is the length of the path of its top level."""
        self._tracking += (Tracking(repository, start, self.walk.cache),)
        self.texts = blake3(self.texts + b"repository").digest()

    def ignored(self, name: str, is_dir: bool) -> bool:
        """Whether the entry ``name`` is left out."""
        if never_captured(name):
            return True
        if name in ALWAYS_CAPTURED and not (is_dir or self.ignored_itself or self.heavy):
            return False
        includes = self.walk.includes
        if includes is not None and self._includes(includes, name, is_dir):
            return False
        if not (self.ignored_itself or self._otherwise or self.matched(name, is_dir)):
            return False
        self.consulted = True
        path = self.path + name
        return not any(each.holds(path) for each in self._tracking)

    def must_descend(self, name: str) -> bool:
        """Whether something in the ignored directory ``name`` may be kept all the same."""
        if never_captured(name):
            return False
        walk, path = self.walk, self.path + name
        if walk.includes is not None and walk.includes.may_reach_below(path[len(walk.prefix) :]):
            return True
        self.consulted = True
        return any(each.holds_below(path) for each in self._tracking)

    def matched(self, name: str, is_dir: bool) -> bool:
        """Whether the patterns alone say that the entry ``name`` is left out."""
        path, exclude = self.path + name, self.walk.exclude
        if exclude is not None and (found := exclude.decide(path, name, is_dir)) is not None:
            return found
        for levels in (self._own, self._git):
            for level in levels:
                if (found := level.decide(path, name, is_dir)) is not None:
                    return found
        return False

    def _includes(self, includes: Includes, name: str, is_dir: bool) -> bool:
        path = (self.path + name)[len(self.walk.prefix) :]
        found = includes.decide(path, name, is_dir, in_ignored=self.ignored_itself)
        return self._included if found is None else found

    def _place(self, path: str) -> str:
        return os.path.join(self.walk.root, path[len(self.walk.prefix) :])


def repository_texts(directory: str, repository: git.Repository) -> list[Text]:
    """What a repository and the user say about everything in it, weakest first."""
    texts = [
        Text(directory, GIT_GLOBAL, git.global_excludes_text(repository)),
        Text(directory, GIT_EXCLUDE, repository.exclude_text()),
    ]
    return [text for text in texts if text.data]
