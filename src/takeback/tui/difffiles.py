"""The files of a diff: their paths on the left, what differs in the one under the cursor on the right."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from takeback.errors import TakebackError
from takeback.tui.behind import behind
from takeback.tui.difftext import DiffText, not_shown, why_nothing
from takeback.tui.pathlist import Lines, Listed, PathList
from takeback.tui.showing import shown
from takeback.tui.telling import say
from takeback.tui.writing import Writing
from takeback.views.desk import Desk
from takeback.views.differences import Differences
from takeback.views.lines import Piece
from takeback.views.sides import FileSides, file_sides, line_counts
from takeback.views.text import count

_KEPT = 200
"""So many files are remembered as they were drawn."""
_AT_ONCE = 50
"""Of so many files the lines are counted before they are told."""


class DiffFiles(Horizontal):
    def __init__(self, desk: Desk, lane: int, *, id: str) -> None:
        super().__init__(id=id)
        self._desk, self._lane = desk, lane
        self._diff: Differences | None = None
        self._known: dict[tuple[str, str], FileSides] = {}
        self._lines: dict[tuple[str, str], tuple[int, int] | str] = {}
        self._hunk = 0

    def compose(self) -> ComposeResult:
        with Vertical(classes="paths"):
            yield Writing(self._filtered, placeholder="only paths with …", id=f"{self.id}-filter", classes="filter")
            yield PathList(id=f"{self.id}-paths")
        with Vertical(classes="texts"):
            yield Static(classes="file-head")
            yield DiffText(id=f"{self.id}-text")

    @property
    def paths(self) -> PathList:
        return self.query_one(PathList)

    @property
    def text(self) -> DiffText:
        return self.query_one(DiffText)

    def show(self, diff: Differences, paths: Sequence[Listed]) -> None:
        """Show these paths of a diff; their lines are counted while somebody looks."""
        self._diff = diff
        self._known.clear()
        self._lines.clear()
        self.query_one(Input).display = False
        self.paths.show(paths)
        if paths:
            self._count(diff, [(each.part, each.path) for each in paths])

    def _count(self, diff: Differences, keys: Sequence[tuple[str, str]]) -> None:
        """Count the lines of some paths, and then of those that follow."""

        def count_some() -> Lines:
            counted = line_counts(self._desk, self._lane, diff, keys[:_AT_ONCE])
            return {key: lines if lines is not None else "binary" for key, lines in counted}

        def then(some: Lines) -> None:
            if diff is self._diff:
                self._lines.update(some)
                self.paths.count_lines(self._lines)
                if keys[_AT_ONCE:]:
                    self._count(diff, keys[_AT_ONCE:])

        behind(self, count_some, then, group="count", failed=lambda error: None)  # whoever looks at a file is told

    @on(PathList.Moved)
    def _moved(self, event: PathList.Moved) -> None:
        event.stop()
        chosen, diff = self.paths.chosen, self._diff
        if chosen is None or diff is None:
            self.workers.cancel_group(self, "text")
            self.query_one(".file-head", Static).update("")
            self.text.show(None, [[("  no path is like that", "quiet")]] if diff is not None else [])
            return
        key = (chosen.part, chosen.path)
        if key in self._known:
            self._texted(diff, chosen, self._known[key])
        else:
            self._load(diff, chosen)

    def _load(self, diff: Differences, chosen: Listed) -> None:
        behind(
            self,
            lambda: file_sides(self._desk, self._lane, diff, chosen.part, chosen.path),
            lambda found: self._texted(diff, chosen, found),
            group="text",
            failed=lambda error: self._texted(diff, chosen, error),
        )

    def _texted(self, diff: Differences, chosen: Listed, found: FileSides | TakebackError) -> None:
        if diff is not self._diff or chosen != self.paths.chosen:
            return
        hunk, self._hunk = self._hunk, 0
        if isinstance(found, TakebackError):
            self.text.show(None, not_shown(found))
        else:
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[chosen.part, chosen.path] = found
            self.text.show(found, why_nothing(found), hunk=hunk)
        self.query_one(".file-head", Static).update(self._head(chosen, found))

    def _head(self, chosen: Listed, found: FileSides | TakebackError) -> Content:
        line: list[Piece] = [" ", (chosen.path, "head"), (f"  {chosen.status}", "quiet")]
        if isinstance(found, FileSides) and found.hunks:
            line += [(f"  +{found.added:,}", "plus"), (f" −{found.removed:,}", "minus")]
            line.append(
                (f"  {count(len(found.hunks), 'hunk')}, {'side by side' if self.text.is_split else 'unified'}", "quiet")
            )
        return shown(line)

    @on(PathList.Chosen)
    def _open(self, event: PathList.Chosen) -> None:
        event.stop()
        self.text.focus()

    @on(DiffText.Past)
    def _past(self, event: DiffText.Past) -> None:
        """The next hunk is in another file."""
        event.stop()
        self._hunk = 0 if event.direction > 0 else -1
        if not self.paths.go_on(event.direction):
            self._hunk = 0
            say(self, "that was the last hunk" if event.direction > 0 else "that was the first hunk")

    def go_to_hunk(self, direction: int) -> None:
        self.text.to_hunk(direction)

    def split(self) -> None:
        if self.text.toggle_split() != self.text.is_split:
            say(self, "this file is on one side only; others are shown side by side")
        if (chosen := self.paths.chosen) is not None and (sides := self.text.sides) is not None:
            self.query_one(".file-head", Static).update(self._head(chosen, sides))

    def begin_filter(self) -> None:
        box = self.query_one(Input)
        box.display = True
        self.screen.set_focus(box)  # at once, as the next letter is for it

    @property
    def is_filtering(self) -> bool:
        return self.query_one(Input).display

    def end_filter(self) -> None:
        """All paths again."""
        box = self.query_one(Input)
        box.value = ""
        box.display = False
        self.screen.set_focus(self.paths)

    @on(Input.Changed)
    def _filter(self, event: Input.Changed) -> None:
        event.stop()
        self.paths.filter(event.value)

    def _filtered(self) -> None:
        box = self.query_one(Input)
        box.display = bool(box.value)
        self.screen.set_focus(self.paths)
