"""Differences as a unified diff, in bytes: what ``git diff`` prints, so that ``patch`` and ``git apply`` read it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from takeback.model.diff import Change, Diff
from takeback.model.line_diff.hunks import grouped, line_diff, opcodes
from takeback.model.plan import Effect
from takeback.model.tree import FILE, LINK, Entry, name_bytes

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline

_CONTEXT = 3
LARGEST = 1 << 20
"""Larger files are only said to differ: comparing them line by line takes too long."""


@dataclass(frozen=True, slots=True)
class Sides:
    """A change with the bytes of both sides; None where it is binary, or too large to compare by lines."""

    change: Change
    before: bytes | None
    after: bytes | None

    @property
    def binary(self) -> bool:
        return self.before is None or self.after is None

    def counts(self) -> tuple[int, int]:
        """Lines added and removed."""
        if self.before is None or self.after is None or self.before == self.after:
            return 0, 0
        hunks = line_diff(_lines(self.before), _lines(self.after))
        return sum(hunk.b_end - hunk.b for hunk in hunks), sum(hunk.a_end - hunk.a for hunk in hunks)

    def hunks(self) -> Iterator[bytes]:
        """The lines of the diff without its head, each with its newline."""
        if self.before is None or self.after is None or self.before == self.after:
            return
        old, new = _lines(self.before), _lines(self.after)
        for group in grouped(opcodes(old, new), _CONTEXT):
            (_, a, _, b, _), (_, _, a_end, _, b_end) = group[0], group[-1]
            yield b"@@ -%s +%s @@\n" % (_range(a, a_end), _range(b, b_end))
            for tag, i, i_end, j, j_end in group:
                if tag == "equal":
                    yield from (b" " + _ended(line) for line in old[i:i_end])
                else:
                    yield from (b"-" + _ended(line) for line in old[i:i_end])
                    yield from (b"+" + _ended(line) for line in new[j:j_end])


def sides(line: Timeline, diff: Diff, change: Change) -> Sides:
    """Read both sides of a change: from snapshots, or, where ``diff.b`` is the present, from the world."""
    before = _from_snapshot(line, change.path, change.before)
    if diff.b is not None:
        return Sides(change, before, _from_snapshot(line, change.path, change.after))
    return Sides(change, before, _now(line, change.part, change.path, change.after))


def effect_sides(line: Timeline, effect: Effect) -> Sides:
    """What an effect finds, and what it leaves."""
    merged = effect.merged
    after = _from_snapshot(line, effect.path, effect.after) if merged is None else _text(merged)
    before = _now(line, effect.part, effect.path, effect.before)
    return Sides(Change(effect.part, effect.path, effect.before, effect.after), before, after)


def patch(pair: Sides) -> Iterator[bytes]:
    """One file's part of a unified diff."""
    yield from head(pair)
    yield from pair.hunks()


def head(pair: Sides) -> Iterator[bytes]:
    """The lines that come before the first hunk."""
    change = pair.change
    a, b = quoted("a/" + change.path), quoted("b/" + change.path)
    yield b"diff --git %s %s\n" % (a, b)
    if change.before is None and change.after is not None:
        yield b"new file mode %s\n" % _mode(change.after)
    elif change.after is None and change.before is not None:
        yield b"deleted file mode %s\n" % _mode(change.before)
    elif change.before is not None and change.after is not None and _mode(change.before) != _mode(change.after):
        yield b"old mode %s\nnew mode %s\n" % (_mode(change.before), _mode(change.after))
    old = b"/dev/null" if change.before is None else a
    new = b"/dev/null" if change.after is None else b
    if pair.binary:
        if change.status != "mode":
            yield b"Binary files %s and %s differ\n" % (old, new)
    elif pair.before != pair.after:
        yield b"--- %s\n+++ %s\n" % (old, new)


def quoted(path: str) -> bytes:
    """A name as git writes it: as it is, or in quotes with octal escapes if it holds what a line cannot."""
    raw = name_bytes(path)
    plain = all(byte >= 0x20 and byte not in b'"\\\x7f' for byte in raw) and _is_utf8(raw)
    if plain:
        return raw
    safe = (bytes([byte]) if 0x20 <= byte < 0x7F and byte not in b'"\\' else b"\\%03o" % byte for byte in raw)
    return b'"' + b"".join(safe) + b'"'


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _mode(entry: Entry) -> bytes:
    return b"120000" if entry.kind == LINK else b"100%03o" % (entry.mode & 0o777)


def _lines(data: bytes) -> list[bytes]:
    pieces = data.split(b"\n")
    return [piece + b"\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])


def _ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _range(start: int, end: int) -> bytes:
    length = end - start
    if length == 1:
        return b"%d" % (start + 1)
    return b"%d,%d" % (start + 1 if length else start, length)


def _text(data: bytes) -> bytes | None:
    return None if b"\0" in data[:8192] else data


def _from_snapshot(line: Timeline, path: str, entry: Entry | None) -> bytes | None:
    if entry is None or entry.kind not in (FILE, LINK):
        return b""
    return _text(line.content(path, entry)) if entry.size <= LARGEST else None


def _now(line: Timeline, part: str, path: str, entry: Entry | None) -> bytes | None:
    """What is there now; None also where that cannot be read beside a capture, as in a container."""
    source = line.sources.get(part)
    root = source.root if source is not None else line.root
    if not root:
        return b"" if entry is None else None
    return _from_world(root, path, entry)


def _from_world(root: str, path: str, entry: Entry | None) -> bytes | None:
    if entry is None or entry.kind not in (FILE, LINK):
        return b""
    full = os.path.join(name_bytes(root), name_bytes(path))
    try:
        if entry.kind == LINK:
            return os.readlink(full)
        if entry.size > LARGEST:
            return None
        with open(os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return _text(file.read(LARGEST + 1))
    except OSError:
        return b""  # it is gone again since it was looked at
