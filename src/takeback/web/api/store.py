"""The store in figures, and what takeback did."""

from __future__ import annotations

from takeback.shapes import Shape
from takeback.views import store_figures
from takeback.views.concerned import titles
from takeback.web.asked import Asked
from takeback.web.encoding import plain
from takeback.web.shared import Shared

_MOST = 500
_MEASURING = "measure the store"


def store(shared: Shared, asked: Asked) -> Shape:
    """Begin to measure: every snapshot is looked into. Who asks while somebody does gets the same work."""
    for job in shared.jobs.running():
        if job.title == _MEASURING:
            return {"job": job.id}
    return {
        "job": shared.jobs.start(_MEASURING, lambda listener: plain(store_figures.figures(shared.desk, listener))).id
    }


def operations(shared: Shared, asked: Asked) -> Shape:
    limit = asked.number("limit", 50, least=1, most=_MOST)
    done = store_figures.operations(shared.desk, asked.maybe_number("before"), limit)
    return {"operations": done, "titles": {str(seq): words for seq, words in titles(shared.desk, done).items()}}


ROUTES = (("GET", "/api/store", store), ("GET", "/api/operations", operations))
