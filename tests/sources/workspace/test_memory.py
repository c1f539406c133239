"""Memory stays bounded, however large a file or a tree is. Each save runs in a process of its own, which says what it took."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support import campaigns
from support.memory import PEAK
from support.stores import noise

pytestmark = pytest.mark.campaign("large-workspaces")

LIMIT_MB = 500
GIB = 1 << 30
LARGE = campaigns.size(GIB * 5 // 8, 4 * GIB)
MANY = campaigns.size(40_000, 200_000)

SAVE = f"""{PEAK}
import sys
import takeback as tb
with tb.open(sys.argv[1]) as store:
    line = store.timeline(sources=[tb.Workspace(sys.argv[2], max_file_size="1TiB")])
    for _ in range(int(sys.argv[3])):
        snapshot = line.save()
    print(snapshot.changed, len(snapshot.not_captured))
print(peak_mb())
"""


def save(store: Path, root: Path, times: int = 1) -> tuple[int, int]:
    """How many paths the snapshot says changed, and the most memory that was resident, in MB."""
    done = subprocess.run(
        [sys.executable, "-c", SAVE, str(store), str(root), str(times)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    changed, left_out, peak = map(int, done.stdout.split())
    assert left_out == 0
    return changed, peak


def need(directory: Path, size: int) -> None:
    if shutil.disk_usage(directory).free < size:
        pytest.skip(f"needs {size / GIB:.0f} GiB of free disk space")


def test_a_large_file_is_saved_in_bounded_memory(tmp_path: Path) -> None:
    need(tmp_path, LARGE + 2 * GIB)
    root = tmp_path / "project"
    root.mkdir()
    with (root / "large").open("wb") as file:
        for number in range(64):
            file.seek(number * LARGE // 64)
            file.write(noise(4 << 20, number))
        file.truncate(LARGE)
    changed, peak = save(tmp_path / "store", root)
    assert changed == 1
    assert peak < LIMIT_MB
    # a byte in the middle costs no more
    with (root / "large").open("r+b") as file:
        file.seek(LARGE // 2 + 12345)
        file.write(b"x")
    changed, peak = save(tmp_path / "store", root)
    assert changed == 1
    assert peak < LIMIT_MB


def test_a_tree_of_many_files_is_saved_in_bounded_memory(memory_path: Path) -> None:
    need(memory_path, 4 * GIB)
    root = memory_path / "project"
    for number in range(MANY // 100):
        directory = f"{root}/d{number // 50}/d{number % 50}"
        os.makedirs(directory)
        handle = os.open(directory, os.O_RDONLY)
        for inner in range(100):
            file = os.open(f"file{inner}.txt", os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=handle)
            os.write(file, b"file %d of directory %d\n" % (inner, number) * (1 + inner % 7))
            os.close(file)
        os.close(handle)
    changed, peak = save(memory_path / "store", root)
    assert changed == MANY
    assert peak < LIMIT_MB
    (root / "d7/d7/file7.txt").write_text("changed")
    changed, peak = save(memory_path / "store", root, times=3)
    assert changed == 1
    assert peak < LIMIT_MB
