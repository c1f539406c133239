"""The words and the small widgets of the preview: its title, what went wrong, how far it has come, what to know first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, ProgressBar, Static

from takeback.errors import Conflict, TakebackError
from takeback.model.plan import Plan, Report
from takeback.tui import moved as moving
from takeback.tui.choosing import Box, Choice
from takeback.tui.help import Keys, Marks
from takeback.tui.keybar import Key
from takeback.tui.linetext import LineText
from takeback.tui.showing import shown
from takeback.tui.wrapping import fitted
from takeback.views.choices import Wanted
from takeback.views.jobs import Job
from takeback.views.lines import Line, Piece
from takeback.views.plans import beside_lines, report_lines
from takeback.views.text import count

SAFE = "The present is saved first: nothing that is there now can be lost."
FIXED = {"redo": "a redo is done as a whole: what was taken back together comes again together"}
"""Why nothing can be left out of what a verb does."""
_BACK = {"undo": "redo", "redo": "undo", "restore": "undo"}


def beside(choice: Choice) -> list[Line]:
    """Everything that a person should see before saying yes, beside the effects themselves."""
    plan = choice.plan if choice.plan is not None else choice.whole
    said = list(_spaced(beside_lines(plan, None, "s takes it back, too")))
    if choice.wanted.shared:
        said.insert(0, [("taken, too: ", "warn"), "what several sessions may have changed; s leaves it alone"])
    whole: list[Line] = [[(FIXED[choice.wanted.verb], "quiet")], []] if choice.wanted.verb in FIXED else []
    return whole + (
        said
        or [
            [("Nothing is in the way.", "good")],
            [("No conflicts, nothing left out, nothing that cannot be taken back.", "quiet")],
        ]
    )


def _spaced(lines: Iterable[Line]) -> Iterator[Line]:
    """With an empty line before each head."""
    for number, line in enumerate(lines):
        if number and not isinstance(line[0], str):
            yield []
        yield line


def question(title: str, choice: Choice) -> list[Line]:
    """What is asked before it is done."""
    lines: list[Line] = [[(title, "head")], [], effects(choice)]
    plan = choice.plan
    if plan is not None and plan.conflicts:
        lines.append([(count(len(plan.conflicts), "conflict"), "bad"), " left alone"])
    return [*lines, [], [(SAFE, "good")]]


def effects(choice: Choice) -> Line:
    """How many things would happen, and of which kind."""
    actions = Counter(item.action for group in choice.now for item in group.items)
    some = f"{len(choice.chosen):,} of {count(len(choice.every), 'path')}: "
    line: list[Piece] = [some if choice.chosen != choice.every else f"{count(len(choice.every), 'path')}: "]
    for number, (action, times) in enumerate(actions.items()):
        line += [", " if number else "", (f"{action} {times:,}", _style(action))]
    return line


def _style(action: str) -> str:
    return {"create": "plus", "delete": "minus", "reset": "minus", "merge": "label", "pending": "warn"}.get(
        action, "name"
    )


def report(done: Report) -> list[Line]:
    said = list(report_lines(done, None))
    return [*said, [], [("z", "bold $accent"), " takes this back" if done.move else ""]] if done.move else said


HELP: Keys = {
    "Choose": (
        ("↑ ↓  j k", "one line"),
        ("PgUp PgDn", "one page"),
        ("g G  Home End", "the first, the last"),
        ("Space", "take this path, or this part, or leave it"),
        ("a", "all, or none"),
        ("s", "what several sessions may have changed, too"),
        ("Tab", "to what is to be known first, and the buttons"),
    ),
    "Do": (
        ("Enter y", "do what is shown, after a last question"),
        ("Esc", "meanwhile: cancel, and all is as it was"),
        ("z", "afterwards: take it back again, after a preview"),
    ),
    "Leave": (("Esc q", "close this; nothing is changed"),),
}
MARKS: Marks = (
    ("[✓]", "$accent", "would be done"),
    ("[–]", "$accent", "some of it would"),
    ("[ ]", "$quiet", "is left as it is"),
)

_HELP = Key("?", "keys", "help")
_LEAVE = Key("Esc", "cancel", "leave")


def keys(phase: str, wanted: Wanted, *, shared: bool = False) -> tuple[Key, ...]:
    """Those that do something in a phase; ``shared``: there is something that several sessions changed."""
    if phase == "applying":
        return _LEAVE, _HELP
    if phase == "done":
        return Key("z", "undo this", "take_back"), Key("Esc", "close", "leave"), _HELP
    if phase == "failed":
        return Key("Esc", "close", "leave"), _HELP
    both = (Key("s", "leave shared" if wanted.shared else "shared, too", "shared"),) if shared else ()
    choosing = () if wanted.verb in FIXED else (Key("Space", "choose", "tick"), Key("a", "all or none", "all"))
    return Key("Enter", "do it", "go_on"), *choosing, *both, _LEAVE, _HELP


def way_back(wanted: Wanted, done: Report) -> Wanted | None:
    """What takes back what was done; None if that was nothing."""
    if done.move is None:
        return None
    verb = _BACK[done.verb]
    return Wanted(verb, wanted.lane, move=done.move if done.verb != "redo" else None)


def marks(tried: Plan | None, now: Plan | None) -> Mapping[Box, str]:
    return {} if tried is None or now is None else moving.marks(tried, now)


def moved(tried: Plan, now: Plan | None) -> list[Line]:
    """What became of a plan that was refused."""
    told = list(moving.moved_lines(tried, now)) if now is not None else []
    if not told:
        return [["What would be done is the same as before; look at it, and say yes again."]]
    return [[("as it was shown, and as it is now", "quiet")], *told, ["Look at it, and say yes again."]]


class PreviewTitle(Vertical):
    def __init__(self, title: str) -> None:
        super().__init__()
        self._said = title

    def compose(self) -> ComposeResult:
        yield Static(shown([(" Preview ", "bold $background on $accent"), "  ", (self._said, "head")]))
        yield Static(shown([("  ✓ ", "good"), (SAFE, "good")]))


class PreviewBanner(LineText):
    """What went wrong, and what that means; not there if nothing did."""

    def on_mount(self) -> None:
        self._told: list[Line] = []
        self.display = False

    def clear(self) -> None:
        self._told = []
        self._tell()

    def add(self, lines: Iterable[Line]) -> None:
        self._told += lines
        self._tell()

    def fail(self, error: TakebackError) -> None:
        self.add(_said(error))

    def not_done(self, job: Job) -> None:
        """It was tried: cancelled, refused, or it failed."""
        if job.state == "cancelled":
            self._told = [[("cancelled: ", "warn"), "everything is as it was before"]]
        elif isinstance(job.error, Conflict):
            self._told = [
                [("The world changed since this was shown, so nothing was done.", "bad")],
                [job.error.message],
            ]
        elif job.error is not None:
            self._told = _said(job.error)
        self._tell()

    def _tell(self) -> None:
        self.display = bool(self._told)
        lines = list(self._told)
        self.show(lambda width: fitted(lines, width))


def _said(error: TakebackError) -> list[Line]:
    return [[(error.message, "bad")], *_hints(error)]


def _hints(error: TakebackError) -> list[Line]:
    return [[("hint: ", "warn"), hint] for hint in error.hints]


class PreviewBar(Horizontal):
    """What can be done now, or how far it has come."""

    def compose(self) -> ComposeResult:
        with Vertical(id="preview-told"):
            yield Static(id="preview-status")
            yield ProgressBar(id="preview-progress", show_eta=False)
            yield Static("Esc cancels: everything is then as it was", id="preview-cancels", markup=False)
        yield Button("Do it (Enter)", variant="primary", id="do", disabled=True)
        yield Button("Undo this (z)", id="back")
        yield Button("Cancel (Esc)", id="leave")

    def _say(self, line: Line) -> None:
        self.query_one("#preview-status", Static).update(shown(line))

    def _can(self, *, act: bool = False, leave: str = "Cancel (Esc)") -> None:
        self.query_one("#do", Button).disabled = not act
        self.query_one("#leave", Button).label = leave

    def wait(self, words: str) -> None:
        self._say([(words, "quiet")])
        self._can()

    def ready(self, choice: Choice) -> None:
        plan = choice.plan
        if plan is None:
            self._say([("nothing is chosen", "warn")])
        elif plan.stuck:
            self._say([("nothing of it can be taken back", "bad")])
        elif plan.empty:
            self._say(["nothing would change"])
        else:
            self._say(effects(choice))
        self._can(act=plan is not None and not plan.empty)

    def begin(self) -> None:
        self.query_one(ProgressBar).update(total=None, progress=0)
        self._say(["beginning …"])
        self._can()

    def tell(self, job: Job) -> None:
        if job.progress is not None:
            self.query_one(ProgressBar).update(total=job.progress.total, progress=job.progress.done)
        if job.words:
            self._say([f"{job.words} …"])

    def cancel(self) -> None:
        self._say([("cancelling …", "warn")])

    def fail(self) -> None:
        self._say([("nothing was done", "quiet")])
        self._can(leave="Close (Esc)")

    def done(self, report: Report) -> None:
        self._say([("done", "good")] if report.move else ["nothing had to be done"])
        self._can(leave="Close (Esc)")
