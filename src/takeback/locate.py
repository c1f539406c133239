"""Which store, which root, which settings. The only module beside the faces that reads the environment or configuration.

A value comes from the first of: the caller (a flag), the environment, the project's file (``takeback.toml``, else
``[tool.takeback]`` in ``pyproject.toml``), the user's configuration, the default. A project's file comes with a cloned
repository, or from the very agent that is to be taken back, so it may only say what is captured: never where the store
is, and never that something cannot be undone. What is wrong in it is ignored, with a warning; what is wrong in the user's
own configuration is an error.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from takeback.engine.background import Background
from takeback.engine.store import MEMORY, Store, open_store
from takeback.engine.timeline import Timeline
from takeback.errors import InvalidInput, Unavailable
from takeback.model.limits import Limits
from takeback.model.progress import Listener
from takeback.model.sizes import parse_seconds, parse_size
from takeback.sources.protocol import Source
from takeback.sources.workspace.source import MAX_FILE_SIZE, Workspace

if TYPE_CHECKING:
    from takeback.model.effect_rule import EffectRule

PROJECT_FILE = "takeback.toml"


class Setting(NamedTuple):
    """One setting: what it is for, and where it may be set."""

    default: Any
    kind: str
    """``text``, ``list``, ``count``, ``size``, ``duration``, ``switch``, ``choice`` or ``rules``."""
    help: str
    project: bool = True
    """Whether a project's file may set it."""
    variable: str = ""
    choices: tuple[str, ...] = ()


SETTINGS: Mapping[str, Setting] = {
    "store": Setting(None, "text", "where everything is kept", project=False, variable="TAKEBACK_STORE"),
    "timeline": Setting("main", "text", "the timeline's name", variable="TAKEBACK_TIMELINE"),
    "include": Setting((), "list", "patterns that are kept although they are ignored, such as .env"),
    "exclude": Setting((), "list", "patterns that are left out"),
    "max_file_size": Setting(MAX_FILE_SIZE, "size", "larger files are not captured, but listed"),
    "time_budget": Setting(
        None,
        "duration",
        "how long a save may look at the workspace; unlimited by default",
    ),
    "snapshots": Setting(
        None,
        "switch",
        "whether installed hooks record; unset: they do. TAKEBACK_OFF=1 turns them off, too",
    ),
    "strict": Setting(
        False,
        "switch",
        "whether an agent is stopped where its next step could not be recorded",
        project=False,
        variable="TAKEBACK_STRICT",
    ),
    "effects": Setting(
        (),
        "rules",
        "your own rules for what agents do that no snapshot can take back",
        project=False,
    ),
    "upkeep": Setting(
        "auto",
        "choice",
        "whether the store is maintained by itself, in the background",
        project=False,
        variable="TAKEBACK_UPKEEP",
        choices=("auto", "off"),
    ),
    "keep_last": Setting(
        None,
        "count",
        "how many snapshots of each timeline upkeep keeps; all by default",
        project=False,
        variable="TAKEBACK_KEEP_LAST",
    ),
    "max_age": Setting(
        None,
        "duration",
        "how old snapshots may become before upkeep lets them go; any age by default",
        project=False,
        variable="TAKEBACK_MAX_AGE",
    ),
    "max_bytes": Setting(
        None,
        "size",
        "how much the store may take before upkeep lets the oldest snapshots go; no limit by default",
        project=False,
        variable="TAKEBACK_MAX_BYTES",
    ),
    "min_free": Setting(
        "1GiB",
        "size",
        "how much of the store's disk should stay free, but no more than a twentieth of it",
        project=False,
        variable="TAKEBACK_MIN_FREE",
    ),
}


class Agents(NamedTuple):
    """Where coding agents keep their configuration, and where takeback notes what it added there."""

    project: str
    claude_code: str
    codex: str
    gemini_cli: str
    opencode: str
    state: str


class Value(NamedTuple):
    """A setting's value, and where it came from."""

    value: Any
    origin: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a command acts: the root and its settings, each with its origin."""

    root: str
    found_by: str
    """``takeback.toml``, ``git`` or ``directory``."""
    settings: Mapping[str, Value]
    warnings: tuple[str, ...] = ()
    """What a project's file says that is ignored, and why."""

    def __getitem__(self, name: str) -> Any:
        return self.settings[name].value

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
    """A place's timeline in a store; ``more`` are captured beside its workspace."""
    workspace = Workspace(
        where.root,
        include=where["include"],
        exclude=where["exclude"],
        max_file_size=where["max_file_size"],
        time_budget=where["time_budget"],
    )
    homes = agent_homes()

    def others(part: str) -> Source | None:
        from takeback.sources.transcript.source import NAME, Transcript  # only conversations need it

        return Transcript(homes) if part == NAME else None

    after_save = Background(store.blobs, limits(where)) if where["upkeep"] == "auto" else None
    return store.timeline(
        where["timeline"], sources=[workspace, *more], listener=listener, after_save=after_save, others=others
    )


