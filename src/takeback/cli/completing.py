"""What the shell is offered for snapshots, moves and paths. Nothing is written, and whatever goes wrong is silent."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from takeback.cli.call import Call
from takeback.model.ids import short
from takeback.views.text import WIDTH, age, clip

if TYPE_CHECKING:
    from takeback.engine.history import Log

_MOST = 20
_WORDS = ("@", "@-", "root", "original")


def references(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Labels, ids and relative names of snapshots; and the latest ones of forks."""
    latest = [CompletionItem(f"{item.value}@", help=item.help) for item in _kin(context)] if incomplete else []
    return _begun(incomplete, context, _snapshots) + [item for item in latest if item.value.startswith(incomplete)]


def moves(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return _begun(incomplete, context, _moves)


def undos(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Moves that redo acts on."""
    return _begun(incomplete, context, _undos)


def forks(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What forks are called, and what they were made from."""
    return [item for item in _kin(context) if item.value.startswith(incomplete)]


def paths(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What the shell itself knows."""
    return [CompletionItem(incomplete, type="file")]


def references_or_paths(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return references(context, parameter, incomplete) + paths(context, parameter, incomplete)


def _begun(
    incomplete: str, context: click.Context, offer: Callable[[Log], list[CompletionItem]]
) -> list[CompletionItem]:
    try:
        call = context.find_object(Call) or Call()
        call.json = True  # no progress, no warnings
        offered = offer(call.line().log(_MOST))
        call.close()
    except Exception:  # a completion that fails must not disturb who types
        return []
    for item in offered:
        item.help = clip(item.help or "", WIDTH)  # what an agent wrote there must not move a cursor
    return [
        item
        for item in offered
        if item.value.startswith(incomplete) and item.value.isprintable() and not any(map(str.isspace, item.value))
    ]


def _kin(context: click.Context) -> list[CompletionItem]:
    try:
        call = context.find_object(Call) or Call()
        call.json = True
        names = call.line().kin()
        call.close()
    except Exception:  # as above
        return []
    shown = [name for name in names if name.isprintable() and not any(map(str.isspace, name))]
    return [CompletionItem(name, help="a fork") for name in shown[:_MOST]]


def _snapshots(log: Log) -> list[CompletionItem]:
    labels = [CompletionItem(label, help=age(row.time_ns)) for row in log.snapshots for label in row.labels]
    ids = [CompletionItem(short(row.id), help=f"{row.trigger}, {age(row.time_ns)}") for row in log.snapshots]
    return [*labels, *(CompletionItem(word) for word in _WORDS if log.snapshots), *ids]


def _moves(log: Log) -> list[CompletionItem]:
    return [
        CompletionItem(short(move.id), help=move.about)
        for move in log.moves
        if move.undone_by is None and move.verb not in ("undo", "redo")
    ]


def _undos(log: Log) -> list[CompletionItem]:
    return [
        CompletionItem(short(move.id), help=move.about)
        for move in log.moves
        if move.verb == "undo" and move.undone_by is None
    ]
