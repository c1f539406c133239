"""Which of the declared containers and teams are looked at here, and as what.

A person's own configuration is taken at its word. What a project's file names is looked at only if the person has agreed, and
then as it was agreed to: what is in the file now only decides what is said about it. In a fork nothing counts but its own
record, lest the fork's timeline gets hold of what is the original's.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from takeback.errors import InvalidInput, NotFound, TakebackError
from takeback.locate.agreed import Agreed
from takeback.locate.declared import TEAM, Declared, from_key
from takeback.locate.layers import ProjectFile
from takeback.model.tree import name_bytes, name_text

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline
    from takeback.model.policy import Policy
    from takeback.model.snapshot import Part, Snapshot
    from takeback.sources.protocol import Source

_HERE = ("name", "data_dir")
"""What a record says beside options."""


class Chosen(NamedTuple):
    """A declared source, and what is done about it."""

    declared: Declared
    origin: str
    """Where it is declared."""
    name: str = ""
    """What it is here; empty if it is not looked at."""
    data_dir: str = ""
    """Where a team is."""
    is_fork: bool = False
    """Whether it is a fork's own, which its first snapshots call by another name."""

    @property
    def used(self) -> bool:
        return bool(self.name)

    def inside(self, root: str) -> tuple[str, ...]:
        """The directories below a root that are a team's, and no workspace's. Where its framework is not alone in the one
        that it was given, only what it has for the team: whatever else lies there would be in no snapshot."""
        above = f"{root.rstrip('/')}/"
        if not self.data_dir.startswith(above):
            return ()
        from takeback.sources.team.layouts import CLAWTEAM

        here = self.data_dir.removeprefix(above)
        try:
            alone = CLAWTEAM.is_alone(map(name_text, os.listdir(name_bytes(self.data_dir))))
        except OSError:
            alone = True
        return (here,) if alone else tuple(f"{here}/{place}" for place in CLAWTEAM.own(self.name))


def choose(
    root: str, file: ProjectFile, origin: str, own: Mapping[str, Any], agreed: Agreed | None
) -> tuple[tuple[Chosen, ...], tuple[str, ...]]:
    """What is declared for a root, and what its owner should know of that. ``own`` is the person's own configuration, or
    what else ``origin`` is."""
    named = declared_by(file.named)
    found = list(_agreed_to(agreed)) if agreed is not None else []
    known = set(agreed.sources) if agreed is not None else set()
    taken = {each.declared.part for each in found}
    if agreed is None or agreed.timeline is None:
        mine = [_own(each, origin, own) for each in declared_by(own) if each.key not in known]
        found += [each for each in mine if each.declared.part not in taken]
    at_hand = {(each.declared.kind, each.declared.part, each.name) for each in found}
    waiting = [each for each in named if each.key not in known and (each.kind, each.part, each.name) not in at_hand]
    warnings = _warnings(root, file, named, waiting, agreed)
    return (*found, *(Chosen(each, file.name) for each in waiting)), tuple(warnings)


def declared_by(layer: Mapping[str, Any]) -> tuple[Declared, ...]:
    """What a configuration names; of two that are the same part, the first."""
    every = (*layer.get("containers", ()), *layer.get("teams", ()))
    return tuple({each.part: each for each in reversed(every)}.values())[::-1]


def resolved(root: str, each: Declared, team_dir: str | None) -> dict[str, Any]:
    """What a source that a project's file names is here, for a record; InvalidInput if it would be what it must not be."""
    if each.kind != TEAM:
        return {"name": each.name, **each.options}
    from takeback.locate.teams import data_directory

    if team_dir is None:
        return {"name": each.name, "data_dir": os.path.realpath(data_directory()), **each.options}
    place = os.path.realpath(os.path.join(root, team_dir))
    if not place.startswith(f"{root.rstrip('/')}/"):
        raise InvalidInput(
            f"{team_dir!r} leads to {place}, outside of {root}",
            hints=["name the directory in your own configuration, if that is meant"],
        )
    return {"name": each.name, "data_dir": place, **each.options}


def add_to(line: Timeline, chosen: Iterable[Chosen]) -> None:
    """Have declared sources at hand. Whether they can be looked at is for each capture to find out."""
    latest = _latest(line)
    members = []
    for each in chosen:
        source = source_of(each, latest.parts.get(each.declared.part) if latest is not None else None)
        line.add(source)
        if each.declared.options.get("workspaces") and source.root:
            members.append(source.name)
    if members:
        from takeback.locate.members import add_members

        add_members(line, members)


def _agreed_to(agreed: Agreed) -> Iterator[Chosen]:
    for key, here in agreed.sources.items():
        options = {name: value for name, value in here.items() if name not in _HERE}
        declared = from_key(key, options)
        if declared is not None and here:
            name, data_dir = (str(here.get(each) or "") for each in _HERE)
            yield Chosen(declared, "agreed", name, data_dir, agreed.timeline is not None)


