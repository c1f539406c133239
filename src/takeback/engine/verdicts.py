"""Whose is a change? Of each path that differs in a step: the agent's, a person's, or undecided.

It is the agent's if its tool named the path in that step, or if the path's ctime lies where its command certainly ran, and
nobody else's did. It is a person's if no command of an agent can have made it. Everything else is undecided. The file
system's times are compared with the stretches in which commands ran; a path that came along with a directory that was moved keeps
its own ctime, so it shares the verdict of that directory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from enum import Enum
from typing import NamedTuple

from blake3 import blake3

from takeback.engine.attribution import Claim, OwnedStep
from takeback.engine.stretches import BESIDE_NS, LATE_NS, Stretch
from takeback.model.diff import Change
from takeback.model.plan import Doubt
from takeback.model.tree import FILE
from takeback.sources import clock, trees
from takeback.sources.clock import TICK_NS
from takeback.sources.evidence import UNKNOWN_TIME, Evidence, Stamp
from takeback.sources.trees import within

_NOTHING = blake3(b"").hexdigest()


class Verdicts(NamedTuple):
    """What was decided of one step."""

    leave: frozenset[str] = frozenset()
    """Paths that are not the targets', or may not be."""
    undecided: Mapping[str, tuple[str, Doubt]] = {}
    """Those of them that may be: the command, and why it is not certain."""
    running: Mapping[str, str] = {}
    """Paths that are the targets' only because they changed while a command ran."""
    contents: Mapping[bytes, str] = {}
    """The commands by the content of files that they made or changed: such a file may have another name by now."""
    spent: frozenset[tuple[Stretch, str]] = frozenset()
    """Calls and the files that they name, which they changed here: a tool writes its file once, so not before this step."""
    owned: frozenset[str] = frozenset()
    """Paths of the targets' own."""
    cleared: frozenset[str] = frozenset()
    """Paths of the targets' own that were not there before the step."""
    made: frozenset[str] = frozenset()
    """Undecided paths that were not there before the step."""
    gone: frozenset[str] = frozenset()
    """Undecided paths that the step removed: if they are still absent, they can be brought back without a loss."""

    def without(self, paths: Set[str]) -> Verdicts:
        """The same, with nothing to say of some paths."""
        if not paths:
            return self
        undecided = {path: why for path, why in self.undecided.items() if path not in paths}
        running = {path: command for path, command in self.running.items() if path not in paths}
        return self._replace(undecided=undecided, running=running)


class _May(Enum):
    NO = 0
    MAYBE = 1
    RAN = 2
    """It changed while the command certainly ran."""
    NAMED = 3
    """The tool named the path, and ran."""


class _Moment(NamedTuple):
    """When a path was changed, as far as the file system tells."""

    ctime_ns: int
    exact: bool = True
    """Whether it is the path's own; else the latest change of its directory, which may have come later."""


def judge(
    step: OwnedStep,
    changes: Iterable[Change],
    evidence: Evidence | None,
    looked: tuple[int, int],
    *,
    has_times: bool,
    spent: Set[tuple[Stretch, str]] = frozenset(),
) -> Verdicts:
    """Decide about all changes of a step. ``looked`` is when the look at its first snapshot began and ended; ``has_times`` is
    whether the source records evidence at all; ``spent`` is what later steps say of calls that go over several."""
    if not step.claims:
        return Verdicts()
    leave: set[str] = set()
    undecided: dict[str, tuple[str, Doubt]] = {}
    running: dict[str, str] = {}
    contents: dict[bytes, str] = {}
    wrote: set[tuple[Stretch, str]] = set()
    seen = list(changes)
    times = _Times(evidence, looked, {change.path for change in seen if change.before is None})
    names = {claim: _names(claim, evidence) for claim in step.claims}
    for change in seen:
        moment = times.of(change)
        found = [
            (claim, _claimed(claim, change, moment, evidence, has_times, within(names[claim], change.path)))
            for claim in step.claims
        ]
        found = [(claim, _May.MAYBE if _is_spent(claim, change.path, may, spent) else may) for claim, may in found]
        named = (claim.stretch for claim, may in found if may is _May.NAMED)
        wrote.update((stretch, change.path) for stretch in named if stretch is not None and stretch.only_named)
        verdict = _decided(step, found, moment, evidence, has_times)
        if isinstance(verdict, tuple):
            undecided[change.path] = verdict
        if isinstance(verdict, tuple) or not verdict:
            leave.add(change.path)
        elif has_times and not step.hers and not _is_edited(found):
            command = next(claim.command for claim, may in found if claim.mine and may in (_May.RAN, _May.NAMED))
            running[change.path] = command
            if change.after is not None and change.after.kind == FILE:
                contents[change.after.id] = command
    _settle_directories(seen, leave, undecided)
    gone = frozenset(change.path for change in seen if change.after is None and change.path in undecided)
    owned = frozenset(change.path for change in seen if change.path not in leave)
    cleared = frozenset(change.path for change in seen if change.before is None and change.path in owned)
    made = frozenset(change.path for change in seen if change.before is None and change.path in undecided)
    return Verdicts(frozenset(leave), undecided, running, contents, frozenset(wrote), owned, cleared, made, gone)


