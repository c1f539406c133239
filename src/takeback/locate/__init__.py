"""Which store, which root, which settings. The only module beside the faces that reads the environment or configuration.

A value comes from the first of: the caller (a flag), the environment, the project's file (``takeback.toml``, else
``[tool.takeback]`` in ``pyproject.toml``), the user's configuration, the default. A project's file comes with a cloned
repository, or from the very agent that is to be taken back, so it may only say what is captured: never where the store
is, and never that something cannot be undone. What is wrong in it is ignored, with a warning; what is wrong in the user's
own configuration is an error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from takeback.engine.background import Background
from takeback.engine.store import MEMORY, Store, open_store
from takeback.engine.timeline import Timeline
from takeback.errors import Integrity, InvalidInput, Unavailable
from takeback.locate import agreed, baseline
from takeback.locate.agents import Agents, agent_homes, agents
from takeback.locate.forking import Forks
from takeback.locate.gone import ways_back
from takeback.locate.layers import (
    NO_FILE,
    PROJECT_FILE,
    PYPROJECT,
    ProjectFile,
    environment,
    project_file,
    store_path,
    user_file,
    user_layers,
)
from takeback.locate.roots import Found, find, find_root
from takeback.locate.settings import SETTINGS, Setting, checked
from takeback.model.limits import Limits
from takeback.model.progress import Listener
from takeback.model.sizes import parse_size
from takeback.sources.protocol import Source
from takeback.sources.workspace.source import Workspace

if TYPE_CHECKING:
    from takeback.locate.agreed import Agreed
    from takeback.locate.baseline import Baseline
    from takeback.locate.chosen import Chosen

__all__ = [
    "open",
    "here",
    "timeline",
    "directory",
    "limits",
    "upkeep",
    "place",
    "Place",
    "Value",
    "find_root",
    "ways_back",
    "PROJECT_FILE",
    "store_path",
    "user_file",
    "SETTINGS",
    "Setting",
    "Agents",
    "agents",
    "agent_homes",
    "check_platform",
]


class Value(NamedTuple):
    """A setting's value, and where it came from."""

    value: Any
    origin: str


class Place:
    """Where a command acts: the root and its settings, each with its origin."""

    def __init__(
        self,
        root: str,
        found_by: str,
        settings: Mapping[str, Value],
        warnings: tuple[str, ...] = (),
        *,
        file: ProjectFile = NO_FILE,
        agreed: Agreed | None = None,
        declared: tuple[Chosen, ...] = (),
        to_agree: tuple[str, ...] = (),
        baseline: Baseline | None = None,
    ) -> None:
        self.root = root
        self.found_by = found_by
        """``takeback.toml``, ``fork``, ``git`` or ``directory``."""
        self.settings = settings
        self.warnings = warnings
        """What a project's file says that is ignored, and why."""
        self.file = file
        self.agreed = agreed
        """To what its owner has agreed."""
        self.declared = declared
        """Containers and teams that belong to it, and those that would if its owner agreed."""
        self.to_agree = to_agree
        """Where the file is not what its owner agreed to."""
        self.baseline = baseline
        """What counts here although an agent may have written otherwise, as it should be noted; None if nothing was recorded."""
        self.drifted = False
        """Whether that is not how it is noted."""
        self.unagreed: tuple[str, ...] = ()
        """What of it does not count because an agent changed it, or may have."""
        self.passed = ""
        """A directory whose ``takeback.toml`` does not make a root of it yet."""

    def __getitem__(self, name: str) -> Any:
        return self.settings[name].value

    @property
    def used(self) -> tuple[Chosen, ...]:
        """The containers and teams that belong to it."""
        return tuple(each for each in self.declared if each.used)

    @property
    def is_home(self) -> bool:
        return self.root == os.path.realpath(os.path.expanduser("~"))

    @property
    def holds_home(self) -> bool:
        """Whether a snapshot would hold all that its owner has."""
        return f"{os.path.realpath(os.path.expanduser('~'))}/".startswith(f"{self.root.rstrip('/')}/")


