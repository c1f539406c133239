"""Which keys do something for a row. A key that is not among them says why when it is pressed."""

from __future__ import annotations

from takeback.tui.keybar import Key
from takeback.views.rows import Row

DIFF = Key("d", "diff", "act('diff')")
RESET = Key("r", "back to here", "act('reset')")
UNDO = Key("z", "undo", "act('undo')")
REDO = Key("Z", "redo", "act('redo')")
FORK = Key("f", "fork", "act('fork')")
PROMOTE = Key("P", "promote", "act('promote')")
PIN = Key("p", "pin", "act('pin')")
UNPIN = Key("p", "unpin", "act('pin')")
LABEL = Key("m", "label", "act('label')")
SAVE = Key("m", "save", "act('label')")
DROP = Key("x", "drop", "act('drop')")
ALWAYS = (
    Key("/", "filter", "filter"),
    Key("a", "actions", "actions"),
    Key("t", "timelines", "choose_timeline"),
    Key("o", "operations", "operations"),
    Key("s", "store", "store"),
    Key("q", "quit", "leave"),
    Key("?", "help", "app.help"),
)
EVERYTHING = Key("Esc", "show all", "leave")
TYPING = (Key("Enter", "to the list", "keep_filter"), EVERYTHING)
"""While the filter is typed: letters are letters then."""


def possible(row: Row | None, *, filtered: bool = False, fork: bool = False) -> tuple[Key, ...]:
    """The keys to show while the cursor is on a row."""
    of_row = _of(row, (PROMOTE,) if fork else ())
    return (*of_row[:1], *((EVERYTHING,) if filtered else ()), *of_row[1:], *ALWAYS)


def _of(row: Row | None, promote: tuple[Key, ...]) -> tuple[Key, ...]:
    if row is None:
        return (SAVE,)
    if row.kind == "present":
        return (DIFF, UNDO, REDO, SAVE, *promote)
    if row.open:
        return (DIFF, UNDO, REDO, *promote)
    marks = (RESET, FORK, *promote, *((UNPIN, LABEL) if row.pinned else (PIN, LABEL, DROP)))
    if row.kind == "original":
        return (*marks, REDO)
    if row.kind == "snapshot":
        return (DIFF, *marks, REDO)
    return (DIFF, REDO if row.undone_by is not None else UNDO, *marks)
