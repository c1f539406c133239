"""A source tree like any other, made up: the same bytes for the same number of files, on every machine."""

from __future__ import annotations

import os
import random
from pathlib import Path

WORDS = "self return value import from class for if else not None result path name data index line error config test".split()
FILES_IN_A_DIRECTORY = 20


def generate(root: Path, count: int) -> list[Path]:
    """Write ``count`` files of about 6 KB of code-like text on average, a few of them large; their paths in order."""
    chance = random.Random(count)
    lines = [_line(chance) for _ in range(5000)]
    paths = []
    for number in range(count):
        group = number // FILES_IN_A_DIRECTORY
        directory = root / f"package{group // 40:02}" / f"module{group % 40:02}"
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / f"file{number:05}.py"
        length = int(min(chance.lognormvariate(8.0, 1.1), 400_000))
        text = f"# file {number}\n" + "".join(chance.choices(lines, k=max(1, length // 40)))
        path.write_text(text)
        paths.append(path)
    return paths


def size(root: Path) -> int:
    """Bytes on disk of everything below a directory, as blocks that are really used."""
    used = 0
    for directory, _, names in os.walk(root):
        used += sum(os.lstat(os.path.join(directory, name)).st_blocks for name in names)
    return used * 512


def _line(chance: random.Random) -> str:
    indent = "    " * chance.randrange(4)
    return f"{indent}{' '.join(chance.choices(WORDS, k=chance.randint(3, 9)))} {chance.randrange(10_000)}\n"
