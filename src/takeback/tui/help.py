"""All keys, on one page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Label, Static

from takeback.tui.showing import paragraphs
from takeback.views.lines import Line, table

Keys = Mapping[str, Sequence[tuple[str, str]]]
"""Below a title, keys and what they do."""

Marks = Sequence[tuple[str, str, str]]
"""A mark, its style, and what it means."""

KEYS: Keys = {
    "Move": (
        ("↑ ↓  j k", "one line"),
        ("PgUp PgDn", "one page"),
        ("g Home", "the present"),
        ("G End", "the very first snapshot"),
        ("Tab", "between the list and the details"),
        ("← →  h l", "the timeline before, and the next"),
        ("t", "choose a timeline"),
    ),
    "Look": (
        ("Enter d", "what changed in this row"),
        ("/", "find: words, session: agent: part:"),
        ("a", "each action inside the turns"),
        ("o", "everything that takeback did"),
        ("s", "the store: space and policy"),
        ("F5", "look at the present again"),
    ),
    "Take back, after a preview": (
        ("z", "undo this move; on the present, the newest"),
        ("Z", "redo it, or the newest undo"),
        ("r", "back to this point: agents' moves, or all"),
        ("P", "promote: what a fork did, where it began"),
    ),
    "Mark": (
        ("m", "label; on the present, save it first"),
        ("p", "pin: never removed by retention"),
        ("f", "fork: another directory begins here"),
        ("x Del", "drop this snapshot, after a question"),
    ),
    "Leave": (
        ("Esc q", "close what is open, then the filter, then this"),
        ("T", "light or dark"),
    ),
}

MARKS: Marks = (
    ("●", "$accent", "the present"),
    ("○", "$primary", "a move of an agent, or your own"),
    ("◌", "$success", "a move that has not ended"),
    ("·", "$quiet", "a snapshot that no move ended in"),
    ("◆", "$accent", "the first snapshot"),
    ("╰", "$quiet", "an action inside a turn"),
    ("⊘", "$quiet", "taken back"),
    ("↶", "$warning", "undo, ↷ redo, ⟲ restore, ⤴ promote"),
    ("⚑", "$warning", "pinned"),
    ("⑂", "$secondary", "a fork begins here"),
    ("F", "$files", "files changed; M memory, C container, T team"),
)


class Help(ModalScreen[None]):
    """Keys and marks, of the timeline unless others are given; any of the leaving keys closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark,enter", "leave", "leave", show=False)]

    def __init__(self, keys: Keys = KEYS, marks: Marks = MARKS) -> None:
        super().__init__()
        self._keys, self._marks = keys, marks

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog wide"):
            yield Label("Keys", classes="dialog--title")
            with VerticalScroll() as scroll:
                scroll.can_focus = True
                yield Static(paragraphs(_lines(self._keys, self._marks)), markup=False)
            yield Label("Esc closes", classes="dialog--keys")

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def action_leave(self) -> None:
        self.dismiss(None)


def _lines(every: Keys, marks: Marks) -> list[Line]:
    width = max(len(key) for keys in every.values() for key, _ in keys)
    lines: list[Line] = []
    for title, keys in every.items():
        lines += [
            [(title, "bold")],
            *table([[(key.ljust(width), "$accent"), text] for key, text in keys], indent=2),
            [""],
        ]
    lines += [
        [("Marks", "bold")],
        *table([[(mark.ljust(width), style), text] for mark, style, text in marks], indent=2),
    ]
    return lines
