"""Both sides of a change, read for a unified diff."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import takeback
from support.trees import make_tree
from takeback.engine.patch import effect_sides, patch, sides
from takeback.model.diff import Change, Diff
from takeback.model.plan import Effect
from takeback.model.tree import Entry
from takeback.sources import trees


def test_reading_many_changes_looks_up_no_path_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking each one up decodes its directory each time: with ten thousand files in one, that is a minute."""
    root = tmp_path / "w"
    make_tree(root, {f"f{number}": "old\n" for number in range(20)})
    with takeback.open(tmp_path / "store") as store:
        line = store.timeline(sources=[takeback.Workspace(root)])
        before = line.save()
        for number in range(20):
            (root / f"f{number}").write_text("new\n")
        found = line.diff(before, line.save())
        loaded: list[Any] = []
        real = trees.load

        def load(*given: Any) -> Any:
            loaded.append(given)
            return real(*given)

        monkeypatch.setattr(trees, "load", load)
        texts = [b"".join(patch(sides(line, found, change))) for change in found.files]
    assert all(b"-old\n+new\n" in text for text in texts)
    assert len(texts) == 20
    assert not loaded


def test_what_is_in_a_container_now_is_never_read_from_where_the_program_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "filesystem").mkdir()
    (tmp_path / "filesystem/hosts").write_text("another machine's\n")
    with takeback.open(":memory:") as store:
        line = store.timeline("main", sources=[takeback.Workspace(tmp_path), takeback.Container("sandbox")])
        entry = Entry("f", 0o644, 18, bytes(32))
        change = Change("container", "filesystem/hosts", None, entry)
        assert sides(line, Diff("a" * 32, None, ()), change).after is None
        found = effect_sides(line, Effect("container", "filesystem/hosts", entry, None))
        assert (found.before, found.after) == (None, b"")
