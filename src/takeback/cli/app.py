"""The commands by name and subject. A command's file is only loaded when it is called, or listed by ``--help``."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import click

from takeback.cli.call import Call, set_option

SECTIONS: Mapping[str, Sequence[str]] = {
    "Take back": ("undo", "redo", "restore"),
    "Agents": ("install", "uninstall", "hook", "mcp"),
    "Record": ("save", "run", "watch", "label", "pin", "unpin", "drop", "fork", "promote"),
    "Look": ("status", "log", "show", "diff", "ui", "web"),
    "The store": ("stats", "prune", "purge", "maintain", "verify", "store", "config", "doctor"),
    "Teams": ("team",),
    "Copy": ("export", "import", "push", "pull"),
    "Begin": ("init", "trust", "demo", "completion", "help"),
}
_MOST = 1_000_000_000
COMMANDS = tuple(name for names in SECTIONS.values() for name in names)


def name(value: str) -> str:
    """The type of a session's or a timeline's name: text, where an argument may be any bytes."""
    if not value.strip():
        raise click.BadParameter("a name cannot be empty; leave the option out for the usual one")
    if not value.isprintable():
        raise click.BadParameter(f"{value!r} holds what cannot be printed")
    return value


def number(value: str) -> int:
    """The type of a count of things to show."""
    try:
        found = int(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a number") from None
    if not 1 <= found <= _MOST:
        raise click.BadParameter(f"{value} is {'too few' if found < 1 else 'too many'}: write 1 to {_MOST:,}")
    return found


def _note(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    call = context.find_object(Call)
    if call is not None and parameter.name is not None:
        set_option(call, parameter.name, value)


def _option(*names: str, help: str, **more: Any) -> click.Option:
    return click.Option(list(names), help=help, expose_value=False, is_eager=True, callback=_note, **more)


GLOBAL_OPTIONS = (
    _option("--json", is_flag=True, help="Print one JSON object; errors are one on stderr."),
    _option("--store", metavar="DIR", help="Use this store instead of your own."),
    _option("--timeline", type=name, metavar="NAME", help="Use this timeline of the root; `main` by default."),
    _option("-C", "directory", metavar="DIR", help="Act as if started in this directory."),
)


class Command(click.Command):
    """A command that takes the global options, too, and whose help keeps the lines of its examples."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if kwargs.get("help"):
            # click joins the lines of a paragraph, unless it begins with this mark.
            kwargs["help"] = inspect.cleandoc(kwargs["help"]).replace("\n\nFor example:", "\n\n\b\nFor example:")
        super().__init__(*args, **kwargs)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), *GLOBAL_OPTIONS]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _format_options(super().get_params(ctx), ctx, formatter)


class Group(click.Group):
    """A group that takes the global options and whose own commands do."""

    command_class = Command

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), *GLOBAL_OPTIONS]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _format_options(super().get_params(ctx), ctx, formatter)
        self.format_commands(ctx, formatter)


class App(Group):
    """All commands, found by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"takeback.cli.commands.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"there is no command {args[0]!r}{_meant(args[0])}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, names in SECTIONS.items():
            with formatter.section(title):
                found = [(name, self.get_command(ctx, name)) for name in names]
                formatter.write_dl([(name, each.get_short_help_str(70)) for name, each in found if each is not None])


def _format_options(own: Sequence[click.Parameter], ctx: click.Context, formatter: click.HelpFormatter) -> None:
    for title, parameters in (("Options", own), ("Global options", GLOBAL_OPTIONS)):
        options = [each for each in parameters if isinstance(each, click.Option)]
        records = [record for each in options if (record := each.get_help_record(ctx)) is not None]
        if records:
            with formatter.section(title):
                formatter.write_dl(records)


def _meant(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, COMMANDS, 1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if not value or context.resilient_parsing:
        return
    from takeback import __version__
    from takeback.cli.shapes import print_json

    if context.find_root().obj is not None and context.find_root().obj.json:
        print_json({"version": __version__})
    else:
        print(f"takeback {__version__}")
    context.exit()


@click.command(
    cls=App,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=False, callback=_version, help="Show the version."
)
@click.pass_context
def app(context: click.Context) -> int | None:
    """Take back any move your AI agent makes.

    Without a command: where you are, what was recorded last, and what to do next. To begin, `takeback install AGENT` makes
    each turn of your coding agent a move; `takeback demo` shows what that is good for.
    """
    if context.invoked_subcommand is not None:
        return None
    from takeback.cli.commands.status import status

    return status(context.obj)
