"""Source trees like any other, made up: the same bytes for the same number of files, on every machine.

Mostly code in nested packages, each with words of its own; some JSON and Markdown; a few scripts that can be executed,
pictures that do not compress, links and ignored build output. About 6 KB a file on average, a few of them large.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from pathlib import Path

FILES_IN_A_DIRECTORY = 20
DIRECTORIES_IN_A_PACKAGE = 40
POOL = 40_000
"""Different lines of code in the world."""
OF_ONE_PACKAGE = 4_000
"""How many of them one package draws from."""

_KEYWORDS = "self return value import from class for if else not None result path name data index line error".split()
_SYLLABLES = "ra te lo mi con der va su pre fix tor an in user load parse token cache node item view state".split()


@dataclass(frozen=True, slots=True)
class Tree:
    """A generated directory: its root, and the files of text in it, in order."""

    root: Path
    count: int
    """Files and links that are not ignored."""
    code: tuple[Path, ...]

    def spread(self, count: int, start: int = 0) -> list[Path]:
        """So many code files from all over the tree; another ``start`` gives other ones."""
        step = max(1, len(self.code) // count)
        return [self.code[(start * 7 + number * step) % len(self.code)] for number in range(count)]


def generate(root: Path, count: int, seed: int = 0) -> Tree:
    """Write ``count`` captured files below a new directory."""
    chance = random.Random(f"{count}/{seed}")
    words = [_word(chance) for _ in range(4000)]
    lines = [_line(chance, words) for _ in range(POOL)]
    root.mkdir(parents=True)
    (root / ".gitignore").write_text("build/\n*.pyc\n")
    (root / "build").mkdir()
    (root / "build" / "output.bin").write_bytes(chance.randbytes(4096))
    code: list[Path] = []
    pool: list[str] = []
    for number in range(1, count):  # .gitignore is the first
        group, place = divmod(number, FILES_IN_A_DIRECTORY)
        package, module = divmod(group, DIRECTORIES_IN_A_PACKAGE)
        if not pool or (place == 0 and module == 0):
            start = chance.randrange(POOL - OF_ONE_PACKAGE)
            pool = lines[start : start + OF_ONE_PACKAGE]
        directory = root / "src" / f"package_{package:02}" / f"module_{module:02}"
        if place == 0 or number == 1:
            directory.mkdir(parents=True, exist_ok=True)
        if path := _write(directory, number, chance, pool):
            code.append(path)
    return Tree(root, count, tuple(code))


def append(paths: list[Path], text: str) -> None:
    """A small edit in each of these files."""
    for path in paths:
        with path.open("a") as stream:
            stream.write(text)


def size(root: Path) -> int:
    """Bytes on disk of everything below a directory, as blocks that are really used."""
    used = 0
    for directory, _, names in os.walk(root):
        used += sum(os.lstat(os.path.join(directory, name)).st_blocks for name in names)
    return used * 512


def _write(directory: Path, number: int, chance: random.Random, pool: list[str]) -> Path | None:
    """One file; its path if it is code."""
    length = int(min(chance.lognormvariate(8.0, 1.1), 400_000))
    kind = number % 50
    if kind == 17:
        (directory / f"latest_{number:05}").symlink_to("README.md")
        return None
    if kind == 23:
        (directory / f"icon_{number:05}.png").write_bytes(b"\x89PNG\r\n\x1a\n" + chance.randbytes(length // 2))
        return None
    body = "".join(chance.choices(pool, k=max(1, length // 40)))
    unique = f"{chance.getrandbits(64):016x}"
    if kind in (5, 31):
        fields = "".join(f'  "{line.strip()[:40]}": "{unique}",\n' for line in body.splitlines()[: length // 70 + 1])
        (directory / f"fixture_{number:05}.json").write_text("{\n" + fields.rstrip(",\n") + "\n}\n")
        return None
    path = directory / (f"notes_{number:05}.md" if kind == 11 else f"file_{number:05}.py")
    path.write_text(f'"""File {number}: {unique}."""\n{body}')
    if kind == 41:
        path.chmod(0o755)
    return path


def _word(chance: random.Random) -> str:
    return "_".join("".join(chance.choices(_SYLLABLES, k=chance.randint(1, 3))) for _ in range(chance.randint(1, 2)))


def _line(chance: random.Random, words: list[str]) -> str:
    indent = "    " * chance.randrange(4)
    middle = " ".join(chance.choice(_KEYWORDS if chance.random() < 0.5 else words) for _ in range(chance.randint(2, 6)))
    return f"{indent}{middle}({chance.choice(words)}, {chance.randrange(1000)})\n"
