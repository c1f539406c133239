"""takeback undo"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from takeback.cli import completing, teams
from takeback.cli import given as beside
from takeback.cli.acting import answer, carry_out, chosen
from takeback.cli.app import Command, name
from takeback.cli.call import Call
from takeback.cli.people import say
from takeback.errors import Cancelled
from takeback.model.move import LEVELS
from takeback.views.plans import choice_line

if TYPE_CHECKING:
    from takeback.model.plan import Choice


@click.command("undo", cls=Command)
@click.argument("move", required=False, shell_complete=completing.moves)
@click.option(
    "--since",
    metavar="REF",
    shell_complete=completing.references,
    help="Take back every agent move after this snapshot.",
)
@click.option("--level", type=click.Choice(LEVELS[:-1]), help="Act on moves of this level.")
@click.option("--session", type=name, metavar="S", help="Only one session's moves.")
@click.option("--shared", is_flag=True, help="Also changes that may be somebody else's.")
@click.option("--only", metavar="PART,...", help="Only these parts, such as workspace, memory or transcript.")
@click.option(
    "--path",
    "paths",
    multiple=True,
    metavar="PATH",
    shell_complete=completing.paths,
    help="Only this file or directory of the workspace; may be given several times.",
)
@click.option(
    "--keep",
    multiple=True,
    metavar="PATH",
    shell_complete=completing.paths,
    help="Leave this file or directory as it is; may be given several times.",
)
@click.option("--conversation", is_flag=True, help="The conversation, too: as a new session of the agent.")
@beside.options
@teams.force
@click.option("--dry-run", is_flag=True, help="Show what would be done; nothing is written.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(
    call: Call,
    move: str | None,
    since: str | None,
    level: str | None,
    session: str | None,
    shared: bool,
    only: str | None,
    paths: tuple[str, ...],
    keep: tuple[str, ...],
    conversation: bool,
    given: beside.Given,
    force: bool,
    dry_run: bool,
    yes: bool,
) -> int:
    """Take back the newest move, and nothing else.

    The newest move is the one that acted last and still has an effect; `takeback status` names it. Where agents have moved,
    it is one of theirs. Your own changes since your last save stay: a terminal asks which you mean, with --yes they need
    --level manual. Where no agent has moved, they are what is taken back.

    What somebody else changed since is kept: merged where both changed the same file, or reported as a conflict
    (exit 14) and left alone. The present is saved first, and `takeback redo` brings it back. Undo again goes further
    back; with MOVE, that one is taken back and what came after it stays. With --path, only that of it: of MOVE, or of the
    newest move that changed it. A dry run exits with 0, whatever it finds. What could be done only in part exits with 3.

    Only what the agent did goes back. A change that may be somebody else's is brought back if the file is missing, and
    left alone otherwise: it is listed first, the exit code is 3, and --shared takes it back, too; on a terminal you are
    asked about each command. What changed on other files while a command ran counts as its doing; --keep leaves it.
    What no snapshot holds (ignored files, .git) and the move removed or replaced is listed first, with the exit code 3.

    For example:
      takeback undo
      takeback undo 4f2a
      takeback undo --path src/app.py
      takeback undo --since original --session s1
      takeback undo --conversation
      takeback undo --container sandbox
      takeback undo --team alpha
      takeback undo --dry-run
    """
    line = call.line()
    given.add(call, line, force=force)
    parts = chosen(only, ["transcript"] if conversation else (), lambda: line.show("@"))
    session = session and line.session(session)
    wanted = {"workspace": [call.inside(line.root, path) for path in paths]} if paths else None
    wish: dict[str, Any] = {
        "since": since,
        "level": level,
        "session": session,
        "shared": shared,
        "only": parts,
        "paths": wanted,
        "keep": {"workspace": [call.inside(line.root, path) for path in keep]} if keep else None,
    }
    is_plain = move is None and since is None and level is None and session is None
    if is_plain and call.interactive and not (yes or dry_run):
        move = which(line.undo_choices(shared=shared, only=parts, paths=wanted, keep=wish["keep"]))
    return carry_out(
        call,
        line,
        lambda: line.plan_undo(move, **wish),
        lambda: line.undo(move, **wish),
        dry_run=dry_run,
        yes=yes,
        options=given.typed,
        accepting=lambda accept: line.plan_undo(move, **wish, accept=accept),
    )


def which(choices: Sequence[Choice]) -> str | None:
    """The move that a person means, asked for where plain undo can mean several; None for what it takes without a question."""
    if len(choices) < 2:
        return choices[0].move if choices and choices[0].needs_level else None
    say("Two moves can be undone:", *([f"  {number}  ", *choice_line(each)] for number, each in enumerate(choices, 1)))
    said = answer(f"Which one? [1-{len(choices)}] ").strip()
    if said not in map(str, range(1, len(choices) + 1)):
        raise Cancelled("nothing was changed")
    return choices[int(said) - 1].move