def _is_spent(claim: Claim, path: str, may: _May, spent: Set[tuple[Stretch, str]]) -> bool:
    """Whether a call has written the file that it names in a later step."""
    return may is _May.NAMED and claim.stretch is not None and (claim.stretch, path) in spent


def _is_named(found: Iterable[tuple[Claim, _May]]) -> bool:
    return any(claim.mine and may is _May.NAMED for claim, may in found)


def _is_edited(found: Iterable[tuple[Claim, _May]]) -> bool:
    """Whether a tool that changes nothing but the files that it names has changed one of them. Any other tool may run for long."""
    some = (claim.stretch for claim, may in found if claim.mine and may is _May.NAMED)
    return any(stretch is None or stretch.only_named for stretch in some)


def _decided(
    step: OwnedStep,
    found: list[tuple[Claim, _May]],
    moment: _Moment | None,
    evidence: Evidence | None,
    has_times: bool,
) -> bool | tuple[str, Doubt]:
    """Whether a change is the targets'; or the command whose it may be, and why that is not certain."""
    mine = [(claim, may) for claim, may in found if claim.mine and may is not _May.NO]
    others = [(claim, may) for claim, may in found if not claim.mine and may is not _May.NO]
    if step.hers:
        sure = [claim for claim, may in others if may in (_May.NAMED, _May.RAN)]
        if sure or not others:
            return not sure
        return others[0][0].command, _why(others[0][0], moment, evidence, has_times)
    named = _is_named(found)
    named_by_others = any(may is _May.NAMED for _, may in others)
    if named and not named_by_others:
        return True
    if not mine or (named_by_others and not named):
        return False
    claim, may = max(mine, key=lambda each: each[1].value)
    if others:
        return claim.command, Doubt.SESSIONS
    return True if may is _May.RAN else (claim.command, _why(claim, moment, evidence, has_times))


def _names(claim: Claim, evidence: Evidence | None) -> tuple[str, ...]:
    """The paths that a tool named, and other names of the same files."""
    if not claim.named or evidence is None:
        return claim.named
    files = {stamp.inode for path in claim.named if (stamp := evidence.paths.get(path)) is not None}
    return (*claim.named, *(path for path, stamp in evidence.paths.items() if stamp.inode in files))


