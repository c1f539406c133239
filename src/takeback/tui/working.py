"""Long work: what it is at, and Esc to cancel it. The dialog stays until the work has really ended, because what is
cancelled in the middle is taken back first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Label, ProgressBar

from takeback.errors import Cancelled
from takeback.model.progress import Listener
from takeback.tui.showing import shown
from takeback.tui.telling import say, tell
from takeback.views.jobs import Job, Jobs

_LOOK = 0.05
_SOON = 0.3
"""Seconds in which most work ends, so that nothing has to be shown."""


class Working(ModalScreen[Job]):
    """Starts a job and shows it; dismisses with it when it is over. What went wrong has been told by then."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "cancel", show=False),
        Binding("ctrl+c", "cancel", "cancel", show=False, priority=True),
    ]

    def __init__(self, jobs: Jobs, title: str, work: Callable[[Listener], Any]) -> None:
        super().__init__()
        self._title = title
        self._jobs, self._work = jobs, work
        self.job: Job | None = None

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(shown(self._title), classes="dialog--title", markup=False)
            yield ProgressBar(show_eta=False, show_percentage=False)
            yield Label("", id="words", markup=False)
            yield Label("Esc cancels; nothing is lost", classes="dialog--keys", markup=False)

    def on_mount(self) -> None:
        self.add_class("soon")
        self.set_timer(_SOON, lambda: self.remove_class("soon"))
        self.job = self._jobs.start(self._title, self._work)
        self.set_interval(_LOOK, self._look)

    def _look(self) -> None:
        job = self.job
        if job is None:
            return
        if job.done.is_set():
            self._end(job)
            return
        self.query_one("#words", Label).update(shown(job.words or "…"))
        progress = job.progress
        if progress is not None and progress.total:
            self.query_one(ProgressBar).update(total=progress.total, progress=min(progress.done, progress.total))

    def _end(self, job: Job) -> None:
        self.job = None
        if isinstance(job.error, Cancelled):
            say(self, f"{self._title}: cancelled", severity="warning")
        elif job.error is not None:
            tell(self, job.error)
        self.dismiss(job)

    def action_cancel(self) -> None:
        if self.job is not None:
            self.job.cancel()
            self.query_one(".dialog--keys", Label).update("cancelling …")
