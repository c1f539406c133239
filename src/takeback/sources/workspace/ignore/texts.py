"""The texts that decide what is ignored: where each was found, and what came from the caller's settings."""

from __future__ import annotations

from typing import NamedTuple

from takeback.model.tree import name_bytes

DEFAULTS, GIT_GLOBAL, GIT_EXCLUDE, GIT_IGNORE, TAKEBACK_IGNORE = "01234"
"""Kinds of texts, weakest first. Part of the format of a rules record: never reused."""

KINDS = (DEFAULTS, GIT_GLOBAL, GIT_EXCLUDE, GIT_IGNORE, TAKEBACK_IGNORE)

RULE_FILES = {".gitignore": GIT_IGNORE, ".takebackignore": TAKEBACK_IGNORE}
"""Files that hold rules, wherever they stand."""

ALWAYS_CAPTURED = frozenset({*RULE_FILES, "takeback.toml"})
"""Files that decide what is captured. They are captured whatever the rules say, so that undo takes back a change of them."""

DEFAULT_EXCLUDES = (
    "node_modules/",
    "bower_components/",
    ".venv/",
    "venv/",
    "__pycache__/",
    "__pypackages__/",
    ".tox/",
    ".nox/",
    ".eggs/",
    ".mypy_cache/",
    ".pytest_cache/",
    ".ruff_cache/",
    ".hypothesis/",
    ".ipynb_checkpoints/",
    ".cache/",
    ".npm/",
    ".pnpm-store/",
    ".parcel-cache/",
    ".turbo/",
    ".next/",
    ".nuxt/",
    ".svelte-kit/",
    ".angular/",
    ".gradle/",
    ".terraform/",
    ".dart_tool/",
)
"""Outside git: directories that a tool makes and can make again. Names that a person may give to work of their own
(``build``, ``dist``, ``out``, ``target``, ``vendor``, ``env``, ``tmp``) are not among them, however heavy they may be."""

HEAVY = frozenset(each.rstrip("/") for each in DEFAULT_EXCLUDES)
"""Names of directories in which any rule counts at once, whoever wrote it (`takeback.sources.workspace.ignore.judged`)."""


class Patterns(NamedTuple):
    """The caller's own patterns, in gitignore's syntax, from the root."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


class Text(NamedTuple):
    """A text that holds for everything below ``directory``: empty, or a path from the top level that ends with a slash.

    In order, a stronger text comes after a weaker one for each path that both hold for.
    """

    directory: str
    kind: str
    data: bytes


def as_text(patterns: tuple[str, ...]) -> bytes:
    """Patterns as the text of a file that holds them."""
    return b"".join(name_bytes(each) + b"\n" for each in patterns)
