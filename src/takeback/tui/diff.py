"""What differs between two snapshots, or a snapshot and the present: files, memory, containers and teams, a tab each."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import DescendantFocus
from textual.screen import Screen
from textual.widgets import Static, TabbedContent, TabPane

from takeback.errors import TakebackError
from takeback.model.diff import Difference
from takeback.model.ids import short
from takeback.model.plan import Report
from takeback.model.progress import Progress
from takeback.tui.behind import behind, is_there, listener
from takeback.tui.conversing import conversation_lines, difference_lines
from takeback.tui.difffiles import DiffFiles
from takeback.tui.help import Help, Keys
from takeback.tui.keybar import Key, KeyBar
from takeback.tui.linetext import LineText
from takeback.tui.pathlist import MARKS, Listed
from takeback.tui.preview import PreviewScreen
from takeback.tui.showing import paragraphs, shown
from takeback.tui.telling import refuse
from takeback.tui.wrapping import fitted
from takeback.views import missed
from takeback.views.choices import Wanted
from takeback.views.desk import Desk
from takeback.views.differences import Differences, differences
from takeback.views.differing_team import team_lines
from takeback.views.messages import Conversation, conversations
from takeback.views.progressing import progress_words

_KEY = re.compile(r"\['((?:[^'\\]|\\.)*)'\]")
_TABS = {"files": "Files", "memory": "Memory", "container": "Container", "team": "Team"}


_KEYS = (Key("1-4", "tabs", "next_tab"), Key("Esc", "close", "leave"), Key("?", "keys", "help"))
_FILE_KEYS = (
    Key("Enter", "read", "read"),
    Key("r", "restore this file", "restore"),
    Key("n N", "hunks", "hunk(1)"),
    Key("u", "sides", "split"),
    Key("/", "find", "filter"),
    Key("Esc", "close", "leave"),
    Key("1-4", "tabs", "next_tab"),
    Key("?", "keys", "help"),
)
_READING_KEYS = (*_FILE_KEYS[1:4], Key("Esc", "to the paths", "leave"), Key("q", "close", "close"), *_FILE_KEYS[6:])


HELP: Keys = {
    "Files": (
        ("Enter", "read the file under the cursor"),
        ("r", "this file as it was before, after a preview"),
        ("n N", "the next hunk, the one before, in any file"),
        ("u", "unified, or both sides beside each other"),
        ("/", "only paths with these letters; Esc shows all"),
    ),
    "Move": (
        ("↑ ↓  j k", "one line"),
        ("PgUp PgDn", "one page"),
        ("g G  Home End", "the first, the last"),
        ("← →", "long lines sideways"),
        ("Tab", "between tabs, paths and text"),
        ("1 2 3 4", "Files, Memory, Container, Team"),
    ),
    "Leave": (("Esc", "from the text to the paths, then close this"), ("q", "close this")),
}
_OF_THE_TIMELINE = {"z": "undo", "Z": "redo", "f": "fork", "p": "pin", "m": "label"}


class DiffScreen(Screen[None]):
    CSS_PATH = "diff.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "hunk(1)", "next hunk"),
        Binding("N", "hunk(-1)", "the hunk before"),
        Binding("u", "split", "unified or side by side"),
        Binding("slash", "filter", "filter"),
        Binding("r", "restore", "restore this file"),
        *(Binding(str(number), f"tab('{tab}')", tab, show=False) for number, tab in enumerate(_TABS, 1)),
        *(Binding(key, f"elsewhere('{key}')", verb, show=False) for key, verb in _OF_THE_TIMELINE.items()),
        Binding("question_mark", "help", "keys"),
        Binding("escape", "leave", "back"),
        Binding("q", "close", "close"),
    ]

    def __init__(self, desk: Desk, lane: int, a: str, b: str | None, title: str) -> None:
        super().__init__()
        self._desk, self._lane, self._a, self._b = desk, lane, a, b
        self._title = title
        self.diff: Differences | None = None

    def compose(self) -> ComposeResult:
        yield Static(self._head(), id="diff-title")
        yield Static(id="diff-missed")
        yield Static("  comparing …", id="diff-waiting")
        with TabbedContent(id="diff-tabs"):
            with TabPane(_TABS["files"], id="files"):
                yield DiffFiles(self._desk, self._lane, id="diff-files")
            with TabPane(_TABS["memory"], id="memory"):
                yield LineText(id="diff-memory")
            with TabPane(_TABS["container"], id="container"):
                yield DiffFiles(self._desk, self._lane, id="diff-container")
            with TabPane(_TABS["team"], id="team"):
                yield LineText(id="diff-team")
        yield KeyBar()

    def _head(self) -> Content:
        then = short(self._b) if self._b is not None else "the present"
        return shown([(" Diff ", "bold $background on $primary"), "  ", (self._title, "head"), "   ",
                      (short(self._a), "id"), (" → ", "quiet"), (then, "id")])  # fmt: skip

    def on_mount(self) -> None:
        self.query_one("#diff-missed").display = False
        self.query_one(TabbedContent).display = False
        self._compare()

    def _compare(self) -> None:
        def compare() -> tuple[Differences, Sequence[Conversation]]:
            diff = differences(self._desk, self._lane, self._a, self._b, listener(self, self._heard))
            return diff, conversations(self._desk, self._lane, diff)

        behind(self, compare, lambda found: self._compared(*found), group="compare", failed=self._failed)

    def _heard(self, progress: Progress) -> None:
        if self.diff is None:
            self.query_one("#diff-waiting", Static).update(shown(f"  comparing: {progress_words(progress)} …"))

    def _failed(self, error: TakebackError) -> None:
        waiting = self.query_one("#diff-waiting", Static)
        waiting.display = True
        self.query_one(TabbedContent).display = False
        waiting.update(
            paragraphs([[("cannot be compared: ", "bad"), error.message], *(f"hint: {each}" for each in error.hints)])
        )

    def _compared(self, diff: Differences, spoken: Sequence[Conversation]) -> None:
        self.diff = diff
        said = list(missed.lines(diff.missed))
        self.query_one("#diff-missed", Static).update(paragraphs(said))
        self.query_one("#diff-missed").display = bool(said)
        waiting = self.query_one("#diff-waiting", Static)
        files = [Listed(each.part, each.path, each.status) for each in diff.files]
        container = [Listed(each.part, each.path, each.status) for each in diff.container if not each.is_directory]
        team = sum(not each.is_directory for each in diff.team)
        numbers = {"files": len(files), "memory": len(diff.state), "container": len(container), "team": team}
        waiting.update("  nothing differs")
        waiting.display = not any(numbers.values())
        self.query_one(TabbedContent).display = not waiting.display
        self._tell(numbers)
        self.query_one("#diff-files", DiffFiles).show(diff, files)
        self.query_one("#diff-container", DiffFiles).show(diff, container)
        others = _others(diff.state, spoken)
        self.query_one("#diff-memory", LineText).show(
            lambda width: list(chain(conversation_lines(spoken, width), difference_lines(others, width)))
        )
        self.query_one("#diff-team", LineText).show(lambda width: fitted(team_lines(diff.teams, diff.team), width))

    def _tell(self, numbers: dict[str, int]) -> None:
        """How much there is in each tab; those with nothing cannot be chosen."""
        tabs = self.query_one(TabbedContent)
        for tab, number in numbers.items():
            head = tabs.get_tab(tab)
            head.label = shown([_TABS[tab], (f" {number:,}" if number else " nothing", "name" if number else "quiet")])
            head.disabled = not number
        first = next((tab for tab, number in numbers.items() if number), None)
        if first is not None and not numbers[tabs.active or first]:
            tabs.active = first
        self.call_after_refresh(self._focus_tab)

    @on(TabbedContent.TabActivated)
    @on(DescendantFocus)
    def _tell_keys(self) -> None:
        if not is_there(self):
            return
        files = self._files()
        is_reading = files is not None and self.focused is files.text
        self.query_one(KeyBar).show(_READING_KEYS if is_reading else _KEYS if files is None else _FILE_KEYS)

    def _focus_tab(self) -> None:
        if not is_there(self):
            return
        tabs = self.query_one(TabbedContent)
        self._tell_keys()
        if not tabs.display:
            return
        inside = {"memory": "#diff-memory", "team": "#diff-team", "container": "#diff-container-paths"}
        self.query_one(inside.get(tabs.active, "#diff-files-paths")).focus()

    def action_next_tab(self) -> None:
        tabs = self.query_one(TabbedContent)
        usable = [tab for tab in _TABS if not tabs.get_tab(tab).disabled]
        if tabs.active in usable:
            self.action_tab(usable[(usable.index(tabs.active) + 1) % len(usable)])

    def action_tab(self, tab: str) -> None:
        tabs = self.query_one(TabbedContent)
        if tabs.get_tab(tab).disabled or not tabs.display:
            refuse(self, f"nothing differs in {_TABS[tab].lower()}")
            return
        tabs.active = tab
        self.call_after_refresh(self._focus_tab)

    def _files(self) -> DiffFiles | None:
        """The files that are looked at, if any are."""
        tabs = self.query_one(TabbedContent)
        is_there = tabs.display and tabs.active in ("files", "container")
        return self.query_one(f"#diff-{tabs.active}", DiffFiles) if is_there else None

    def _of_files(self, act: Callable[[DiffFiles], object]) -> None:
        if (files := self._files()) is not None and files.paths.size_now():
            act(files)
        else:
            refuse(self, "this is for files: choose the tab Files or Container first")

    def action_hunk(self, direction: int) -> None:
        self._of_files(lambda files: files.go_to_hunk(direction))

    def action_read(self) -> None:
        self._of_files(lambda files: files.text.focus())

    def action_split(self) -> None:
        self._of_files(lambda files: files.split())

    def action_filter(self) -> None:
        if (files := self._files()) is not None:
            files.begin_filter()
        else:
            refuse(self, "this is for files: choose the tab Files or Container first")

    def action_restore(self) -> None:
        files = self._files()
        chosen = files.paths.chosen if files is not None else None
        if chosen is None:
            refuse(self, "restore takes a file: choose one in Files or Container first")
            return
        wanted = Wanted(
            "restore", self._lane, reference=self._a, only=(chosen.part,), paths={chosen.part: (chosen.path,)}
        )
        title = f"restore {chosen.path} as it was in {short(self._a)}"
        self.app.push_screen(PreviewScreen(self._desk, wanted, title), self._restored)

    def _restored(self, report: Report | None) -> None:
        if report is not None and self._b is None:
            self._compare()

    def action_elsewhere(self, key: str) -> None:
        verb = _OF_THE_TIMELINE[key]
        refuse(self, f"{verb} is for a row of the timeline", f"Esc goes back to it, {key} there; r restores this file")

    def action_help(self) -> None:
        self.app.push_screen(Help(HELP, MARKS))

    def action_leave(self) -> None:
        """One step back: all paths, then from the text to them, then from here."""
        files = self._files()
        if files is not None and files.is_filtering:
            files.end_filter()
        elif files is not None and self.focused is files.text:
            self.set_focus(files.paths)
        else:
            self.dismiss()

    def action_close(self) -> None:
        self.dismiss()


def _others(state: Sequence[Difference], spoken: Sequence[Conversation]) -> list[Difference]:
    """What differs beside the conversations."""
    where = [(each.part, each.path) for each in spoken]
    return [each for each in state if not any(each.part == part and _is_in(each.path, path) for part, path in where)]


def _is_in(path: str, above: str) -> bool:
    plain = _KEY.sub(r".\1", path).removeprefix(".")  # as conversations are found: by names, whatever holds them
    return not above or plain == above or plain.startswith((f"{above}[", f"{above}."))
