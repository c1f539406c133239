"""Plans and reports: what a restore would do, and what it did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from takeback.model.snapshot import NotCaptured
from takeback.model.tree import DIRECTORY, Entry

_LOOK = 0o500
"""What the owner of a directory needs to see what is in it."""


@dataclass(frozen=True, slots=True)
class Effect:
    """One path of one part goes from ``before`` to ``after``; None is absence.

    ``merged`` holds bytes that no blob holds yet, and whose id ``after`` names: the result of a three-way merge, or
    something new.
    """

    part: str
    path: str
    before: Entry | None
    after: Entry | None
    merged: bytes | None = field(default=None, repr=False)
    told: tuple[str, str] | None = field(default=None, repr=False, compare=False)
    """How people are told of it: an action and a path. None: as it is; an empty path: not at all, because it goes along
    with another."""

    @property
    def shown(self) -> tuple[str, str] | None:
        """The action and the path that people are told; None if they are not."""
        if self.told is None:
            return self.action, self.path
        return self.told if self.told[1] else None

    @property
    def is_merge(self) -> bool:
        return self.merged is not None and self.before is not None

    @property
    def action(self) -> str:
        if self.before is None:
            return "create"
        if self.after is None:
            return "delete"
        if self.is_merge:
            return "merge"
        if self.before.kind != self.after.kind:
            return "replace"
        return "change" if self.before.id != self.after.id else "chmod"

    @property
    def opens(self) -> bool:
        """Whether its owner can look into a directory again."""
        ends = self.before, self.after
        if not all(each is not None and each.kind == DIRECTORY for each in ends):
            return False
        closed, opened = (each.mode & _LOOK == _LOOK for each in ends if each is not None)
        return opened and not closed

    def inverse(self) -> Effect:
        return Effect(self.part, self.path, self.after, self.before)


def told(effects: Iterable[Effect]) -> list[tuple[str, str]]:
    """The actions and paths that people are told of some effects."""
    return [shown for effect in effects if (shown := effect.shown) is not None]


@dataclass(frozen=True, slots=True)
class Kept:
    """A path that the target does not have, or has otherwise, and that is left alone all the same; with the reason."""

    part: str
    path: str
    reason: str


class Doubt(Enum):
    """Why it is not decided whose a change is."""

    NO_END = "no end"
    """Nothing told that the command had ended: it was interrupted, crashed, or goes on in the background."""
    ASKED = "asked"
    """A person was asked about the call, and nothing tells when the command ran."""
    SESSIONS = "sessions"
    """Commands of several sessions ran at the same time."""
    NO_TIMES = "no times"
    """The file system, or a clock that was set, leaves no proof."""
    FAILED = "failed"
    """The tool said that it failed, and yet the file that it names was changed."""
    NEAR = "near"
    """It was changed so shortly before or after the command that either may be so."""


@dataclass(frozen=True, slots=True)
class Undecided:
    """Paths that may be a command's changes or a person's."""

    command: str
    doubt: Doubt
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WhileRunning:
    """Paths that count as a command's changes only because they changed while it ran: it did not name them."""

    command: str
    paths: tuple[str, ...]


REMADE = frozenset(
    (
        "__pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage htmlcov .nyc_output .eslintcache .parcel-cache "
        ".turbo .cache .ipynb_checkpoints .DS_Store Thumbs.db"
    ).split()
)
"""Names of what programs make again by themselves, so that nobody misses it."""

GROWING = (".log", ".out", ".err", ".pid", ".lock", ".tmp", ".tsbuildinfo")
"""Ends of names of files that programs write to all the time, and mostly at their end."""


_BECAME = {"replaced": "replaced by another", "written": "written to", "unseen": "changed while nobody could read it"}


@dataclass(frozen=True, slots=True)
class Lost:
    """Something that no snapshot holds, and that is not as it was before the moves that are taken back."""

    part: str
    path: str
    """That of a directory has a slash at its end."""
    how: str
    """``removed``; ``replaced`` by another; ``moved``; ``written``, in place; ``unseen``: captured, but changed while nobody
    could read it."""
    to: str = ""
    """Where it was moved."""

    @property
    def words(self) -> str:
        return f"{self.path}: {_BECAME.get(self.how, self.how)}{f' to {self.to}' if self.to else ''}"

    @property
    def counts(self) -> bool:
        """Whether the moves are taken back in part only because of it. A log that grows has lost nothing."""
        if self.how == "written" and self.path.endswith(GROWING):
            return False
        return REMADE.isdisjoint(self.path.split("/"))


@dataclass(frozen=True, slots=True)
class Going:
    """Something that is no more, or is set back, once effects are in place: a team's task, somebody's mail."""

    what: str
    """``tasks``, ``messages``, ``dead letters``, ``sessions``, ``events``, ``costs`` or ``plans``."""
    path: str
    said: Mapping[str, str] = field(default_factory=dict)
    """What it says of itself; nothing if that cannot be read, or is only counted."""
    becomes: Mapping[str, str] | None = None
    """What it says then; None if it is gone."""


@dataclass(frozen=True, slots=True)
class Outside:
    """Something a move did that no snapshot can take back: a push, a sent mail, a commit."""

    kind: str
    what: str
    time_ns: int = 0


