"""The store: what takes its space, how that grew, and what is kept. Every snapshot is looked into, so it is a job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from takeback.errors import Cancelled
from takeback.model.sizes import format_size
from takeback.tui.heading import Heading
from takeback.tui.keybar import Key, KeyBar
from takeback.tui.rowwords import path_end
from takeback.tui.showing import paragraphs
from takeback.views.desk import Desk
from takeback.views.jobs import Job, Jobs
from takeback.views.lines import Line, plain, table
from takeback.views.store_figures import Figures, figures, policy
from takeback.views.text import age, clip, columns, count

if TYPE_CHECKING:
    from takeback.engine.health import Share, Size, Usage
    from takeback.views.store_figures import Limit

_LOOK = 0.1
_BARS = " ▁▂▃▄▅▆▇█"
_LEAST, _MOST = 12, 48
_MARGIN = 6
"""Columns beside the page, and its scrollbar."""


class StoreScreen(Screen[None]):
    """Figures, with how far they have come until they are there."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,s", "leave", "back", show=False),
        Binding("question_mark", "app.help", "help", show=False),
        Binding("j", "scroll(1)", "down", show=False),
        Binding("k", "scroll(-1)", "up", show=False),
    ]

    def __init__(self, desk: Desk, jobs: Jobs) -> None:
        super().__init__()
        self._desk, self._jobs = desk, jobs
        self._job: Job | None = None
        self.figures: Figures | None = None

    def compose(self) -> ComposeResult:
        yield Heading(title="Store: space and policy")
        with VerticalScroll(id="store"):
            yield Static("", markup=False)
        yield KeyBar([Key("↑↓", "scroll", ""), Key("Esc", "back", "leave"), Key("?", "help", "app.help")])

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()
        self._job = self._jobs.start("looking at the store", lambda listener: figures(self._desk, listener))
        self._say([[("looking at every snapshot …", "quiet")], [""], *policy_lines(policy(self._desk))])
        self.set_interval(_LOOK, self._look)

    def on_unmount(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def on_resize(self) -> None:
        if self.figures is not None:
            self._say(store_lines(self.figures, self.size.width))

    def _look(self) -> None:
        job = self._job
        if job is None:
            return
        if not job.done.is_set():
            words = f"looking at every snapshot: {job.words or '…'}"
            self._say([[(words, "quiet")], [("Esc stops it", "quiet")], [""], *policy_lines(policy(self._desk))])
            return
        self._job = None
        if job.error is None:
            self.figures = job.result
            self._say(store_lines(job.result, self.size.width))
        elif not isinstance(job.error, Cancelled):
            self._say([[(job.error.message, "bad")], *([(f"→ {hint}", "quiet")] for hint in job.error.hints)])

    def _say(self, lines: Sequence[Line | str]) -> None:
        self.query_one(Static).update(paragraphs(lines))

    def action_scroll(self, lines: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)

    def action_leave(self) -> None:
        self.dismiss(None)


def store_lines(found: Figures, width: int) -> list[Line]:
    """The whole page, for a screen of that width."""
    room = max(_LEAST, min(_MOST, width - 58))
    return [
        [("Store  ", "quiet"), found.path],
        [""],
        *_ladder(found.usage, room),
        [""],
        *_grown(found.usage.growth, max(_LEAST, min(96, width - 8))),
        *_shares(found.usage.shares, room, width - _MARGIN),
        *policy_lines(found.policy),
    ]


def _ladder(usage: Usage, room: int) -> Iterator[Line]:
    """From plain copies to what lies on the disk, each as a bar."""
    store = usage.store
    steps = [
        ("as plain copies", usage.logical, "of every snapshot", "quiet"),
        ("stored once", store.raw_bytes, "no repetitions", "$primary"),
        ("compressed", store.sealed_bytes, f"in {count(store.packs, 'pack')}", "$secondary"),
        ("on disk", store.bytes_on_disk, "with the catalogue", "$accent"),
    ]
    most = max(1, *(size for _, size, _, _ in steps))
    yield [("Space", "head")]
    for name, size, about, style in steps:
        yield [
            ("  ", ""),
            (f"{name:<16}", "quiet"),
            (_bar(size, most, room), style),
            f" {format_size(size):>10}",
            (f"  {about}", "quiet"),
        ]
    if usage.logical > store.bytes_on_disk > 0:
        yield [(f"  {usage.logical / store.bytes_on_disk:,.1f}× smaller than plain copies", "good")]
    yield [("  ", ""), (f"maintained {age(store.maintained_ns) if store.maintained_ns else 'not yet'}", "quiet")]


def _grown(growth: Sequence[Size], room: int) -> Iterator[Line]:
    if len(growth) < 2:
        return
    step = max(1, -(-len(growth) // room))
    seen = [growth[min(at + step - 1, len(growth) - 1)] for at in range(0, len(growth), step)]
    most = max(1, *(each.stored for each in seen))
    drawn = "".join(_BARS[max(1, round(each.stored / most * (len(_BARS) - 1)))] for each in seen)
    yield [("Growth", "head"), (f"  {count(growth[-1].snapshots, 'snapshot')} since {age(growth[0].time_ns)}", "quiet")]
    yield [("  ", ""), (drawn, "$accent"), f" {format_size(growth[-1].stored)}"]
    yield [""]


def _shares(shares: Sequence[Share], room: int, width: int) -> Iterator[Line]:
    if not shares:
        return
    most = max(1, *(share.stored for share in shares))
    yield [("By timeline and part", "head"), ("  what several share counts in each", "quiet")]
    largest = sorted(shares, key=lambda share: -share.stored)
    rows: list[Line] = [
        [
            (clip(share.timeline, 14), "label"),
            (clip(share.part, 14), "name"),
            (_bar(share.stored, most, room), "$files"),
            f"{format_size(share.stored):>10}",
            (f"{share.snapshots:,} snap.", "quiet"),
        ]
        for share in largest
    ]
    made = table(rows, indent=2)
    widest = max(columns(plain(line)) for line in made)
    left = width - widest - 2
    for share, line in zip(largest, made, strict=True):
        gap = " " * (widest - columns(plain(line)) + 2)
        yield [*line, gap, (path_end(share.root, left), "quiet")] if left >= _LEAST else line
    yield [""]


def policy_lines(limits: Sequence[Limit]) -> list[Line]:
    """What is kept, and who said so."""
    rows: list[Line] = [[(limit.name, "name"), limit.value or "no limit", (limit.origin, "quiet")] for limit in limits]
    note = "nothing goes by itself: without a limit, all history is kept"
    unlimited = all(not limit.value for limit in limits if limit.name in ("keep_last", "max_age", "max_bytes"))
    return [[("Policy", "head")], *table(rows, indent=2), *([[(f"  {note}", "quiet")]] if unlimited else [])]


def _bar(size: int, most: int, room: int) -> str:
    """A bar to scale; what is there at all shows at least a sliver."""
    eighths = round(size / most * room * 8)
    if size and not eighths:
        eighths = 1
    whole, rest = divmod(eighths, 8)
    return ("█" * whole + (" ▏▎▍▌▋▊▉"[rest] if rest else "")).ljust(room)