def agent_homes() -> dict[str, str]:
    """Where each agent keeps its own files: configuration, commands, sessions."""
    home = os.path.expanduser("~")
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return {
        "claude-code": os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude"),
        "codex": os.environ.get("CODEX_HOME") or os.path.join(home, ".codex"),
        "gemini-cli": os.path.join(os.environ.get("GEMINI_CLI_HOME") or home, ".gemini"),
        "opencode": os.environ.get("OPENCODE_CONFIG_DIR") or os.path.join(config, "opencode"),
        "docker-agent": os.path.join(config, "cagent"),
    }


def limits(where: Place) -> Limits:
    """What upkeep keeps the store within."""
    count, age, size = where["keep_last"], where["max_age"], where["max_bytes"]
    policy = None
    if (count, age, size) != (None, None, None):
        from takeback.model.policy import Policy  # most have none

        policy = Policy(None if count is None else int(count), age, size)
    return Limits(policy, parse_size(where["min_free"]))


def place(directory: str = ".", *, fixed: bool = False, **flags: Any) -> Place:
    """The root around a directory, or with ``fixed`` the directory itself, and every setting there; ``flags`` win over
    all else."""
    if not os.path.isdir(directory):
        problem = "is not a directory" if os.path.exists(directory) else "does not exist"
        raise InvalidInput(f"cannot work in {directory}: it {problem}", hints=["name a directory that exists"])
    real = os.path.realpath(directory)
    root, found_by = (real, "directory") if fixed else find_root(real)
    warnings: list[str] = []
    layers = [
        ("flag", {name: value for name, value in flags.items() if value is not None}),
        ("environment", _environment()),
        *_project_layers(root, warnings),
        *_user_layers(),
        ("default", {name: setting.default for name, setting in SETTINGS.items()}),
    ]
    values = {}
    for name in SETTINGS:
        origin, layer = next((origin, layer) for origin, layer in layers if name in layer)
        values[name] = Value(_checked(name, layer[name], origin), origin)
    if values["store"].value is None:
        values["store"] = Value(store_path(), "default")
    return Place(root, found_by, values, tuple(warnings))


def find_root(directory: str) -> tuple[str, str]:
    """The nearest directory with a ``takeback.toml``, else git's top level, else the directory itself."""
    git = None
    current = directory
    while True:
        if os.path.isfile(os.path.join(current, PROJECT_FILE)):
            return current, PROJECT_FILE
        if git is None and os.path.exists(os.path.join(current, ".git")):
            git = current
        above = os.path.dirname(current)
        if above == current:
            return (git, "git") if git is not None else (directory, "directory")
        current = above


def store_path() -> str:
    """The user's own store: $TAKEBACK_STORE, the user's configuration, or the data directory."""
    chosen = os.environ.get("TAKEBACK_STORE")
    if chosen:
        return chosen if chosen == MEMORY else os.path.abspath(os.path.expanduser(chosen))
    for origin, layer in _user_layers():
        if "store" in layer:
            return str(_checked("store", layer["store"], origin))
    base = os.environ.get("XDG_DATA_HOME") or os.path.join(os.path.expanduser("~"), ".local", "share")
    return os.path.join(base, "takeback")


def user_file() -> str:
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(base, "takeback", "config.toml")


def agents(root: str) -> Agents:
    """The agents' own directories, for a project and for the user."""
    homes = agent_homes()
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return Agents(
        project=root,
        claude_code=homes["claude-code"],
        codex=homes["codex"],
        gemini_cli=homes["gemini-cli"],
        opencode=homes["opencode"],
        state=os.path.join(state, "takeback"),
    )


def check_platform() -> None:
    if sys.platform == "win32":
        raise Unavailable(
            "takeback runs on Linux and macOS, not on native Windows", hints=["it works under WSL: wsl --install"]
        )


def _environment() -> dict[str, Any]:
    found = {}
    for name, setting in SETTINGS.items():
        text = os.environ.get(setting.variable) if setting.variable else None
        if text:
            found[name] = text
    if "store" in found:
        found["store"] = store_path()
    return found


