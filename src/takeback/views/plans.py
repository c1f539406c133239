"""Plans and reports in words: what would happen, what happened, and the way back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from takeback.model.ids import short
from takeback.model.plan import Doubt
from takeback.model.snapshot import RUNNING
from takeback.views.going import words
from takeback.views.lines import Line, table
from takeback.views.text import clip, count, moment

if TYPE_CHECKING:
    from takeback.model.plan import Choice, Outside, Plan, Report

MOST = 40
"""Paths of one kind that are listed on a terminal before the rest is only counted."""

FEW = 8
"""Effects of one kind that are listed there."""

_STYLES = {
    "create": "plus",
    "delete": "minus",
    "merge": "label",
    "change": "name",
    "replace": "name",
    "chmod": "name",
    "reset": "minus",
}
_ORDER = ("create", "change", "merge", "replace", "chmod", "reset", "delete")
_DONE = {
    "create": "created",
    "change": "changed",
    "merge": "merged",
    "replace": "replaced",
    "chmod": "chmod",
    "reset": "as in the image",
    "delete": "deleted",
}
SHARED = "{again} takes back what is left here, too"
"""``{again}`` is the command that does so."""
PROMOTE = "promote "
"""How the title of a promote begins."""
_BACK = {"undo": "takeback redo", "redo": "takeback undo", "restore": "takeback undo"}


def plan_lines(plan: Plan, most: int | None = MOST) -> Iterator[Line]:
    """Everything that a person should see before saying yes."""
    yield from undecided_lines(plan, most)
    yield from lost_lines(plan, most)
    yield from _partial_lines(plan, most)
    yield from conflict_lines(plan, most)
    if plan.stuck:
        yield [(f"{_subject(plan)}: nothing can be taken back", "head")]
    elif plan.empty:
        yield [f"{_doing(plan)} would change nothing: {_why_nothing(plan)}"]
    else:
        yield [(f"{_subject(plan)} would", "head")]
        yield from _effect_lines(plan, most)
    yield from _running_lines(plan, most)
    yield from beside_lines(plan, most)


def beside_lines(plan: Plan, most: int | None = MOST, shared: str = "") -> Iterator[Line]:
    """The same without the effects, for a face that shows those otherwise; ``shared`` is how a person takes back what is
    undecided there."""
    if shared:
        yield from undecided_lines(plan, most, shared)
        yield from lost_lines(plan, most)
        yield from _partial_lines(plan, most)
        yield from conflict_lines(plan, most)
    for part in plan.pending:
        yield ["  ", ("pending ", "warn"), f"{part} {_waits('would be')}"]
    yield from _group("would go, and is kept in the snapshot that is made first", "warn", words(plan.goes), most)
    yield from _left_lines(plan, most)


def undecided_lines(value: Plan | Report, most: int | None = MOST, shared: str = SHARED) -> Iterator[Line]:
    """What may be somebody else's: said first, because it is what a person has to decide."""
    left, back, done = {*value.shared, *value.in_part}, set(value.brought_back), set(value.in_part)
    told = set()
    for group in value.undecided:
        told |= set(group.paths)
        here = [path for path in group.paths if path in left]
        whole, part = [path for path in here if path not in done], [path for path in here if path in done]
        why = _doubt(group.doubt, group.command)
        yield from _group(f"left alone, because {why}", "warn", whole, most)
        yield from _group(f"taken back only in part: one change is left, because {why}", "warn", part, most)
        gone = [path for path in group.paths if path in back]
        yield from _group(f"missing, so brought back, although {why}", "warn", gone, most)
    others = [path for path in value.shared if path not in told]
    yield from _group("left alone, because several sessions may have changed it", "warn", others, most)
    if left:
        one = len(value.moves) == 1
        again = f"`takeback undo {short(value.moves[0])} --shared`" if one else "the same with `--shared`"
        yield [("hint: ", "warn"), shared.format(again=again)]


