"""How swarm frameworks lay a team out on disk: directories, locks, what is only ever added. Another framework is another
value here, not other code.

In places, ``{team}`` stands for the team's name; all are relative to the framework's data directory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

MEMBERS, CONFIG, TASKS, EVENTS, SESSIONS = "members", "config", "tasks", "events", "sessions"
COSTS, MESSAGES, DEAD_LETTERS, PLANS = "costs", "messages", "dead letters", "plans"


@dataclass(frozen=True, slots=True)
class Area:
    """A directory that holds one file for each thing of a kind."""

    what: str
    place: str
    pattern: str
    """Which names are such things; others are only captured."""
    boxes: bool = False
    """Whether there is a directory for each member in between."""
    mail: bool = False
    """Whether what is newer than a snapshot is somebody's mail, which a restore can be told to keep."""
    appended: bool = False
    """Whether a file is never changed once it is there."""


@dataclass(frozen=True, slots=True)
class Lock:
    """A file that the framework locks while it changes several others: taken, never captured, replaced or removed."""

    place: str
    made: bool = False
    """Whether the framework makes it whenever it needs it: then so do we, or we would exclude nobody."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a framework keeps a team."""

    name: str
    config: str
    directories: tuple[str, ...]
    """Captured whole, but for what is ``live`` or ``passing``."""
    files: tuple[str, ...]
    """Captured by themselves."""
    live: tuple[str, ...]
    """What says who runs now: neither captured nor ever touched."""
    passing: tuple[str, ...]
    """Names of locks, and of files that are not yet what they will be."""
    locks: tuple[Lock, ...]
    areas: tuple[Area, ...]
    naming: tuple[str, ...] = ()
    """Files that name places in the data directory by their absolute paths."""
    beside: str = ".team"
    """What the data directory of a fork is called, behind the name of the fork's own directory."""
    others: tuple[str, ...] = ()
    """Names in the data directory that are the framework's, and no team's."""

    def covers(self, team: str) -> tuple[str, ...]:
        """Everything that is captured of a team."""
        return tuple(place.format(team=team) for place in (*self.directories, *self.files))

    def own(self, team: str) -> list[str]:
        """The directories that are a team's alone; one with its members' worktrees among them."""
        every = (*self.directories, *(each.rpartition("/")[0] for each in self.files))
        return [place.format(team=team) for place in dict.fromkeys(every)]

    def is_alone(self, names: Iterable[str]) -> bool:
        """Whether nothing but the framework's is in a data directory that holds these names."""
        known = {place.partition("/")[0] for place in (*self.directories, *self.files)} | {*self.others}
        return all(name in known or self.passes(name) for name in names)

    def leaves(self, team: str) -> frozenset[str]:
        """What is covered, and left alone."""
        return frozenset(place.format(team=team) for place in self.live)

    def passes(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self.passing)

    def area(self, what: str) -> Area:
        return next(area for area in self.areas if area.what == what)

    def area_of(self, team: str, path: str) -> Area | None:
        """The area whose kind of thing a path is; None if it is none of them."""
        directory, _, name = path.rpartition("/")
        for area in self.areas:
            place = directory.rpartition("/")[0] if area.boxes else directory
            if place == area.place.format(team=team) and fnmatchcase(name, area.pattern):
                return area
        return None

    def is_mail(self, team: str, path: str) -> bool:
        area = self.area_of(team, path)
        return area is not None and area.mail


CLAWTEAM = Layout(
    name="clawteam",
    config="teams/{team}/config.json",
    directories=(
        "teams/{team}",
        "tasks/{team}",
        "sessions/{team}",
        "costs/{team}",
        "plans/{team}",
        "harness/{team}",
    ),
    files=("workspaces/{team}/workspace-registry.json",),
    live=("teams/{team}/peers", "teams/{team}/spawn_registry.json"),
    passing=("*.tmp", ".tmp-*", "*.lock"),
    locks=(Lock("tasks/{team}/.tasks.lock", made=True), Lock("costs/{team}/summary.json.lock")),
    areas=(
        Area(TASKS, "tasks/{team}", "task-*.json"),
        Area(EVENTS, "teams/{team}/events", "evt-*.json", appended=True),
        Area(SESSIONS, "sessions/{team}", "*.json"),
        Area(COSTS, "costs/{team}", "cost-*.json", appended=True),
        Area(MESSAGES, "teams/{team}/inboxes", "msg-*", boxes=True, mail=True),
        Area(DEAD_LETTERS, "teams/{team}/dead_letters", "*", boxes=True, mail=True),
        Area(PLANS, "plans/{team}", "*.md"),
    ),
    naming=("workspaces/{team}/workspace-registry.json",),
    beside=".clawteam",
    others=("snapshots", "config.json"),
)

LAYOUTS = {layout.name: layout for layout in (CLAWTEAM,)}
