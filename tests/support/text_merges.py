"""Three-way merges of texts: made-up changes, what real git makes of them, and what a merge may make of them at all."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

Lines = Sequence[bytes]


class Texts(NamedTuple):
    """A base, and two texts that were made of it."""

    base: Lines
    theirs: Lines
    ours: Lines

    def joined(self) -> tuple[bytes, bytes, bytes]:
        return b"".join(self.base), b"".join(self.theirs), b"".join(self.ours)


def cut(text: bytes) -> list[bytes]:
    """Lines with their ends. Only a newline ends one."""
    lines = [line + b"\n" for line in text.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def made_up(chance: random.Random, words: int, longest: int = 12, edits: int = 2) -> Texts:
    """A text of few different lines, and some edits of each side at any place."""
    base = _some(chance, words, chance.randrange(longest))
    return Texts(base, _edited(chance, base, words, edits), _edited(chance, base, words, edits))


def _some(chance: random.Random, words: int, count: int) -> list[bytes]:
    return [b"%d\n" % chance.randrange(words) for _ in range(count)]


def _edited(chance: random.Random, base: Lines, words: int, edits: int) -> list[bytes]:
    lines = list(base)
    for _ in range(chance.randrange(edits + 1)):
        at, removed, added = (chance.randrange(limit) for limit in (len(lines) + 1, 3, 3))
        lines[at : at + removed] = _some(chance, words, added)
    return lines


def git_merge(directory: Path, base: bytes, theirs: bytes, ours: bytes) -> bytes | None:
    """What `git merge-file` makes of it; None for a conflict."""
    for name, text in (("base", base), ("theirs", theirs), ("ours", ours)):
        (directory / name).write_bytes(text)
    command = ["git", "merge-file", "-p", "ours", "base", "theirs"]
    done = subprocess.run(command, cwd=directory, capture_output=True)
    assert 0 <= done.returncode < 128, done.stderr
    return done.stdout if done.returncode == 0 else None


def is_merge(texts: Texts, merged: Lines) -> bool:
    """Whether a text is what is left of the base when all changes of both sides are applied, and nothing else is.

    It tries every way to read the four texts from the beginning to the end. A line is unchanged, and then it is in all of them; or it
    belongs to a change. A change is one side's, and then the other side has the lines of the base; or it is the same on both
    sides. Between two changes there is at least one unchanged line. This says nothing of how a merge finds changes.
    """
    base, theirs, ours = texts
    ends = len(base), len(ours), len(theirs), len(merged)
    seen = set[tuple[str, int, int, int, int]]()
    todo = [("", 0, 0, 0, 0)]
    while todo:
        now = todo.pop()
        if now in seen:
            continue
        seen.add(now)
        change, i, x, y, z = now
        if (i, x, y, z) == ends:
            return True
        a, b, c, d = (text[at : at + 1] for text, at in ((base, i), (ours, x), (theirs, y), (merged, z)))
        if a and a == b == c == d:
            todo.append(("", i + 1, x + 1, y + 1, z + 1))
        for kind in (change,) if change else ("ours", "theirs", "both"):
            if kind == "ours":
                todo += [(kind, i + 1, x, y + 1, z)] if a and a == c else []
                todo += [(kind, i, x + 1, y, z + 1)] if b and b == d else []
            elif kind == "theirs":
                todo += [(kind, i + 1, x + 1, y, z)] if a and a == b else []
                todo += [(kind, i, x, y + 1, z + 1)] if c and c == d else []
            else:
                todo += [(kind, i + 1, x, y, z)] if a else []
                todo += [(kind, i, x + 1, y + 1, z + 1)] if b and b == c == d else []
    return False
