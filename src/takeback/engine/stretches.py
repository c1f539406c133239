"""Stretches: when the command of an agent's move ran, as far as that is proved.

Every agent's move has one in its context, under ``ran``. It has two parts. The move's changes lie in the *possible* part:
from the moment in which the agent was let go on to the event that ended the call. The command ran for all of the *certain*
part: the last ``duration`` before the end, if the agent says how long it ran, because that leaves out the time in which a
person was asked; else all of it, if no person was asked. A move that no event of its own has ended (Esc, a crash) has no
certain part. A move of a program that saves by itself, such as ``with line.turn()`` or ``takeback run``, is certain for as
long as that program lives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from takeback.engine import processes
from takeback.engine.processes import Ancestry
from takeback.model.move import AGENT_LEVELS, Move
from takeback.sources import clock
from takeback.sources.clock import TICK_NS, Reading

RAN = "ran"
AGENT, OPENER = "agent", "opener"
"""In a move's context: the process of its agent; or the one that opened it, which may or may not be the agent."""
BACKGROUND, FOLLOWER = "&", "+"
"""At the end of the key of a call: what goes on in the background when it has ended, and what the agent's own hooks do after it."""
CALLS = "calls"
"""In a turn's context: calls of tools around which nothing was saved."""

BEFORE_NS = 1_000_000_000
"""An agent calls its hook at most so long after a command's end: what was changed longer before the time that the command
took than this, was changed while a person was asked."""

SPAWN_NS = 25_000_000
"""So much later than a command ended an agent has started its hook, as far as that can be told (measured of Claude Code: 3 to
13 ms, and the system tells the start of a process to 10): the command may have begun so much before the time that its length
tells. Who is asked presses a key in that moment, and changes nothing."""

LATE_NS = 100_000_000
"""On a machine that is busy it may be so much later. What the tool named is its own from then on; what it did not name is
undecided there."""

FOLLOW_NS = 10_000_000_000
"""For so long after a call an agent's own hooks, such as a formatter, certainly go on with its file, until the end of its batch is
told. In the same batch the agent may also wait for a person, for hours."""

BESIDE_NS = 1_000_000_000
"""So long our own hook waits at most, most often, until it looks at the files that another hook of the agent writes at the same
time."""

FOREVER = 1 << 62


class Ran(NamedTuple):
    """What the event that begins or ends a call says of when its command runs."""

    at: Reading | None = None
    """When the event came; the moment of the save if nothing is said."""
    duration_ns: int | None = None
    asked: bool = False
    """Whether a person was asked meanwhile, or may have been."""
    lives: bool = True
    """Whether the command runs for as long as the agent lives, until its end is told."""
    only_named: bool = False
    """Whether the call changes the paths that it names, and no others."""
    denied: bool = False
    """Whether it never ran."""
    follows: bool = False
    """Whether the agent's own hooks may go on with the paths that the call named."""
    failed: bool = False
    """Whether the tool says that it failed: then it may not have changed what it named."""
    originals: tuple[str, ...] = ()
    """What the file that it changed held before, as the agent tells: ids of blobs, in hexadecimal digits, any of which it may
    be, because an agent may have made other line ends of it."""


class Stretch(NamedTuple):
    """When a command may have run, and when it certainly did, in nanoseconds of real time."""

    first_ns: int
    last_ns: int
    sure_first_ns: int = FOREVER
    sure_last_ns: int = 0
    offset_ns: int | None = None
    """Real time at boot then; None if nobody knows, or the clock was set meanwhile."""
    only_named: bool = False
    finished: bool = False
    """Whether an event of its own ended it."""
    asked: bool = False
    """Whether a person was asked before it ran, or may have been."""
    follows: bool = False
    """Whether the agent's own hooks may have gone on with what it named."""
    failed: bool = False
    """Whether the tool said that it failed."""
    originals: frozenset[str] = frozenset()
    """What the file that it changed held before, if the agent tells: one of these."""

    @property
    def is_sure(self) -> bool:
        return self.sure_first_ns <= self.sure_last_ns

    def may_hold(self, ctime_ns: int) -> bool:
        """Whether what has this ctime may have been changed by the command."""
        return self.first_ns - TICK_NS <= ctime_ns <= self.last_ns

    def holds(self, ctime_ns: int) -> bool:
        """Whether it was changed while the command certainly ran."""
        return self.sure_first_ns <= ctime_ns <= self.sure_last_ns


def begun(said: Ran, now: Reading) -> dict[str, Any]:
    """What is remembered of a call when it is let go on."""
    return {"from": now.coarse_ns, "offset": now.offset_ns, "only": said.only_named, "lives": said.lives}


