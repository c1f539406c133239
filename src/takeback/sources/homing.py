"""A part of one timeline, told in the terms of another that began with the same: a fork's copies have names and places of
their own, and where parts speak of those, they would differ though nothing was done."""

from __future__ import annotations

from takeback.model.snapshot import Part
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
