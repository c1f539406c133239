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
