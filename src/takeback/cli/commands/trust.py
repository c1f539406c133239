"""takeback trust: agree to what a project's file names outside of its own directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from takeback.cli import shapes
from takeback.cli.acting import ask, needs_yes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.people import say

if TYPE_CHECKING:
    from takeback.locate import Place
    from takeback.locate.agreed import Agreed


@click.command("trust", cls=Command)
@click.option("--forget", is_flag=True, help="Take the agreement back: nothing outside of the directory is looked at.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(call: Call, forget: bool, yes: bool) -> None:
    """Agree to the containers and teams that a project's file names.

    A `takeback.toml` may have come with a repository that somebody else wrote, or an agent may have changed it. So the
    containers and teams that it names, and how long it wants history to be kept, count only once you have seen
    them here and agreed. What you agreed to holds, whatever is in the file later, until you come back here.

    For example:
      takeback trust
      takeback trust --forget
    """
    where = call.place()
    if not call.json:
        for warning in where.warnings:
            say([("warning: ", "warn"), warning])
    if forget:
        _forget(call, where)
    else:
        _agree(call, where, yes)


def _agree(call: Call, where: Place, yes: bool) -> None:
    from takeback.locate import agreed
    from takeback.locate.agreeing import in_words, proposal

    wanted = proposal(where)
    known = where.agreed or agreed.Agreed(where.root)
    if wanted == known:
        if call.json:
            shapes.print_json(_shape(wanted, changed=False))
        else:
            say(*([each] for each in in_words(wanted)))
            said = "you have agreed to that already" if wanted.sources or wanted.policy else _nothing(where)
            say([(said, "quiet")])
        return
    if not yes and not call.interactive:
        raise needs_yes(call, "; `takeback config show` shows what the file names")
    if not call.json:
        say([("in ", "quiet"), where.root, (f", {where.file.name or 'the record'} names", "quiet")])
        say(*(["  ", each] for each in in_words(wanted)))
        for each in in_words(known):
            if each not in set(in_words(wanted)):
                say([("  no more: ", "warn"), each])
    if not yes:
        ask("Agree?")
    agreed.write(wanted)
    if call.json:
        shapes.print_json(_shape(wanted, changed=True))
    else:
        say([("agreed", "good"), "; `takeback trust --forget` takes it back"])


def _nothing(where: Place) -> str:
    return f"{where.file.name or 'no file here'} names nothing that needs your agreement"


def _forget(call: Call, where: Place) -> None:
    from takeback.locate import agreed

    known = where.agreed
    empty = agreed.Agreed(where.root, known.timeline if known is not None else None)
    if known is not None and known.timeline is not None:
        agreed.write(empty._replace(sources={key: {} for key in known.sources}))  # it stays a fork
    else:
        agreed.forget(where.root)
    if call.json:
        shapes.print_json(_shape(empty, changed=known is not None))
    else:
        say(["forgotten: nothing outside of ", where.root, " is looked at" if known else " was looked at"])


def _shape(agreed: Agreed, *, changed: bool) -> shapes.Shape:
    sources = [
        {"kind": key.partition(" ")[0], "part": key.partition(" ")[2].partition("=")[0], **here}
        for key, here in agreed.sources.items()
        if here
    ]
    return {"root": agreed.root, "changed": changed, "sources": sources, "policy": dict(agreed.policy)}
