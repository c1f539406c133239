"""What was recorded: timelines, their rows, and how much each changed."""

from __future__ import annotations

from takeback import __version__
from takeback.shapes import Shape
from takeback.views import counts as counted
from takeback.views import rows as listed
from takeback.web.asked import Asked
from takeback.web.shared import Shared

_ROWS = 50


def about(shared: Shared, asked: Asked) -> Shape:
    """Where this is, and what the page needs to ask for changes."""
    place = shared.desk.place
    return {
        "version": __version__,
        "root": place.root,
        "store": str(place["store"]),
        "read_only": shared.read_only,
        "lane": shared.desk.here,
        "csrf": shared.keys.csrf,
    }


def lanes(shared: Shared, asked: Asked) -> Shape:
    return {"lanes": shared.desk.lanes()}


def rows(shared: Shared, asked: Asked) -> Shape:
    """A page of rows, newest first, of one timeline or several."""
    wanted = listed.Filter(
        asked.text("text"), asked.text("session"), asked.text("agent"), asked.text("part"), asked.flag("actions")
    )
    numbers = asked.numbers("lanes")
    found = listed.page(
        shared.desk,
        [shared.desk.here] if numbers is None else numbers,
        cursor=asked.maybe("cursor"),
        limit=asked.number("limit", _ROWS, least=1, most=listed.MOST),
        wanted=wanted,
    )
    return {"rows": found.rows, "next": found.next, "scanned": found.scanned}


def present(shared: Shared, asked: Asked) -> Shape:
    """What is there now, and how far it is from the latest snapshot: the world is looked at."""
    lane = shared.lane(asked)
    row = listed.present(shared.desk, lane)
    return {"row": row, "counts": counted.counts(shared.desk, lane, row.before, None, asked.hear)}


def counts(shared: Shared, asked: Asked) -> counted.Counts:
    """How much differs between two snapshots, or, without ``after``, between one and the present."""
    lane, line = shared.lane(asked), shared.line(asked)
    before, after = asked.maybe("before"), asked.maybe("after")
    ends = [None if reference is None else line.show(reference).id for reference in (before, after)]
    return counted.counts(shared.desk, lane, ends[0], ends[1], asked.hear)


def sessions(shared: Shared, asked: Asked) -> Shape:
    """Sessions and their agents, the newest first."""
    return {"sessions": listed.sessions(shared.desk, asked.lane or None)}


ROUTES = (
    ("GET", "/api/about", about),
    ("GET", "/api/lanes", lanes),
    ("GET", "/api/rows", rows),
    ("GET", "/api/present", present),
    ("GET", "/api/counts", counts),
    ("GET", "/api/sessions", sessions),
)
