"""Whose restore it was that was interrupted: the line that can finish it, or the command that has its sources at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from takeback.engine.line import Line
from takeback.errors import Unavailable
from takeback.model.kinds import DOCUMENTS
from takeback.model.snapshot import Part
from takeback.store.catalogue import timelines
from takeback.store.catalogue.journals import Journal

if TYPE_CHECKING:
    from takeback.model.plan import Plan
    from takeback.sources.protocol import Source
    from takeback.store.catalogue.timelines import TimelineRow


def where(line: Line) -> str:
    return line.root or f"the timeline {line.name!r}"


def owner_of(line: Line, found: Journal, plan: Plan, parts: Mapping[str, Part]) -> Line:
    """The line that began the restore: the same root, maybe another name.

    Without its objects: those that it began with have gone with their process. What is to become of the ones here is
    recorded as pending, and then done as all that is pending.
    """
    with line.blobs.database.read() as tx:
        row = timelines.by_number(tx, found.timeline)
    if row is not None and row.root != line.root:
        raise _begun_elsewhere(line, row, plan, parts)
    touched = {effect.part for effect in plan.effects}
    missing = sorted(part for part in touched if line.find_source(part, parts) is None)
    if row is None or missing:
        raise Unavailable(
            f"a {plan.verb} of {where(line)} was interrupted and must be finished first, but its parts "
            f"{', '.join(missing)} are not at hand here",
            hints=_with_them(plan, [parts[part] for part in missing if part in parts]),
        )
    sources = {
        name: _as_of_part(source, parts.get(name))
        for name, source in line.sources.items()
        if source.kind not in DOCUMENTS
    }
    if row.name == line.name and sources == line.sources:
        return line
    return Line(line.blobs, row.root, row.name, sources, others=line.others, expected=line.expected)


def _as_of_part(source: Source, part: Part | None) -> Source:
    """A source as the one that gave a part: teams share a root, and a part's name."""
    of = getattr(source, "of", None)
    made: Source = source if of is None or part is None else of(part)
    return made


def _begun_elsewhere(line: Line, row: TimelineRow, plan: Plan, parts: Mapping[str, Part]) -> Unavailable:
    """A restore of another root, which touches what is looked at here, too."""
    import shlex

    from takeback.engine.naming import name_of, options

    named = [part for part in parts.values() if part.name in {effect.part for effect in plan.effects}]
    own = next((name_of(part) for part in named if part.kind == "team" and part.detail.get("data_dir") == row.root), "")
    timeline = "" if row.name == "main" else f" --timeline {shlex.quote(row.name)}"
    command = f"team snapshot {own}" if own else f"-C {shlex.quote(row.root)} save{timeline} {options(named)}".rstrip()
    return Unavailable(
        f"a {plan.verb} of {row.root} was interrupted, and must be finished before anything is done here",
        hints=[f"`takeback {command}` finishes it"],
    )


def _with_them(plan: Plan, missing: Sequence[Part]) -> list[str]:
    """How to have the parts at hand that a restore needs to be finished."""
    from takeback.engine.naming import options

    if needed := options(missing):
        team = _own_team(plan, missing)
        return [f"`takeback {f'team snapshot {team}' if team else 'save'} {needed}` finishes it"]
    return [f"run takeback again with the sources of the timeline {plan.timeline!r}"]


def _own_team(plan: Plan, missing: Sequence[Part]) -> str:
    """The team whose own timeline a plan is of, if what is missing belongs to its members."""
    own = {"team": plan.timeline, "data_dir": plan.root}
    is_own = any(part.kind == "worktree" and own.items() <= part.detail.items() for part in missing)
    return plan.timeline if is_own else ""
