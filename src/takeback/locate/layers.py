"""Where values come from: the environment, the project's file, and the user's own configuration."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from takeback.engine.store import MEMORY
from takeback.errors import InvalidInput
from takeback.locate.homes import base
from takeback.locate.settings import SETTINGS, checked

PROJECT_FILE = "takeback.toml"
PYPROJECT = "pyproject.toml"
_LONGEST = 400
_LARGEST = 4 << 20


def environment() -> dict[str, Any]:
    found = {}
    for name, setting in SETTINGS.items():
        text = os.environ.get(setting.variable) if setting.variable else None
        if text:
            found[name] = text
    if "store" in found:
        found["store"] = store_path()
    return found


class ProjectFile(NamedTuple):
    """What a project's file says, as far as it may say it and makes sense."""

    name: str = ""
    """``takeback.toml`` or ``pyproject.toml``; empty if there is none."""
    settings: Mapping[str, Any] = {}
    named: Mapping[str, Any] = {}
    """What it only names: nothing of it is used before a person has agreed."""
    broken: str = ""
    """A file that is there and cannot be read, or is no TOML: what it says is not known."""


NO_FILE = ProjectFile()


def project_file(root: str, warnings: list[str]) -> ProjectFile:
    """What the project's file says about what is captured; all that is wrong with it goes to ``warnings``."""
    broken = ""
    for name, inside in ((PROJECT_FILE, False), (PYPROJECT, True)):
        file = os.path.join(root, name)
        if not os.path.isfile(file):
            continue
        try:
            table = _table(file, _load(file), inside)
        except InvalidInput as error:
            broken = broken or file
            if not inside:  # a broken pyproject.toml is somebody else's trouble
                warnings.append(f"ignoring {file}: {error.message}")
            continue
        if table or not inside:
            sound = sound_settings(file, table, warnings)
            named = {each: sound.pop(each) for each in list(sound) if SETTINGS[each].agreed}
            return ProjectFile(name, sound, named, broken)
    return NO_FILE._replace(broken=broken)


def user_layers() -> list[tuple[str, dict[str, Any]]]:
    file = user_file()
    if not os.path.isfile(file):
        return []
    table = _known(file, _load(file))
    if isinstance(store := table.get("store"), str) and store != MEMORY:
        table["store"] = os.path.join(os.path.dirname(file), os.path.expanduser(store))
    if isinstance(place := table.get("team_dir"), str):
        table["team_dir"] = os.path.join(os.path.dirname(file), os.path.expanduser(place))
    return [(file, table)]


def store_path() -> str:
    """The user's own store: $TAKEBACK_STORE, the user's configuration, or the data directory."""
    chosen = os.environ.get("TAKEBACK_STORE")
    if chosen:
        return chosen if chosen == MEMORY else os.path.abspath(os.path.expanduser(chosen))
    for origin, layer in user_layers():
        if "store" in layer:
            return str(checked("store", layer["store"], origin))
    return os.path.join(base("XDG_DATA_HOME", ".local", "share"), "takeback")


def user_file() -> str:
    return os.path.join(base("XDG_CONFIG_HOME", ".config"), "takeback", "config.toml")


def _table(file: str, document: dict[str, Any], inside: bool) -> dict[str, Any]:
    if not inside:
        return document
    tools = document.get("tool")
    table = tools.get("takeback", {}) if isinstance(tools, dict) else {}
    return table if isinstance(table, dict) else {"tool.takeback": table}


def sound_settings(file: str, table: dict[str, Any], warnings: list[str]) -> dict[str, Any]:
    """The settings of a project's file that it may make and that make sense."""
    sound = {}
    for name, value in table.items():
        try:
            if name not in SETTINGS:
                raise InvalidInput(f"{name!r} is no setting; settings are: {', '.join(SETTINGS)}")
            if not SETTINGS[name].project:
                raise InvalidInput(f"a project's file may not set {name!r}; set it in {user_file()}")
            sound[name] = checked(name, value, file)
            if SETTINGS[name].agreed:
                _check_modest(name, sound[name])
        except InvalidInput as error:
            sound.pop(name, None)
            warnings.append("; ".join([f"ignoring a line of {file}: {_short(error.message)}", *error.hints]))
    return sound


def _short(message: str) -> str:
    """What is wrong may be of any length."""
    return message if len(message) <= _LONGEST else f"{message[: _LONGEST - 1]}…"


def _check_modest(name: str, value: Any) -> None:
    from takeback.locate import declared  # most projects name nothing

    if name == "team_dir":
        declared.check_inside(value)
    elif name in ("containers", "teams"):
        declared.check_modest(value)


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
        with open(file, "rb") as handle:
            data = handle.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise ValueError(f"it has more than {_LARGEST:,} bytes, too many for a configuration")
        return tomllib.loads(data.decode())
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(f"cannot read {file}: {error}", hints=["correct it, or move it away"]) from error
