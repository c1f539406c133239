"""Rules of two times on one walk: what an agent changed in them hides nothing until a person agrees.

A path is left out only if it is left out by the rules that stand there *and* by the trusted ones. Of each text, the
trusted one is the last that was there before an agent's move changed it, or that a person wrote or agreed to
(`Trust.text`). In directories that a tool makes and can make again (`HEAVY`) whatever stands there counts: an agent that
ignores ``node_modules`` before it fills it costs nothing.

The texts that are trusted and do not stand there are kept with the snapshot, as a record of their own (``trusted``
among the refs of a part). As long as there is none, nothing here is used.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from blake3 import blake3

from takeback.model.tree import name_bytes
from takeback.sources.workspace.ignore.patterns import split_lines
from takeback.sources.workspace.ignore.record import Pair, RulesRecord
from takeback.sources.workspace.ignore.rules import Read, Rules, Walk
from takeback.sources.workspace.ignore.texts import DEFAULTS, HEAVY, KINDS, Text

Key = tuple[str, str]
"""Where a text stands, from the root, and its kind. The place of one from above the root begins with ``ABOVE``."""

ABOVE = "\0"
_DIGEST = 16


class Trust:
    """Decides which text is trusted, for one walk.

    ``before`` is what the last snapshot has, and ``origin`` what a restore or undo brings back: a text is trusted as far as it
    is there. Any other change is an agent's if ``agents_at_work``, else a person's, and a person's counts at once.
    """

    def __init__(
        self, before: Pair, *, agents_at_work: bool, origin: Pair | None = None, agreed: Container[str] = ()
    ) -> None:
        self._pairs = [before] if origin is None else [before, origin]
        self._known = [(keyed(pair.rules), keyed(pair.trusted)) for pair in self._pairs]
        self._agents_at_work = agents_at_work
        self._agreed = agreed

    def text(self, key: Key, now: bytes) -> bytes:
        """The trusted text where ``now`` stands; empty bytes are no text."""
        if key[1] == DEFAULTS or same_text(now, self.unread(key)) or digest(key, now) in self._agreed:
            return now
        for rules, trusted in self._known:
            if same_text(now, rules.get(key, b"")):
                then = trusted.get(key, b"")
                return now if same_text(now, then) else then
        return self.unread(key) if self._agents_at_work else now

    def unread(self, key: Key) -> bytes:
        """The trusted text in a directory of which nobody reads what stands there, because that is hidden."""
        return self._known[0][1].get(key, b"")

    def frame(self, now: Walk) -> tuple[str, bool]:
        """The trusted prefix, and whether case is trusted to be ignored."""
        here = (now.prefix, now.ignore_case)
        if frame_digest(*here) in self._agreed:
            return here
        for pair in self._pairs:
            if here == (pair.rules.prefix, pair.rules.ignore_case):
                return pair.trusted.prefix, pair.trusted.ignore_case
        first = self._pairs[0].trusted
        return (first.prefix, first.ignore_case) if self._agents_at_work else here

    def places(self) -> Iterator[Key]:
        """Where trusted texts may stand."""
        for _, trusted in self._known:
            yield from trusted


class Judged:
    """What decides about the entries of one directory: its rules, and the trusted ones.

    As long as these are the same on the way down, only the former are asked, and the latter are not even made.
    """

    __slots__ = ("_above", "_made", "_name", "_now", "_sides", "differs")

    def __init__(
        self, now: Rules, sides: _Sides, above: Judged | None, name: str, trusted: Rules | None, differs: bool
    ):
        self._now, self._sides, self._above, self._name = now, sides, above, name
        self._made = trusted
        self.differs = differs
        """Whether the trusted rules are others here."""

    @classmethod
    def start(cls, now: Rules, trust: Trust) -> Judged:
        """For the root, given its rules."""
        sides = _Sides(trust, now.walk)
        trusted, differs = sides.start()
        return cls(now, sides, None, "", trusted, differs)

    @property
    def fingerprint(self) -> bytes:
        if not self.differs:
            return self._now.fingerprint
        return blake3(b"judged" + self._now.fingerprint + self._trusted.fingerprint).digest()

    def ignored(self, name: str, is_dir: bool) -> bool:
        return self._now.ignored(name, is_dir) and not self._is_distrusted(name, is_dir)

    def hides(self, name: str, is_dir: bool) -> bool:
        """Whether an entry is kept although the rules that stand there leave it out."""
        return self._is_distrusted(name, is_dir) and self._now.ignored(name, is_dir)

    def must_descend(self, name: str) -> bool:
        return self._now.must_descend(name)

    def enter(self, name: str, read: Read, names: Container[str], *, ignored: bool) -> Judged:
        if self.differs:
            by_now = ignored or self._now.ignored(name, True)
            by_trusted = ignored or self._trusted.ignored(name, True)
            now = self._now.enter(name, read, names, ignored=by_now)
            texts = () if by_trusted else self._sides.texts(now, is_read=not by_now)[0]
            return self._differing(now, name, texts, ignored=by_trusted)
        now = self._now.enter(name, read, names, ignored=ignored)
        if not ignored and (now.texts is not self._now.texts or self._sides.knows(now)):
            texts, changed = self._sides.texts(now, is_read=True)
            if changed:
                return self._differing(now, name, texts, ignored=False)
        return Judged(now, self._sides, self, name, None, False)

    def trusted_record(self) -> RulesRecord | None:
        """All trusted texts of the walk that began here; None if they are those that stand there."""
        if not self._sides.differing and not self.differs:
            return None
        now, record = RulesRecord.of(self._now), RulesRecord.of(self._trusted)
        if not self.differs:
            same = (text for text in now.texts if text.directory not in self._sides.differing)
            record = record.with_texts(tuple(sorted({*record.texts, *same})))
        theirs, ours = keyed(record), keyed(now)
        moved = (record.prefix, record.ignore_case) != (now.prefix, now.ignore_case)
        if moved or any(not same_text(theirs.get(key, b""), ours.get(key, b"")) for key in {*theirs, *ours}):
            return record
        return None

    @property
    def _trusted(self) -> Rules:
        if self._made is None:
            assert self._above is not None
            texts = tuple(self._sides.standing(self._now.path))
            self._made = self._above._trusted.below(self._name, texts, None, ignored=self._now.ignored_itself)
        return self._made

    def _differing(self, now: Rules, name: str, texts: Sequence[Text], *, ignored: bool) -> Judged:
        self._sides.differing.add(now.path)
        return Judged(now, self._sides, self, name, self._trusted.below(name, texts, None, ignored=ignored), True)

    def _is_distrusted(self, name: str, is_dir: bool) -> bool:
        """Whether the trusted rules would keep an entry, and count for it."""
        if not self.differs or self._now.heavy or (is_dir and name in HEAVY):
            return False
        return not self._trusted.ignored(name, is_dir)


class _Sides:
    """Gives each directory its trusted texts."""

    def __init__(self, trust: Trust, now: Walk) -> None:
        self._trust, self._now = trust, now
        self._prefix, self._ignore_case = trust.frame(now)
        self._places: dict[str, set[str]] = {}
        self.differing: set[str] = set()
        """Directories below the root in which the trusted rules are others."""
        for place, kind in trust.places():
            self._places.setdefault(place, set()).add(kind)

    def start(self) -> tuple[Rules, bool]:
        """The trusted rules of the root, and whether they are others."""
        walk = Walk(self._now.root, self._prefix, self._now.patterns, self._ignore_case)
        differs = (self._prefix, self._ignore_case) != (self._now.prefix, self._now.ignore_case)
        places = {*self._places, *(_place(directory, self._now.prefix) for directory, _ in self._now.texts)}
        texts: list[Text] = []
        for place in places:
            if place == "" or place.startswith(ABOVE):
                found, changed = self._texts(place, is_read=True)
                texts += found
                differs = differs or changed
        rules = walk.start()
        rules.add(sorted(text for text in texts if self._prefix.startswith(text.directory)))
        return rules, differs

    def knows(self, now: Rules) -> bool:
        """Whether there are trusted texts for a directory."""
        return _place(now.path, self._now.prefix) in self._places

    def texts(self, now: Rules, *, is_read: bool) -> tuple[Sequence[Text], bool]:
        """The trusted texts of a directory below the root, and whether others stand there."""
        if now.heavy:
            return tuple(self.standing(now.path)), False
        return self._texts(_place(now.path, self._now.prefix), is_read=is_read)

    def standing(self, directory: str) -> Iterator[Text]:
        """The texts that stand in a directory."""
        for kind in KINDS:
            if data := self._now.texts.get((directory, kind), b""):
                yield Text(directory, kind, data)

    def _texts(self, place: str, *, is_read: bool) -> tuple[Sequence[Text], bool]:
        directory = _directory(place, self._now.prefix)
        texts: list[Text] = []
        changed = False
        known = self._places.get(place, ())
        for kind in KINDS:
            now = self._now.texts.get((directory, kind), b"")
            if now or kind in known:
                then = self._trust.text((place, kind), now) if is_read else self._trust.unread((place, kind))
                changed = changed or then is not now
                if then:
                    texts.append(Text(_directory(place, self._prefix), kind, then))
        return texts, changed


def keyed(record: RulesRecord) -> dict[Key, bytes]:
    """A record's texts by where they stand."""
    return {(_place(text.directory, record.prefix), text.kind): text.data for text in record.texts}


def same_text(a: bytes, b: bytes) -> bool:
    """Whether two texts say the same, comments aside."""
    return a == b or split_lines(a) == split_lines(b)


def digest(key: Key, text: bytes) -> str:
    """What stands for a text at its place, in a record of what a person agreed to."""
    place, kind = key
    lines = b"\n".join(split_lines(text))
    return blake3(b"\0".join((kind.encode(), name_bytes(place), lines))).hexdigest()[: 2 * _DIGEST]


def frame_digest(prefix: str, ignore_case: bool) -> str:
    """The same for what the rules of a repository around are relative to."""
    return blake3(b"frame\0" + name_bytes(prefix) + bytes([ignore_case])).hexdigest()[: 2 * _DIGEST]


def _place(directory: str, prefix: str) -> str:
    return directory[len(prefix) :] if directory.startswith(prefix) else ABOVE + directory


def _directory(place: str, prefix: str) -> str:
    return place.removeprefix(ABOVE) if place.startswith(ABOVE) else prefix + place
