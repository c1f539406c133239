"""What would happen, before it happens: every effect with a box to choose it by, and all that a person should know first.

What is shown is always the very plan that is applied. If the world moved meanwhile, the engine refuses; then the new plan is
shown with what became of the old one, and nothing is done before somebody agrees again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Button

from takeback.errors import Conflict
from takeback.model.kinds import DOCUMENTS
from takeback.model.plan import Plan, Report
from takeback.model.progress import Listener
from takeback.tui import choosing, previewing
from takeback.tui.behind import behind, is_there
from takeback.tui.checklist import Checklist
from takeback.tui.choosing import Choice
from takeback.tui.confirming import ConfirmScreen
from takeback.tui.difftext import DiffText, not_shown, why_nothing
from takeback.tui.help import Help
from takeback.tui.keybar import KeyBar
from takeback.tui.linetext import LineText
from takeback.tui.previewing import PreviewBanner, PreviewBar, PreviewTitle
from takeback.tui.roll import Roll
from takeback.tui.telling import refuse, tell
from takeback.tui.wrapping import fitted
from takeback.views import choices
from takeback.views.choices import Wanted
from takeback.views.desk import Desk
from takeback.views.jobs import Job, Jobs
from takeback.views.sides import effect_sides

_PATIENCE = 0.2
"""Seconds without another key before the boxes are planned with."""


class PreviewScreen(Screen[Report | None]):
    """Dismisses with the report of what was done last; None if nothing was."""

    CSS_PATH: ClassVar[list[str | PurePath]] = ["diff.tcss", "preview.tcss"]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - as Textual declares it
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,y", "go_on", "do it"),
        Binding("a", "all", "all/none"),
        Binding("s", "shared", "shared, too"),
        Binding("z", "take_back", "undo this", show=False),
        Binding("question_mark", "help", "keys"),
        Binding("escape,q", "leave", "cancel"),
    ]

    class Heard(Message):
        """A job has come further."""

        def __init__(self, job: Job) -> None:
            super().__init__()
            self.job = job

    def __init__(self, desk: Desk, wanted: Wanted, title: str, *, stays: bool = True) -> None:
        """With ``stays=False`` it leaves at once, and says why, if there is nothing that could be planned."""
        super().__init__()
        self._desk, self._wanted, self._title, self._stays = desk, wanted, title, stays
        self._jobs = Jobs(self._hear)
        self._job: Job | None = None
        self._timer: Timer | None = None
        self._tried: Plan | None = None
        """The plan that was refused, until the new one is shown."""
        self.phase = "planning"
        """Then ``ready``, ``applying``, ``done``; ``failed`` if nothing could be planned."""
        self.choice: Choice | None = None
        self.report: Report | None = None

    def _hear(self, job: Job) -> None:
        """Called in the job's own thread."""
        self.post_message(self.Heard(job))

    def compose(self) -> ComposeResult:
        yield PreviewTitle(self._title)
        yield PreviewBanner()
        with Horizontal(id="preview-panes"):
            yield Checklist(fixed=previewing.FIXED.get(self._wanted.verb, ""), id="preview-effects")
            with Vertical(id="preview-right"):
                yield LineText(id="preview-beside")
                yield DiffText(id="preview-lines", split=False)
        yield LineText(id="preview-report")
        yield PreviewBar()
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one("#preview-effects").border_title = "What would happen"
        self.query_one("#preview-beside").border_title = "What to know first"
        self.query_one("#preview-lines").border_title = "What it does to this path"
        self.query_one(Checklist).focus()
        self._plan(lambda listener: choosing.begin(self._desk, self._wanted, listener))

    def on_unmount(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def _enter(self, phase: str) -> None:
        self.remove_class(f"-{self.phase}")
        self.phase = phase
        self.add_class(f"-{phase}")
        self.query_one(KeyBar).show(previewing.keys(phase, self._wanted, shared=self._can_share))

    @property
    def _can_share(self) -> bool:
        """Whether there is anything that several sessions may have changed, to take along or to leave."""
        return self._wanted.shared or (self.choice is not None and bool(self.choice.whole.shared))

    # Planning

    def _plan(self, work: Callable[[Listener], Choice]) -> None:
        """Plan in the background; whatever was planned before no longer counts."""
        if self._timer is not None:
            self._timer.stop()
        if self._job is not None:
            self._job.cancel()
        self._enter("planning")
        self.query_one(PreviewBar).wait("working out what would happen …")
        self._job = self._jobs.start(self._title, work)

    @on(Checklist.Changed)
    def _chosen(self, event: Checklist.Changed) -> None:
        event.stop()
        if self.choice is None:
            return
        self._enter("planning")
        self.query_one(PreviewBar).wait("working out what would happen …")
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_PATIENCE, self._plan_chosen)

    def _plan_chosen(self) -> None:
        before, chosen = self.choice, self.query_one(Checklist).chosen
        if before is not None:
            self._plan(lambda listener: choosing.choose(self._desk, before, chosen, listener))

    def _planned(self, choice: Choice) -> None:
        tried, self._tried = self._tried, None
        is_new = self.choice is None or self.choice.groups != choice.groups
        self.choice = choice
        boxes = self.query_one(Checklist)
        if is_new:
            boxes.show(choice.groups, choice.chosen)
        elif boxes.chosen != choice.chosen:
            return  # a box was changed meanwhile, which is planned with next
        boxes.planned(choice.actions, previewing.marks(tried, choice.plan))
        beside = previewing.beside(choice)
        self.query_one("#preview-beside", LineText).show(lambda width: fitted(beside, width))
        if tried is not None:
            self.query_one(PreviewBanner).add(previewing.moved(tried, choice.plan))
        self._enter("ready")
        self.query_one(PreviewBar).ready(choice)
        self._show_lines()

    @on(Roll.Moved)
    def _moved(self, event: Roll.Moved) -> None:
        event.stop()
        self._show_lines()

    def _show_lines(self) -> None:
        """What is done to the path under the cursor, line by line; also what would be, if it were chosen."""
        box, choice = self.query_one(Checklist).under_cursor, self.choice
        if box is None or choice is None:
            self._tell_lines("move to a path to see what it does" if choice is not None else "")
            return
        plan = choice.plan if choice.plan is not None and box in choice.actions else choice.whole
        if any(group.part == box[0] and (group.pending or group.kind in DOCUMENTS) for group in choice.groups):
            self._tell_lines("it comes back as a whole")
            return
        pane = self.query_one("#preview-lines", DiffText)
        behind(
            self,
            lambda: effect_sides(self._desk, self._wanted.lane, plan, *box),
            lambda sides: pane.show(sides, why_nothing(sides)),
            group="lines",
            failed=lambda error: pane.show(None, not_shown(error)),
        )

    def _tell_lines(self, text: str) -> None:
        self.workers.cancel_group(self, "lines")
        self.query_one("#preview-lines", DiffText).show(None, [[], [(f"  {text}", "quiet")]])

    # Doing it

    def action_go_on(self) -> None:
        plan = self.choice.plan if self.choice is not None else None
        if self.phase == "done":
            self.dismiss(self.report)
        elif self.phase == "applying":
            refuse(self, "it is being done")
        elif self.phase == "failed":
            refuse(self, "there is nothing that could be done")
        elif self.phase == "planning" or self.choice is None or self.choice.chosen != self.query_one(Checklist).chosen:
            refuse(self, "one moment: it is not worked out yet what would happen")
        elif plan is None:
            refuse(self, "nothing is chosen: Space chooses, a chooses all")
        elif plan.empty:
            refuse(
                self,
                "there is nothing to do" if not plan.stuck else "nothing of it can be taken back; see on the right why",
            )
        else:
            self.app.push_screen(
                ConfirmScreen(previewing.question(self._title, self.choice), "Yes, do it"),
                lambda yes: self._apply(plan) if yes else None,
            )

    def _apply(self, plan: Plan) -> None:
        if self.phase != "ready" or self.choice is None or plan is not self.choice.plan:
            refuse(self, "what would happen is not what you said yes to any more", "look at it, and say yes again")
            return
        self._enter("applying")
        self.query_one(PreviewBanner).clear()
        self.query_one(PreviewBar).begin()
        self._tried = plan
        self._job = self._jobs.start(
            self._title, lambda listener: choices.apply(self._desk, plan, self._wanted.lane, listener)
        )

    @on(Heard)
    def _heard(self, event: Heard) -> None:
        job = event.job
        if job is not self._job or not is_there(self):
            return
        if job.state == "running":
            self.query_one(PreviewBar).tell(job)
            return
        self._job = None
        if self.phase == "applying":
            self._applied(job)
        elif job.state == "done":
            self._planned(job.result)
        elif job.error is not None:
            self._tried = None
            # Covered by another screen it stays: to dismiss it would take that one away.
            if not self._stays and self.choice is None and self.is_active:
                tell(self, job.error)
                self.dismiss(None)
                return
            self.query_one(PreviewBanner).fail(job.error)
            self._enter("failed")
            self.query_one(PreviewBar).fail()

    def _applied(self, job: Job) -> None:
        if job.state == "done":
            self._done(job.result)
            return
        if not isinstance(job.error, Conflict):
            self._tried = None
        self.query_one(PreviewBanner).not_done(job)
        before = self.choice
        if before is not None:
            self._plan(lambda listener: choosing.again(self._desk, before, listener))

    def _done(self, report: Report) -> None:
        self.report, self._tried = report, None
        self._enter("done")
        lines = previewing.report(report)
        self.query_one("#preview-report", LineText).show(lambda width: fitted(lines, width))
        self.query_one("#preview-report").focus()
        self.query_one(PreviewBar).done(report)

    # Keys

    def action_tick(self) -> None:
        self.query_one(Checklist).action_tick()

    def action_all(self) -> None:
        if self.phase in ("planning", "ready"):
            self.query_one(Checklist).choose_all()
        else:
            refuse(self, "there is nothing to choose now")

    def action_shared(self) -> None:
        if self.phase not in ("planning", "ready") or self.choice is None:
            refuse(self, "there is nothing to choose now")
        elif self._wanted.verb not in ("undo", "since"):
            refuse(self, f"only an undo asks whose change it was; a {self._wanted.verb} does not")
        elif not self._wanted.shared and not self.choice.whole.shared:
            refuse(self, "no path was changed by several sessions")
        else:
            self._wanted = replace(self._wanted, shared=not self._wanted.shared)
            self._plan(lambda listener: choosing.begin(self._desk, self._wanted, listener))

    def action_take_back(self) -> None:
        if self.report is None:
            refuse(self, "nothing was done yet that could be taken back")
        elif (wanted := previewing.way_back(self._wanted, self.report)) is None:
            refuse(self, "nothing was changed, so there is nothing to take back")
        else:
            self.app.push_screen(PreviewScreen(self._desk, wanted, f"take back: {self._title}"), self._taken_back)

    def _taken_back(self, report: Report | None) -> None:
        if report is not None:
            self.dismiss(report)

    def action_help(self) -> None:
        self.app.push_screen(Help(previewing.HELP, previewing.MARKS))

    def action_leave(self) -> None:
        if self.phase == "applying" and self._job is not None:
            self._job.cancel()
            self.query_one(PreviewBar).cancel()
        else:
            self.dismiss(self.report)

    @on(Roll.Chosen)
    def _entered(self, event: Roll.Chosen) -> None:
        event.stop()
        if self.is_active:  # Enter may be pressed twice before the question is there
            self.action_go_on()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if self.is_active:
            {"do": self.action_go_on, "back": self.action_take_back}.get(event.button.id or "", self.action_leave)()
