"""Rows as an SVG: a bar from 1 to each ratio on a logarithmic scale, with a mark where the target is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from bench.rows import Row
from bench.table import times

WIDTH, LEFT, RIGHT, ROW, TOP = 960, 470, 80, 22, 58
LOWEST, HIGHEST = 0.01, 10.0
COLOURS = {"met": "#2a8f5b", "missed": "#c2532d", "": "#8a8f98"}


def picture(rows: Sequence[Row]) -> str:
    height = TOP + ROW * len(rows) + 34
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
        ' font-family="system-ui, sans-serif" font-size="12" role="img">',
        "<title>takeback against its peers, as ratios of one run</title>",
        f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#ffffff"/>',
        '<text x="16" y="24" font-size="15" font-weight="600" fill="#1c1e21">takeback ÷ peer, one run</text>',
        '<text x="16" y="42" fill="#5b6068">left of 1: takeback is cheaper · ▎ target · green met, red missed</text>',
    ]
    bottom = TOP + ROW * len(rows)
    for mark in (0.01, 0.1, 1.0, 10.0):
        x, colour = _x(mark), "#5b6068" if mark == 1 else "#dfe1e5"
        out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 6}" y2="{bottom}" stroke="{colour}"/>')
        out.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle" fill="#5b6068">{mark:g}×</text>')
    for number, row in enumerate(rows):
        out += _bar(row, TOP + ROW * number)
    return "\n".join([*out, "</svg>", ""])


def _bar(row: Row, y: int) -> list[str]:
    begin, end = sorted((_x(1.0), _x(row.ratio)))
    label = escape(f"{row.work} — {row.peer}")
    middle = y + ROW * 0.65
    out = [
        f'<text x="16" y="{middle:.1f}" fill="#1c1e21">{label}</text>',
        f'<rect x="{begin:.1f}" y="{y + 4}" width="{max(end - begin, 1):.1f}" height="{ROW - 8}" rx="2"'
        f' fill="{COLOURS[row.verdict]}"/>',
        f'<text x="{WIDTH - 16}" y="{middle:.1f}" text-anchor="end" fill="#1c1e21">{times(row.ratio)}</text>',
    ]
    if row.target is not None:
        x = _x(row.target)
        out.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y + 1}" y2="{y + ROW - 1}" stroke="#1c1e21" stroke-width="2"/>'
        )
    return out


def _x(ratio: float) -> float:
    ratio = min(max(ratio, LOWEST), HIGHEST)
    return LEFT + (WIDTH - LEFT - RIGHT) * math.log(ratio / LOWEST) / math.log(HIGHEST / LOWEST)
