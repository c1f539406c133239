"""What would be done, and what of it: a plan by part and path, each of which can be left out before anything happens."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from takeback.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline
    from takeback.model.plan import Plan, Report
    from takeback.model.progress import Listener
    from takeback.views.desk import Desk

VERBS = ("restore", "undo", "since", "redo", "promote")

BY_PATH = frozenset({"workspace", "worktree"})
"""Kinds of parts of which single paths can be chosen; the others come back whole."""

_ORDER = ("create", "change", "merge", "replace", "chmod", "reset", "delete")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for."""

    verb: str
    """``restore``, ``undo``, ``since`` (every agent's move after a snapshot), ``redo`` or ``promote``."""
    lane: int = 0
    """Where; 0 is where the face was started."""
    reference: str | None = None
    """For restore and since: the snapshot."""
    move: str | None = None
    """For undo and redo: which one; the newest if none is named."""
    only: tuple[str, ...] | None = None
    """The parts that are meant; all if none is named."""
    paths: Mapping[str, tuple[str, ...]] | None = None
    """Of these parts only these paths."""
    shared: bool = False
    """Also what several sessions may have changed."""
    fork: str | None = None
    """For promote: which one."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that would happen."""

    part: str
    path: str
    action: str


@dataclass(frozen=True, slots=True)
class Group:
    """What would happen to one part."""

    part: str
    kind: str
    items: tuple[Item, ...]
    whole: bool
    """Whether it can only be taken or left as a whole."""
    pending: bool = False
    """Whether a program that has it does it at its next save."""


def plan(desk: Desk, wanted: Wanted, listener: Listener | None = None) -> Plan:
    """What would be done now; nothing is touched."""
    only, paths = wanted.only, wanted.paths
    with desk.act(wanted.lane or None, listener) as line:
        if wanted.verb == "restore":
            return line.plan(_needed(wanted.reference, "a snapshot"), only=only, paths=paths)
        if wanted.verb == "since":
            since = _needed(wanted.reference, "a snapshot")
            return line.plan_undo(since=since, only=only, paths=paths, shared=wanted.shared)
        if wanted.verb == "undo":
            return _undo(line, wanted)
        if paths is not None or (wanted.verb == "redo" and only is not None):
            raise InvalidInput(f"a {wanted.verb} is done as a whole")
        if wanted.verb == "redo":
            return line.plan_redo(wanted.move)
        if wanted.verb == "promote":
            return line.plan_promote(_needed(wanted.fork, "a fork"), only=only)
    raise InvalidInput(f"{wanted.verb[:40]!r} cannot be planned", hints=[f"one of: {', '.join(VERBS)}"])


def _undo(line: Timeline, wanted: Wanted) -> Plan:
    """What an undo would do. Where agents have nothing left to undo, a person is shown what her own move would be."""
    try:
        return line.plan_undo(wanted.move, only=wanted.only, paths=wanted.paths, shared=wanted.shared)
    except NotFound:
        own = line.undo_choices(only=wanted.only, paths=wanted.paths) if wanted.move is None else ()
        if not own:
            raise
        return line.plan_undo(own[0].move, only=wanted.only, paths=wanted.paths)


def apply(desk: Desk, plan: Plan, lane: int = 0, listener: Listener | None = None) -> Report:
    """Do exactly what was planned; Conflict if the world has moved since, and nothing is changed then."""
    with desk.act(lane or None, listener) as line:
        return line.apply(plan)


def groups(desk: Desk, lane: int, plan: Plan) -> tuple[Group, ...]:
    """What a plan does, part by part, the files first."""
    items: dict[str, list[Item]] = {part: [Item(part, part, "pending")] for part in plan.pending}
    for effect in plan.effects:
        if effect.part not in plan.pending and (shown := effect.shown) is not None:
            items.setdefault(effect.part, []).append(Item(effect.part, shown[1], shown[0]))
    kinds = _kinds(desk, lane, plan)
    free = plan.verb == "undo" or (plan.verb == "restore" and not plan.title.startswith("promote "))
    made = [
        Group(
            part,
            kinds.get(part, "state" if part in plan.pending else "workspace"),
            tuple(sorted(some, key=lambda item: (_rank(item), item.path))),
            whole=not free or kinds.get(part, "") not in BY_PATH,
            pending=part in plan.pending,
        )
        for part, some in items.items()
    ]
    return tuple(sorted(made, key=lambda group: (group.kind != "workspace", group.part)))


def narrowed(wanted: Wanted, plan: Plan, every: Collection[Group], chosen: Collection[tuple[str, str]]) -> Wanted:
    """What to ask for so that only what was chosen of a plan (parts and paths, as its groups have them) is done;
    InvalidInput if that is nothing. An undo of the newest move is from here on one of that move."""
    picked = set(chosen)
    kept = [group for group in every if any((item.part, item.path) in picked for item in group.items)]
    if not kept:
        raise InvalidInput("nothing is chosen", hints=["choose at least one path"])
    paths = {group.part: some for group in kept if (some := _some(group, picked)) is not None}
    only = tuple(group.part for group in kept) if len(kept) < len(every) else wanted.only
    move = plan.moves[0] if wanted.verb == "undo" and wanted.move is None and plan.moves else wanted.move
    return replace(wanted, move=move, only=only, paths=paths or None)


def _some(group: Group, picked: Collection[tuple[str, str]]) -> tuple[str, ...] | None:
    """The paths that were chosen of a part; None if all were. A directory that was chosen without all that is in it is not
    among them: its name means everything below it."""
    left = [item.path for item in group.items if (item.part, item.path) not in picked]
    if group.whole or not left:
        return None
    above = {parent for path in left for parent in _parents(path)}
    return tuple(item.path for item in group.items if (item.part, item.path) in picked and item.path not in above)


def _parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _kinds(desk: Desk, lane: int, plan: Plan) -> dict[str, str]:
    """The kinds of parts, by name, as the snapshots know them that the plan is about."""
    known: dict[str, str] = {}
    for id in (desk.lane(lane or None).head, plan.target):
        if id is not None:
            known |= {name: part.kind for name, part in desk.parts(id).items()}
    return known


def _rank(item: Item) -> int:
    return _ORDER.index(item.action) if item.action in _ORDER else len(_ORDER)


def _needed(value: str | None, what: str) -> str:
    if not value:
        raise InvalidInput(f"{what} has to be named")
    return value
