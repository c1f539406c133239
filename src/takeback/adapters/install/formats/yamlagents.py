"""docker-agent's file of agents: hooks go to each of them, ``agents.<name>.hooks``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from takeback.adapters.install.agent import Edited, Entry, Found, Key, Ours, Stripped
from takeback.adapters.install.formats import yamlhooks, yamltext
from takeback.adapters.install.formats.yamlhooks import Holder
from takeback.errors import InvalidInput

EMPTY = ""


def find(text: str, ours: Ours) -> list[Found]:
    return yamlhooks.find(_holders(text), ours)


def is_complete(text: str, ours: Ours, entries: Sequence[Entry]) -> bool:
    return yamlhooks.is_complete(_holders(text), ours, entries)


def add(text: str, entries: Sequence[Entry]) -> Edited:
    holders = _holders(text)
    if not holders:
        raise InvalidInput("it has no agents", hints=["name the YAML file that `docker agent run` is given"])
    return yamlhooks.add(text, holders, entries)


def strip(text: str, ours: Ours, made: Sequence[Key] | None) -> Stripped:
    return yamlhooks.strip(text, _holders(text), ours, made)


def value_without(text: str, ours: Ours) -> Any:
    root = yamltext.compose(text)
    return yamltext.digest(root, yamlhooks.skipped(_holders_of(root), ours))


def _holders(text: str) -> list[Holder]:
    return _holders_of(yamltext.compose(text))


def _holders_of(root: yamltext.Node | None) -> list[Holder]:
    found = yamltext.pair(root, "agents") if root is not None and root.id == "mapping" else None
    if found is None or found[1].id != "mapping":
        return []
    holders: dict[int, Holder] = {}  # two names may be one agent, by an alias
    for key, node in found[1].value:
        if node.id != "mapping":
            raise InvalidInput(f"the agent {key.value!r} is no mapping")
        holders.setdefault(id(node), Holder(("agents", str(key.value)), key, node))
    return list(holders.values())