def ended(opened: Any, said: Ran, now: Reading) -> dict[str, Any]:
    """The same once its own event has ended it."""
    known = opened if isinstance(opened, Mapping) else {}
    end = said.at or now
    first = known.get("from")
    first = first if isinstance(first, int) else end.real_ns
    offset = known.get("offset")
    is_set = not isinstance(offset, int) or not clock.is_same(offset, end.offset_ns)
    sure: list[int] | None = [first, end.real_ns]
    if said.duration_ns is not None:
        since = end.real_ns - said.duration_ns - SPAWN_NS
        sure = [max(first, since), end.real_ns]
        if said.asked:
            first = max(first, since - BEFORE_NS)
    elif said.asked or known.get("unseen"):
        sure = None
    return {
        "from": first,
        "to": end.real_ns,
        "offset": None if is_set else offset,
        "only": bool(known.get("only")) or said.only_named,
        "sure": None if is_set else sure,
        "finished": True,
        **({"denied": True} if said.denied else {}),
        **({"asked": True} if said.asked else {}),
        **({"follows": True} if said.follows else {}),
        **({"failed": True} if said.failed else {}),
        **({"originals": list(said.originals)} if said.originals else {}),
    }


def cut(opened: Any, now: Reading) -> dict[str, Any]:
    """The same if something else ended it: the session's next prompt, the agent's death."""
    known = dict(opened) if isinstance(opened, Mapping) else {}
    offset = known.get("offset")
    is_set = not isinstance(offset, int) or not clock.is_same(offset, now.offset_ns)
    return {**known, "to": now.real_ns, "offset": None if is_set else offset, "lives": False}


def of_move(move: Move, now: Reading) -> Stretch | None:
    """The stretch of an agent's move; None if nothing is known of it, as of those that earlier versions recorded."""
    raw = move.context.get(RAN)
    if not isinstance(raw, Mapping):
        return None
    if raw.get("denied"):
        return Stretch(1, 0, finished=True, only_named=True)
    if not move.open:
        found = decoded(raw)
        if found is not None and move.key.endswith(FOLLOWER):
            return found._replace(last_ns=min(found.last_ns, found.first_ns + FOLLOW_NS))
        return found
    found = decoded(cut(raw, now))
    if found is not None and lives(move) and found.offset_ns is not None:
        return found._replace(sure_first_ns=found.first_ns, sure_last_ns=found.last_ns)
    return found


def decoded(raw: Mapping[str, Any]) -> Stretch | None:
    """A stretch as a context has it; None if it cannot be read."""
    first, last, offset, sure = raw.get("from"), raw.get("to"), raw.get("offset"), raw.get("sure")
    if type(first) is not int or type(last) is not int:
        return None
    if not (isinstance(sure, list) and len(sure) == 2 and all(type(each) is int for each in sure)):
        sure = [FOREVER, 0]
    return Stretch(
        first,
        last,
        sure[0],
        sure[1],
        offset if type(offset) is int else None,
        raw.get("only") is True,
        raw.get("finished") is True,
        raw.get("asked") is True,
        raw.get("follows") is True,
        raw.get("failed") is True,
        frozenset(map(str, originals)) if isinstance(originals := raw.get("originals"), list) else frozenset(),
    )


def calls_of(move: Move) -> list[Mapping[str, Any]] | None:
    """Calls of tools inside a turn around which nothing was saved; None if the turn does not tell of its calls so."""
    for side in ("closed", "opened"):
        said = move.context.get(side)
        raw = said.get(CALLS) if isinstance(said, Mapping) else None
        if isinstance(raw, list):
            return [each for each in raw if isinstance(each, Mapping)]
    return None


def lives(move: Move) -> bool:
    """Whether an open move is of a program that saves by itself, and that lives: then it has run until now."""
    raw = move.context.get(RAN)
    if not isinstance(raw, Mapping) or raw.get("lives") is not True:
        return False
    opener = processes.decoded(move.context.get(AGENT) or move.context.get(OPENER))
    return opener is None or not processes.is_gone(opener)


def is_left(move: Move) -> bool:
    """Whether an agent's open move has no agent any more."""
    if not move.open or move.level not in AGENT_LEVELS:
        return False
    agent: Ancestry | None = processes.decoded(move.context.get(AGENT))
    return agent is not None and processes.is_gone(agent)


def runs_in(inner: Move, outer: Move) -> bool:
    """Whether one run was started by another: the process of that is above its own."""
    below, above = (processes.decoded(run.context.get(AGENT)) for run in (inner, outer))
    if below is None or above is None or (below.boot, below.namespace) != (above.boot, above.namespace):
        return False
    return any((each.pid, each.start) == (above.chain[0].pid, above.chain[0].start) for each in below.chain[1:])


def acting(opened: Sequence[Move]) -> str:
    """The session of the agent in whose open call this very process runs; empty if a person runs it. A person who types a
    command into her agent runs it, too: no call of the agent's is open then."""
    calls = [move for move in opened if move.level in ("action", "run") and move.context.get(AGENT) is not None]
    if not calls:
        return ""
    here = processes.ancestry()
    for move in calls:
        agent = processes.decoded(move.context.get(AGENT))
        if agent is None or move.key.endswith((BACKGROUND, FOLLOWER)):
            continue
        if (agent.boot, agent.namespace) == (here.boot, here.namespace) and agent.chain[0].pid != here.chain[0].pid:
            if here.has(agent.chain[0]):
                return move.session
    return ""
