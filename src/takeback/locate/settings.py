"""Every setting: what it is for, where it may be set, and what its values look like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from takeback.errors import InvalidInput
from takeback.model.sizes import parse_seconds, parse_size
from takeback.sources.workspace.source import MAX_FILE_SIZE

if TYPE_CHECKING:
    from takeback.model.effect_rule import EffectRule


_SHORTEST, _LONGEST = 1, 365 * 86400
"""Seconds between two saves."""


class Setting(NamedTuple):
    """One setting: what it is for, and where it may be set."""

    default: Any
    kind: str
    """``text``, ``list``, ``count``, ``size``, ``duration``, ``interval``, ``switch``, ``choice``, ``choices``, ``rules``,
    ``containers``, ``teams`` or ``parts``."""
    help: str
    project: bool = True
    """Whether a project's file may set it."""
    variable: str = ""
    choices: tuple[str, ...] = ()
    agreed: bool = False
    """Whether a project's file only names it: it is used once a person has agreed (`takeback.locate.agreed`)."""


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
    "containers": Setting(
        (),
        "containers",
        "Docker containers that belong to each snapshot, as [PART=]NAME or { name = …, volumes = … }",
        agreed=True,
    ),
    "teams": Setting(
        (),
        "teams",
        "teams of ClawTeam's that do, as [PART=]NAME or { name = …, workspaces = true }",
        agreed=True,
    ),
    "team_dir": Setting(
        None,
        "text",
        "where the teams are, if not where ClawTeam looks; in a project's file, a path inside the root",
        agreed=True,
    ),
    "states": Setting(
        (), "parts", "values that a running program saves by itself, as tb.State does; missed until it has"
    ),
    "triggers": Setting(
        ("turn", "action"),
        "choices",
        "what hooks save at: always turns, and around each tool call if action is named",
        choices=("turn", "action"),
    ),
    "every": Setting(None, "interval", "how often takeback run saves meanwhile; never by default"),
    "snapshots": Setting(
        None,
        "switch",
        "whether installed hooks record; unset: they do. TAKEBACK_OFF=1 turns them off, too",
    ),
    "transcripts": Setting(
        True,
        "switch",
        "whether hooks capture the agent's conversation with its snapshots",
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
        agreed=True,
        variable="TAKEBACK_KEEP_LAST",
    ),
    "max_age": Setting(
        None,
        "duration",
        "how old snapshots may become before upkeep lets them go; any age by default",
        agreed=True,
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


def checked(name: str, value: Any, origin: str) -> Any:
    kind = SETTINGS[name].kind
    try:
        if kind == "list":
            if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
                raise InvalidInput(f"{value!r} is not a list of patterns", hints=['such as [".env"]'])
            return tuple(value)
        if kind == "rules":
            return _rules(value)
        if kind in ("containers", "teams", "parts", "choices"):
            return _several(name, kind, value)
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
        elif kind == "interval":
            if not _SHORTEST <= parse_seconds(value) <= _LONGEST:
                raise InvalidInput(f"{value!r:.40} is no time between two saves", hints=["such as 10m"])
        elif not isinstance(value, str):
            raise InvalidInput(f"{value!r} is not text")
        elif name == "timeline" and not (value.strip() and value.isprintable()):
            raise InvalidInput(f"{value!r:.60} cannot be the name of a timeline")
    except InvalidInput as error:
        raise InvalidInput(
            f"the setting {name!r} from {origin} is wrong: {error.message}", hints=error.hints
        ) from error
    except TypeError as error:
        raise InvalidInput(f"the setting {name!r} from {origin} is wrong: {error}") from error
    return value


def _several(name: str, kind: str, value: Any) -> tuple[Any, ...]:
    if not value and isinstance(value, list | tuple):
        return ()
    if kind == "choices":
        known = SETTINGS[name].choices
        if not isinstance(value, list | tuple) or not all(isinstance(each, str) and each in known for each in value):
            raise InvalidInput(f"it is not a list of {' and '.join(known)}", hints=[f'such as ["{known[0]}"]'])
        return tuple(dict.fromkeys(value))
    from takeback.locate import declared  # most have none

    return declared.parse_parts(value) if kind == "parts" else declared.parse(kind.removesuffix("s"), value)


def _switch(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("1", "true", "0", "false"):  # as the environment has it
        return value in ("1", "true")
    raise InvalidInput(f"{value!r} is neither true nor false")


def _rules(value: Any) -> tuple[EffectRule, ...]:
    if not value:
        return ()
    from takeback.model.effect_rule import EXAMPLE, effect_rule  # most have none

    if not isinstance(value, list):
        raise InvalidInput(f"{value!r} is not a list of rules", hints=[EXAMPLE])
    return tuple(effect_rule(table) for table in value)