@dataclass(frozen=True, slots=True)
class Choice:
    """A move that plain undo can take."""

    move: str
    level: str
    title: str
    """What the move is about, in words."""
    session: str = ""
    needs_level: bool = False
    """Plain undo leaves it without a question: a person's own move, where agents have moved. ``level`` takes it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The exact effects of a restore, undo or redo. Nothing is applied that is not in here."""

    verb: str
    """``restore``, ``undo`` or ``redo``."""
    timeline: str
    root: str
    present: str | None
    """The snapshot that held the present when the plan was made, if it was already saved."""
    effects: tuple[Effect, ...]
    target: str | None = None
    """For a restore: the snapshot that is restored."""
    moves: tuple[str, ...] = ()
    """For undo and redo: the moves that are taken back, newest first."""
    title: str = ""
    conflicts: tuple[Kept, ...] = ()
    """Paths that cannot be taken back without losing somebody's work."""
    kept: tuple[Kept, ...] = ()
    """Paths left alone for another reason: not captured, ignored, outside what was asked for."""
    shared: tuple[str, ...] = ()
    """Paths that somebody else may have changed, and that are left for that."""
    outside: tuple[Outside, ...] = ()
    not_captured: tuple[NotCaptured, ...] = ()
    notes: tuple[str, ...] = ()
    """What a person should know first: another git HEAD, a different set of parts."""
    hints: tuple[str, ...] = ()
    """What to do about the conflicts, and instead if nothing of the plan can be done."""
    pending: tuple[str, ...] = ()
    """Parts whose objects live in other processes, which will put them in place."""
    goes: tuple[Going, ...] = ()
    """What the effects take away, where paths say too little of it: a team's tasks and mail."""
    lost: tuple[Lost, ...] = ()
    """What the moves removed, replaced or moved, and no snapshot can bring back."""
    catches_up: bool = False
    """The owner of objects puts in place what other processes asked for meanwhile."""
    completes: bool = False
    """It puts in place what another move has recorded as pending: that is the move to take back."""
    partly: bool = False
    """Something of what its moves did was left out, as asked: who takes back all since then takes that, too."""
    others: tuple[Choice, ...] = ()
    """Moves that plain undo leaves for a person to choose: her own open one, where agents have moved."""
    partial: tuple[Kept, ...] = ()
    """Paths that this leaves although they were asked for: another program writes there now, or the snapshots that say what
    the move did to them were removed. What is done is only a part then."""
    exact: bool = False
    """A restore that makes paths equal to those of ``target``, and does not merge."""
    left: bool = False
    """Something was not done, or is to be kept; see `is_left`."""
    in_part: tuple[str, ...] = ()
    """Paths that change although one change of them is undecided, and left in them."""
    after: str | None = None
    """The snapshot after which the moves are taken back, if one of them began before that."""
    again: tuple[str, ...] = ()
    """Paths that change although one of the moves' changes to them stays undecided: later undos try them again."""
    undecided: tuple[Undecided, ...] = ()
    """Changes that may be somebody else's, by command: those in ``shared`` are left, those in ``brought_back`` are not."""
    while_running: tuple[WhileRunning, ...] = ()
    """What is taken back of what changed while a command ran, by command."""
    brought_back: tuple[str, ...] = ()
    """Undecided paths that are absent now, and come back: nothing can be lost by that."""
    given_up: bool = False
    """It was interrupted, and could not be taken back as a whole: what is left of it can only be taken back."""

    @property
    def empty(self) -> bool:
        return not self.effects and not self.pending

    @property
    def told(self) -> list[tuple[str, str]]:
        """The actions and paths that people are told of."""
        return told(self.effects)

    @property
    def stuck(self) -> bool:
        """Whether there is something to take back, and nothing of it can be."""
        return self.empty and self.verb != "restore" and bool(self.conflicts or self.shared or self.kept)

    @property
    def is_left(self) -> bool:
        """Whether something that was asked for stays undone."""
        return self.left or bool(self.conflicts or self.shared or self.partial or self.in_part)

    @property
    def merged(self) -> tuple[str, ...]:
        return tuple(effect.path for effect in self.effects if effect.is_merge and effect.shown is not None)


@dataclass(frozen=True, slots=True)
class Report:
    """What was done, and that it was checked."""

    verb: str
    move: str | None
    snapshot: str
    safety: str
    changed: tuple[str, ...]
    merged: tuple[str, ...]
    conflicts: tuple[Kept, ...]
    kept: tuple[Kept, ...]
    shared: tuple[str, ...]
    outside: tuple[Outside, ...]
    not_captured: tuple[NotCaptured, ...]
    verified: bool
    moves: tuple[str, ...] = ()
    title: str = ""
    notes: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    """What to do about the conflicts."""
    pending: tuple[str, ...] = ()
    """Parts whose owner, in another process, will apply them."""
    others: tuple[Choice, ...] = ()
    """Moves that plain undo left for a person to choose."""
    partial: tuple[Kept, ...] = ()
    """Paths that were asked for and left, so that this is only a part; with the reason."""
    actions: Mapping[str, str] = field(default_factory=dict)
    """What was done to each changed path."""
    undecided: tuple[Undecided, ...] = ()
    """Changes that may be somebody else's, by command: those in ``shared`` are left, those in ``brought_back`` are not."""
    while_running: tuple[WhileRunning, ...] = ()
    """What is taken back of what changed while a command ran, by command."""
    brought_back: tuple[str, ...] = ()
    in_part: tuple[str, ...] = ()
    """Paths that changed although one change of them is undecided, and left in them."""
    """Undecided paths that are absent now, and come back: nothing can be lost by that."""
    lost: tuple[Lost, ...] = ()
    """What the moves removed, replaced or moved, and no snapshot can bring back."""
