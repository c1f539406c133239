"""docker-agent's user configuration: ``settings.hooks`` hold for every agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from takeback.adapters.install.agent import Edited, Entry, Found, Key, Ours, Stripped
from takeback.adapters.install.formats import yamlhooks, yamltext
from takeback.adapters.install.formats.text import Insertion, insert, newline, without
from takeback.adapters.install.formats.yamlhooks import ROOT, Holder
from takeback.errors import InvalidInput

EMPTY = ""
_SETTINGS = "settings"


def find(text: str, ours: Ours) -> list[Found]:
    return yamlhooks.find(_holders(yamltext.compose(text)), ours)


def is_complete(text: str, ours: Ours, entries: Sequence[Entry]) -> bool:
    return yamlhooks.is_complete(_holders(yamltext.compose(text)), ours, entries)


def add(text: str, entries: Sequence[Entry]) -> Edited:
    root = yamltext.compose(text)
    if _holders(root):
        return yamlhooks.add(text, _holders(root), entries)
    whole = {_SETTINGS: {ROOT: yamlhooks.hooks_of(entries)}}
    if root is None:  # nothing, or comments only
        line_end = newline(text)
        lines = yamltext.block(whole)
        start = line_end if text and not text.endswith("\n") else ""
        return _edited(text, Insertion(len(text), start + "".join(line + line_end for line in lines)))
    if root.id != "mapping":
        raise InvalidInput("the whole is no mapping")
    return _edited(text, yamltext.add_members(text, None, root, whole))


def strip(text: str, ours: Ours, made: Sequence[Key] | None) -> Stripped:
    root = yamltext.compose(text)
    holders = _holders(root)
    stripped = yamlhooks.strip(text, holders, ours, made)
    alone = holders and len(holders[0].node.value) == 1 and (made is None or (_SETTINGS,) in made)
    if alone and yamlhooks.skipped(holders, ours) >= {id(value) for _, value in holders[0].node.value}:
        key = holders[0].key
        assert key is not None
        left = without(text, [yamlhooks.cut(text, root, key.start_mark.index, holders[0].node)])
        return Stripped(left, empty=not left.strip("\ufeff \t\r\n"))
    return stripped


def value_without(text: str, ours: Ours) -> Any:
    root = yamltext.compose(text)
    holders = _holders(root)
    skip = yamlhooks.skipped(holders, ours)
    for holder in holders:
        if holder.node.id != "mapping" or all(id(value) in skip for _, value in holder.node.value):
            skip.add(id(holder.node))
    if root is not None and all(id(value) in skip for _, value in root.value if root.id == "mapping"):
        return b""
    return yamltext.digest(root, skip)


def _edited(text: str, place: Insertion) -> Edited:
    return Edited(*insert(text, [place]), ((_SETTINGS,),))


def _holders(root: yamltext.Node | None) -> list[Holder]:
    found = yamltext.pair(root, _SETTINGS) if root is not None and root.id == "mapping" else None
    if found is None:
        return []
    if yamltext.kind(found[1]) not in ("mapping", "nothing"):
        raise InvalidInput("`settings` is no mapping")
    return [Holder((_SETTINGS,), *found)]
