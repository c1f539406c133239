"""takeback team snapshot"""

from __future__ import annotations

import click

from takeback.cli import shapes
from takeback.cli.call import Call
from takeback.cli.commands.team import acting
from takeback.cli.people import say
from takeback.engine.naming import name_of
from takeback.views.text import count


@click.command("snapshot", cls=acting.TeamCommand)
@acting.team
@click.option("-t", "--tag", default="", metavar="TAG", help="A word for it, which becomes a part of its id.")
@acting.members
@acting.place
@click.pass_obj
def command(call: Call, team: str, tag: str, with_workspaces: bool, data_dir: str | None) -> None:
    """Save a whole team at one instant.

    That is its configuration, tasks, mail, events, sessions, costs and plans. Its members may go on working meanwhile: what is saved was so at one instant. What did not hold still is said.

    For example:
      takeback team snapshot alpha
      takeback team snapshot alpha -t before-the-merge --with-workspaces
    """
    manager = acting.manager(call, team, data_dir, with_workspaces=with_workspaces)
    made = manager.create(tag)
    acting.keep_up(call)
    snapshot = manager.timeline.show(made.snapshot)
    left = snapshot.not_captured
    if call.json:
        more = {
            "snapshot": made.snapshot,
            "not_captured": shapes.not_captured(left),
            "left_out": list(manager.left_out),
        }
        shapes.print_json({**made.model_dump(by_alias=True), **more})
        return
    say(["snapshot ", (made.id, "id"), " created"], f"  {acting.counted(made)}")
    if with_workspaces:
        agents = [name_of(part) for part in snapshot.parts.values() if part.kind == "worktree"]
        say(f"  with {count(len(agents), 'worktree')}{': ' if agents else ''}{', '.join(agents)}")
    if not made.member_count:
        say([("note: ", "warn"), "the configuration names no members, or cannot be read; it was saved as it is"])
    for item in left:
        say([("not captured: ", "warn"), f"{item.path}: {item.reason}{f' ({item.detail})' if item.detail else ''}"])
    for each in manager.left_out:
        say([("left out: ", "warn"), each])