def open(place: str | os.PathLike[str] | None = None, *, create: bool = True, readonly: bool = False) -> Store:
    """Open a store: a directory, ``":memory:"``, or, by default, $TAKEBACK_STORE or the user's own. Made on first use."""
    check_platform()
    return open_store(store_path() if place is None else place, create=create, readonly=readonly)


def here(directory: str | os.PathLike[str] = ".", *, listener: Listener | None = None) -> Timeline:
    """The timeline of the root around a directory, with its declared sources: what the command line works on."""
    where = place(os.fspath(directory))
    return timeline(open(where["store"]), where, listener=listener)


def directory(where: Place) -> str:
    """The directory of a place's store, which need not be possible to open; InvalidInput if it is not in one."""
    if where["store"] == MEMORY:
        raise InvalidInput("a store in memory ends with its process", hints=["name a store's directory with --store"])
    return str(where["store"])


def timeline(store: Store, where: Place, *, listener: Listener | None = None, more: Sequence[Source] = ()) -> Timeline:
    """A place's timeline in a store; ``more`` are captured beside its workspace and what is declared. One that was asked for by
    name may be of no directory at all, as those are on which agents keep their memory, or a team's own, whose root is no
    workspace: these have no source here."""
    if is_of_no_directory(store, where):
        return store.timeline(where["timeline"], root="", listener=listener)
    homes = agent_homes()

    def others(part: str) -> Source | None:
        from takeback.sources.transcript.source import NAME, Transcript  # only conversations need it

        return Transcript(homes, name=part) if part == NAME or part.startswith(f"{NAME}-") else None

    if where.drifted and where.baseline is not None:
        baseline.note(where.baseline)
        where.drifted = False
    of_a_team = _is_of_a_team(store, where)
    line = store.timeline(
        where["timeline"],
        sources=[*([] if of_a_team else [_workspace(where)]), *more],
        root=where.root,
        listener=listener,
        after_save=_after_save(store, where),
        others=others,
        expected=() if of_a_team else where["states"],
        registers=Forks(),
    )
    if where.used and not of_a_team:
        from takeback.locate.chosen import add_to

        add_to(line, where.used)
    return line


def _workspace(where: Place) -> Workspace:
    return Workspace(
        where.root,
        include=where["include"],
        exclude=where["exclude"],
        max_file_size=where["max_file_size"],
        time_budget=where["time_budget"],
        elsewhere=[inside for each in where.used for inside in each.inside(where.root)],
        agreed=where.baseline.rules if where.baseline is not None else (),
    )


def _after_save(store: Store, where: Place) -> Callable[[str], None] | None:
    """What is to be told of each save there: the first one notes what counts from now on."""
    background = upkeep(store, where)
    if where.baseline is not None:
        return background

    def note(trigger: str) -> None:
        if where.baseline is None:
            where.baseline = baseline.read(where.root) or baseline.new(where.root, where.file.name, where.file.settings)
            baseline.note(where.baseline)
        if background is not None:
            background(trigger)

    return note


def upkeep(store: Store, where: Place) -> Background | None:
    """What is to be told of each save there, so that the store is kept up; None if that is left to its owner."""
    return Background(store.blobs, limits(where)) if where["upkeep"] == "auto" else None


def is_of_no_directory(store: Store, where: Place) -> bool:
    """Whether the timeline that a person asked for by name is one of no directory in a store. A project's file cannot ask:
    whose memory that is, is no repository's business."""
    if where.settings["timeline"].origin in ("default", PROJECT_FILE, PYPROJECT):
        return False
    roots = {row.root for row in store.timelines() if row.name == where["timeline"]}
    return "" in roots and where.root not in roots


def _is_of_a_team(store: Store, where: Place) -> bool:
    """Whether the timeline that was asked for by name is there, and holds a team and not the files around it."""
    if where.settings["timeline"].origin == "default":
        return False
    line = store.timeline(where["timeline"], root=where.root)
    try:
        parts = line.show("@").parts if line.head is not None else {}
    except Integrity:
        return False  # which whoever looks at it next is told
    return "workspace" not in parts and any(part.kind == "team" for part in parts.values())


