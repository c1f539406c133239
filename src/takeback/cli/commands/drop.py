"""takeback drop"""

from __future__ import annotations

import click

from takeback.cli import shapes
from takeback.cli.acting import ask, needs_yes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.completing import references
from takeback.cli.people import say
from takeback.model.ids import short
from takeback.views.text import age, count


@click.command("drop", cls=Command)
@click.argument("reference", metavar="REF", shell_complete=references)
@click.option("--undo", is_flag=True, help="Bring a dropped or pruned snapshot back; REF is its id.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(call: Call, reference: str, undo: bool, yes: bool) -> None:
    """Remove one snapshot from the timeline.

    The moves of one session that met there join; undo of a move that loses a step says that it is only a part (exit 3). Files
    are not touched. A pinned snapshot is not dropped. `--undo` brings one back, also after `takeback prune`, until
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
    dropped = line.drop(snapshot)
    if call.json:
        shapes.print_json({"id": dropped, "dropped": True})
        return None
    say(["dropped ", (short(dropped), "id")], [(f"`takeback drop {short(dropped)} --undo` brings it back", "quiet")])
    return None


def _bring_back(call: Call, reference: str) -> None:
    back = call.open().undrop(reference)
    if call.json:
        shapes.print_json({"id": back, "dropped": False})
        return
    say(["snapshot ", (short(back), "id"), " is back"])