def _claimed(
    claim: Claim, change: Change, moment: _Moment | None, evidence: Evidence | None, has_times: bool, named: bool
) -> _May:
    """How certain it is that a command changed a path; whether its tool has named it."""
    stretch = claim.stretch
    if stretch is None:  # an earlier version recorded it: the whole window is its own
        return _May.NAMED if named else _May.RAN
    if stretch.first_ns > stretch.last_ns or (stretch.only_named and not named and has_times):
        return _May.NO
    if _is_mixed(stretch, change) or (stretch.failed and stretch.only_named):
        return _May.MAYBE
    sure = _May.NAMED if named and (stretch.finished or stretch.is_sure) else _May.MAYBE
    if not has_times or evidence is None:
        return _May.RAN if sure is _May.MAYBE and (stretch.finished or stretch.is_sure) else sure
    if evidence.lacks or not _same_clock(claim, evidence):
        return sure
    if moment is None:  # the snapshot after it was dropped: what is certain of the whole call is, of this, too
        return _May.RAN if sure is _May.MAYBE and stretch.sure_first_ns == stretch.first_ns else sure
    ctime = moment.ctime_ns
    if ctime < stretch.first_ns - TICK_NS:
        return _May.NO
    if named and stretch.follows and stretch.last_ns < ctime <= stretch.last_ns + BESIDE_NS:
        return sure  # one of the agent's own hooks, such as a formatter, came before our look
    if ctime > stretch.last_ns or (not moment.exact and not stretch.holds(ctime)):
        return _May.MAYBE
    if named:
        return _May.MAYBE if stretch.asked and stretch.is_sure and ctime < stretch.sure_first_ns - LATE_NS else sure
    return _May.RAN if stretch.holds(ctime) else _May.MAYBE


def _is_mixed(stretch: Stretch, change: Change) -> bool:
    """Whether the tool found another content than the step began with: somebody else changed the file before it did."""
    if not stretch.originals:
        return False
    if change.before is None:
        return _NOTHING not in stretch.originals  # some agents tell of a new file that it held nothing
    return change.before.kind == FILE and change.before.id.hex() not in stretch.originals


def _same_clock(claim: Claim, evidence: Evidence) -> bool:
    offset = claim.stretch.offset_ns if claim.stretch is not None else None
    return offset is not None and clock.is_same(offset, evidence.offset_ns)


def _why(claim: Claim, moment: _Moment | None, evidence: Evidence | None, has_times: bool) -> Doubt:
    stretch = claim.stretch
    if stretch is None or not stretch.finished:
        return Doubt.NO_END
    if has_times and (moment is None or evidence is None or evidence.lacks or not _same_clock(claim, evidence)):
        return Doubt.NO_TIMES
    if stretch.failed and stretch.only_named:
        return Doubt.FAILED
    return Doubt.NEAR if stretch.is_sure else Doubt.ASKED


def _settle_directories(changes: Iterable[Change], leave: set[str], undecided: dict[str, tuple[str, Doubt]]) -> None:
    """A directory's times change with what is put into it: one that is new goes with what the targets made in it, because it
    is only removed if it is empty then."""
    kept = {change.path for change in changes if change.path not in leave and not change.is_directory}
    above = {parent for path in kept for parent in trees.parents(path)}
    for change in changes:
        if change.is_directory and change.before is None and change.path in above:
            leave.discard(change.path)
            undecided.pop(change.path, None)


class _Times:
    """When paths of one step were changed."""

    def __init__(self, evidence: Evidence | None, looked: tuple[int, int], new: set[str]) -> None:
        self._evidence, self._looked, self._new = evidence, looked, new

    def of(self, change: Change) -> _Moment | None:
        if self._evidence is None or self._evidence.lacks:
            return None
        if change.after is None:
            return self._of_directory_above(change.path)
        stamp = self._evidence.paths.get(change.path)
        if stamp is None or stamp.ctime_ns == UNKNOWN_TIME:
            return None
        if self._is_older(change.path, stamp):  # it did not change here: a directory above it was moved
            return self._of_directory_above(change.path)
        return _Moment(stamp.ctime_ns, exact=not change.is_directory)

    def _of_directory_above(self, path: str) -> _Moment | None:
        """The latest change of the nearest directory above a path that changed in this step."""
        assert self._evidence is not None
        for above in (*trees.parents(path), ""):
            stamp = self._evidence.directories.get(above)
            if stamp is not None and not self._is_older(above, stamp):
                return _Moment(stamp.ctime_ns, exact=False)
        return None

    def _is_older(self, path: str, stamp: Stamp) -> bool:
        """Whether a path was last changed before the step. What came along with a new directory was, if it is as old as the
        look before: then it was elsewhere."""
        came_along = path in self._new and path.rpartition("/")[0] in self._new
        return stamp.ctime_ns < self._looked[0] or (came_along and stamp.ctime_ns <= self._looked[1])
