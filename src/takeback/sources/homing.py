"""A part of one timeline, told in the terms of another that began with the same: a fork's copies have names and places of
their own, and where parts speak of those, they would differ though nothing was done."""

from __future__ import annotations

from dataclasses import replace

from takeback.model.ids import BlobKind
from takeback.model.plan import Effect
from takeback.model.snapshot import Part
from takeback.model.tree import FILE
from takeback.sources import trees
from takeback.sources.protocol import Proposal
from takeback.store.writer import Writer


def homed(writer: Writer, part: Part, home: Part) -> Part:
    """A part as it would be if it were where ``home`` is; nothing of it is stored."""
    if part.kind != home.kind:
        return part
    if part.kind == "container":
        from takeback.sources.container import homing as containers  # only who has one needs it

        return containers.homed(writer, part, home)
    if part.kind == "team":
        from takeback.sources.team import homing as teams

        return teams.homed(writer, part, home)
    return part


def carried(writer: Writer, proposal: Proposal, part: Part) -> Proposal:
    """A proposal that holds what no snapshot does: files of ``part``, as it is stored, that were told in other terms."""
    view = trees.TreeView(writer.reader, part.content)

    def carries(effect: Effect) -> Effect:
        after, there = effect.after, view.get(effect.path)
        if after is None or there is None or after.kind != FILE or there.id == after.id or effect.merged is not None:
            return effect
        return replace(effect, merged=writer.reader.get(after.id, BlobKind.DATA), told=effect.told or effect.shown)

    return proposal._replace(effects=tuple(map(carries, proposal.effects)))
