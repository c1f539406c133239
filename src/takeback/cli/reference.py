"""docs/cli.md, made from the commands themselves: ``python -m takeback.cli.reference > docs/cli.md``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from takeback.cli.app import GLOBAL_OPTIONS, SECTIONS, app

_HEAD = """\
# The command line

*Made from the commands by `python -m takeback.cli.reference > docs/cli.md`; a test fails when it is out of date.*

`takeback` alone says where you are, what was recorded last, and what to do next. It writes nothing.

## References
Wherever a command takes `REF`: a snapshot's id or any unique beginning of it, a label, `@` (the latest), `@-` and `@-3`
(one and three before it), `root` (the first of the timeline), `original` (before the first move of the session given,
else `root`), or a time such as `"10m ago"`. `NAME@`, `NAME@-2` and `NAME@LABEL` are snapshots of the fork NAME, or of the one
that was made beside it; from within a fork, `origin@` is of what it was made from. `MOVE` is a move's id or any unique beginning of it; `takeback log` shows
both. Paths are relative to the current directory.

## Moves
A turn or a run of an agent is a move, and so is a restore. What changes after a `save`, until the next save or run, is a
move too: `undo` takes it back.

## Asking
On a terminal, `restore`, `undo`, `redo`, `promote`, `init`, `trust`, `install`, `uninstall`, `drop`, `prune`, `purge`, `store destroy` and
`team restore` show what they would do and ask. Without one they need `--yes`; only `team restore --json` does not, as ClawTeam's.
`--dry-run` never asks and never writes, and exits with 0 also where it finds conflicts; `--json` never asks either.

## Exit codes
| code | meaning |
|---|---|
| 0 | done |
| 1 | something went wrong; `doctor` and `demo`: a check failed |
| 2 | the call is wrong: a bad value, a wrong kind of file, an ambiguous reference, no `--yes` |
| 3 | done in part: a part could not be looked at (the snapshot is partial), or is pending in another program |
| 10 | no such snapshot, move, path or store; nothing to undo |
| 11 | somebody else is at work |
| 12 | reserved for encrypted stores: the key does not open the store |
| 13 | stored bytes are not what they should be |
| 14 | conflict: somebody's work is in the way and was left alone |
| 15 | a service is down, an extra is missing, a disk is full, the store is read-only or too new |
| 130 | you said no, or pressed Ctrl-C |

`run` passes on the exit code of its command. The commands of `team` exit with 1 whatever fails, as ClawTeam's.

## JSON
With `--json` a command prints exactly one object on stdout; only `team snapshots` prints an array, as ClawTeam's. An error is one object on stderr:
`{"error": {"kind": "NotFound", "message": "…", "hints": ["…"], "exit_code": 10}}`. Times are ISO 8601 in UTC; bytes of
names that are not UTF-8 are lone surrogates, escaped. Keys may be added, never renamed or removed. What `--help` prints
stays text; `takeback help COMMAND --json` has it as an object.

## Environment
`TAKEBACK_STORE` names the store, `TAKEBACK_TIMELINE` the timeline, `NO_COLOR` turns colours off, and `TAKEBACK_DEBUG=1`
shows the traceback of a bug. `TAKEBACK_OFF=1` turns [hooks](agents.md) off. [Settings](configuration.md) has those of upkeep.
"""


def reference() -> str:
    """The whole document."""
    with app.make_context("takeback", [], resilient_parsing=True) as context:
        lines = [_HEAD, "## Global options", "Before or after the command's name.", ""]
        lines += _options(GLOBAL_OPTIONS, context)
        for title, names in SECTIONS.items():
            lines += ["", f"## {title}"]
            for name in names:
                command = app.get_command(context, name)
                assert command is not None
                lines += _command(command, context, f"takeback {name}")
    return "\n".join(lines) + "\n"


def _command(command: click.Command, parent: click.Context, path: str) -> Iterator[str]:
    context = click.Context(command, info_name=path.rpartition(" ")[2], parent=parent)
    usage = " ".join(command.collect_usage_pieces(context))
    yield from ("", f"### {path}", "```", f"{path} {usage}".replace("[OPTIONS] ", "").replace(" [OPTIONS]", ""), "```")
    yield from _help(command.help or "")
    own = [each for each in command.params if isinstance(each, click.Option)]
    if own:
        yield ""
        yield from _options(own, context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _command(inner, context, f"{path} {name}")


def _help(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        if paragraph.startswith("\b"):
            lines = paragraph.split("\n")[2:]
            yield from ("", "```sh", *(line.removeprefix("  ") for line in lines), "```")
        else:
            yield from ("", *paragraph.strip().split("\n"))


def _options(options: Sequence[click.Option], context: click.Context) -> Iterator[str]:
    yield from ("| option | |", "|---|---|")
    for option in options:
        record = option.get_help_record(context)
        if record is not None:
            yield f"| `{record[0].replace('|', ' or ')}` | {record[1]} |"


if __name__ == "__main__":
    print(reference(), end="")
