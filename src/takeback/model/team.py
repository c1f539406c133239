"""What differs in a team, in its own terms: tasks, mail, costs, members. Read from snapshots, never from the world.

Everything in here was written by agents: it is text to be shown, not to be believed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Task:
    """A task as one side has it."""

    subject: str
    status: str
    owner: str = ""


@dataclass(frozen=True, slots=True)
class TaskChange:
    """A task that came, went or changed; a side is None where it is not there, or cannot be read."""

    id: str
    path: str
    status: str
    """``added``, ``removed`` or ``changed``."""
    before: Task | None
    after: Task | None


@dataclass(frozen=True, slots=True)
class Mail:
    """A message that waits in an inbox, or a dead letter, on one side only; both empty where it cannot be read."""

    inbox: str
    path: str
    status: str
    """``arrived`` or ``gone``."""
    sender: str
    text: str
    dead: bool = False


@dataclass(frozen=True, slots=True)
class Spent:
    """What costs were reported for one agent, on both sides."""

    agent: str
    events: tuple[int, int]
    cents: tuple[float, float]


@dataclass(frozen=True, slots=True)
class TeamDiff:
    """What differs between two states of a team; in pairs the first is before, the second after."""

    part: str
    team: str
    members: tuple[int, int] = (0, 0)
    joined: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    statuses: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """How many tasks have each status, for all that differ in that."""
    tasks: tuple[TaskChange, ...] = ()
    mail: tuple[Mail, ...] = ()
    costs: tuple[Spent, ...] = ()
    """Only agents for whom it differs."""
    events: tuple[int, int] = (0, 0)
    sessions: Mapping[str, str] = field(default_factory=dict)
    """By agent: ``added``, ``removed`` or ``changed``."""
    plans: Mapping[str, str] = field(default_factory=dict)
    """The same by name."""
    other: tuple[str, ...] = ()
    """Paths that differ and are none of these: the configuration, runtime state, the cost summary."""
    unreadable: tuple[str, ...] = ()
    """Paths, among those that matter here, that hold no JSON object."""
