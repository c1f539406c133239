"""Rows as a table for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bench.rows import LeftOut, Row, met


def table(rows: Sequence[Row], left_out: Sequence[LeftOut]) -> str:
    cells = [_cells(row) for row in rows]
    head = ("work", "against", "takeback", "peer", "ratio", "target", "")
    widths = [max(len(line[column]) for line in [head, *cells]) for column in range(len(head))]
    lines = [_line(head, widths), "─" * (sum(widths) + 2 * len(widths))]
    work = ""
    for row, line in zip(rows, cells, strict=True):
        lines.append(_line((row.work if row.work != work else "", *line[1:]), widths))
        work = row.work
    good, judged = met(rows)
    lines += [
        "",
        f"{good} of {judged} targets met. A ratio is takeback's figure divided by the peer's: below 1 it is cheaper.",
    ]
    notes = dict.fromkeys(f"{row.work}: {row.note}" for row in rows if row.note)
    lines += [f"  {note}" for note in notes]
    if left_out:
        lines += ["left out:", *(f"  {item.work}: {item.why}" for item in left_out)]
    return "\n".join(lines)


def amount(value: float, unit: str) -> str:
    """Seconds or bytes, in three digits or so."""
    if unit == "B":
        return f"{value / 1e6:.1f} MB"
    return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.1f} ms"


def times(ratio: float) -> str:
    return f"{ratio:.2f}×" if ratio >= 0.095 else f"{ratio:.3f}×"


def _cells(row: Row) -> tuple[str, ...]:
    target = "" if row.target is None else f"≤ {times(row.target)}"
    ours, theirs = amount(row.our_median, row.unit), amount(row.their_median, row.unit)
    return (row.work, row.peer, ours, theirs, times(row.ratio), target, row.verdict)


def _line(cells: Iterable[str], widths: Sequence[int]) -> str:
    out = []
    for number, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        out.append(cell.rjust(width) if 2 <= number <= 5 else cell.ljust(width))
    return "  ".join(out).rstrip()
