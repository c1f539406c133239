"""takeback uninstall"""

from __future__ import annotations

import click

from takeback.cli import editing, shapes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.people import say


@click.command("uninstall", cls=Command)
@click.argument("agent")
@click.argument("file", required=False)
@click.option("--user", is_flag=True, help="From your own configuration; the default.")
@click.option("--project", is_flag=True, help="From the project's file.")
@click.option("--local", is_flag=True, help="From the project's file that is not shared (Claude Code).")
@click.option("-n", "--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(
    call: Call, agent: str, file: str | None, user: bool, project: bool, local: bool, dry_run: bool, yes: bool
) -> int:
    """Remove takeback's hooks and commands from an agent, and nothing else.

    If nobody edited the agent's files since, they are the same bytes as before `takeback install`; what was added
    meanwhile stays. Snapshots stay, too: `takeback undo` works on.

    For example:
      takeback uninstall claude-code
      takeback uninstall claude-code --project --dry-run
      takeback uninstall docker-agent agent.yaml
    """
    from takeback.adapters import install

    where = editing.agents_here(call)
    given = None if file is None else call.absolute(file)
    chosen, scope, path = install.choose(agent, editing.scope_of(user, project, local), where, given)
    plan = install.plan_uninstall(chosen, scope, where, file=path)
    done = editing.carry_out(call, plan, dry_run=dry_run, yes=yes)
    if call.json:
        shapes.print_json(editing.shape(plan, done, dry_run))
        return 0
    if done:
        say([("removed", "good"), f" from {chosen.title}; what was recorded can still be taken back"])
    editing.say_notes(plan.notes)
    return 0
