"""One undo, redo or restore: the files before and after it, what it said, and the moves that it took back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from support.ownership.ledger import Entry, Ledger, Tree
from support.ownership.speech import Call
from takeback.model.move import AGENT_LEVELS, Move

DONE, NOTHING, PARTIAL, CONFLICT = 0, 10, 3, 14
"""Exit codes."""

_TAKEN = ("changed", "merged", "plan", "while_running", "brought_back", "goes")
_NUMBERS = ("move", "moves", "snapshot", "safety")
_PRESENT = ("not_captured",)
"""What a snapshot does not hold now: this says nothing of what is gone."""


class Broken(AssertionError):
    """A law does not hold."""

    def __init__(self, law: str, why: str) -> None:
        super().__init__(f"{law}: {why}")
        self.law, self.why = law, why


@dataclass
class Deed:
    """What one command did."""

    verb: str
    words: tuple[str, ...]
    code: int
    said: Mapping[str, Any]
    before: Tree
    after: Tree
    ledger: Ledger
    calls: Sequence[Call]
    first: int
    """The number of its own first change."""
    moves: Sequence[Move] = ()
    """Those that it took back."""
    known: Sequence[Move] = ()
    """All moves, as they were before, newest first."""
    arguments: Sequence[str] = ()
    """The words as the command line had them."""
    saved: Tree | None = None
    """The files at the last save, if there are no agents and nothing else has happened since."""
    partial: frozenset[str] = frozenset()
    """Undos that took back some paths of a move, as asked, and left the others."""
    planned: Mapping[str, Any] = field(default_factory=dict)
    """What a dry run without --shared said before."""
    pruned: bool = False
    """Whether retention has removed snapshots before."""
    hushed: bool = False
    """Whether an agent has written rules that may stop the recording."""
    excuses: Counter[str] = field(default_factory=Counter)

    @property
    def worked(self) -> bool:
        """Whether it did something: what could not be done at all says so, too, with the same exit codes."""
        return self.code in (DONE, PARTIAL, CONFLICT) and "error" not in self.said

    def paths(self, key: str) -> set[str]:
        """The paths under a key: a list of paths, of objects with a path, or of groups of paths."""
        found: set[str] = set()
        for each in self.said.get(key) or ():
            if isinstance(each, str):
                found.add(each)
            elif "paths" in each:
                found.update(each["paths"])
            else:
                found.add(each["path"])
        return found

    @property
    def is_whole(self) -> bool:
        """Whether nothing was left out because somebody asked for it."""
        return not {"--path", "--keep", "--only", "--keep-mine"} & set(self.words)

    @property
    def is_shared(self) -> bool:
        return "--shared" in self.words

    @property
    def was_undecided(self) -> set[str]:
        """What --shared takes, too."""
        return paths_of(self.planned.get("undecided")) | paths_of(self.planned.get("shared"))

    def took(self, call: Call) -> bool:
        """Whether the command took back what a call did."""
        return any(holds(move, call) for move in self.moves)

    def took_entry(self, entry: Entry) -> bool:
        if entry.call is None:
            return False
        inside = [move for move in self.moves if holds(move, entry.call)]
        if entry.call.again:  # until the session's next prompt, or until an undo has ended it
            goes_on = [
                move for move in inside if _began_before(move, entry) and not self._was_undone_before(move, entry)
            ]
            return bool(goes_on) and entry.step <= entry.call.closed_step
        return any(_lies_in(move, entry) for move in inside)

    def _was_undone_before(self, move: Move, entry: Entry) -> bool:
        known = {each.id: each for each in self.known}
        undo = known[move.id].undone_by if move.id in known else None
        return undo in known and known[undo].opened_ns <= entry.began_ns

    @property
    def taken(self) -> list[Call]:
        return [call for call in self.calls if self.took(call)]

    @property
    def is_of_person(self) -> bool:
        """Whether it took back what a person or takeback did."""
        return any(move.level not in AGENT_LEVELS for move in self.moves)

    def mentions(self, path: str, *, present: bool = True) -> bool:
        """Whether it says of a path that something of it is left or lost."""
        skipped = (*_TAKEN, *_NUMBERS, *(() if present else _PRESENT))
        for text in _texts(self.said, skipped):
            if text == path or path.startswith(f"{text.rstrip('/')}/") or path in text:
                return True
        return False


def _lies_in(move: Move, entry: Entry) -> bool:
    """Whether a change came within a move."""
    return _began_before(move, entry) and (move.closed_ns is None or entry.ended_ns <= move.closed_ns)


def _began_before(move: Move, entry: Entry) -> bool:
    """Of a call that went on after an undo, or in the background, only what came after that is its move's own."""
    ran = move.context.get("ran")
    return entry.ended_ns >= (int(ran["from"]) if move.level == "action" and isinstance(ran, Mapping) else 0)


def holds(move: Move, call: Call) -> bool:
    """Whether a call was made in a move, or is the call that the move is."""
    closed = move.closed_ns
    if move.level == "action":
        return move.key.rstrip("&+") == call.id and move.session == call.session
    return (
        move.level in AGENT_LEVELS
        and move.session == call.session
        and move.opened_ns <= call.answered_ns
        and (closed is None or call.answered_ns <= closed)
    )


def _texts(value: Any, skipped: Sequence[str]) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, each in value.items():
            if key not in skipped:
                yield key
                yield from _texts(each, skipped)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each, skipped)


def paths_of(groups: Any) -> set[str]:
    found: set[str] = set()
    for each in groups or ():
        found.update(each["paths"] if isinstance(each, Mapping) else (each,))
    return found


def listed(paths: Iterable[str]) -> str:
    return ", ".join(sorted(paths)) or "nothing"


def require(holds: bool, law: str, why: str) -> None:
    if not holds:
        raise Broken(law, why)
