"""Where an agent was told to run no hooks at all, ours included."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from takeback.adapters.install import files
from takeback.adapters.install.agents import by_name
from takeback.adapters.install.formats.jsonc import Node, parse
from takeback.errors import TakebackError
from takeback.locate import Agents

_MANAGED = "/etc/claude-code/managed-settings.json"


class _Switch(NamedTuple):
    keys: tuple[str, ...]
    off: bool
    """The value that turns hooks off."""
    more: tuple[str, ...] = ()
    """Files beside those that takeback is installed into."""


_SWITCHES: Mapping[str, _Switch] = {
    "claude-code": _Switch(("disableAllHooks",), True, (_MANAGED,)),
    "gemini-cli": _Switch(("hooksConfig", "enabled"), False),
}


class Silenced(NamedTuple):
    file: str
    setting: str


def silenced(agent: str, where: Agents) -> Silenced | None:
    """The setting that keeps an agent from running any hook, if there is one."""
    switch = _SWITCHES.get(agent)
    if switch is None:
        return None
    for path in (*by_name(agent).files.values(), *switch.more):
        file = path.format_map(where._asdict())
        if _value(file, switch.keys) is switch.off:
            return Silenced(file, ".".join(switch.keys))
    return None


def _value(file: str, keys: tuple[str, ...]) -> object:
    """The value at some keys; None too where the file cannot be read, which `found` says by itself."""
    try:
        found = files.read(file)
        node: Node | None = None if found.data is None else parse(files.text_of(found)).root
    except TakebackError:
        return None
    for key in keys:
        members = node.members(key) if node is not None and node.kind == "object" else []
        node = members[-1].node if members else None
    return None if node is None else node.scalar
