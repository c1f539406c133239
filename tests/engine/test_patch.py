"""Both sides of a change, read for a unified diff."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import takeback
from support.trees import make_tree
from takeback.engine.patch import patch, sides
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
