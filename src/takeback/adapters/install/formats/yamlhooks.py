"""Hooks in YAML: events with a tool are lists of ``{matcher, hooks: [hook]}``, the others are lists of hooks.

``holders`` are the mappings that have, or are to have, a ``hooks``: every agent of a file, or a user's settings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from takeback.adapters.install.agent import Edited, Entry, Found, Key, Ours, Stripped
from takeback.adapters.install.formats import yamltext
from takeback.adapters.install.formats.text import Insertion, Span, insert, without
from takeback.adapters.install.formats.yamltext import Node, Pair, kind, pair
from takeback.errors import InvalidInput

ROOT = "hooks"


class Holder(NamedTuple):
    """A mapping that can have hooks, and the keys that lead to it."""

    path: Key
    key: Node | None
    node: Node


class Mine(NamedTuple):
    """One hook of ours: the event it stands under, its item there, and itself if the item holds others, too."""

    holder: Holder
    hooks: Pair
    event: Pair
    item: Node
    hook: Node
    entry: Entry
    others: int


def hooks_of(entries: Sequence[Entry]) -> dict[str, list[Any]]:
    """What goes under ``hooks``."""
    found: dict[str, list[Any]] = {}
    for entry in entries:
        hook: dict[str, Any] = {"type": "command", "command": entry.command}
        if entry.timeout is not None:
            hook["timeout"] = entry.timeout
        whole = hook if entry.matcher is None else {"matcher": entry.matcher, "hooks": [hook]}
        found.setdefault(entry.event, []).append(whole)
    return found


def find(holders: Sequence[Holder], ours: Ours) -> list[Found]:
    return [Found(each.entry, not each.others) for each in mine(holders, ours)]


def is_complete(holders: Sequence[Holder], ours: Ours, entries: Sequence[Entry]) -> bool:
    """Whether every holder has exactly these hooks of ours."""
    wanted = sorted(entries, key=str)
    return bool(holders) and all(
        sorted((each.entry for each in mine([holder], ours)), key=str) == wanted for holder in holders
    )


def add(text: str, holders: Sequence[Holder], entries: Sequence[Entry]) -> Edited:
    places: list[Insertion] = []
    made: list[Key] = []
    for holder in holders:
        found = pair(holder.node, ROOT) if holder.node.id == "mapping" else None
        if found is None:
            places.append(yamltext.add_members(text, holder.key, holder.node, {ROOT: hooks_of(entries)}))
            made.append((*holder.path, ROOT))
            continue
        key, hooks = found
        if kind(hooks) not in ("mapping", "nothing"):
            raise InvalidInput(f"`{'.'.join((*holder.path, ROOT))}` is no mapping")
        missing = {}
        for event, items in hooks_of(entries).items():
            there = pair(hooks, event) if hooks.id == "mapping" else None
            if there is None:
                missing[event] = items
                made.append((*holder.path, ROOT, event))
            else:
                places.append(yamltext.add_items(text, *there, items))
        if missing:
            places.append(yamltext.add_members(text, key, hooks, missing))
    return Edited(*insert(text, places), tuple(made))


def strip(text: str, holders: Sequence[Holder], ours: Ours, made: Sequence[Key] | None) -> Stripped:
    """The text without our hooks, and without what was made for them and holds nothing else."""
    stripped = without(text, [span for holder in holders for span in _cuts(text, holder, ours, made)])
    return Stripped(stripped, empty=not stripped.strip("\ufeff \t\r\n"))


def _cuts(text: str, holder: Holder, ours: Ours, made: Sequence[Key] | None) -> list[Span]:
    """What to cut out of one holder: single hooks, whole events, or all of its ``hooks``."""
    found = list(mine([holder], ours))
    if not found:
        return []
    key, hooks = found[0].hooks
    spans, emptied = [], 0
    for event, items in hooks.value:
        here = [each for each in found if each.event[1] is items]
        whole = {id(each.item) for each in here if not each.others}
        if here and len(whole) == len(items.value) and _may_go((*holder.path, ROOT, event.value), made):
            emptied += 1
            spans.append(cut(text, hooks, event.start_mark.index, items))
        else:
            spans += [_cut_item(text, each) for each in here]
    alone = len(holder.node.value) == 1
    if emptied == len(hooks.value) and _may_go((*holder.path, ROOT), made) and not alone:
        return [cut(text, holder.node, key.start_mark.index, hooks)]
    return spans


def skipped(holders: Sequence[Holder], ours: Ours) -> set[int]:
    """The nodes that do not count when two texts are compared: ours, and what holds nothing but ours."""
    skip: set[int] = set()
    for each in mine(holders, ours):
        skip.add(id(each.hook))
        if not each.others:
            skip.add(id(each.item))
    for holder in holders:
        found = pair(holder.node, ROOT) if holder.node.id == "mapping" else None
        if found is None:
            continue
        hooks = found[1]
        events = hooks.value if hooks.id == "mapping" else []
        for _, items in events:
            if kind(items) == "nothing" or (items.id == "sequence" and all(id(item) in skip for item in items.value)):
                skip.add(id(items))
        if kind(hooks) == "nothing" or (hooks.id == "mapping" and all(id(items) in skip for _, items in events)):
            skip.add(id(hooks))
    return skip


def mine(holders: Sequence[Holder], ours: Ours) -> Iterator[Mine]:
    for holder in holders:
        hooks = pair(holder.node, ROOT) if holder.node.id == "mapping" else None
        for event in hooks[1].value if hooks is not None and hooks[1].id == "mapping" else []:
            for item in event[1].value if event[1].id == "sequence" else []:
                inner = pair(item, ROOT) if item.id == "mapping" else None
                listed = inner[1].value if inner is not None and inner[1].id == "sequence" else [item]
                own = [(each, entry) for each in listed if (entry := _entry(event, item, each, ours)) is not None]
                for hook, entry in own:
                    assert hooks is not None
                    yield Mine(holder, hooks, event, item, hook, entry, len(listed) - len(own))


def _entry(event: Pair, item: Node, hook: Node, ours: Ours) -> Entry | None:
    command = _scalar(hook, "command")
    if command is None or not ours.search(command):
        return None
    timeout = _scalar(hook, "timeout")
    number = int(timeout) if timeout is not None and timeout.isdecimal() else None
    return Entry(event[0].value, command, _scalar(item, "matcher"), number)


def _scalar(node: Node, key: str) -> str | None:
    found = pair(node, key) if node.id == "mapping" else None
    return str(found[1].value) if found is not None and found[1].id == "scalar" else None


def _may_go(path: Key, made: Sequence[Key] | None) -> bool:
    return made is None or any(path[: len(each)] == each for each in made)


def _cut_item(text: str, each: Mine) -> Span:
    if not each.others:
        container, item = each.event[1], each.item
    else:
        found = pair(each.item, ROOT)
        assert found is not None
        container, item = found[1], each.hook
    if container.flow_style:
        return yamltext.flow_item(container, item)
    return yamltext.lines_of(text, yamltext.dash_of(text, item), item)


def cut(text: str, container: Node, start: int, value: Node) -> Span:
    if container.flow_style:
        return yamltext.flow_item(container, value)
    return yamltext.lines_of(text, start, value)
