from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bench.trees import generate
from support.trees import read_tree


def test_the_same_number_of_files_gives_the_same_bytes(tmp_path: Path) -> None:
    generate(tmp_path / "a", 120)
    generate(tmp_path / "b", 120)
    generate(tmp_path / "c", 120, seed=1)
    assert read_tree(tmp_path / "a") == read_tree(tmp_path / "b") != read_tree(tmp_path / "c")


@pytest.mark.service("git")
def test_a_tree_has_as_many_files_as_were_asked_for_and_ignored_ones_beside_them(tmp_path: Path) -> None:
    tree = generate(tmp_path / "tree", 120)
    subprocess.run(["git", "init", "--quiet"], cwd=tree.root, check=True)
    listed = subprocess.run(
        ["git", "ls-files", "--others", "--exclude-standard"], cwd=tree.root, check=True, capture_output=True
    )
    assert len(listed.stdout.splitlines()) == 120 == tree.count
    assert (tree.root / "build" / "output.bin").exists()


def test_a_spread_takes_different_files_from_all_over_the_tree(tmp_path: Path) -> None:
    tree = generate(tmp_path / "tree", 500)
    first, second = tree.spread(5), tree.spread(5, 1)
    assert len({path.parent for path in first}) > 3
    assert not set(first) & set(second)