def limits(where: Place) -> Limits:
    """What upkeep keeps the store within, and the timelines of the place."""
    count, age, size = where["keep_last"], where["max_age"], where["max_bytes"]
    policy = None
    if (count, age, size) != (None, None, None):
        from takeback.model.policy import Policy  # most have none

        policy = Policy(None if count is None else int(count), age, size)
    own = where.agreed.policy if where.agreed is not None else {}
    if not own:
        return Limits(policy, parse_size(where["min_free"]))
    from takeback.locate.chosen import agreed_policy

    return Limits(policy, parse_size(where["min_free"]), where.root, agreed_policy(own))


def place(directory: str = ".", *, fixed: bool = False, **flags: Any) -> Place:
    """The root around a directory, or with ``fixed`` the directory itself, and every setting there; ``flags`` win over
    all else."""
    if not os.path.isdir(directory):
        problem = "is not a directory" if os.path.exists(directory) else "does not exist"
        raise InvalidInput(
            f"cannot work in {directory}: it {problem}",
            hints=[*ways_back(directory, flags.get("store")), "name a directory that exists"],
        )
    real = os.path.realpath(directory)
    found = Found(real, "directory") if fixed else find(real)
    root = found.root
    warnings: list[str] = []
    file = project_file(root, warnings)
    agreement = agreed.read(root)
    above = [
        ("flag", {name: value for name, value in flags.items() if value is not None}),
        ("environment", environment()),
        *([("fork", {"timeline": agreement.timeline})] if agreement is not None and agreement.timeline else []),
    ]
    below = [*user_layers(), ("default", {name: setting.default for name, setting in SETTINGS.items()})]
    counts = _counts(root, file, [layer for _, layer in above], [layer for _, layer in below])
    layers = [*above, *([(counts.origin, counts.settings)] if counts.origin else []), *below]
    values = {}
    for name in SETTINGS:
        origin, layer = next((origin, layer) for origin, layer in layers if name in layer)
        values[name] = Value(checked(name, layer[name], origin), origin)
    if values["store"].value is None:
        values["store"] = Value(store_path(), "default")
    unagreed = (*found.said, *counts.said)
    where = Place(root, found.by, values, tuple(warnings), file=file, to_agree=unagreed)
    where.unagreed = unagreed
    where.baseline, where.drifted, where.passed = counts.baseline, counts.drifted, found.passed
    if not (file.named or agreement or values["containers"].value or values["teams"].value):
        return where
    from takeback.locate.chosen import choose  # most places have nothing beside their files

    own = {name: values[name].value for name in ("containers", "teams", "team_dir")}
    chosen, said = choose(root, file, values["containers" if own["containers"] else "teams"].origin, own, agreement)
    where.agreed, where.declared, where.to_agree = agreement, chosen, (*said, *where.to_agree)
    return where


class _Counts(NamedTuple):
    """What a project's file counts for."""

    origin: str
    """The file's name; empty if there is none, and was none."""
    settings: Mapping[str, Any]
    baseline: Baseline | None = None
    drifted: bool = False
    said: tuple[str, ...] = ()


def _counts(
    root: str, file: ProjectFile, above: Sequence[Mapping[str, Any]], below: Sequence[Mapping[str, Any]]
) -> _Counts:
    known = baseline.read(root)
    if known is None or (not file.broken and baseline.plain(file.settings) == known.settings):
        return _Counts(file.name, file.settings, known)
    from takeback.locate.drift import drift  # seldom has a file changed

    store = next((layer["store"] for layer in (*above, *below) if layer.get("store") is not None), None) or store_path()
    found = drift(known, file, below, store)
    return _Counts(
        file.name or known.file or PROJECT_FILE, found.settings, found.baseline, found.baseline != known, found.said
    )


def check_platform() -> None:
    if sys.platform == "win32":
        raise Unavailable(
            "takeback runs on Linux and macOS, not on native Windows", hints=["it works under WSL: wsl --install"]
        )
