"""What the keys do with the row under the cursor. A key that can do nothing there says why; what changes the world goes
through the preview; what takes long is a job that can be cancelled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from takeback.model.ids import short
from takeback.tui.asking import Asking, Choice, Choosing, Field
from takeback.tui.behind import behind
from takeback.tui.confirming import ConfirmScreen
from takeback.tui.rowwords import what
from takeback.tui.telling import refuse, say
from takeback.tui.working import Working
from takeback.views.choices import Wanted
from takeback.views.lines import Line
from takeback.views.rows import Row
from takeback.views.text import age, clip

if TYPE_CHECKING:
    from takeback.model.plan import Report
    from takeback.model.progress import Listener
    from takeback.tui.timeline import TimelineScreen
    from takeback.views.jobs import Job

NOTHING = "there is nothing here yet", "m saves the present: the first snapshot"
_TITLE = 60


def diff(screen: TimelineScreen, row: Row | None) -> None:
    """What a row changed."""
    if row is None or (row.kind == "present" and row.before is None):
        return refuse(screen, *NOTHING)
    if row.before is None:
        return refuse(
            screen, "this is the first snapshot: there is nothing before it", "d on a later row shows what that changed"
        )
    from takeback.tui.diff import DiffScreen

    screen.app.push_screen(DiffScreen(screen.desk, row.lane, row.before, row.snapshot, named(row)))
    return None


def reset(screen: TimelineScreen, row: Row | None) -> None:
    """Back to where a row ended: the agents' moves since, or everything."""
    if row is None:
        return refuse(screen, *NOTHING)
    if row.kind == "present":
        return refuse(
            screen, "this is the present: there is nothing to go back to", "choose the row to go back to, then r"
        )
    if row.snapshot is None:
        return refuse(screen, "this move has not ended, so there is no point to go back to", "z takes it back")
    target = row.snapshot
    choices = [
        Choice("since", "Take back what agents did since", "your own changes stay; undo --since", "s"),
        Choice("restore", "Restore exactly", "everything as it was then, your own changes too", "e"),
    ]

    def chosen(verb: str | None) -> None:
        if verb is not None:
            preview(screen, Wanted(verb, row.lane, target), f"back to {named(row)}")

    asked = [("Back to ", ""), (named(row), "head"), (f"  {age(row.time_ns)}", "quiet")]
    screen.app.push_screen(Choosing(asked, choices), chosen)
    return None


def undo(screen: TimelineScreen, row: Row | None) -> None:
    """The move under the cursor; on the present, the newest."""
    if row is None:
        return refuse(screen, *NOTHING)
    if row.kind == "present":
        return preview(screen, Wanted("undo", row.lane), "undo the newest move")
    if row.kind != "move":
        return refuse(
            screen,
            "no move ended here, so there is none to undo",
            "z on a move undoes that one, z on the present the newest; r goes back to here",
        )
    if row.undone_by is not None:
        return refuse(screen, f"this move was already taken back, by {short(row.undone_by)}", "Z brings it back")
    return preview(screen, Wanted("undo", row.lane, move=row.move), f"undo {named(row)}")


def redo(screen: TimelineScreen, row: Row | None) -> None:
    """What was taken back under the cursor; anywhere else, the newest undo."""
    if row is None:
        return refuse(screen, *NOTHING)
    is_of_row = row.undone_by is not None or row.verb == "undo"
    title = f"redo {named(row)}" if is_of_row else "redo what was undone last"
    return preview(screen, Wanted("redo", row.lane, move=row.move if is_of_row else None), title)


def preview(screen: TimelineScreen, wanted: Wanted, title: str) -> None:
    """Show what would be done, and do it if that is agreed to; then the timeline where it was done is shown."""
    from takeback.tui.preview import PreviewScreen

    def done(report: Report | None) -> None:
        if report is not None:
            screen.show_lane(wanted.lane)
            screen.rows.renew()
            screen.look_again()

    screen.app.push_screen(PreviewScreen(screen.desk, wanted, title, stays=False), done)


