"""takeback diff"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import click

from takeback.cli import given as beside
from takeback.cli import shapes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.completing import references_or_paths
from takeback.cli.people import is_colourful, say
from takeback.errors import InvalidInput, NotFound, TakebackError
from takeback.model.tree import FILE, LINK, name_bytes
from takeback.views import missed
from takeback.views.differing import container_lines, state_lines
from takeback.views.differing_team import team_lines
from takeback.views.lines import Line, Piece
from takeback.views.text import clip, columns, count, pad, visible

if TYPE_CHECKING:
    from takeback.engine.patch import Sides
    from takeback.engine.timeline import Timeline
    from takeback.model.diff import Diff

_SHORTEST_ID = 4
"""A shorter beginning of an id is taken for a file if there is one of that name."""


class _DiffCommand(Command):
    """Remembers what came after ``--``, which click drops."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            at = args.index("--")
            args, ctx.meta["paths"] = args[:at], args[at + 1 :]
        return super().parse_args(ctx, args)


@click.command("diff", cls=_DiffCommand)
@click.argument("words", nargs=-1, metavar="[A] [B] [--] [PATH]...", shell_complete=references_or_paths)
@click.option("--stat", is_flag=True, help="Only count the lines that changed in each file.")
@beside.options
@click.pass_context
def command(context: click.Context, words: tuple[str, ...], stat: bool, given: beside.Given) -> None:
    """Show what differs between two snapshots, or since one.

    A is the latest snapshot unless given, and B is the present. A word that names a snapshot is taken for one, any
    other for a path; `--` says that only paths follow. What is printed can be fed to `patch -p1`, which passes over what
    differs in an agent's memory, in a container or in a team. Memory is only compared where no path is named; of a container,
    paths are named as they are in there: /etc/hosts; of a team, as they are on this machine: ~/.clawteam/tasks/alpha. Between
    two snapshots, the lines that differ in such a file are shown, too. Of a team it is said what became of tasks, mail and costs.

    For example:
      takeback diff
      takeback diff "10m ago" -- src
      takeback diff 4f2a 77ab --stat
      takeback diff --container sandbox
      takeback diff --team alpha
      takeback diff @- @ /etc/hosts
    """
    call: Call = context.obj
    line = call.line()
    given.add(call, line)
    a, b, paths = _sort_out(call, line, words, context.meta.get("paths"))
    others = beside.holds(line.show(a)) if paths else False
    inside = [beside.inside(call, line, path, others) for path in paths]
    diff = line.diff(a, b, paths=inside or None)
    say(*missed.lines(diff.missed), stream=sys.stderr)
    if not diff and not call.json:
        say(*_as_saved(line, [each for each in (a, b) if each is not None]), stream=sys.stderr)
    if call.json:
        _print_json(line, diff, stat)
    elif stat:
        say(*_stat_lines(line, diff))
    else:
        _print_patch(line, diff, others)


def _as_saved(line: Timeline, references: Sequence[str]) -> Iterator[Line]:
    """That forks are compared as they were saved last, where nothing differs: who works there may not have saved."""
    compared = (line.show(each) for each in references)
    elsewhere = {each.timeline: each.root for each in compared if (each.root, each.timeline) != (line.root, line.name)}
    for name, root in elsewhere.items():
        save = f"`takeback -C {shlex.quote(root)} save`" if root else "a save there"
        yield [(f"{name} is compared as it was saved last; ", "quiet"), f"{save} records what was done since"]


def _sort_out(
    call: Call, line: Timeline, words: Sequence[str], after_dashes: Sequence[str] | None
) -> tuple[str, str | None, list[str]]:
    """Which words are references and which are paths."""
    references: list[str] = []
    rest = list(words)
    while rest and len(references) < 2 and _is_reference(call, line, rest[0], strict=after_dashes is not None):
        references.append(rest.pop(0))
    if after_dashes is not None and rest:
        raise InvalidInput(f"diff compares at most two snapshots, so {rest[0]!r} is one too many before `--`")
    a = references[0] if references else "@"
    for word in rest:
        _check_path(call, line, a, word)
    return a, references[1] if len(references) > 1 else None, [*rest, *(after_dashes or ())]


def _is_reference(call: Call, line: Timeline, word: str, *, strict: bool) -> bool:
    there = os.path.lexists(os.path.join(os.fsencode(call.here), os.fsencode(word)))
    try:
        line.show(word)
    except NotFound:
        if strict:
            raise
        return False
    except InvalidInput:
        if strict or not there:
            raise
        return False
    if not there or strict:
        return True
    if len(word) < _SHORTEST_ID and not word.startswith("@"):
        return False
    typed = shlex.quote(word)
    raise InvalidInput(
        f"{word!r} is a snapshot and a path",
        hints=[f"`takeback diff {typed} --` is the snapshot", f"`takeback diff -- {typed}` is the path"],
    )


