"""cua-snapshot import: what another snapshot manager has left becomes snapshots here."""

from __future__ import annotations

import click

from takeback.cli.cua.app import CuaCall
from takeback.cli.people import say
from takeback.errors import Partial
from takeback.views.text import count


@click.command("import")
@click.argument("directory")
@click.option("--flatten", is_flag=True, help="Take all files along, so that the old images may go.")
@click.pass_obj
def import_(call: CuaCall, directory: str, flatten: bool) -> None:
    """Bring in the snapshots of a `.snapshots` directory of the CUA snapshot manager.

    Nothing in DIRECTORY is changed. The ids that they had still find them. What cannot be brought in is listed, and the exit
    code is 3.
    """
    from takeback.adapters.cua.importing import import_snapshots

    found = call.wait(import_snapshots(call.manager, call.absolute(directory), flatten=flatten))
    for old, new in found.snapshots.items():
        say([(new, "id"), f" was {old}"])
    say(
        f"{count(len(found.snapshots), 'snapshot')} brought in"
        + (f", {len(found.there)} there before" if found.there else "")
    )
    if found.left:
        raise Partial("not brought in:\n" + "\n".join(f"{what}: {why}" for what, why in found.left.items()))
