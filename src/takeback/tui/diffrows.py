"""The rows of one file's differences: unified, or side by side. Both are made from the same hunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from takeback.tui.painting import TAB
from takeback.views.colouring import Spans
from takeback.views.sides import Hunk, SideRow


@dataclass(frozen=True, slots=True)
class Row:
    """One line on the screen. In a unified diff only one side of ``sides`` is shown, which ``kind`` tells."""

    kind: str
    """``@`` the head of a hunk, a space, ``-``, ``+``, or ``~`` where both sides stand beside each other."""
    sides: SideRow | None = None
    head: str = ""


@dataclass(frozen=True, slots=True)
class Rows:
    """All of them, where hunks begin, and how wide the widest text and line number are."""

    rows: Sequence[Row]
    hunks: Sequence[int]
    widest: int
    digits: int


def rows(hunks: Sequence[Hunk], *, split: bool) -> Rows:
    made: list[Row] = []
    begins: list[int] = []
    widest, last = 0, 0
    for hunk in hunks:
        begins.append(len(made))
        made.append(Row("@", head=hunk.head))
        made += (Row(each.kind, each) for each in hunk.rows) if split else _unified(hunk.rows)
        for each in hunk.rows:
            widest = max(widest, _width(each.left), _width(each.right))
            last = max(last, each.left_no or 0, each.right_no or 0)
    return Rows(made, begins, widest, max(3, len(str(last))))


def _unified(sides: Sequence[SideRow]) -> Iterator[Row]:
    """Of what differs without a break, first all that was, then all that is."""
    run: list[SideRow] = []
    for each in sides:
        if each.kind != " ":
            run.append(each)
            continue
        yield from _run(run)
        run = []
        yield Row(" ", each)
    yield from _run(run)


def _run(run: Sequence[SideRow]) -> Iterator[Row]:
    yield from (Row("-", each) for each in run if each.left_no is not None)
    yield from (Row("+", each) for each in run if each.right_no is not None)


def _width(spans: Spans) -> int:
    return sum(cell_len(text) + text.count("\t") * (TAB - 1) for _, text in spans)
