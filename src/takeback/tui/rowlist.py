"""The list of a timeline: pages of rows as they are needed, how much each changed as it is seen, and what arrives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message

from takeback.errors import TakebackError
from takeback.tui.behind import behind
from takeback.tui.drawing import Around, lane_room, row_line
from takeback.tui.listing import LARGEST, PAGE, Chunk, Listing, key
from takeback.tui.roll import Roll
from takeback.tui.telling import tell
from takeback.views import counts as counting
from takeback.views import rows as views
from takeback.views.counts import Counts
from takeback.views.desk import Desk, Lane
from takeback.views.rows import ALL, Filter, Page, Row

_AT_ONCE = 8
"""Rows whose changes are counted before they are shown."""
_TRIES = 5
"""Pages that are read to meet what is loaded before all is loaded again."""
_TICK = 5.0
"""Seconds after which an age is another one."""

Ends = tuple[int, str | None, str | None]


@dataclass(frozen=True, slots=True)
class Counted:
    counts: Counts | None
    kinds: dict[str, str]
    problem: str = ""


class RowList(Roll):
    """Rows of one timeline or several. `Loaded` says that there are more of them than before."""

    class Loaded(Message):
        """Rows came, or others than before."""

    def __init__(self, desk: Desk, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._desk = desk
        self.listing = Listing()
        self.lanes: tuple[int, ...] = ()
        self.wanted = ALL
        self._names: dict[int, str] = {}
        self._counted: dict[Ends, Counted] = {}
        self._loading = self._counting = self._chasing = self._again = False
        self._present_due = True

    def on_mount(self) -> None:
        self.set_interval(_TICK, self.refresh)

    def show(self, lanes: Sequence[Lane], wanted: Filter) -> None:
        """Begin anew, with these timelines and only what is wanted of them."""
        self.lanes = tuple(lane.number for lane in lanes)
        self.wanted = wanted
        self._names = {lane.number: lane.name for lane in lanes}
        self.listing = Listing()
        self._loading = self._chasing = self._again = False
        self._present_due = True
        self.set_reactive(Roll.cursor, 0)
        self.scroll_to(y=0, animate=False, immediate=True)
        self.grown()
        if self.lanes:
            lane, first = self.lanes[0], self.lanes
            self._loading = True
            behind(
                self,
                lambda: (views.present(self._desk, lane), self._ask(first, wanted, None)),
                self._began,
                group="rows",
            )

    @property
    def selected(self) -> Row | None:
        return self.listing[self.cursor] if self.cursor < len(self.listing) else None

    @property
    def chasing(self) -> bool:
        """Whether all is being loaded, because somebody wants to see the end."""
        return self._chasing

    def counts(self, row: Row) -> Counted | None:
        return self._counted.get(_ends(row))

    def _began(self, given: tuple[Row, Page]) -> None:
        present, page = given
        self._loading = False
        self.listing = Listing(None if self.wanted.narrows else present)
        self.listing.add(None, page)
        self._changed()
        self.post_message(self.Moved(self))
        self._catch_up()

    # Loading

    def near_end(self) -> None:
        if not self._loading and self.listing.begun and not self.listing.complete:
            self._more(views.MOST if self._chasing else PAGE)

    def to_end(self) -> bool:
        self._chasing = self.listing.begun and not self.listing.complete
        self.near_end()
        self.post_message(self.Loaded())
        return self._chasing

    def on_key(self, event: events.Key) -> None:
        """Whoever presses a key meanwhile does not wait for the end; Esc is only for that then."""
        if self._chasing and event.key == "escape":
            event.stop()
        self._stop_chasing()

    def on_mouse_down(self) -> None:
        self._stop_chasing()

    def on_mouse_scroll_up(self) -> None:
        self._stop_chasing()

    def on_mouse_scroll_down(self) -> None:
        self._stop_chasing()

    def _stop_chasing(self) -> None:
        if self._chasing:
            self._chasing = False
            self.grown()
            self.post_message(self.Loaded())

    def _more(self, limit: int) -> None:
        self._loading = True
        lanes, wanted, cursor = self.lanes, self.wanted, self.listing.next
        behind(
            self,
            lambda: (cursor, self._ask(lanes, wanted, cursor, limit), limit),
            self._came,
            group="rows",
            failed=self._did_not_come,
        )

    def _ask(self, lanes: Sequence[int], wanted: Filter, cursor: str | None, limit: int = PAGE) -> Page:
        return views.page(self._desk, lanes, cursor=cursor, limit=limit, wanted=wanted)

    def _did_not_come(self, error: TakebackError) -> None:
        self._loading = self._chasing = False
        tell(self, error)

    def _came(self, given: tuple[str | None, Page, int]) -> None:
        self._loading = False
        self.listing.add(*given)
        if self._chasing and not self.listing.complete:  # nobody looks at what is passed on the way
            self.post_message(self.Loaded())
            self.near_end()
            return
        at_end, self._chasing = self._chasing, False
        self._changed()
        if at_end:
            self.cursor = len(self.listing) - 1
        self._catch_up()

    def _changed(self) -> None:
        self.grown()
        self._count_seen()
        self.post_message(self.Loaded())
        short = len(self.listing) < 2 * self.size.height
        if short:
            self.near_end()

    # What arrives

    def renew(self) -> None:
        """Something happened in the store: look at the newest rows again, and at those in view."""
        if self._loading:
            self._again = True
            return
        if not self.lanes or not self.listing.begun:
            return
        self._loading = True
        lanes, wanted, listing = self.lanes, self.wanted, self.listing
        listing.spoil()
        newest = min(LARGEST, max(PAGE, len(listing.chunks[0].rows) + PAGE // 2))
        seen = self.seen()
        behind(
            self,
            lambda: (
                views.present(self._desk, lanes[0]),
                self._newest(listing, lanes, wanted, newest),
                [(chunk, self._once_more(chunk)) for chunk in listing.stale(seen)],
            ),
            self._renewed,
            group="rows",
            failed=self._did_not_come,
        )

    def _newest(self, listing: Listing, lanes: Sequence[int], wanted: Filter, limit: int) -> Page:
        """The newest rows down to those that are loaded."""
        page = self._ask(lanes, wanted, None, limit)
        tries = 1
        while not listing.meets(page) and tries < _TRIES:
            more = self._ask(lanes, wanted, page.next, LARGEST)
            page = Page((*page.rows, *more.rows), more.next, page.scanned + more.scanned)
            tries += 1
        return page

    def _once_more(self, chunk: Chunk) -> Page:
        return self._ask(self.lanes, self.wanted, chunk.cursor, chunk.asked)

    def _renewed(self, given: tuple[Row, Page, list[tuple[Chunk, Page]]]) -> None:
        present, page, chunks = given
        self._loading = False
        was, at = self.selected, self.cursor
        head = self.listing.present
        if head is not None:
            self.listing.present = present
        self.listing.take_in(page)
        for chunk, again in chunks:
            self.listing.renew(chunk, again)
        self._present_due = True
        found = self.listing.find(key(was), at) if was is not None and at else 0
        if found is None:  # what the cursor stood on is not there any more, or far away
            self.set_reactive(Roll.cursor, self.validate_cursor(at))
        elif found != at:
            self.shift(found - at)
        self._changed()
        if self._chasing and not self.to_end():  # somebody wanted the end meanwhile
            self.cursor = len(self.listing) - 1
        self.post_message(self.Moved(self))
        self._catch_up()

    def _catch_up(self) -> None:
        """What happened while rows were loaded."""
        if self._again and not self._loading:
            self._again = False
            self.renew()

    # How much changed

    def looked_elsewhere(self) -> None:
        self._count_seen()
        if self.listing.stale(self.seen()):
            self.renew()

    def look_at_present(self) -> None:
        """Look at the world again."""
        self._present_due = True
        self._count_seen()

    def _count_seen(self) -> None:
        present = self.listing.present
        if present is not None and present.before and self._present_due:
            self._present_due = False
            self._count([present], self._present_counted, "present")
        if self._counting:
            return
        rows = [row for row in map(self.listing.__getitem__, self.seen()) if row.kind not in ("present", "original")]
        missing = list({_ends(row): row for row in rows if row.snapshot and _ends(row) not in self._counted}.values())
        if missing:
            self._counting = True
            self._count(missing[:_AT_ONCE], self._rows_counted, "counts")

    def _count(self, rows: Sequence[Row], then: Callable[[dict[Ends, Counted]], None], group: str) -> None:
        behind(self, lambda: {_ends(row): _counted(self._desk, row) for row in rows}, then, group=group)

    def _present_counted(self, given: dict[Ends, Counted]) -> None:
        self._counted |= given
        self.refresh()
        if self.cursor == 0:
            self.post_message(self.Moved(self))

    def _rows_counted(self, given: dict[Ends, Counted]) -> None:
        self._counting = False
        self._counted |= given
        self.refresh()
        self._count_seen()

    # Drawing

    def size_now(self) -> int:
        return len(self.listing)

    def draw(self, index: int, width: int, *, selected: bool) -> Content:
        row = self.listing[index]
        counted = self._counted.get(_ends(row))
        around = Around(
            counted.counts if counted else None,
            counted.kinds if counted else None,
            self._names.get(row.lane, "") if len(self.lanes) > 1 else "",
            lane_room(self._names.values()),
            counted.problem if counted else "",
        )
        return row_line(row, width, selected=selected, around=around)


def _ends(row: Row) -> Ends:
    return row.lane, row.before, row.snapshot


def _counted(desk: Desk, row: Row) -> Counted:
    """Blocking: how much a row changed."""
    held = row.snapshot or row.before
    kinds = {name: part.kind for name, part in desk.parts(held).items()} if held else {}
    try:
        return Counted(counting.counts(desk, row.lane, row.before, row.snapshot), kinds)
    except TakebackError as error:
        return Counted(None, kinds, error.message)
