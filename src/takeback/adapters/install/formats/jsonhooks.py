"""Hooks in an agent's JSON: ``{"hooks": {EVENT: [{"matcher": …, "hooks": [{"type": "command", …}]}]}}``.

Claude Code, Codex and Gemini CLI all have this shape. Ours are found by their command, wherever they stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from takeback.adapters.install.agent import Edited, Entry, Found, Key, Ours, Stripped
from takeback.adapters.install.formats import jsonedit
from takeback.adapters.install.formats.jsonc import Document, Item, Node, parse
from takeback.adapters.install.formats.text import BOM, Insertion, insert, without
from takeback.errors import InvalidInput

ROOT = "hooks"
EMPTY = "{}\n"


def find(text: str, ours: Ours) -> list[Found]:
    """Our entries."""
    return [found for found, _, _, _ in _ours(_parsed(text), ours)]


def is_complete(text: str, ours: Ours, entries: Sequence[Entry]) -> bool:
    """Whether these are exactly our entries, each in a group of its own."""
    there = find(text, ours)
    wanted = sorted(entries, key=str)
    return sorted((each.entry for each in there), key=str) == wanted and all(each.alone for each in there)


def add(text: str, entries: Sequence[Entry]) -> Edited:
    """Put entries into a text that has none of ours."""
    if _is_blank(text):
        whole = add("{}", entries)
        return _edited(text, [Insertion(len(text), whole.text)], whole.made)
    document = parse(text)
    root = _object(document.root, "the whole")
    if not root.members(ROOT):
        content = {event: [_group(each) for each in entries if each.event == event] for event in _events(entries)}
        return _edited(text, jsonedit.add(document, root, [(ROOT, content)]), [(ROOT,)])
    hooks = _object(_only(root, ROOT), "`hooks`")
    places, made, missing = [], [], []
    for event in _events(entries):
        groups = [_group(each) for each in entries if each.event == event]
        if not hooks.members(event):
            missing.append((event, groups))
            made.append((ROOT, event))
            continue
        array = _only(hooks, event)
        if array.kind != "array":
            raise InvalidInput(f"`hooks.{event}` is {_said(array)} instead of a list")
        places += jsonedit.add(document, array, [(None, group) for group in groups])
    if missing:
        places += jsonedit.add(document, hooks, missing)
    return _edited(text, places, made)


def oddities(text: str) -> set[str]:
    """What of a text is not JSON to the letter; some agents read it nevertheless."""
    document = _parsed(text)
    found = {
        "a byte order mark": text.startswith(BOM),
        "comments": document.has_comments,
        "trailing commas": document.has_trailing_commas,
    }
    return {name for name, there in found.items() if there}


def strip(text: str, ours: Ours, made: Sequence[Key] | None) -> Stripped:
    """The text without our entries, and without the containers that were ``made`` for them and hold nothing else.

    Where nobody knows what was made (None), it is all that is empty now.
    """
    document = _parsed(text)
    found = list(_ours(document, ours))
    gone: list[tuple[Node, Item]] = []
    hooks = _hooks(document)
    for member in hooks.items if hooks is not None else []:
        gone += _gone_of(document, member, [each[1:] for each in found if each[1] is member], hooks, made)
    if hooks is not None and gone and all(any(item is each for _, each in gone) for item in hooks.items):
        if (made is None or (ROOT,) in made) and not document.comments_within(hooks):
            root = document.root
            gone = [(root, root.members(ROOT)[-1])]
    stripped = without(text, jsonedit.remove(document, gone))
    rest = _parsed(stripped)
    return Stripped(stripped, empty=not rest.root.items and not rest.has_comments)


def value_without(text: str, ours: Ours) -> Any:
    """What a text says beside our entries: what must be equal before and after. Empty containers count as none."""
    root = _parsed(text).root.value()
    if not isinstance(root, tuple):
        return root
    members = [(key, _events_without(value, ours) if key == ROOT else value) for key, value in root]
    return [(key, value) for key, value in members if key != ROOT or value != ()]


def _events_without(value: Any, ours: Ours) -> Any:
    if not isinstance(value, tuple):
        return value
    events = []
    for event, groups in value:
        if isinstance(groups, list):
            groups = [kept for each in groups if (kept := _group_without(each, ours)) is not None]
        if groups != []:
            events.append((event, groups))
    return tuple(events)


def _group_without(group: Any, ours: Ours) -> Any:
    hooks = dict(group).get("hooks") if isinstance(group, tuple) else None
    if not isinstance(hooks, list):
        return group
    kept = [each for each in hooks if not (isinstance(each, tuple) and ours.search(str(dict(each).get("command"))))]
    if hooks and not kept:
        return None
    return tuple((key, kept if key == "hooks" else value) for key, value in group)


def _gone_of(
    document: Document,
    member: Item,
    found: Sequence[tuple[Item, Item, Item]],
    hooks: Node | None,
    made: Sequence[Key] | None,
) -> Iterator[tuple[Node, Item]]:
    """What to remove of one event: single hooks, whole groups, or all of it."""
    whole: list[Item] = []
    for group in member.node.items if member.node.kind == "array" else []:
        mine = [hook for _, each, hook in found if each is group]
        if not mine:
            continue
        if len(mine) == len(_hook_items(group)):
            whole.append(group)
        else:
            yield from ((group.node.members("hooks")[-1].node, hook) for hook in mine)
    emptied = whole and len(whole) == len(member.node.items) and not document.comments_within(member.node)
    if emptied and hooks is not None and (made is None or (ROOT, member.key) in made or (ROOT,) in made):
        yield hooks, member
    else:
        yield from ((member.node, group) for group in whole)


def _ours(document: Document, ours: Ours) -> Iterator[tuple[Found, Item, Item, Item]]:
    """Our hooks: what they say, the event's member, the group and the hook itself."""
    hooks = _hooks(document)
    for member in hooks.items if hooks is not None else []:
        for group in member.node.items if member.node.kind == "array" else []:
            for hook in _hook_items(group):
                command = hook.node.get("command")
                if isinstance(command, str) and ours.search(command):
                    entry = Entry(member.key or "", command, group.node.get("matcher"), hook.node.get("timeout"))
                    yield Found(entry, len(_hook_items(group)) == 1), member, group, hook


