"""takeback export"""

from __future__ import annotations

import os
import shlex

import click

from takeback.cli import copies, shapes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.completing import references_or_paths
from takeback.cli.people import say
from takeback.cli.progress import listener
from takeback.errors import InvalidInput
from takeback.model.sizes import format_size
from takeback.views.text import count


@click.command("export", cls=Command)
@click.argument("references", metavar="[REF]...", nargs=-1, shell_complete=references_or_paths)
@click.argument("file", metavar="FILE")
@click.option("--all", "everything", is_flag=True, help="Export every timeline of the store.")
@click.pass_obj
def command(call: Call, references: tuple[str, ...], file: str, everything: bool) -> None:
    """Write snapshots into one file, to keep or to give away.

    All snapshots of the timeline with their labels, pins and moves, or only those that are named. The file holds
    everything they need, compressed, each thing once; it is not encrypted. `takeback import` brings it into any store.

    For example:
      takeback export project.takeback
      takeback export good @ ~/for-anna.takeback
      takeback export --all /media/backup/everything.takeback
    """
    if everything and references:
        raise InvalidInput("--all exports everything, so no snapshot can be named", hints=["leave one of them out"])
    place = call.absolute(file)
    line = None if everything else call.line()
    store = call.open()
    done = store.export(place, timeline=line, refs=references, listener=listener(quiet=call.json))
    size = os.path.getsize(place)
    if call.json:
        shapes.print_json({"file": place, "size": size, **copies.shape(done)})
        return
    moves = f" and {count(done.moves, 'move')}" if done.moves else ""
    of = f" of {count(len(done.timelines), 'timeline')}" if len(done.timelines) > 1 else ""
    say([("exported", "good"), f" {count(done.snapshots, 'snapshot')}{moves}{of} to {place}, {format_size(size)}"])
    say([("bring it into a store with: ", "quiet"), f"takeback import {shlex.quote(place)}"])