def pin(screen: TimelineScreen, row: Row | None) -> None:
    """Keep a snapshot from retention, or let it go again."""
    if row is None:
        return refuse(screen, *NOTHING)
    if row.kind == "present":
        return refuse(screen, "the present is not a snapshot yet", "m saves it, p on a row below pins that")
    if row.snapshot is None:
        return refuse(screen, "this move has not ended, so it has no snapshot to pin", "pin a row below it")
    target = row.snapshot

    def work() -> str:
        line = screen.desk.look(row.lane)
        if row.pinned:
            line.unpin(target)
            return f"{short(target)} is not pinned any more"
        line.pin(target)
        return f"⚑ {short(target)} is pinned: retention never removes it"

    behind(screen, work, lambda said: _marked(screen, said), group="marks")
    return None


def drop(screen: TimelineScreen, row: Row | None) -> None:
    """Take a snapshot out of its timeline, after a question."""
    if row is None:
        return refuse(screen, *NOTHING)
    if row.kind == "present":
        return refuse(screen, "the present is not a snapshot, so there is none to drop", "x on a row below drops that")
    if row.snapshot is None:
        return refuse(screen, "this move has not ended, so it has no snapshot to drop", "z takes the move back")
    if row.pinned:
        return refuse(screen, "this snapshot is pinned, so it is not dropped", "p unpins it")
    target = row.snapshot

    def work() -> str:
        screen.desk.look(row.lane).drop(target)
        return f"{short(target)} is dropped\nz in the operations (o) brings it back"

    def answered(yes: bool | None) -> None:
        if yes:
            behind(screen, work, lambda said: _marked(screen, said), group="marks")

    screen.app.push_screen(ConfirmScreen(_goes_and_stays(row, target), "Drop it"), answered)
    return None


def _goes_and_stays(row: Row, target: str) -> Iterator[Line]:
    yield ["Drop ", (named(row), "head"), (f"  {age(row.time_ns)}", "quiet")]
    yield []
    yield [("goes   ", "minus"), "snapshot ", (short(target), "id"), ": nothing can go back to it any more"]
    if row.labels:
        yield [f"       its labels: {', '.join(row.labels)}"]
    yield ["       moves that met here become one, or lose the step"]
    yield ["       to it or from it: their undo then leaves that"]
    yield [("stays  ", "good"), "every file as it is, and every other snapshot"]
    yield []
    yield [("It can be brought back until the store is maintained;", "good")]
    yield [("the moves stay as the drop leaves them.", "good")]


def label(screen: TimelineScreen, row: Row | None) -> None:
    """Name a snapshot, or take a name away; the present is saved with it."""
    if row is None or row.kind == "present":
        return _save(screen, row)
    if row.snapshot is None:
        return refuse(screen, "this move has not ended, so it has no snapshot to name", "label a row below it")
    target = row.snapshot

    def asked(given: dict[str, str] | None) -> None:
        if given is None:
            return
        name = given["label"]

        def work() -> str:
            line = screen.desk.look(row.lane)
            if name in row.labels:
                line.unlabel(target, name)
                return f"{short(target)} is not called {name!r} any more"
            line.label(target, name)
            return f"{short(target)} is called {name!r} now"

        behind(screen, work, lambda said: _marked(screen, said), group="marks")

    called = f"it has: {', '.join(row.labels)}; one that is given again is taken away"
    about = called if row.labels else "a name to find it by"
    title = [("Label ", ""), (named(row), "head")]
    screen.app.push_screen(Asking(title, [Field("label", "Label")], about=about), asked)
    return None


def _save(screen: TimelineScreen, row: Row | None) -> None:
    lane = row.lane if row is not None else None

    def asked(given: dict[str, str] | None) -> None:
        if given is None:
            return

        def work(listener: Listener) -> str:
            with screen.desk.act(lane, listener) as line:
                return line.save(given["label"] or None).id

        def made(job: Job | None) -> None:
            if job is not None and job.state == "done":
                _marked(screen, f"saved as {short(job.result)}")
                screen.look_again()

        screen.app.push_screen(Working(screen.jobs, "saving the present", work), made)

    about = "if nothing changed, the latest snapshot gets the label"
    field = Field("label", "Label, may be left empty", needed=False)
    screen.app.push_screen(Asking("Save the present", [field], about=about), asked)


def _marked(screen: TimelineScreen, said: str) -> None:
    say(screen, said)
    screen.refresh_lanes()
    screen.rows.renew()


def named(row: Row) -> str:
    """What a row is called, in a few words."""
    return clip(what(row), _TITLE)
