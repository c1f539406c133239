"""What is declared beside a place's files, for people and as JSON: what it is, and whether it is saved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from takeback.errors import TakebackError
from takeback.views.lines import Line, table

if TYPE_CHECKING:
    from takeback.cli.shapes import Shape
    from takeback.locate import Place
    from takeback.locate.chosen import Chosen


def lines(where: Place) -> Iterator[Line]:
    """A line for each, and one for each limit to history to which its owner has agreed."""
    rows: list[Line] = [
        [(f"{each.declared.kind} {each.declared.part}", "head"), *_about(each)] for each in where.declared
    ]
    yield from table(rows)
    for name, value in where.agreed.policy.items() if where.agreed is not None else ():
        yield [(f"{name} = {value}", "head"), (" holds for this directory (agreed)", "quiet")]


def words(each: Chosen) -> str:
    """In a line of others: ``container sandbox``."""
    said = (
        each.declared.said if not each.used or each.name == each.declared.name else f"{each.declared.kind} {each.name}"
    )
    return said if each.used else f"{said} (not agreed to)"


def shape(each: Chosen, *, look: bool = False) -> Shape:
    """``look``: also whether it is there."""
    problem = _problem(each) if look and each.used else ""
    return {
        "kind": each.declared.kind,
        "part": each.declared.part,
        "name": each.name or each.declared.name,
        "declared": each.declared.name,
        "data_dir": each.data_dir or None,
        "options": dict(each.declared.options),
        "origin": each.origin,
        "used": each.used,
        **({"at_hand": each.used and not problem, "problem": problem or None} if look else {}),
    }


def _about(each: Chosen) -> Line:
    options = "".join(f", {name} = {value}".lower() for name, value in each.declared.options.items())
    place = f" in {each.data_dir}" if each.data_dir else ""
    if not each.used:
        return [f"{each.declared.name}{options}", (f"named by {each.origin}; not looked at until you agree", "warn")]
    problem = _problem(each)
    return [
        f"{each.name}{place}{options}",
        (f"({each.origin})", "quiet"),
        (f"not at hand: {problem}" if problem else "", "bad"),
    ]


def _problem(each: Chosen) -> str:
    """Why one that is used could not be looked at now; empty if it could."""
    from takeback.locate.chosen import source_of
    from takeback.sources.container.source import Container
    from takeback.sources.refused import Refused
    from takeback.sources.team.source import Team

    source = source_of(each)
    try:
        if isinstance(source, Refused):
            raise source.why
        if isinstance(source, Team):
            source.check_there()
        if isinstance(source, Container):
            source.daemon.inspect(each.name)
            source.daemon.close()
    except TakebackError as error:
        return error.message
    return ""