def _project_layers(root: str, warnings: list[str]) -> list[tuple[str, dict[str, Any]]]:
    """What the project's file says about what is captured; all that is wrong with it goes to ``warnings``."""
    for name, inside in ((PROJECT_FILE, False), ("pyproject.toml", True)):
        file = os.path.join(root, name)
        if not os.path.isfile(file):
            continue
        try:
            table = _table(file, _load(file), inside)
        except InvalidInput as error:
            if not inside:  # a broken pyproject.toml is somebody else's trouble
                warnings.append(f"ignoring {file}: {error.message}")
            continue
        if table or not inside:
            return [(name, _sound(file, table, warnings))]
    return []


def _table(file: str, document: dict[str, Any], inside: bool) -> dict[str, Any]:
    if not inside:
        return document
    tools = document.get("tool")
    table = tools.get("takeback", {}) if isinstance(tools, dict) else {}
    return table if isinstance(table, dict) else {"tool.takeback": table}


def _sound(file: str, table: dict[str, Any], warnings: list[str]) -> dict[str, Any]:
    """The settings of a project's file that it may make and that make sense."""
    sound = {}
    for name, value in table.items():
        try:
            if name not in SETTINGS:
                raise InvalidInput(f"{name!r} is no setting; settings are: {', '.join(SETTINGS)}")
            if not SETTINGS[name].project:
                raise InvalidInput(f"a project's file may not set {name!r}; set it in {user_file()}")
            sound[name] = _checked(name, value, file)
        except InvalidInput as error:
            warnings.append("; ".join([f"ignoring a line of {file}: {error.message}", *error.hints]))
    return sound


def _user_layers() -> list[tuple[str, dict[str, Any]]]:
    file = user_file()
    if not os.path.isfile(file):
        return []
    table = _known(file, _load(file))
    if isinstance(store := table.get("store"), str) and store != MEMORY:
        table["store"] = os.path.join(os.path.dirname(file), os.path.expanduser(store))
    return [(file, table)]


def _known(file: str, table: dict[str, Any]) -> dict[str, Any]:
    unknown = sorted(table.keys() - SETTINGS.keys())
    if unknown:
        raise InvalidInput(
            f"{file} sets {unknown[0]!r}, which is no setting", hints=[f"settings are: {', '.join(SETTINGS)}"]
        )
    return table


def _load(file: str) -> dict[str, Any]:
    import tomllib  # most places have no file at all

    try:
        with builtins.open(file, "rb") as handle:
            return tomllib.load(handle)
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(f"cannot read {file}: {error}", hints=["correct it, or move it away"]) from error


def _switch(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("1", "true", "0", "false"):  # as the environment has it
        return value in ("1", "true")
    raise InvalidInput(f"{value!r} is neither true nor false")


def _checked(name: str, value: Any, origin: str) -> Any:
    kind = SETTINGS[name].kind
    try:
        if kind == "list":
            if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
                raise InvalidInput(f"{value!r} is not a list of patterns", hints=['such as [".env"]'])
            return tuple(value)
        if kind == "rules":
            return _rules(value)
        if value is None:
            return None
        if kind == "switch":
            return _switch(value)
        if kind == "choice":
            if value not in SETTINGS[name].choices:
                raise InvalidInput(f"{value!r} is not one of {', '.join(SETTINGS[name].choices)}")
        elif kind == "count":
            if isinstance(value, bool) or not str(value).isdecimal() or int(value) < 1:
                raise InvalidInput(f"{value!r} is not a number of 1 or more")
        elif kind == "size":
            parse_size(value)
        elif kind == "duration":
            parse_seconds(value)
        elif not isinstance(value, str):
            raise InvalidInput(f"{value!r} is not text")
    except InvalidInput as error:
        raise InvalidInput(
            f"the setting {name!r} from {origin} is wrong: {error.message}", hints=error.hints
        ) from error
    except TypeError as error:
        raise InvalidInput(f"the setting {name!r} from {origin} is wrong: {error}") from error
    return value


def _rules(value: Any) -> tuple[EffectRule, ...]:
    if not value:
        return ()
    from takeback.model.effect_rule import EXAMPLE, effect_rule  # most have none

    if not isinstance(value, list):
        raise InvalidInput(f"{value!r} is not a list of rules", hints=[EXAMPLE])
    return tuple(effect_rule(table) for table in value)
