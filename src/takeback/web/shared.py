"""What all handlers of one server share, and the threads in which they work: the event loop itself never waits for a disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from takeback.shapes import Shape
from takeback.views.jobs import Job, Jobs
from takeback.web.answers import error_shape
from takeback.web.hub import Hub
from takeback.web.kept import Compared, Plans
from takeback.web.keys import Keys

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline
    from takeback.views.desk import Desk
    from takeback.web.asked import Asked

T = TypeVar("T")

_THREADS = 16
"""So many requests are worked on at once; the others wait. As many look at the world besides: those may all wait for
somebody who saves or restores, and what was recorded is to be seen meanwhile."""


class Shared:
    def __init__(
        self,
        desk: Desk,
        keys: Keys,
        *,
        read_only: bool = False,
        raises: bool = False,
        told: Callable[[Exception], None] | None = None,
    ) -> None:
        from anyio import CapacityLimiter

        self.desk = desk
        self.keys = keys
        self.read_only = read_only
        self.raises = raises
        """For tests: a bug is raised, and not answered."""
        self.told = told
        """Is told of a bug."""
        self.hub = Hub(desk)
        self.jobs = Jobs(lambda job: self.hub.publish("job", {"job": job_shape(job)}))
        self.plans = Plans()
        self.compared = Compared()
        self._limiter: Any = CapacityLimiter(_THREADS)
        self._looking: Any = CapacityLimiter(_THREADS)

    async def in_thread(self, work: Callable[..., T], *arguments: Any, looks: bool = False) -> T:
        """Do some work; ``looks`` for what may look at the world."""
        from anyio.to_thread import run_sync

        return await run_sync(work, *arguments, limiter=self._looking if looks else self._limiter)

    def lane(self, asked: Asked) -> int:
        """The timeline that is meant; 0 if nothing was recorded where the server was started."""
        return asked.lane or self.desk.here

    def line(self, asked: Asked) -> Timeline:
        """The same, to look at."""
        return self.desk.look(asked.lane or None)

    def end(self) -> None:
        """Stop what can be stopped, and wait for the rest; in a thread, when the server ends."""
        self.desk.stop()
        self.jobs.end()


def job_shape(job: Job) -> Shape:
    return {
        "id": job.id,
        "title": job.title,
        "state": job.state,
        "words": job.words,
        "progress": job.progress,
        "result": job.result,
        "error": None if job.error is None else error_shape(job.error),
    }
