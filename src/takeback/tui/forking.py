"""Forks: another timeline that begins at a row, and back again what was done on it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from takeback.engine.family import parents
from takeback.model.ids import short
from takeback.tui.acting import NOTHING, named, preview
from takeback.tui.asking import Asking, Choice, Choosing, Field
from takeback.tui.behind import behind
from takeback.tui.rowwords import path_end
from takeback.tui.telling import refuse, say
from takeback.tui.working import Working
from takeback.views.choices import Wanted
from takeback.views.desk import Desk, Lane
from takeback.views.rows import Row

if TYPE_CHECKING:
    from takeback.model.progress import Listener
    from takeback.tui.timeline import TimelineScreen
    from takeback.views.jobs import Job

_PLACE = 60


def fork(screen: TimelineScreen, row: Row | None) -> None:
    """Another timeline that begins at a row, in a directory of its own."""
    if row is None:
        return refuse(screen, *NOTHING)
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

        def work(listener: Listener) -> str:
            with screen.desk.act(lane, listener) as line:
                return line.fork(target, given["name"], place).root

        screen.app.push_screen(Working(screen.jobs, f"forking into {given['name']}", work), made)

    title = [("Fork ", ""), (named(row), "head")]
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


def promote(screen: TimelineScreen, row: Row | None) -> None:
    """What a fork did is done where it came from: the fork that the row is of, or one that begins there; on the present, any."""
    if row is None:
        return refuse(screen, *NOTHING)
    behind(
        screen, lambda: _forks_at(screen.desk, row), lambda found: _which(screen, found) if screen.is_active else None
    )
    return None


def _forks_at(desk: Desk, row: Row) -> list[tuple[Lane, Lane]]:
    """Forks that may be meant, each with what it came from."""
    lanes, above = {lane.number: lane for lane in desk.lanes()}, parents(desk.store.blobs)
    begin = [number for number, _ in row.forks]
    if row.kind == "present":
        begin = [number for number, parent in above.items() if parent == row.lane]
    return [
        (lanes[number], lanes[above[number]])
        for number in dict.fromkeys((row.lane, *begin))
        if number in lanes and above.get(number) in lanes
    ]


def _which(screen: TimelineScreen, found: list[tuple[Lane, Lane]]) -> None:
    def chosen(answer: str | None) -> None:
        if answer is not None:
            fork, origin = found[int(answer)]
            preview(screen, Wanted("promote", origin.number, fork=fork.name), f"promote {fork.name} into {origin.name}")

    if not found:
        refuse(
            screen,
            "this is no fork, and none begins here, so there is nothing to promote",
            "P on a fork's rows, or where one begins (⑂), does here what it did; f begins a fork",
        )
    elif len(found) == 1:
        chosen("0")
    else:
        choices = [
            Choice(str(place), [(fork.name, "label"), f" into {origin.name}"], path_end(fork.root, _PLACE))
            for place, (fork, origin) in enumerate(found)
        ]
        screen.app.push_screen(Choosing("Promote which fork?", choices), chosen)
