"""The ignore rules of a snapshot, kept with it.

What an older snapshot lacks because it was ignored then must never be deleted, so the texts that decided then are
needed later, when the files that held them have long changed. What git tracked is not recorded: a path that was
tracked and matched a pattern counts as ignored, which at worst keeps a file too much.

Format: ``b"R1"``, a byte that is 1 if case was ignored, the prefix, the include patterns, the exclude patterns, the
texts. Strings are UTF-8 with surrogate escapes, each after its length (u32); lists come after their count (u32); a text
is directory, kind and data. Texts are in order, so equal rules give equal bytes. Little-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import NamedTuple

from takeback.errors import Integrity
from takeback.model.tree import name_bytes, name_text
from takeback.sources.workspace.ignore.rules import Rules, Walk
from takeback.sources.workspace.ignore.texts import HEAVY, KINDS, Patterns, Text
from takeback.sources.workspace.names import never_captured

_MAGIC = b"R1"
_LENGTH = struct.Struct("<I")


class RulesRecord:
    """All texts that decided about one snapshot. Directories are from the top level, where ``prefix`` is the root."""

    def __init__(self, prefix: str, patterns: Patterns, ignore_case: bool, texts: tuple[Text, ...]) -> None:
        self.prefix, self.patterns, self.ignore_case, self.texts = prefix, patterns, ignore_case, texts

    def with_texts(self, texts: tuple[Text, ...]) -> RulesRecord:
        return RulesRecord(self.prefix, self.patterns, self.ignore_case, texts)

    @classmethod
    def of(cls, rules: Rules) -> RulesRecord:
        """What the walk that ``rules`` belong to has met so far."""
        walk = rules.walk
        texts = (Text(directory, kind, data) for (directory, kind), data in walk.texts.items())
        return cls(walk.prefix, walk.patterns, walk.ignore_case, tuple(sorted(texts)))

    def ignored(self, path: str, is_dir: bool) -> bool:
        """Whether a path from the root was left out then, by itself or with a directory above it."""
        parent, _, name = path.rpartition("/")
        if any(map(never_captured, path.split("/"))):
            return True
        return self._rules(parent).ignored(name, is_dir)

    @cached_property
    def _known(self) -> dict[str, Rules]:
        root = Walk("", self.prefix, self.patterns, self.ignore_case).start()
        root.add([text for text in self.texts if self.prefix.startswith(text.directory)])
        return {"": root}

    @cached_property
    def _by_directory(self) -> dict[str, list[Text]]:
        found: dict[str, list[Text]] = {}
        for text in self.texts:
            found.setdefault(text.directory, []).append(text)
        return found

    def _rules(self, directory: str) -> Rules:
        known = self._known
        above = directory
        while above not in known:
            above = above.rpartition("/")[0]
        rules = known[above]
        for name in directory[len(above) :].lstrip("/").split("/") if above != directory else ():
            above = f"{above}/{name}" if above else name
            ignored = rules.ignored(name, True)
            texts = () if ignored else self._by_directory.get(f"{self.prefix}{above}/", ())
            rules = known[above] = rules.below(name, texts, None, ignored=ignored)
        return rules

    def encode(self) -> bytes:
        """The canonical bytes."""
        out = [_MAGIC, bytes([self.ignore_case])]

        def put(data: bytes) -> None:
            out.extend((_LENGTH.pack(len(data)), data))

        put(name_bytes(self.prefix))
        for patterns in (self.patterns.include, self.patterns.exclude):
            out.append(_LENGTH.pack(len(patterns)))
            for pattern in patterns:
                put(name_bytes(pattern))
        out.append(_LENGTH.pack(len(self.texts)))
        for text in sorted(self.texts):
            put(name_bytes(text.directory))
            put(text.kind.encode("ascii"))
            put(text.data)
        return b"".join(out)

    @classmethod
    def decode(cls, data: bytes) -> RulesRecord:
        """The record that `encode` wrote; Integrity for any other bytes."""
        place = 3

        def number() -> int:
            nonlocal place
            (value,) = _LENGTH.unpack_from(data, place)
            place += _LENGTH.size
            return int(value)

        def take() -> bytes:
            nonlocal place
            length = number()
            place += length
            return data[place - length : place]

        def patterns() -> tuple[str, ...]:
            return tuple(name_text(take()) for _ in range(number()))

        try:
            prefix = name_text(take())
            given = Patterns(patterns(), patterns())
            texts = tuple(Text(name_text(take()), name_text(take()), take()) for _ in range(number()))
            record = cls(prefix, given, data[2:3] == b"\1", texts)
            sound = all(text.kind in KINDS for text in texts) and record.encode() == data
        except (struct.error, UnicodeError) as error:
            raise Integrity(f"a record of ignore rules is damaged: {error}") from error
        if not sound or prefix[-1:] not in ("", "/"):
            raise Integrity("a record of ignore rules is not as it was written")
        return record


class Pair(NamedTuple):
    """The rules of a snapshot: those that stood there, and those that were trusted."""

    rules: RulesRecord
    trusted: RulesRecord

    @classmethod
    def decode(cls, read: Callable[[bytes], bytes], refs: Mapping[str, bytes]) -> Pair:
        """Those that a part refers to."""
        rules = RulesRecord.decode(read(refs["rules"]))
        return cls(rules, RulesRecord.decode(read(refs["trusted"])) if "trusted" in refs else rules)

    def ignored(self, path: str, is_dir: bool) -> bool:
        """Whether a path from the root was left out, by itself or with a directory above it."""
        if not self.rules.ignored(path, is_dir):
            return False
        return self.trusted is self.rules or _is_heavy(path, is_dir) or self.trusted.ignored(path, is_dir)


def _is_heavy(path: str, is_dir: bool) -> bool:
    names = path.split("/")
    return any(name in HEAVY for name in (names if is_dir else names[:-1]))
