"""Paths that differ, below the directories that hold them, with what became of each and how many lines that are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content

from takeback.tui.help import Marks
from takeback.tui.painting import clipped, shown
from takeback.tui.roll import Roll

_SIGNS = {"added": ("A", "$plus"), "deleted": ("D", "$minus"), "modified": ("M", "$name")}
_SIGNS |= {"mode": ("P", "$label"), "type": ("T", "$label")}
MARKS: Marks = (
    ("A", "$plus", "added"),
    ("D", "$minus", "deleted"),
    ("M", "$name", "its content differs"),
    ("P", "$label", "only its permissions differ"),
    ("T", "$label", "of another kind: a file, a link, a directory"),
)
"""What the signs mean."""

Lines = Mapping[tuple[str, str], tuple[int, int] | str]
"""By part and path: lines added and removed, or a word instead, such as ``binary``."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A path of a part, and its status as `takeback.model.diff.Change` has it."""

    part: str
    path: str
    status: str


class PathList(Roll):
    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._all: Sequence[Listed] = ()
        self._rows: list[Listed | str] = []
        self._several = False
        self._lines: Lines = {}
        self._wanted = ""

    @property
    def chosen(self) -> Listed | None:
        """The path under the cursor."""
        row = self._rows[self.cursor] if 0 <= self.cursor < len(self._rows) else None
        return None if isinstance(row, str) else row

    @property
    def listed(self) -> list[Listed]:
        """All paths that the filter lets through."""
        return [row for row in self._rows if not isinstance(row, str)]

    def show(self, paths: Iterable[Listed]) -> None:
        self._all = sorted(paths, key=lambda each: (each.part, *each.path.rpartition("/")[::2]))
        self._several = len({each.part for each in self._all}) > 1
        self._fill()

    def count_lines(self, lines: Lines) -> None:
        """Say how many lines were added and removed, as far as that is known."""
        self._lines = lines
        self.refresh()

    def filter(self, wanted: str) -> None:
        """Show only paths that hold some text, in whatever case."""
        self._wanted = wanted
        self._fill()

    def go_on(self, direction: int) -> bool:
        """To the next path, or the one before; whether there is one."""
        before = self.cursor
        self.action_go(direction)
        return self.cursor != before

    def _fill(self) -> None:
        was = self.chosen
        wanted = self._wanted.casefold()
        self._rows = list(self._headed(each for each in self._all if wanted in f"{each.part}:{each.path}".casefold()))
        at = self._rows.index(was) if was is not None and was in self._rows else 0
        self.set_reactive(Roll.cursor, self.validate_cursor(at))
        self.grown()
        self.bring_in_view()
        self.post_message(self.Moved(self))

    def _headed(self, paths: Iterable[Listed]) -> Iterator[Listed | str]:
        before = ""
        for each in paths:
            directory = each.path.rpartition("/")[0]
            head = f"{each.part}:{directory}" if self._several else directory
            if head != before:
                before = head
                yield f"{head}/" if directory else f"{each.part}:"
            yield each

    def validate_cursor(self, wanted: int) -> int:
        """On a path, never on a head: the nearest one on the way, else the one before."""
        wanted = super().validate_cursor(wanted)
        onward = 1 if wanted >= self.cursor else -1
        for step in (onward, -onward):
            at = wanted
            while 0 <= at < len(self._rows):
                if not isinstance(self._rows[at], str):
                    return at
                at += step
        return 0

    def bring_in_view(self) -> None:
        super().bring_in_view()
        if self.cursor < self.size.height and all(isinstance(row, str) for row in self._rows[: self.cursor]):
            self.scroll_to(y=0, animate=False, immediate=True)  # with the head above the first path

    def size_now(self) -> int:
        return len(self._rows)

    def draw(self, index: int, width: int, *, selected: bool) -> Content:
        row = self._rows[index]
        if isinstance(row, str):
            return Content.styled(f" {clipped(shown(row), width - 2)}", "$quiet")
        sign, style = _SIGNS.get(row.status, ("M", "$name"))
        told = self._told(row)
        taken = sum(cell_len(text) for text, _ in told)
        name = clipped(shown(row.path.rpartition("/")[2]), max(8, width - 7 - taken))
        gap = " " * max(1, width - 6 - cell_len(name) - taken)
        front = "strike $quiet" if row.status == "deleted" else "bold" if selected else ""
        return Content.assemble(
            "▌" if selected else " ", "  ", (f"{sign} ", f"bold {style}"), (name, front), gap, *told
        )

    def _told(self, row: Listed) -> list[tuple[str, str]]:
        lines = self._lines.get((row.part, row.path))
        if lines is None:
            return []
        if isinstance(lines, str):
            return [(lines, "$quiet")]
        added = [(f"+{lines[0]:,}", "$plus")] if lines[0] or not lines[1] else []
        removed = [(f"{' ' if added else ''}−{lines[1]:,}", "$minus")] if lines[1] else []
        return [*added, *removed]
