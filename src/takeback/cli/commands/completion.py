"""takeback completion"""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from takeback.cli import shapes
from takeback.cli.app import Command, app
from takeback.cli.call import Call


@click.command("completion", cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_obj
def command(call: Call, shell: str) -> None:
    """Print a script that completes takeback's commands and options.

    For example:
      takeback completion bash >> ~/.bashrc
      takeback completion zsh >> ~/.zshrc
      takeback completion fish > ~/.config/fish/completions/takeback.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    # Not `source()`, which runs bash to look at its version first.
    completer = kind(app, {}, "takeback", "_TAKEBACK_COMPLETE")
    script = completer.source_template % completer.source_vars()
    if call.json:
        shapes.print_json({"shell": shell, "script": script})
    else:
        print(script)
