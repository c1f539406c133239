"""takeback fork"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from takeback.cli import containers as boxes
from takeback.cli import given as beside
from takeback.cli import shapes
from takeback.cli.app import Command, number
from takeback.cli.app import name as timeline_name
from takeback.cli.call import Call
from takeback.cli.completing import references
from takeback.cli.people import say
from takeback.errors import InvalidInput
from takeback.model.ids import short
from takeback.model.kinds import NAMED

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline
    from takeback.model.snapshot import Snapshot


@click.command("fork", cls=Command)
@click.argument("reference", metavar="REF", shell_complete=references)
@click.argument("name", type=timeline_name)
@click.option("--to", required=True, metavar="DIR", help="Where the fork's files go: an empty or a new directory.")
@click.option(
    "-n", "times", type=number, default="1", show_default=False, metavar="N", help="So many: NAME-1 in DIR/NAME-1, ..."
)
@click.option("--without", metavar="PART,...", help="Leave these parts of the snapshot out.")
@beside.options
@click.option("--as", "new", metavar="NAME", help="What the copy of the snapshot's container is called.")
@click.pass_obj
def command(
    call: Call,
    reference: str,
    name: str,
    to: str,
    times: int,
    without: str | None,
    given: beside.Given,
    new: str | None,
) -> None:
    """Begin another timeline at a snapshot, with all that it holds in places of its own.

    This timeline and its files are left alone. Files go to DIR; a container gets a copy called after it and the fork, with
    volumes and host ports of its own; a team, and its members' worktrees, go to DIR.clawteam; an agent's memory is pending
    there for whoever comes. A container or team that is neither declared nor named by an option is left out, and said to be.
    All or nothing: what fails takes with it what was made.

    `takeback promote NAME` brings back what a fork has done, `takeback diff NAME@ OTHER@` compares two of them.

    For example:
      takeback fork good attempt --to ../attempt
      takeback fork good attempt -n 3 --to ../attempts
      takeback fork good attempt --to ../attempt --container sandbox --as sandbox-2
      takeback fork good attempt --to ../attempt --without sandbox
    """
    line = call.line()
    given.add(call, line)
    origin = line.show(reference)
    left = [part.strip() for part in (without or "").split(",") if part.strip()]
    place = call.absolute(to)
    if times > 1:
        if new is not None:
            raise InvalidInput("--as names one container, and there are several forks", hints=["leave --as out"])
        made = line.forks(origin, name, times, place, without=left)
    elif new is not None:
        made = [_with_container(call, line, origin, name, place, new, given, left)]
    else:
        made = [line.fork(origin, name, place, without=left)]
    if call.json:
        shapes.print_json(_shape(made, origin, several=times > 1))
        return
    for fork in made:
        _tell(fork, origin)


def _with_container(
    call: Call,
    line: Timeline,
    origin: Snapshot,
    name: str,
    place: str,
    new: str,
    given: beside.Given,
    without: Sequence[str],
) -> Timeline:
    """A fork whose container's name was chosen; all else is where it is by itself."""
    part = boxes.of_snapshot(call, line, origin, given.containers)
    return line.fork(origin, name, place, without=without, called={part: new})


def _shape(made: Sequence[Timeline], origin: Snapshot, *, several: bool) -> dict[str, object]:
    """One fork as an object; of several, a list of such."""
    shaped: list[dict[str, object]] = [
        {
            "timeline": fork.name,
            "root": fork.root,
            "id": fork.show("@").id,
            "fork_of": origin.id,
            "parts": {part: _place(fork, part) for part in fork.sources},
        }
        for fork in made
    ]
    return {"forks": shaped, "fork_of": origin.id} if several else shaped[0]


def _place(fork: Timeline, part: str) -> str:
    source = fork.sources[part]
    return source.root or str(getattr(source, "container", ""))


def _tell(fork: Timeline, origin: Snapshot) -> None:
    first = fork.show("@")
    say(["forked ", (short(origin.id), "id"), " into timeline ", (fork.name, "label"), f" of {fork.root}"])
    for name, source in fork.sources.items():
        if source.kind in NAMED:
            known = "" if name == source.kind else f" as {name}"
            place = f" in {source.root}" if source.root else f" {_place(fork, name)}"
            say([("  with the ", "quiet"), f"{source.kind}{place}{known}"])
    for part in first.parts.values():
        if part.pending:
            say([("  with ", "quiet"), f"{part.name}, pending for the program that comes with it"])
    notes = first.context.get("notes")
    for note in notes if isinstance(notes, list) else ():
        say([("note: ", "warn"), str(note)])
    for part in origin.parts.values():
        if part.kind in NAMED and part.name not in fork.sources:
            say([("note: ", "warn"), f"without the {part.name} that the snapshot holds"])
    say([("work there with: ", "quiet"), f"takeback -C {shlex.quote(fork.root)}"])
    for place in dict.fromkeys(source.root for source in fork.sources.values() if source.kind == "team"):
        say([("its team: ", "quiet"), f"CLAWTEAM_DATA_DIR={shlex.quote(os.fsdecode(os.fsencode(place)))} clawteam …"])
