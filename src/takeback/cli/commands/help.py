"""takeback help"""

from __future__ import annotations

import click

from takeback.cli import shapes
from takeback.cli.app import Command
from takeback.cli.call import Call


@click.command("help", cls=Command)
@click.argument("words", nargs=-1, metavar="[COMMAND]")
@click.pass_context
def command(context: click.Context, words: tuple[str, ...]) -> None:
    """Show what takeback, or one of its commands, does.

    The same as `takeback --help` and `takeback COMMAND --help`.

    For example:
      takeback help
      takeback help undo
    """
    call: Call = context.obj
    text = _explained(context.find_root(), words).get_help()
    if call.json:
        shapes.print_json({"command": " ".join(words), "help": text})
    else:
        print(text)


def _explained(context: click.Context, words: tuple[str, ...]) -> click.Context:
    """The context of the command that the words lead to."""
    for word in words:
        group = context.command
        found = group.resolve_command(context, [word])[1] if isinstance(group, click.Group) else None
        if found is None:
            raise click.UsageError(f"{context.command_path!r} has no command {word!r}", context)
        context = click.Context(found, info_name=word, parent=context)
    return context
