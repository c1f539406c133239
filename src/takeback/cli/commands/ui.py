"""takeback ui"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from takeback.cli import given as beside
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.errors import InvalidInput
from takeback.views.text import visible

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline


@click.command("ui", cls=Command)
@beside.options
@click.pass_obj
def command(call: Call, given: beside.Given) -> None:
    """Look at the timeline in the terminal, and take back from there.

    Moves with what each changed, diffs, and a preview before anything is done. New snapshots appear as they are made. `?`
    shows the keys. It needs takeback[ui].

    For example:
      takeback ui
      takeback ui -C ../project
      takeback ui --container sandbox
    """
    if not call.interactive:
        why = "--json shows no screen" if call.json else "there is no terminal to show it on"
        raise InvalidInput(f"nothing was shown: {why}", hints=["`takeback log` prints what was recorded"])
    from takeback import tui
    from takeback.views.desk import Desk

    tui.check_installed()
    place = call.place()
    for warning in (*place.warnings, *place.to_agree):
        print(f"takeback: {visible(warning)}", file=sys.stderr)
    with Desk(place, more=lambda line: _add(given, call, line)) as desk:
        tui.run(desk)


def _add(given: beside.Given, call: Call, line: Timeline) -> None:
    """Have what was named at hand, on each timeline that is acted on, without saying so each time."""
    given.add(replace(call, json=True, _opened=[]), line)
