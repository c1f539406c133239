"""What the keys do with the row under the cursor. A key that can do nothing there says why; what changes the world goes
through the preview; what takes long is a job that can be cancelled."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from takeback.model.ids import short
from takeback.tui.asking import Asking, Choice, Choosing, Field
from takeback.tui.behind import behind
from takeback.tui.rowwords import what
from takeback.tui.telling import refuse, say
from takeback.tui.working import Working
from takeback.views.choices import Wanted
from takeback.views.rows import Row
from takeback.views.text import age, clip

if TYPE_CHECKING:
    from takeback.model.plan import Report
    from takeback.tui.timeline import TimelineScreen
    from takeback.views.jobs import Job

_NOTHING = "there is nothing here yet", "m saves the present: the first snapshot"
_TITLE = 60


def diff(screen: TimelineScreen, row: Row | None) -> None:
    """What a row changed."""
    if row is None:
        return refuse(screen, *_NOTHING)
    if row.before is None:
        return refuse(
            screen, "this is the first snapshot: there is nothing before it", "d on a later row shows what that changed"
        )
    from takeback.tui.diff import DiffScreen

    screen.app.push_screen(DiffScreen(screen.desk, row.lane, row.before, row.snapshot, _named(row)))
    return None


def reset(screen: TimelineScreen, row: Row | None) -> None:
    """Back to where a row ended: the agents' moves since, or everything."""
    if row is None:
        return refuse(screen, *_NOTHING)
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
            _preview(screen, Wanted(verb, row.lane, target), f"back to {_named(row)}")

    asked = [("Back to ", ""), (_named(row), "head"), (f"  {age(row.time_ns)}", "quiet")]
    screen.app.push_screen(Choosing(asked, choices), chosen)
    return None


def undo(screen: TimelineScreen, row: Row | None) -> None:
    """The move under the cursor; on the present, the newest."""
    if row is None:
        return refuse(screen, *_NOTHING)
    if row.kind == "present":
        return _preview(screen, Wanted("undo", row.lane), "undo the newest move")
    if row.kind != "move":
        return refuse(
            screen,
            "no move ended here, so there is none to undo",
            "z on a move undoes that one, z on the present the newest; r goes back to here",
        )
    if row.undone_by is not None:
        return refuse(screen, f"this move was already taken back, by {short(row.undone_by)}", "Z brings it back")
    return _preview(screen, Wanted("undo", row.lane, move=row.move), f"undo {_named(row)}")


def redo(screen: TimelineScreen, row: Row | None) -> None:
    """What was taken back under the cursor; anywhere else, the newest undo."""
    if row is None:
        return refuse(screen, *_NOTHING)
    named = row.undone_by is not None or row.verb == "undo"
    title = f"redo {_named(row)}" if named else "redo what was undone last"
    return _preview(screen, Wanted("redo", row.lane, move=row.move if named else None), title)


def _preview(screen: TimelineScreen, wanted: Wanted, title: str) -> None:
    from takeback.tui.preview import PreviewScreen

    def done(report: Report | None) -> None:
        if report is not None:
            screen.rows.renew()
            screen.look_again()

    screen.app.push_screen(PreviewScreen(screen.desk, wanted, title, stays=False), done)


def fork(screen: TimelineScreen, row: Row | None) -> None:
    """Another timeline that begins at a row, in a directory of its own."""
    if row is None:
        return refuse(screen, *_NOTHING)
    if row.kind == "present":
        return refuse(screen, "the present is not a snapshot yet", "m saves it; then fork that, or fork a row below")
    if row.snapshot is None:
        return refuse(screen, "this move has not ended, so nothing can begin there", "fork a row below it")
    target, lane = row.snapshot, row.lane
    root = next((each.root for each in screen.lanes.every if each.number == lane), "")
    name = _free_name(screen)
    fields = [Field("name", "Name of the fork", name), Field("to", "Directory, new or empty", _beside(root, name))]

    def check(given: dict[str, str]) -> str:
        place = os.path.expanduser(given["to"])
        if os.path.isdir(place) and os.listdir(place):
            return "that directory is not empty"
        return "that is a file" if os.path.exists(place) and not os.path.isdir(place) else ""

    def follow(field: str, text: str) -> dict[str, str]:
        return {"to": _beside(root, text.strip())} if field == "name" else {}

    def asked(given: dict[str, str] | None) -> None:
        if given is None:
            return
        place = os.path.abspath(os.path.expanduser(given["to"]))

        def made(job: Job | None) -> None:
            if job is not None and job.state == "done":
                say(screen, f"{given['name']} begins at {short(target)}\nit is in {job.result}")
                screen.refresh_lanes()

        def work(listener: object) -> str:
            with screen.desk.act(lane, listener) as line:  # type: ignore[arg-type]
                return line.fork(target, given["name"], place).root

        screen.app.push_screen(Working(screen.jobs, f"forking into {given['name']}", work), made)

    title = [("Fork ", ""), (_named(row), "head")]
    about = "its files go to a directory of their own; this timeline is left alone"
    screen.app.push_screen(Asking(title, fields, about=about, check=check, follow=follow), asked)
    return None


def _free_name(screen: TimelineScreen) -> str:
    taken = {lane.name for lane in screen.lanes.every}
    return next(name for number in range(1, len(taken) + 2) if (name := f"attempt-{number}") not in taken)


def _beside(root: str, name: str) -> str:
    """A directory beside a root, called after it and the fork."""
    kept = "".join(each if each.isalnum() or each in "-_." else "-" for each in name)
    return f"{root.rstrip('/')}-{kept}" if root else os.path.join(os.getcwd(), kept)


def pin(screen: TimelineScreen, row: Row | None) -> None:
    """Keep a snapshot from retention, or let it go again."""
    if row is None:
        return refuse(screen, *_NOTHING)
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
    title = [("Label ", ""), (_named(row), "head")]
    screen.app.push_screen(Asking(title, [Field("label", "Label")], about=about), asked)
    return None


def _save(screen: TimelineScreen, row: Row | None) -> None:
    lane = row.lane if row is not None else None

    def asked(given: dict[str, str] | None) -> None:
        if given is None:
            return

        def work(listener: object) -> str:
            with screen.desk.act(lane, listener) as line:  # type: ignore[arg-type]
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


def _named(row: Row) -> str:
    return clip(what(row), _TITLE)
