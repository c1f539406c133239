"""takeback hook"""

from __future__ import annotations

import sys

import click

from takeback.adapters.hooks.agents import AGENTS
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.errors import InvalidInput


@click.command("hook", cls=Command)
@click.argument("agent", metavar="AGENT")
@click.pass_obj
def command(call: Call, agent: str) -> int:
    """What an agent calls at every prompt, tool call and stop.

    It reads the agent's event as JSON from stdin, records it, and prints only what that agent expects. It exits with 0
    whatever happens, unless the setting `strict` is true; what went wrong is shown by the next `takeback`. People do
    not call it: `takeback install AGENT` makes the agent do so. TAKEBACK_OFF=1 turns it off.

    For example:
      takeback hook claude-code < event.json
    """
    from takeback.cli.hooking import hook

    if agent not in AGENTS:
        raise InvalidInput(f"there is no agent {agent!r}", hints=[f"one of: {', '.join(AGENTS)}"])
    if sys.stdin.isatty():
        raise InvalidInput("hook is called by agents, not by people", hints=[f"takeback install {agent}"])
    return hook(agent)
