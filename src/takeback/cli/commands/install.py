"""takeback install"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from takeback.cli import editing, shapes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.people import say
from takeback.errors import InvalidInput

if TYPE_CHECKING:
    from takeback.locate import Agents


@click.command("install", cls=Command)
@click.argument("agent", required=False, metavar="AGENT")
@click.argument("file", required=False)
@click.option("--user", is_flag=True, help="For all your projects, in your own configuration; the default.")
@click.option("--project", is_flag=True, help="For everybody who works on this project, in a file of the project.")
@click.option("--local", is_flag=True, help="For you in this project, in a file that is not shared (Claude Code).")
@click.option(
    "--keep-env/--no-keep-env",
    default=None,
    help="Also keep ignored files such as .env in snapshots, in all your projects; asked if there are some.",
)
@click.option("-n", "--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(
    call: Call,
    agent: str | None,
    file: str | None,
    user: bool,
    project: bool,
    local: bool,
    keep_env: bool | None,
    dry_run: bool,
    yes: bool,
) -> int:
    """Make each turn of a coding agent a move that can be taken back.

    AGENT is claude-code, codex, gemini-cli, docker-agent or opencode; FILE is for docker-agent, to add the hooks to the
    agents of one YAML file instead of all agents that you run. Adds hooks to the agent's own configuration, and /undo and
    /snapshots inside the agent where it has commands that a person can add. Everything else in its files stays as it is,
    byte for byte; the change is shown first. Installing again changes nothing, or brings older hooks up to date;
    `takeback uninstall` removes exactly what was added.

    For example:
      takeback install claude-code
      takeback install claude-code --local --dry-run
      takeback install codex --project --keep-env
      takeback install docker-agent agent.yaml
    """
    from takeback.adapters import install

    where = editing.agents_here(call)
    if agent is None:
        raise _which(where)
    given = None if file is None else call.absolute(file)
    chosen, scope, path = install.choose(agent, editing.scope_of(user, project, local), where, given)
    plan = install.plan_install(chosen, scope, where, sys.executable, file=path)
    plan = editing.with_env(call, plan, keep_env, silent=dry_run or yes)
    done = editing.carry_out(call, plan, dry_run=dry_run, yes=yes)
    if call.json:
        shapes.print_json({**editing.shape(plan, done, dry_run), "next": list(chosen.next)})
        return 0
    if not plan.changes:
        say([("already installed", "good"), f" in {editing.tidy(plan.file)}: nothing to change"])
    elif done:
        say([("installed", "good"), f": each turn of {chosen.title} is now a move that can be taken back"])
        inside = f", or {plan.commands[0]} inside {chosen.title}" if plan.commands else ""
        say(f"try it: let it change something, then `takeback undo`{inside}")
        editing.say_notes(chosen.next, "next")
    editing.say_notes(plan.notes)
    return 0


def _which(where: Agents) -> InvalidInput:
    """What to say to somebody who named no agent."""
    from takeback.adapters.install import AGENTS, used

    likely = list(dict.fromkeys([*used.used_in_project(where), *used.used_by_person(where)]))
    hints = [f"takeback install {name}" for name in likely] or [f"agents are: {', '.join(AGENTS)}"]
    return InvalidInput("name the agent whose turns are to be recorded", hints=hints)