def _is_blank(text: str) -> bool:
    return not text.strip("\ufeff \t\r\n")


def _parsed(text: str) -> Document:
    """A text as a document; an empty file says as little as an empty object."""
    return parse("{}" if _is_blank(text) else text)


def _hooks(document: Document) -> Node | None:
    found = document.root.members(ROOT) if document.root.kind == "object" else []
    return found[-1].node if found and found[-1].node.kind == "object" else None


def _hook_items(group: Item) -> list[Item]:
    found = group.node.members("hooks") if group.node.kind == "object" else []
    return [hook for hook in found[-1].node.items if hook.node.kind == "object"] if found else []


def _group(entry: Entry) -> dict[str, Any]:
    hook: dict[str, Any] = {"type": "command", "command": entry.command}
    if entry.timeout is not None:
        hook["timeout"] = entry.timeout
    return {**({} if entry.matcher is None else {"matcher": entry.matcher}), "hooks": [hook]}


def _events(entries: Sequence[Entry]) -> list[str]:
    return list(dict.fromkeys(each.event for each in entries))


def _edited(text: str, places: list[Insertion], made: Sequence[Key]) -> Edited:
    return Edited(*insert(text, places), tuple(made))


def _only(node: Node, key: str) -> Node:
    found = node.members(key)
    if len(found) > 1:
        raise InvalidInput(f"`{key}` is there {len(found)} times, so it is unclear which one counts")
    return found[0].node


def _object(node: Node, name: str) -> Node:
    if node.kind != "object":
        raise InvalidInput(f"{name} is {_said(node)} instead of an object")
    return node


def _said(node: Node) -> str:
    return {"array": "a list", "object": "an object"}.get(node.kind, f"{node.scalar!r}")
