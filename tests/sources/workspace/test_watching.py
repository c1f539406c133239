"""When a workspace may have changed: what counts, and what the system cannot tell."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.git import init_repository
from support.trees import make_tree
from takeback.sources.workspace import watching
from takeback.sources.workspace.counted import Counted
from takeback.sources.workspace.ignore import Patterns
from takeback.sources.workspace.watching import Gone, Watcher


class Bell:
    """A watcher, asked until a file that surely counts was told of; what came before it then came, too."""

    def __init__(self, root: Path, **patterns: tuple[str, ...]) -> None:
        self.root = root
        self.watcher = Watcher(str(root), Patterns(**patterns))
        self.stop = threading.Event()

    def rings(self) -> bool:
        """Whether anything is told, after a long while at most."""
        return any(self.watcher.wait(0.05, self.stop) for _ in range(400))

    def told(self, monkeypatch: pytest.MonkeyPatch) -> set[str]:
        """The names of all that counts of what happened until now."""
        names: set[str] = set()
        real = Counted.counts

        def counts(counted: Counted, path: str, is_directory: bool) -> bool:
            answer = real(counted, path, is_directory)
            if answer:
                names.add(path)
            return answer

        monkeypatch.setattr(Counted, "counts", counts)
        (self.root / "bell").write_text("")
        while "bell" not in names:
            assert self.rings()
        return names - {"bell"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_tree(tmp_path / "w", {"src/a.py": "x", "build/out": "x", "vendor/.env": "x", ".gitignore": "build/\n*.log\n"})
    return tmp_path / "w"


def test_what_is_ignored_does_not_count(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    init_repository(root)
    make_tree(root / "inner" / "store", {"store.json": "{}", "catalogue.db": "x", "packs/00/x": "x"})
    (root / "out").symlink_to("/tmp")
    bell = Bell(root)
    (root / "build" / "out").write_text("y")
    (root / "build" / "new").mkdir()
    (root / "src" / "x.log").write_text("y")
    (root / ".git" / "x").write_text("y")
    (root / ".takeback-stage-0123456789abcdef").mkdir()
    (root / ".takeback-stage-0123456789abcdef" / "journal").write_text("y")
    (root / "inner" / "store" / "catalogue.db").write_text("y")
    (root / "inner" / "store" / "packs" / "00" / "y").write_text("y")
    (root / "src" / "a.py").write_text("y")
    assert bell.told(monkeypatch) == {"src/a.py"}


def test_what_is_included_or_tracked_counts(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    init_repository(root)
    (root / ".gitignore").write_text("build/\nvendor/\n*.log\n")
    bell = Bell(root, include=("vendor/.env",))
    (root / "vendor" / ".env").write_text("y")
    (root / "vendor" / "other").write_text("y")
    assert bell.told(monkeypatch) == {"vendor/.env"}


def test_rules_are_read_anew_after_a_look(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bell = Bell(root)
    (root / ".gitignore").write_text("*.py\n")
    assert bell.rings()
    bell.watcher.looked()
    (root / "src" / "a.py").write_text("y")
    assert bell.told(monkeypatch) - {".gitignore"} == set()


def test_directories_that_come_and_go_are_watched(root: Path) -> None:
    bell = Bell(root)
    for _ in range(3):
        (root / "new" / "sub").mkdir(parents=True)
        assert bell.rings()
        while (root / "new" / "sub").exists():
            (root / "new" / "sub" / "f").write_text("x")
            assert bell.rings()
            os.unlink(root / "new" / "sub" / "f")
            os.rmdir(root / "new" / "sub")
        os.rmdir(root / "new")
        assert bell.rings()


def test_a_link_is_never_followed(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_tree(tmp_path / "outside", {"deep/f": "x"})
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "loop").symlink_to(".")
    bell = Bell(root)
    (tmp_path / "outside" / "deep" / "f").write_text("y")
    assert bell.told(monkeypatch) == set()


def test_a_name_that_the_library_cannot_decode_is_a_change_like_another(root: Path) -> None:
    bell = Bell(root)
    with open(os.fsencode(root) + b"/\xff", "w"):
        pass
    assert bell.rings()
    (root / "src" / "a.py").write_text("y")
    assert bell.rings()


def test_a_root_that_is_gone_or_another_is_noticed(root: Path) -> None:
    bell = Bell(root)
    root.rename(root.with_name("aside"))
    with pytest.raises(Gone):
        bell.watcher.wait(0.01, bell.stop)
    (root / "new").mkdir(parents=True)
    assert bell.watcher.wait(0.01, bell.stop)
    (root / "new" / "f").write_text("x")
    assert bell.rings()


def test_directories_that_vanish_while_the_watch_begins_do_not_end_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Counted.below

    def below(self: Counted, path: str) -> Iterator[str]:
        yield from real(self, path)
        yield "gone already"

    monkeypatch.setattr(Counted, "below", below)
    bell = Bell(root)
    (root / "src" / "a.py").write_text("y")
    assert bell.rings()
    assert not bell.watcher.blind


def test_where_nothing_can_be_watched_it_says_why_and_tells_of_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: Any) -> None:
        raise OSError("inotify watch limit reached")

    monkeypatch.setattr(watching, "_library", lambda: full)
    bell = Bell(root)
    assert "limit" in bell.watcher.blind
    assert not bell.watcher.wait(0.01, bell.stop)


def test_a_root_whose_name_is_not_utf8_is_not_watched_but_said_so(tmp_path: Path) -> None:
    place = os.path.join(os.fsencode(tmp_path), b"\xff")
    os.mkdir(place)
    watcher = Watcher(place.decode("utf-8", "surrogateescape"), Patterns())
    assert "UTF-8" in watcher.blind
    assert not watcher.wait(0.01, threading.Event())
