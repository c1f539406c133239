"""Every setting: what it is for, where it may be set, and what its values look like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from takeback.errors import InvalidInput
from takeback.model.sizes import parse_seconds, parse_size
from takeback.sources.workspace.source import MAX_FILE_SIZE

if TYPE_CHECKING:
    from takeback.model.effect_rule import EffectRule


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


def checked(name: str, value: Any, origin: str) -> Any:
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
