"""What is read of the world around a workspace: ignore files, git's index and configuration, settings, the stat cache."""

from __future__ import annotations

import os
import tempfile
import tomllib

from takeback.locate.layers import sound_settings
from takeback.locate.settings import checked
from takeback.sources.workspace.git import Head, Repository
from takeback.sources.workspace.git import config as gitconfig
from takeback.sources.workspace.git.happened import Span, happened
from takeback.sources.workspace.git.index import read_index
from takeback.sources.workspace.ignore.patterns import matcher
from takeback.sources.workspace.ignore.tracking import TrackedCache
from takeback.sources.workspace.statcache import Section, decode_cache, encode_cache, encode_section

_NAMES = ("a", "a.log", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", ".env", "d e", "\udcff", "x/" * 20 + "y")
_PLACE = tempfile.mkdtemp(prefix="takeback-fuzz-")
_LONGEST = 1 << 14


def ignore(data: bytes) -> None:
    """Each text decides about some names, in a time that a fuzzer does not find long."""
    for fold in (False, True):
        found = matcher.__wrapped__(data[:_LONGEST], fold)
        for path in _NAMES:
            found.decide(path, path.rpartition("/")[2], False)
            found.decide(path, path.rpartition("/")[2], True)


def git_index(data: bytes) -> None:
    with open(os.path.join(_PLACE, "index"), "wb") as file:
        file.write(data)
    for sha256 in (False, True):
        tracked = read_index(_PLACE, sha256)
        assert list(tracked.paths) == sorted(tracked.paths)
        tracked.holds_below(b"a")


def git_log(data: bytes) -> None:
    os.makedirs(os.path.join(_PLACE, "logs"), exist_ok=True)
    with open(os.path.join(_PLACE, "logs", "HEAD"), "wb") as file:
        file.write(data)
    span = Span(Head("0" * 40, "main"), Head("1" * 40, "main"), 10**18, 2 * 10**18)
    for effect in happened(Repository(_PLACE, _PLACE, _PLACE), [span, span]):
        assert effect.kind and effect.what.isprintable() and len(effect.what) < 300


def git_config(data: bytes) -> None:
    for key, value in gitconfig.parse(data.decode("utf-8", "surrogateescape")):
        assert "." in key
        assert isinstance(value, str)


def settings(data: bytes) -> None:
    """A project's own file: whatever is wrong in it is a warning."""
    try:
        table = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return  # what `locate` says of it, too
    for name, value in sound_settings("takeback.toml", table, []).items():
        checked(name, value, "again")


def stat_cache(data: bytes) -> None:
    """The whole, and as one section of a cache that is in order."""
    tree = bytes(32)
    for raw in (data, encode_cache(tree, b"{}", {"": data, "a": data})):
        cache = decode_cache(raw, tree)
        for section in [cache.section(path) for path, _ in cache.items()]:
            if section is not None:
                _look_at(section)
        TrackedCache.decode(cache.note)
    TrackedCache.decode(data)


def _look_at(section: Section) -> None:
    assert len(section.stats) <= len(section)
    section.matches(list(section.stats), section.stats.values())
    for name, _ in section.ignored():
        assert section.kind(name) is not None
    for row in {row[0]: row for row in section.rows()}.values():
        assert len(row[3]) == 32
        assert section.holds(*row)


_INDEX = b"DIRC\0\0\0\2\0\0\0\1" + bytes(40) + b"\x01" * 20 + b"\0\1" + b"a" + bytes(9) + bytes(20)
_SECTION = encode_section(
    bytes(32), bytes(32), [("a", "f", (1, 2, 3, 4, 5), bytes(32)), ("b", "I", (0, 0, 0, 0, 0), bytes(32))]
)

_LOGGED = b"%040d %040d A <a@b> 1500000000 +0000\t%s\n"

TARGETS = {
    "git_log": (
        git_log,
        [
            _LOGGED % (0, 1, b"commit (initial): x") + _LOGGED % (1, 2, b"checkout: moving from main to side"),
            _LOGGED % (1, 2, b"rebase (start): checkout main")
            + _LOGGED % (2, 3, b"rebase (pick): y")
            + _LOGGED % (3, 3, b"rebase (finish): returning to refs/heads/side"),
            _LOGGED % (1, 2, b"pull: Fast-forward") + _LOGGED % (2, 1, b"reset: moving to HEAD~1"),
        ],
    ),
    "ignore": (
        ignore,
        [b"*.log\n!a.log\n/d e/\n**/x/**\n[a-c]?\\*\n", b"*a*a*a*a*a*a*a*a*b\n", b"[[:alpha:]-]*[!z]\n"],
    ),
    "git_index": (git_index, [_INDEX, b"DIRC\0\0\0\4\0\0\0\0" + bytes(20)]),
    "git_config": (git_config, [b'[core]\n\texcludesFile = "~/x" ; y\n[include]\npath=a\\\nb\n[a "b\\"c"] k\n']),
    "settings": (
        settings,
        [b'include = [".env"]\nmax_file_size = "5MiB"\ntime_budget = 5\n', b"timeline = 5\nstore = 'x'\n"],
    ),
    "stat_cache": (
        stat_cache,
        [encode_cache(bytes(32), b"{}", {"": _SECTION}), _SECTION, b'{"/r/.git":[[1,2],"00",{"a":true}]}'],
    ),
}