def _doubt(doubt: Doubt, command: str) -> str:
    """Why it is not certain that a command changed some paths."""
    name = f"“{clip(command, 60)}”"
    return {
        Doubt.NO_END: f"nothing tells when {name} ended",
        Doubt.ASKED: f"a person was asked about {name}, and nothing tells when it ran",
        Doubt.SESSIONS: f"commands of other sessions ran at the same time as {name}",
        Doubt.NO_TIMES: f"the times of files do not tell whether {name} changed them",
        Doubt.FAILED: f"{name} failed, and the file that it names changed all the same",
        Doubt.NEAR: f"it changed right before or after {name}",
    }[doubt]


def _running_lines(value: Plan | Report, most: int | None) -> Iterator[Line]:
    few = None if most is None else FEW
    for group in value.while_running:
        title = f"changed while “{clip(group.command, 60)}” ran; was it you? --keep PATH leaves it"
        yield from _group(title, "quiet", list(group.paths), few)


def report_lines(report: Report, most: int | None = MOST, options: str = "") -> Iterator[Line]:
    """What was done, that it was checked, and how to get back, with the options that were typed."""
    yield from undecided_lines(report, most)
    yield from lost_lines(report, most)
    yield from _partial_lines(report, most)
    yield from conflict_lines(report, most)
    if not report.changed and not report.pending:
        yield [f"nothing to {_doing(report).partition(' ')[0]}: {_why_nothing(report)}"]
        yield from _left_lines(report, most)
        return
    here = list((Counter(report.changed) - Counter(report.pending)).elements())
    done = Counter(report.actions.get(path, "change") for path in here)
    yield [(_subject(report), "head")]
    if here:
        yield done_line(done)
    for path in report.merged[:most]:
        yield ["  ", ("merged  ", "label"), path, ("  both sides' changes are in it", "quiet")]
    yield from _running_lines(report, most)
    yield from _left_lines(report, most)
    if report.verified and here:
        lost = any(item.counts for item in report.lost)
        whole = not (report.shared or report.in_part or report.conflicts or report.partial or lost)
        yield [("read back and verified", "good") if whole else "what was written is read back and verified"]
    for part in report.pending:
        yield [("pending: ", "warn"), f"{part} {_waits('is')}"]
    if report.move:
        back = f"{_BACK[report.verb]}{options}"
        yield ["the state before is snapshot ", (short(report.safety), "id"), f"; back to it: `{back}`"]


def _partial_lines(value: Plan | Report, most: int | None) -> Iterator[Line]:
    paths = [f"{item.path}: {item.reason}" for item in value.partial]
    yield from _group("this is only a part; left as it is:", "bad", paths, most)


def choice_line(choice: Choice) -> Line:
    """A move that undo can take. The title of a person's own says all."""
    if choice.level == "manual":
        return [f"your own {clip(choice.title, 36)}"]
    return [f"{choice.level} ", (short(choice.move), "id"), *([f" “{clip(choice.title, 44)}”"] if choice.title else [])]


def lost_lines(value: Plan | Report, most: int | None) -> Iterator[Line]:
    """What no snapshot holds, and is not as it was."""
    for title, style, counts in (("no snapshot can bring back", "bad", True), ("in no snapshot", "quiet", False)):
        some = [item for item in value.lost if item.counts == counts]
        yield from _group(title, style, [item.words for item in some], most)


def done_line(done: Mapping[str, int]) -> Line:
    """How many paths there were of each action."""
    parts = ", ".join(f"{done[action]:,} {_DONE[action]}" for action in _ORDER if done.get(action))
    return [f"  {count(sum(done.values()), 'path')}: {parts}"]


def _effect_lines(plan: Plan, most: int | None) -> Iterator[Line]:
    """The effects by part, each under its name if there are several; not those that are pending."""
    told = [(effect.part, *shown) for effect in plan.effects if (shown := effect.shown) is not None]
    told = [each for each in told if each[0] not in plan.pending]
    parts = sorted({part for part, _, _ in told}, key=lambda part: (part != "workspace", part))
    told.sort(key=lambda each: (parts.index(each[0]), _ORDER.index(each[1]), each[2]))
    before = None
    for part, action, path in told[:most]:
        if len(parts) > 1 and part != before:
            yield ["  ", (part, "head")]
        before = part
        yield ["    " if len(parts) > 1 else "  ", (f"{action:<8}", _STYLES[action]), path]
    yield from _rest(len(told), most)


