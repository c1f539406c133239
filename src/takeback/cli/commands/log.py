"""takeback log"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from takeback.cli import given as beside
from takeback.cli import picture, shapes
from takeback.cli.app import Command, name, number
from takeback.cli.call import Call
from takeback.cli.completing import paths
from takeback.cli.people import say
from takeback.engine.pages import page
from takeback.errors import NotFound, TakebackError

if TYPE_CHECKING:
    from takeback.engine.history import Log
    from takeback.engine.timeline import Timeline

_DEFAULT = 30
_LOOKED_INTO = 1000


@click.command("log", cls=Command)
@click.argument("path", required=False, shell_complete=paths)
@click.option("--graph", is_flag=True, help="Draw what was undone, and forks, beside the line.")
@click.option("-n", "limit", type=number, metavar="N", help="Show N snapshots; 30 if not --json.")
@click.option("--session", type=name, metavar="S", help="Only one session's.")
@click.pass_obj
def command(call: Call, path: str | None, graph: bool, limit: int | None, session: str | None) -> None:
    """Show snapshots and moves, newest first.

    With PATH, only those in which something at or below it changed; in a container, or of a team, it is absolute. Any unique beginning of an id is a reference,
    and so is one of a session's.

    For example:
      takeback log
      takeback log src/app.py
      takeback log --graph -n 100
    """
    shown = limit if limit is not None or call.json else _DEFAULT
    try:
        line = call.line()
    except NotFound:  # no store yet: nothing was recorded, which is no error here
        where = call.place()
        _nothing(call, path, None, timeline=where["timeline"], root=where.root)
        return
    session = session and line.session(session)
    inside = None if path is None else beside.inside(call, line, path, beside.is_beside(line, "@", path))
    log, more = page(line, shown, session, inside)
    others = [] if log.snapshots or path or session else _all_of_no_directory(call)
    if len(others) == 1:
        line = others[0]
        log, more = page(line, shown, None, None)
    if call.json:
        shapes.print_json(shapes.log(log, line, more))
    elif len(others) > 1:
        for each in others:
            _show(call, each, *page(each, shown, None, None), graph)
            say("")
    elif not log.snapshots:
        _nothing(call, path, session, timeline=line.name, root=line.root)
        for hint in line.nearby():
            say([("hint: ", "warn"), hint])
    else:
        _show(call, line, log, more, graph)


def _show(call: Call, line: Timeline, log: Log, more: bool, graph: bool) -> None:
    of = f" of {line.root}" if line.root else ""
    say([("timeline ", "quiet"), (line.name, "head"), (of, "quiet")], "")
    forks = _forks(call) if graph else None
    say(*picture.log_lines(log, graph=graph, forks=forks, without=_without(line, log)))
    if more:
        say([(f"… and older ones; `takeback log -n {2 * len(log.snapshots)}{call.chosen}` shows more", "quiet")])


def _without(line: Timeline, log: Log) -> dict[str, list[str]]:
    """The parts that snapshots missed. Only a page of them is looked into: each takes a moment."""
    found: dict[str, list[str]] = {}
    for row in log.snapshots[:_LOOKED_INTO]:
        try:
            missed = line.show(row.id).missed
        except TakebackError:
            continue  # a harmed snapshot is for verify to tell of
        found |= {row.id: sorted(missed)} if missed else {}
    return found


def _all_of_no_directory(call: Call) -> list[Timeline]:
    """The timelines of a store that has none of any directory, if no other was asked for: they are what is meant."""
    where = call.place()
    if where.settings["timeline"].origin != "default":
        return []
    store = call.open(where)
    rows = store.timelines()
    return [] if any(row.root for row in rows) else [store.timeline(row.name, root="") for row in rows]


def _forks(call: Call) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in call.open().timelines():
        if row.fork_of is not None:
            found.setdefault(row.fork_of, []).append(f"{row.name} in {row.root}")
    return found


def _nothing(call: Call, path: str | None, session: str | None, *, timeline: str, root: str) -> None:
    if call.json:
        shapes.print_json({"snapshots": [], "moves": [], "timeline": timeline, "root": root, "more": False})
    elif path is not None:
        say(f"no snapshot changed {path}" if session is None else f"no snapshot of session {session} changed {path}")
    elif session is not None:
        say(f"nothing of a session {session} is recorded here; `takeback log` shows everything")
    else:
        say("nothing was recorded here yet; `takeback save` makes the first snapshot")
