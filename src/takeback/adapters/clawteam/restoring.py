"""A restore of a team, and what is told of one that was or would be done."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from takeback.adapters.clawteam.finding import Found, Places
from takeback.adapters.clawteam.losing import lost
from takeback.engine.naming import name_of
from takeback.engine.timeline import Timeline
from takeback.model.kinds import FOLLOWING
from takeback.model.plan import Plan, Report
from takeback.model.snapshot import Part
from takeback.model.tree import name_bytes
from takeback.sources.protocol import Source
from takeback.sources.team.contents import Contents
from takeback.sources.team.going import going
from takeback.sources.team.layouts import COSTS, EVENTS, MESSAGES, SESSIONS, TASKS
from takeback.sources.team.members import running
from takeback.sources.trees import within


def plan(places: Places, found: Found) -> Plan:
    """What a restore would do; nothing of the team is touched."""
    return _plan(places.whole_line(found.part), found)


def preview(places: Places, found: Found) -> dict[str, Any]:
    """What would be lost, kept and noted."""
    line = places.whole_line(found.part)
    planned = _plan(line, found)
    return {"lost": lost(planned.goes), **_told(places, line, found, planned)}


def restore(places: Places, found: Found) -> dict[str, Any]:
    """Make the team as a snapshot has it; what was lost by that, and the snapshot that keeps it."""
    team = places.team
    os.makedirs(name_bytes(team.root), exist_ok=True)
    line = places.whole_line(found.part)
    report = line.restore(found.snapshot, only=_at_hand(line, found), title=_title(found))
    before, after = (line.show(id).parts.get(found.part.name) for id in (report.safety, report.snapshot))
    with places.store().blobs.reader() as reader:
        gone = lost(going(reader, team.layout, team.team, team.diff(reader, before, after)))
    done = Counter(report.actions.get(path, "change") for path in report.changed)
    return {"lost": gone, **_told(places, line, found, report), "done": dict(done), "safety": report.safety}


def summary(places: Places, found: Found) -> dict[str, Any]:
    """What is in a snapshot, in the words of ClawTeam's restore; and who runs."""
    with places.store().blobs.reader() as reader:
        contents = Contents(reader, found.part)
        return {
            "config": contents.config is not None,
            **{what: contents.count(what) for what in (TASKS, EVENTS, SESSIONS, COSTS)},
            "inboxes": contents.count(MESSAGES),
            "running": [each._asdict() for each in running(places.team.root, places.team.team)],
        }


def _plan(line: Timeline, found: Found) -> Plan:
    return line.plan(found.snapshot, only=_at_hand(line, found), title=_title(found))


def _title(found: Found) -> str:
    """A bundle that was brought in is known by its id, and not by the label that knows its bytes again."""
    return f"restore {found.meta.id}" if found.meta.kind == "bundle" else ""


def _told(places: Places, line: Timeline, found: Found, done: Plan | Report) -> dict[str, Any]:
    """What stays though the snapshot lacks it, and what else a person should know."""
    covers = found.part.detail.get("covers")
    own = covers if isinstance(covers, list) else [""]
    kept = [each for each in done.kept if each.part != found.part.name or within(own, each.path)]
    notes = [*done.notes, *(f"left out: {each}" for each in places.left_out)]
    if found.meta.kind == "bundle":
        notes.append("a bundle holds no plans, dead letters or runtime state: those stay as they are")
    notes += _absent([part for name, part in found.snapshot.parts.items() if name not in _at_hand(line, found)])
    newer = sorted(name for name in set(line.sources) - set(found.snapshot.parts) if not _follows(line.sources[name]))
    notes += [f"the snapshot does not hold {name}, which stays as it is" for name in newer]
    return {"kept": [{"path": each.path, "reason": each.reason} for each in kept], "notes": notes}


def _absent(parts: Sequence[Part]) -> Iterator[str]:
    """Notes on what a snapshot holds beside the team, and nobody asked for."""
    agents = [name_of(part) for part in parts if part.kind == "worktree"]
    if agents:
        yield f"the worktrees of {', '.join(agents)} stay as they are: the snapshot has them, too, for --with-workspaces"
    for part in parts:
        if part.kind != "worktree" and part.kind not in FOLLOWING:
            yield f"the snapshot's part {part.name!r} is left alone: it was not asked for"


def _at_hand(line: Timeline, found: Found) -> list[str]:
    """The parts of a snapshot that have a source here: the team, and whatever was given beside it. Conversations come back
    as new sessions, and only if somebody asks for that by name."""
    names = {found.part.name, *(name for name, source in line.sources.items() if not _follows(source))}
    return sorted(names & found.snapshot.parts.keys())


def _follows(source: Source) -> bool:
    return source.kind in FOLLOWING