def _check_path(call: Call, line: Timeline, reference: str, word: str) -> None:
    """A word that is neither a snapshot nor a path, now or then, is most likely a typing error."""
    if beside.is_beside(line, reference, word):
        return  # whether it is there, only a look at the container tells
    inside = call.inside(line.root, word)
    if os.path.lexists(os.path.join(name_bytes(line.root), name_bytes(inside))):
        return
    try:
        next(line.stream(reference, inside), b"")
    except InvalidInput:
        return  # a directory then
    except NotFound:
        line.show(reference)  # a timeline without snapshots says so itself
        raise NotFound(
            f"{word!r} is neither a snapshot nor a path, now or in {reference}",
            hints=["`takeback log` lists the snapshots", "`--` before a path says that it is one"],
        ) from None


def _pairs(line: Timeline, diff: Diff) -> Iterator[Sides]:
    from takeback.engine.patch import sides

    return (sides(line, diff, change) for change in diff.files if not change.is_directory)


def _pairs_inside(line: Timeline, diff: Diff) -> Iterator[Sides]:
    """Of containers and teams: only what two snapshots have, because the present is not kept."""
    from takeback.engine.patch import sides

    for change in (*diff.container, *diff.team) if diff.b is not None else ():
        if all(entry is None or entry.kind in (FILE, LINK) for entry in (change.before, change.after)):
            yield sides(line, diff, change)


def _print_json(line: Timeline, diff: Diff, stat: bool) -> None:
    shape = shapes.diff(diff)
    if stat:
        for entry, pair in zip(shape["files"], _pairs(line, diff), strict=True):
            added, removed = pair.counts()
            entry |= {"added": added, "removed": removed, "binary": pair.binary}
    shapes.print_json(shape)


def _stat_lines(line: Timeline, diff: Diff) -> Iterator[Line]:
    rows: list[tuple[str, Sides]] = [(clip(pair.change.path, 56), pair) for pair in _pairs(line, diff)]
    parts = [clip(each.part, 56) for some in (diff.state, diff.container, diff.team) for each in some]
    width = max((columns(name) for name in (*(name for name, _ in rows), *parts)), default=0)
    total_added = total_removed = 0
    for name, pair in rows:
        added, removed = pair.counts()
        total_added, total_removed = total_added + added, total_removed + removed
        counts: list[Piece] = ["binary"] if pair.binary else [(f"+{added:<5}", "plus"), (f"-{removed}", "minus")]
        yield [" ", pad(name, width), "  ", (f"{pair.change.status:<9}", "quiet"), *counts]
    beside = (*diff.container, *diff.team)
    for part in dict.fromkeys(each.part for each in beside):
        number = sum(1 for each in beside if each.part == part and not each.is_directory)
        yield [" ", pad(clip(part, 56), width), "  ", (f"{'files':<9}", "quiet"), count(number, "path")]
    for part in dict.fromkeys(each.part for each in diff.state):
        number = sum(1 for each in diff.state if each.part == part)
        yield [" ", pad(clip(part, 56), width), "  ", (f"{'state':<9}", "quiet"), count(number, "difference")]
    yield [(f"{count(len(rows), 'file')}, {count(total_added, 'line')} added, {total_removed:,} removed", "head")]


def _print_patch(line: Timeline, diff: Diff, others: bool) -> None:
    from takeback.engine.patch import patch

    colourful = is_colourful(sys.stdout)
    if diff.container:
        say(*container_lines(diff.container))
    if diff.teams:
        say(*team_lines(diff.teams, diff.team))
    if diff.state:
        say(*state_lines(diff.state))
    sys.stdout.flush()
    for pair in chain(_pairs_inside(line, diff) if others else (), _pairs(line, diff)):
        for piece in patch(pair):
            if colourful:
                say(*(_coloured(text) for text in piece.splitlines()))
            elif sys.stdout.isatty():
                text = piece.decode("utf-8", "surrogateescape").rstrip("\n")
                print("\n".join(visible(part, keep="\t") for part in text.split("\n")))
            else:
                _write(piece)
    sys.stdout.flush()


def _coloured(raw: bytes) -> Line:
    text = raw.decode("utf-8", "surrogateescape").expandtabs(4)
    if raw.startswith((b"diff ", b"---", b"+++", b"new file", b"deleted file", b"old mode", b"new mode", b"Binary")):
        return [(text, "head")]
    style = {b"@": "name", b"+": "plus", b"-": "minus"}.get(raw[:1], "")
    return [(text, style)]


def _write(piece: bytes) -> None:
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        raise TakebackError("stdout takes text only, so a diff cannot be written to it")
    buffer.write(piece)
