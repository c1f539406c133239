"""What differs: the list of it, one file line by line, conversations.

A list that was made is kept for a while, so that to look at one file after the other compares nothing again. One with the
present is as it was when the list was asked for last.
"""

from __future__ import annotations

from takeback import shapes
from takeback.shapes import Shape
from takeback.views.differences import Differences, differences
from takeback.views.messages import conversations
from takeback.views.sides import FileSides, file_sides
from takeback.web.asked import Asked
from takeback.web.bounds import bounded
from takeback.web.shared import Shared

_CONTEXT = 3
_MOST_CONTEXT = 100_000


def diff(shared: Shared, asked: Asked) -> Shape:
    """All that differs between two snapshots, or, without ``b``, between one and the present."""
    found = _found(shared, asked, anew=True)
    return bounded(
        {
            "lane": found.lane,
            "a": found.a,
            "b": found.b,
            "files": found.files,
            "state": shapes.differences(found.state),
            "container": shapes.contained(found.container),
            "team": shapes.contained(found.team),
            "teams": [shapes.team(each) for each in found.teams],
            "missed": dict(found.missed),
        }
    )


def file(shared: Shared, asked: Asked) -> FileSides:
    found = _found(shared, asked)
    context = asked.number("context", _CONTEXT, most=_MOST_CONTEXT)
    return file_sides(shared.desk, found.lane, found, asked.text("part", "workspace"), asked.must("path"), context)


def messages(shared: Shared, asked: Asked) -> Shape:
    found = _found(shared, asked)
    return {"a": found.a, "b": found.b, "conversations": conversations(shared.desk, found.lane, found)}


def _found(shared: Shared, asked: Asked, *, anew: bool = False) -> Differences:
    lane, line = shared.lane(asked), shared.line(asked)
    a = line.show(asked.text("a", "@")).id
    b = line.show(asked.text("b")).id if asked.has("b") else None
    known = None if anew and b is None else shared.compared.get(lane, a, b)
    if known is not None:
        return known
    return shared.compared.keep(differences(shared.desk, lane, a, b, asked.hear))


ROUTES = (
    ("GET", "/api/diff", diff),
    ("GET", "/api/diff/file", file),
    ("GET", "/api/diff/messages", messages),
)
