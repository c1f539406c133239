"""How many things of each kind a team has, without reading any of them but its configuration."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from typing import Any

from takeback.errors import Integrity, NotFound
from takeback.model.ids import BlobKind
from takeback.model.jsontext import parse_json
from takeback.model.tree import FILE
from takeback.sources import trees
from takeback.sources.team.layouts import DEAD_LETTERS, MEMBERS, PLANS, Area, Layout
from takeback.sources.trees import Reads, TreeView
from takeback.sources.workspace.statcache import Section

Seen = Mapping[str, bytes] | TreeView
"""Directories as a walk has just seen them, or a tree."""


def counts(reader: Reads, seen: Seen, layout: Layout, team: str) -> dict[str, int]:
    """What a snapshot says of a team in numbers: of what a walk has just seen, or of a tree."""
    said = {MEMBERS: len(members(_config(reader, seen, layout, team)))}
    for area in layout.areas:
        if area.what not in (DEAD_LETTERS, PLANS):
            said[area.what] = _count(seen, area, area.place.format(team=team))
    return said


def members(config: object) -> list[str]:
    """The names that a team's configuration lists."""
    listed = config.get("members") if isinstance(config, dict) else None
    named = [each.get("name") for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    return [each for each in named if isinstance(each, str)]


def _count(seen: Seen, area: Area, place: str) -> int:
    """By name alone: what is not a file under such a name is nothing that the framework knows."""
    if not area.boxes:
        return len(fnmatch.filter(_names(seen, place), area.pattern))
    boxes = (trees.join(place, box) for box in _names(seen, place))
    return sum(len(fnmatch.filter(_names(seen, box), area.pattern)) for box in boxes)


def _names(seen: Seen, place: str) -> list[str]:
    if isinstance(seen, TreeView):
        return list(seen.directory(place))
    return Section(seen[place]).names() if place in seen else []


def _config(reader: Reads, seen: Seen, layout: Layout, team: str) -> Any:
    path = layout.config.format(team=team)
    directory, _, name = path.rpartition("/")
    if isinstance(seen, TreeView):
        entry = seen.get(path)
        id = entry.id if entry is not None and entry.kind == FILE else None
    else:
        section = Section(seen[directory]) if directory in seen else None
        id = section.id(name) if section is not None and section.kind(name) == FILE else None
    try:
        return None if id is None else parse_json(reader.get(id, BlobKind.DATA), "a team's configuration")
    except (Integrity, NotFound):
        return None