def _own(each: Declared, origin: str, layer: Mapping[str, Any]) -> Chosen:
    if each.kind != TEAM:
        return Chosen(each, origin, each.name)
    from takeback.locate.teams import data_directory

    return Chosen(each, origin, each.name, os.path.realpath(data_directory(layer.get("team_dir"))))


def _warnings(
    root: str, file: ProjectFile, named: Sequence[Declared], waiting: Sequence[Declared], agreed: Agreed | None
) -> Iterator[str]:
    trust = f"`takeback trust{_there(root)}`"
    if waiting:
        what, it = _listed([f"the {each.said}" for each in waiting]), "it is" if len(waiting) == 1 else "they are"
        yield f"{file.name} names {what}, outside of this directory: {it} left alone until you agree: {trust}"
    if agreed is None or agreed.timeline is None:
        limits = policy_of(file.named)
        if limits != (dict(agreed.policy) if agreed is not None else {}) and limits:
            what = _listed([f"{name} = {value}" for name, value in limits.items()])
            yield f"{file.name} says {what}: no snapshot goes because of that until you agree: {trust}"
    there = {each.key: dict(each.options) for each in named}
    for each in _agreed_to(agreed) if agreed is not None and agreed.timeline is None else ():
        if each.declared.key not in there:
            yield (
                f"the {each.declared.said}, to which you agreed, is not in {file.name or 'the project file'} any more, and is "
                f"still saved: {trust} takes the file as it is now"
            )
        elif there[each.declared.key] != dict(each.declared.options):
            yield (
                f"{file.name} has other options for the {each.declared.said} than those to which you agreed, which still "
                f"hold: {trust} takes the file as it is now"
            )


def policy_of(layer: Mapping[str, Any]) -> dict[str, Any]:
    """What a configuration says of how much of a root's history is kept."""
    return {name: layer[name] for name in ("keep_last", "max_age") if layer.get(name) is not None}


def agreed_policy(said: Mapping[str, Any]) -> Policy | None:
    """The limits that a record has; None if it has none that make sense."""
    from takeback.model.policy import Policy

    try:
        count = said.get("keep_last")
        return Policy(None if count is None else int(count), said.get("max_age"))
    except (InvalidInput, ValueError, TypeError):
        return None  # nothing goes because of a record that is damaged


def _listed(what: Sequence[str]) -> str:
    return what[0] if len(what) == 1 else f"{', '.join(what[:-1])} and {what[-1]}"


def _there(root: str) -> str:
    """How to get to a root from where one stands."""
    try:
        here = os.path.realpath(os.getcwd())
    except OSError:
        here = ""
    return "" if f"{here}/".startswith(f"{root.rstrip('/')}/") else f" -C {shlex.quote(root)}"


def source_of(each: Chosen, part: Part | None = None) -> Source:
    """The source of what is used; ``part`` is what a timeline holds of it."""
    declared = each.declared
    problem = _moved(each) or (None if each.is_fork else _another(each, part))
    if problem is not None:
        from takeback.sources.refused import Refused

        return Refused(declared.part, declared.kind, each.name, problem)
    options = {name: value for name, value in declared.options.items() if name != "workspaces"}
    if declared.kind == TEAM:
        from takeback.locate.teams import Team

        return Team(each.name, each.data_dir, name=declared.part)
    from takeback.sources.container.source import Container

    return Container(each.name, name=declared.part, **options)


def _moved(each: Chosen) -> TakebackError | None:
    """Why a team's directory is not the one that was agreed to: an agent could have put a link in its place."""
    place = each.data_dir
    if not place:
        return None
    real = os.path.realpath(place)
    if real == place and (os.path.isdir(place) or not os.path.lexists(place)):
        return None  # one that is gone can be made again
    what = f"leads to {real} now" if real != place else "is a file now"
    return NotFound(
        f"{place}, where the team {each.name!r} was, {what}, so nothing there is looked at",
        hints=["put the directory back, or, if that is meant, `takeback trust` again"],
    )


def _another(each: Chosen, part: Part | None) -> TakebackError | None:
    """Why a part of the timeline is not what is declared under its name."""
    if part is None:
        return None
    from takeback.engine.naming import name_of

    declared, known = each.declared, name_of(part)
    place = part.detail.get("data_dir")
    moved = declared.kind == TEAM and isinstance(place, str) and place != each.data_dir
    if part.kind != declared.kind:
        what = f"a {part.kind}, not a {declared.kind}"
    elif known and known != each.name:
        what = f"the {declared.kind} {known!r}, not {each.name!r}"
    elif moved and os.path.isdir(name_bytes(str(place))):
        what = f"the team in {place}, not the one in {each.data_dir}"
    else:
        return None
    return InvalidInput(
        f"the part {declared.part!r} of this timeline is {what}",
        hints=[f'give it a part of its own: "OTHER={each.name}"', "another timeline has other parts: --timeline NAME"],
    )


def _latest(line: Timeline) -> Snapshot | None:
    if line.head is None:
        return None
    try:
        return line.show("@")
    except TakebackError:
        return None  # which whoever looks at it next is told
