"""takeback fork"""

from __future__ import annotations

import shlex

import click

from takeback.cli import containers as boxes
from takeback.cli import shapes
from takeback.cli.app import Command
from takeback.cli.app import name as timeline_name
from takeback.cli.call import Call
from takeback.cli.completing import references
from takeback.cli.people import say
from takeback.model.ids import short
from takeback.model.kinds import NAMED


@click.command("fork", cls=Command)
@click.argument("reference", metavar="REF", shell_complete=references)
@click.argument("name", type=timeline_name)
@click.option("--to", required=True, metavar="DIR", help="Where the fork's files go: an empty or a new directory.")
@click.option("--as", "new", metavar="NAME", help="With a copy of the snapshot's container, of this name.")
@click.pass_obj
def command(call: Call, reference: str, name: str, to: str, new: str | None) -> None:
    """Begin another timeline at a snapshot, in a directory of its own.

    This timeline and its files are left alone. A container that the snapshot holds is only in the fork with --as, and a team
    is not.

    For example:
      takeback fork good attempt-2 --to ../attempt-2
      takeback fork good attempt-2 --to ../attempt-2 --as sandbox-2
    """
    line = call.line()
    origin = line.show(reference)
    places = {"workspace": call.absolute(to)}
    if new is not None:
        places[boxes.of_snapshot(call, line, origin, ())] = new
    fork = line.fork(origin, name, places)
    first = fork.show("@")
    if call.json:
        shapes.print_json({"timeline": fork.name, "root": fork.root, "id": first.id, "fork_of": origin.id})
        return
    say(["forked ", (short(origin.id), "id"), " into timeline ", (name, "label"), f" of {fork.root}"])
    notes = first.context.get("notes")
    for note in notes if isinstance(notes, list) else ():
        say([("note: ", "warn"), str(note)])
    for part in origin.parts.values():
        if part.kind in NAMED and part.name not in places:
            copied = "; --as NAME makes a copy of it" if part.kind == boxes.KIND else ""
            say([("note: ", "warn"), f"without the {part.name} that the snapshot holds{copied}"])
    say([("work there with: ", "quiet"), f"takeback -C {shlex.quote(fork.root)} --timeline {shlex.quote(name)}"])
