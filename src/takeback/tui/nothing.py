"""What is said where there is nothing to show, and what can be done about it."""

from __future__ import annotations

from textual.content import Content

from takeback.tui.showing import paragraphs
from takeback.views.desk import Desk
from takeback.views.lines import Line
from takeback.views.text import count


def nothing_yet(desk: Desk, others: int) -> Content:
    """Nothing was recorded in this directory."""
    lines: list[Line] = [
        [("⟲", "bold $accent")],
        [""],
        [("Nothing was recorded here yet", "head")],
        [(desk.place.root, "quiet")],
        [""],
        [("m", "bold $accent"), "  saves the present: the first snapshot"],
        [("takeback install AGENT", "$accent"), "  makes each turn of your agent a move"],
        [("takeback run COMMAND", "$accent"), "  makes one of whatever a command does"],
    ]
    if others:
        lines += [[""], [("t", "bold $accent"), f"  shows {count(others, 'timeline')} of other directories"]]
    lines += [[""], [("What is recorded appears here by itself.", "quiet")]]
    return paragraphs(lines)


def nothing_found(text: str) -> Content:
    """A filter lets nothing through."""
    return paragraphs(
        [
            [("Nothing matches ", "quiet"), (text, "head")],
            [""],
            [("Esc", "bold $accent"), "  shows everything again"],
            [("a", "bold $accent"), "  looks into the actions of turns, too"],
        ]
    )
