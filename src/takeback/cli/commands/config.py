"""takeback config"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from takeback.cli import declaring, shapes
from takeback.cli.app import Group
from takeback.cli.call import Call
from takeback.cli.people import say
from takeback.views.lines import Line, table


@click.group("config", cls=Group, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Show the settings that hold here."""
    if context.invoked_subcommand is None:
        context.invoke(show)


@command.command("show")
@click.pass_obj
def show(call: Call) -> None:
    """Show each setting, its value, and where that came from.

    A value comes from the first of: a flag, the environment, `takeback.toml` (or `[tool.takeback]` in
    `pyproject.toml`), your own configuration, the default. Containers and teams that are declared come after the
    settings, with what they are here; those that a project's file only names say so.

    For example:
      takeback config show
    """
    from takeback import locate

    where = call.place()
    if call.json:
        settings = {
            name: {"value": _plain(value.value), "origin": value.origin, "help": locate.SETTINGS[name].help}
            for name, value in where.settings.items()
        }
        shapes.print_json(
            {
                "root": where.root,
                "found_by": where.found_by,
                "user_file": locate.user_file(),
                "settings": settings,
                "declared": [declaring.shape(each, look=True) for each in where.declared],
                "project": {name: _plain(value) for name, value in where.file.named.items()},
                "warnings": [*where.warnings, *where.to_agree],
            }
        )
        return
    rows: list[Line] = [
        [(name, "head"), _words(value.value), (f"({value.origin})", "quiet")] for name, value in where.settings.items()
    ]
    say([("root ", "quiet"), where.root, (f"  (found by {where.found_by})", "quiet")], *table(rows))
    say(*declaring.lines(where))
    say([("your own settings go into ", "quiet"), locate.user_file()])
    for warning in (*where.warnings, *where.to_agree):
        say([("warning: ", "warn"), warning])


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return value._asdict() if hasattr(value, "_asdict") else [_plain(each) for each in value]
    return dict(value) if isinstance(value, Mapping) else value


def _words(value: Any) -> str:
    if value is None:
        return "-"
    return ", ".join(map(_word, value)) or "-" if isinstance(value, tuple) else str(value)


def _word(value: Any) -> str:
    """One of several: a pattern, what is declared, or a rule."""
    if isinstance(value, str):
        return value
    return value.said if hasattr(value, "said") else f"{value.kind}: {value.command or value.tool}"