def _waits(be: str) -> str:
    return f"lives in another program; it {be} put in place there at its next save, turn or sync()"


def _why_nothing(value: Plan | Report) -> str:
    return "what differs is left alone" if value.kept or value.conflicts else "everything is already so"


def _doing(value: Plan | Report) -> str:
    """A promote is a restore that is called by its own name."""
    return value.title if value.title.startswith(PROMOTE) else value.verb


def _subject(value: Plan | Report) -> str:
    """``undo of “fix the test” (4f2a77b1)``; a title that has quotes itself gets no more."""
    if value.verb == "restore" or not value.moves:
        return clip(value.title, 60) if value.title else value.verb
    text = clip(value.title, 44)
    title = f" {text}" if "“" in text else f" “{text}”" if text else ""
    more = f" and {len(value.moves) - 1} more" if len(value.moves) > 1 else ""
    return f"{value.verb} of{title} ({short(value.moves[0])}{more})"


def conflict_lines(value: Plan | Report, most: int | None) -> Iterator[Line]:
    """What would cost somebody's work: said before what is done, because it is not done."""
    what = "to have the fork's" if value.title.startswith(PROMOTE) else "taking it back"
    yield from _group(
        f"conflict: left alone, because {what} would lose somebody's work",
        "bad",
        [f"{item.path}: {item.reason}" for item in value.conflicts],
        most,
    )


def _left_lines(value: Plan | Report, most: int | None) -> Iterator[Line]:
    yield from _group("left as it is", "warn", [f"{item.path}: {item.reason}" for item in value.kept], most)
    yield from _outside_lines(value.outside, None if most is None else FEW)
    yield from _not_captured("is not in the snapshot, and is left alone", value, most)
    for other in value.others:
        yield [*choice_line(other), (" stay; `takeback undo --level manual` takes them back", "quiet")]
    for note in value.notes:
        yield [("note: ", "warn"), note]
    for hint in value.hints:
        yield [("hint: ", "warn"), hint]


def _outside_lines(outside: Sequence[Outside], few: int | None) -> Iterator[Line]:
    """What cannot be taken back, by time; what was done again and again is said once, and no kind hides the others."""
    if not outside:
        return
    times: dict[tuple[str, str], list[int]] = {}
    for item in outside:
        times.setdefault((item.kind, item.what), []).append(item.time_ns)
    shown: Counter[str] = Counter()
    left: Counter[str] = Counter()
    rows: list[Line] = []
    for (kind, what), when in times.items():
        if few is not None and shown[kind] >= few:
            left[kind] += len(when)
            continue
        shown[kind] += 1
        again = f"  {len(when)} times" if len(when) > 1 else ""
        rows.append([(moment(when[0]) if when[0] else "", "quiet"), (kind, "warn"), f"{what}{again}"])
    yield [("happened outside and cannot be taken back", "warn")]
    yield from table(rows, indent=2)
    for kind, number in left.items():
        yield [(f"  … and {number:,} more of the kind {kind}; --dry-run --json lists them all", "quiet")]


def missing_lines(report: Report) -> Iterator[Line]:
    """What is not in a directory that was made from a snapshot, because the snapshot does not have it."""
    return _not_captured("is not in the snapshot, so it is missing there", report, MOST)


def _not_captured(title: str, value: Plan | Report, most: int | None) -> Iterator[Line]:
    """Secrets of a container's environment aside: it has them, from the one that was there or from who gave them. What runs in
    one has a note of its own."""
    told = [item for item in value.not_captured if not (item.reason == "secret" and item.path.startswith("settings/"))]
    told = [item for item in told if item.reason != RUNNING]
    return _group(title, "quiet", [f"{item.path}: {item.reason}" for item in told], most)


def _group(title: str, style: str, items: Sequence[str], most: int | None) -> Iterator[Line]:
    if not items:
        return
    yield [(title, style)]
    yield from ([f"  {item}"] for item in items[:most])
    yield from _rest(len(items), most)


def _rest(total: int, most: int | None) -> Iterable[Line]:
    if most is not None and total > most:
        yield [(f"  … and {total - most:,} more; --dry-run --json lists them all", "quiet")]
