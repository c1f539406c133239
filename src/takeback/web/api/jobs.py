"""Work that takes a while: how far it has come, what came of it, and to stop it."""

from __future__ import annotations

from takeback.shapes import Shape
from takeback.web.asked import Asked
from takeback.web.shared import Shared, job_shape


def job(shared: Shared, asked: Asked) -> Shape:
    return job_shape(shared.jobs.get(asked.path_text("id")))


def cancel(shared: Shared, asked: Asked) -> Shape:
    """Have it stop where it still can; it then says itself that it did."""
    found = shared.jobs.get(asked.path_text("id"))
    found.cancel()
    return job_shape(found)


ROUTES = (("GET", "/api/jobs/{id}", job), ("POST", "/api/jobs/{id}/cancel", cancel))
