"""takeback drop"""

from __future__ import annotations

from collections.abc import Sequence

import click

from takeback.cli import shapes
from takeback.cli.acting import ask, needs_yes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.completing import references
from takeback.cli.people import say
from takeback.model.ids import short
from takeback.model.move import AGENT_LEVELS, Move
from takeback.views.text import age, clip, count


@click.command("drop", cls=Command)
@click.argument("reference", metavar="REF", shell_complete=references)
@click.option("--undo", is_flag=True, help="Bring a dropped or pruned snapshot back; REF is its id.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(call: Call, reference: str, undo: bool, yes: bool) -> None:
    """Remove one snapshot from the timeline.

    The moves of one session that met there join; undo of a move that loses a step says that it is only a part (exit 3). A move
    that had no other step is forgotten, and named. Files are not touched. A pinned snapshot is not dropped. `--undo` brings one back, also after `takeback prune`, until
    `takeback maintain` has freed what it held; the moves stay as the drop left them.

    For example:
      takeback drop 4f2a
      takeback drop 4f2a --undo
    """
    if undo:
        return _bring_back(call, reference)
    line = call.line()
    snapshot = line.show(reference)
    if not yes:
        if not call.interactive:
            raise needs_yes(call, "")
        labels = f", called {', '.join(snapshot.labels)}" if snapshot.labels else ""
        what = f" of {age(snapshot.time_ns)}, {snapshot.trigger}, {count(snapshot.changed, 'file')} changed{labels}"
        say(
            ["this removes snapshot ", (short(snapshot.id), "id"), what], "no file is touched; the moves beside it join"
        )
        ask("Drop it?")
    ended = [move for move in line.log().moves if snapshot.id == move.closing != move.opening]
    dropped = line.drop(snapshot)
    gone = _forgotten(ended, line.log().moves)
    if call.json:
        shapes.print_json({"id": dropped, "dropped": True, "moves": [move.id for move in gone]})
        return None
    for move in gone:
        say([("undo cannot take back ", "warn"), (short(move.id), "id"), f" “{clip(move.about, 44)}” any more"])
        say([("hint: ", "warn"), f"`takeback restore {short(move.opening)}` goes back to what was there before it"])
    say(["dropped ", (short(dropped), "id")], [(f"`takeback drop {short(dropped)} --undo` brings it back", "quiet")])
    return None


def _forgotten(ended: Sequence[Move], now: Sequence[Move]) -> list[Move]:
    """The agents' moves of which nothing is left, not even as a part of another one."""
    left = {move.id for move in now} | {(move.session, move.level, move.opening) for move in now}
    some = (move for move in ended if move.level in AGENT_LEVELS[:2])
    return [move for move in some if left.isdisjoint((move.id, (move.session, move.level, move.opening)))]


def _bring_back(call: Call, reference: str) -> None:
    back = call.open().undrop(reference)
    if call.json:
        shapes.print_json({"id": back, "dropped": False})
        return
    say(["snapshot ", (short(back), "id"), " is back"])
