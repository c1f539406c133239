"""The timeline: the first screen, and the one that everything else is reached from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from takeback.tui import acting, forking
from takeback.tui.asking import Choosing
from takeback.tui.behind import behind
from takeback.tui.details import Details
from takeback.tui.filtering import typed
from takeback.tui.heading import Heading
from takeback.tui.keybar import KeyBar
from takeback.tui.keys import TYPING, possible
from takeback.tui.lanes import Lanes
from takeback.tui.nothing import nothing_found, nothing_yet
from takeback.tui.roll import Roll
from takeback.tui.rowlist import RowList
from takeback.tui.staying import Staying
from takeback.tui.telling import refuse, say
from takeback.tui.writing import Writing
from takeback.views import rows as views
from takeback.views.desk import Desk, Lane
from takeback.views.rows import Filter, Row

if TYPE_CHECKING:
    from takeback.views.jobs import Jobs
    from takeback.views.live import Heard

_PATIENCE = 0.12
"""Seconds without another letter before a filter is applied."""

_VERBS: dict[str, Callable[[TimelineScreen, Row | None], None]] = {
    "diff": acting.diff,
    "reset": acting.reset,
    "undo": acting.undo,
    "redo": acting.redo,
    "fork": forking.fork,
    "promote": forking.promote,
    "pin": acting.pin,
    "label": acting.label,
    "drop": acting.drop,
}


class TimelineScreen(Screen[None]):
    """Rows, details, and a key for everything."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]  # noqa: RUF012 - as Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "act('diff')", "diff", show=False),
        Binding("r", "act('reset')", "reset", show=False),
        Binding("z", "act('undo')", "undo", show=False),
        Binding("Z", "act('redo')", "redo", show=False),
        Binding("f", "act('fork')", "fork", show=False),
        Binding("P", "act('promote')", "promote", show=False),
        Binding("p", "act('pin')", "pin", show=False),
        Binding("m", "act('label')", "label", show=False),
        Binding("x,delete", "act('drop')", "drop", show=False),
        Binding("slash", "filter", "filter", show=False),
        Binding("a", "actions", "actions", show=False),
        Binding("o", "operations", "operations", show=False),
        Binding("s", "store", "store", show=False),
        Binding("t", "choose_timeline", "timeline", show=False),
        Binding("left,h", "lane(-1)", "timeline before", show=False),
        Binding("right,l", "lane(1)", "next timeline", show=False),
        Binding("tab,shift+tab", "other_pane", "details", show=False),
        Binding("f5", "look", "look again", show=False),
        Binding("question_mark", "app.help", "help", show=False),
        Binding("escape,q", "leave", "leave", show=False),
    ]

    def __init__(self, desk: Desk, jobs: Jobs) -> None:
        super().__init__()
        self.desk, self.jobs = desk, jobs
        self.lanes = Lanes()
        self.actions = False
        self._typed = ""
        self._staying = Staying()

    def compose(self) -> ComposeResult:
        yield Heading(self.desk.place.root)
        with Container(id="body"):
            yield RowList(self.desk, id="rows")
            yield Details(self.desk, id="details")
            yield Static("", id="empty", markup=False)
        yield Writing(self.action_keep_filter, placeholder="words, session: agent: part:", id="filter")
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one("#filter").display = False
        self.query_one(Heading).show(live=True)
        self.rows.focus()
        self.refresh_lanes()

    @property
    def rows(self) -> RowList:
        return self.query_one(RowList)

    @property
    def wanted(self) -> Filter:
        return self.rows.wanted

    # Timelines

    def refresh_lanes(self) -> None:
        """Which timelines there are may be another matter now."""
        behind(self, lambda: (self.desk.lanes(), self.desk.here), self._lanes_read, group="lanes")

    def _lanes_read(self, given: tuple[list[Lane], int]) -> None:
        if self.lanes.take(*given):
            self.show_rows()
        self._head()

    def _head(self) -> None:
        shown = self.lanes.shown
        notes = [*(["actions"] if self.actions else []), *([f"/{self._typed}"] if self._typed else [])]
        notes += [f"loading, {len(self.rows.listing):,} so far"] if self.rows.chasing else []
        self.query_one(Heading).show(
            tabs=self.lanes.tabs(),
            shown=self.lanes.chosen,
            place=(shown[0].root or "memory") if len(shown) == 1 else self.desk.place.root,
            note="  ".join(notes),
        )

    def show_rows(self) -> None:
        """Load the list anew, with the timelines, filter and actions of now."""
        text, shown, actions = self._typed, self.lanes.shown, self.actions
        self._empty(None)
        if not shown:
            self.rows.show([], Filter())
            self._empty(nothing_yet(self.desk, len(self.lanes.every)))
            self._head()
            return
        lane = shown[0].number
        named = any(f"{name}:" in text for name in ("session", "agent"))
        behind(
            self,
            lambda: typed(text, views.sessions(self.desk, lane) if named else (), actions=actions),
            lambda wanted: self._show(shown, wanted),
            group="filter",
        )

    def _show(self, lanes: Sequence[Lane], wanted: Filter) -> None:
        self.rows.show(lanes, wanted)
        self._head()

    def choose(self, lane: int) -> None:
        """Show another timeline."""
        if lane != self.lanes.chosen:
            self.lanes.chosen = lane
            self.show_rows()

    def show_lane(self, lane: int) -> None:
        """Show a timeline, if it is not shown yet."""
        if not any(each.number == lane for each in self.lanes.shown):
            self.choose(lane)

    @on(Heading.Picked)
    def _picked(self, message: Heading.Picked) -> None:
        self.choose(message.number)

    def action_lane(self, step: int) -> None:
        if (lane := self.lanes.beside(step)) is None:
            refuse(self, "there is only one timeline here", "f begins another one, t shows those of other directories")
        else:
            self.choose(lane)

    def action_choose_timeline(self) -> None:
        if not self.lanes.every:
            refuse(self, "there are no timelines in this store yet", "m saves the present and begins one")
            return
        asked = Choosing("Timelines", self.lanes.choices(), chosen=str(self.lanes.chosen))
        self.app.push_screen(asked, lambda answer: self.choose(int(answer)) if answer is not None else None)

    # What is heard, and what is looked at

    def heard(self, heard: Heard) -> None:
        """Something was written to the store."""
        if not self.query(Heading):
            return  # it comes while the face is built, or ends
        self.refresh_lanes()
        self.rows.renew()

    def look_again(self) -> None:
        if self.is_mounted:
            self.rows.look_at_present()

    def action_look(self) -> None:
        self.rows.renew()
        self.look_again()
        say(self, "looking at the present again")

    @on(Roll.Moved)
    def _moved(self) -> None:
        row = self.rows.selected
        self.query_one(Details).show(row)
        self._tell_keys()

    @on(RowList.Loaded)
    def _loaded(self) -> None:
        if self.rows.listing.complete and not len(self.rows.listing):
            self._empty(nothing_found(self._typed))
        else:
            self._empty(None)
        self._head()
        self._staying.look(self.rows)

    def _empty(self, said: Content | None) -> None:
        self.set_class(said is not None, "empty")
        if said is not None:
            self.query_one("#empty", Static).update(said)
        self._tell_keys()

    def on_descendant_focus(self) -> None:
        self._tell_keys()

    def _tell_keys(self) -> None:
        is_typing = self.focused is self.query_one("#filter")
        row = self.rows.selected
        keys = TYPING if is_typing else possible(row, filtered=bool(self._typed), fork=self.lanes.may_promote(row))
        self.query_one(KeyBar).show(keys)

    # Filter

    def action_filter(self) -> None:
        asked = self.query_one("#filter", Input)
        asked.display = True
        self.set_focus(asked)  # at once, as the next letter is for it

    @on(Input.Changed, "#filter")
    def _filter_changed(self, event: Input.Changed) -> None:
        text = event.value
        self.set_timer(
            _PATIENCE, lambda: self._filter(text) if self.query_one("#filter", Input).value == text else None
        )

    def action_keep_filter(self) -> None:
        asked = self.query_one("#filter", Input)
        self._filter(asked.value)
        asked.display = bool(self._typed)
        self.set_focus(self.rows)

    def _filter(self, text: str) -> None:
        if text.strip() != self._typed:
            self._typed = text.strip()
            self.show_rows()

    def action_actions(self) -> None:
        self.actions = not self.actions
        self._staying.begin(self.rows)
        say(self, "each action is shown" if self.actions else "actions are inside their turns again")
        self.show_rows()

    def action_leave(self) -> None:
        asked = self.query_one("#filter", Input)
        if asked.display or self._typed:
            self._staying.begin(self.rows)
            asked.value = ""
            asked.display = False
            self.set_focus(self.rows)
            self._filter("")
        elif self.has_class("peek") or self.focused is self.query_one(Details):
            self.action_other_pane()
        else:
            self.app.exit()

    # Panes and other screens

    def action_other_pane(self) -> None:
        details = self.query_one(Details)
        if self.focused is details or self.has_class("peek"):
            self.remove_class("peek")
            self.rows.focus()
        elif self.rows.selected is not None:
            self.set_class(not details.display, "peek")
            details.focus()

    @on(Roll.Chosen)
    def _chosen(self) -> None:
        if self.is_active:  # Enter may be pressed twice before it is
            self.action_act("diff")

    def action_operations(self) -> None:
        from takeback.tui.operations import OperationsScreen

        self.app.push_screen(OperationsScreen(self.desk))

    def action_store(self) -> None:
        from takeback.tui.store import StoreScreen

        self.app.push_screen(StoreScreen(self.desk, self.jobs))

    def action_act(self, verb: str) -> None:
        """What a key does with the row under the cursor."""
        _VERBS[verb](self, self.rows.selected)
