"""The JSON API, a file a subject. `ROUTES` is all of it: method, path, handler.

``lane`` is a timeline's number; where it is left out, or 0, the one is meant that the server was started on.
"""

from __future__ import annotations

from takeback.web.api import content, diffs, events, history, jobs, marks, plans, store

ROUTES = (
    *history.ROUTES,
    *content.ROUTES,
    *diffs.ROUTES,
    *plans.ROUTES,
    *jobs.ROUTES,
    *marks.ROUTES,
    *store.ROUTES,
    *events.ROUTES,
)

LOOKING = frozenset(
    f"/api/{name}" for name in ("present", "counts", "diff", "diff/file", "raw", "plan", "drop", "undrop")
)
"""Paths of what may look at the world, or change what belongs to it: whoever saves or restores there is waited for."""
