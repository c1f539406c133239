"""Long work of a face: each in a thread, with words for how far it has come, and a way to stop it.

Who is told to stop does so at the next thing that it looks at: nothing was changed then. From the moment at which a restore
puts things in place it is done to its end, because half of it is what nobody wants.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from typing import Any

from takeback.errors import Cancelled, NotFound, TakebackError
from takeback.model.progress import Listener, Progress
from takeback.views.progressing import progress_words

_KEPT = 64
"""Jobs that have ended and can still be asked for."""


class Job:
    """One piece of work: ``running``, then ``done``, ``failed`` or ``cancelled``."""

    def __init__(self, title: str, changed: Callable[[Job], None]) -> None:
        self.id = secrets.token_hex(8)
        self.title = title
        self.state = "running"
        self.progress: Progress | None = None
        self.result: Any = None
        self.error: TakebackError | None = None
        self.done = threading.Event()
        self._changed = changed
        self._stop = threading.Event()

    @property
    def words(self) -> str:
        """How far it has come."""
        if self.state != "running":
            return self.error.message if self.error is not None else self.state
        if self._stop.is_set():
            return "stopping"
        return progress_words(self.progress) if self.progress is not None else ""

    def cancel(self) -> None:
        """Have it stop, if it still can."""
        self._stop.set()

    def hear(self, progress: Progress) -> None:
        """The listener of the work; Cancelled once it is to stop."""
        if self._stop.is_set():
            raise Cancelled("stopped: nothing was changed")
        self.progress = progress
        self._changed(self)

    def run(self, work: Callable[[Listener], Any]) -> None:
        """Do it, and keep what came of it."""
        try:
            self.result = work(self.hear)
            self.state = "done"
        except Cancelled as error:
            self.error, self.state = error, "cancelled"
        except TakebackError as error:
            self.error, self.state = error, "failed"
        except Exception as error:  # what nobody thought of must not leave somebody waiting for ever
            self.error, self.state = TakebackError(f"something unexpected happened: {error!r}"), "failed"
        finally:
            self.done.set()
            self._changed(self)


class Jobs:
    """All work of a face. ``on_change`` is called, in the threads of the work, whenever one of them has come further."""

    def __init__(self, on_change: Callable[[Job], None] | None = None) -> None:
        self.on_change = on_change or (lambda job: None)
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(self, title: str, work: Callable[[Listener], Any]) -> Job:
        """Begin some work, which is given a listener to tell of its progress."""
        job = Job(title, lambda job: self.on_change(job))
        with self._lock:
            ended = [each for each in self._jobs.values() if each.done.is_set()]
            for old in ended[: max(0, len(ended) - _KEPT)]:
                del self._jobs[old.id]
            self._jobs[job.id] = job
        threading.Thread(target=job.run, args=(work,), name=title, daemon=False).start()
        return job

    def get(self, id: str) -> Job:
        with self._lock:
            found = self._jobs.get(id)
        if found is None:
            raise NotFound(f"there is no work {id[:40]!r}", hints=["it may have ended long ago"])
        return found

    def running(self) -> list[Job]:
        with self._lock:
            return [job for job in self._jobs.values() if not job.done.is_set()]

    def end(self, timeout: float | None = None) -> bool:
        """Have all work stop, and wait for it; whether it has ended."""
        jobs = self.running()
        for job in jobs:
            job.cancel()
        ended = [job.done.wait(timeout) for job in jobs]
        return all(ended)
