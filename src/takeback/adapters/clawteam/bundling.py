"""A snapshot as ClawTeam's bundle, for its own commands to read.

Mail is listed in the order in which ClawTeam would hand it out, claimed mail among the rest, where ClawTeam's own bundles
have it at the end. What a bundle has no place for is named in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from takeback.adapters.clawteam.checking import OURS
from takeback.adapters.clawteam.errors import NoBundle
from takeback.adapters.clawteam.meta import SnapshotMeta
from takeback.model.snapshot import Part
from takeback.model.tree import DIRECTORY
from takeback.sources.team.contents import Contents, Item
from takeback.sources.team.layouts import COSTS, EVENTS, MESSAGES, SESSIONS, TASKS
from takeback.sources.trees import TreeView
from takeback.store.reader import Reader


def bundle(reader: Reader, part: Part, meta: SnapshotMeta) -> dict[str, Any]:
    """What a team's part says, in the shape of ClawTeam's bundles; NoBundle if there is no team in it."""
    contents = Contents(reader, part)
    config = contents.config
    if config is None:
        raise NoBundle(
            f"the snapshot {meta.id} has no configuration of the team that could be read, so it makes no bundle",
            hints=[f"takeback team restore {meta.team_name} {meta.id} restores it all the same"],
        )
    things = {what: list(contents.items(what)) for what in (TASKS, EVENTS, SESSIONS, COSTS, MESSAGES)}
    held = {what: [item.data for item in items if item.data is not None] for what, items in things.items()}
    inboxes: dict[str, list[Mapping[str, Any]]] = {}
    for item in things[MESSAGES]:
        if item.data is not None:
            inboxes.setdefault(item.box, []).append(item.data)
    listed = config.get("members")
    told = replace(
        meta,
        member_count=len(listed) if isinstance(listed, list) else 0,
        task_count=len(held[TASKS]),
        event_count=len(held[EVENTS]),
        session_count=len(held[SESSIONS]),
        cost_event_count=len(held[COSTS]),
    )
    return {
        "meta": told.model_dump(by_alias=True),
        "config": config,
        **{what: held[what] for what in (TASKS, EVENTS, SESSIONS, COSTS)},
        "inboxes": inboxes,
        OURS: {"snapshot": meta.snapshot, "left_out": _left_out(reader, part, contents, things)},
    }


def _left_out(reader: Reader, part: Part, contents: Contents, things: Mapping[str, list[Item]]) -> list[str]:
    """The files of a part that a bundle has no place for."""
    told = {item.path for items in things.values() for item in items if item.data is not None}
    told.add(contents.layout.config.format(team=contents.team))
    every = TreeView(reader, part.content).below("")
    return [path for path, entry in every if entry.kind != DIRECTORY and path not in told]
