"""takeback mcp"""

from __future__ import annotations

import sys

import click

from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.errors import InvalidInput
from takeback.views.text import visible


@click.command("mcp", cls=Command)
@click.option("--allow-restore", is_flag=True, help="Also offer undo, redo and restore, which change files.")
@click.pass_obj
def command(call: Call, allow_restore: bool) -> int:
    """Serve this project's history to an agent, as MCP tools on stdio.

    An agent starts it by itself, once it is in the agent's configuration. The tools are log, show, diff, save and plan;
    with --allow-restore also undo, redo and restore. All act on the root around the directory that it was started in, or
    that -C names, and on nothing else. It needs takeback[mcp].

    For example:
      takeback mcp
      takeback -C ~/project mcp --allow-restore
    """
    from takeback.adapters.mcp.server import serve
    from takeback.adapters.mcp.tools import Tools

    place = call.place()
    for warning in (*place.warnings, *place.to_agree):
        print(f"takeback: {visible(warning)}", file=sys.stderr)
    if sys.stdin.isatty():
        print("takeback: waiting for an agent to speak MCP on stdin; Ctrl-C ends it", file=sys.stderr, flush=True)
    refusal = None
    if place.holds_home and call.directory is None:
        refusal = InvalidInput(
            f"this server was started in {place.root}, which holds your whole home directory",
            hints=["start it in a project, or name one in its configuration: takeback -C DIR mcp"],
        )
    serve(Tools(place, refusal), allow_restore=allow_restore)
    return 0
