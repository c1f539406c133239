"""Values whose objects live in other processes: what a restore does to them is recorded as pending, and whoever has the
object puts it in place before anything else.

The latest snapshot says what is pending, in the part itself (``detail["pending"]``), so whoever saves meanwhile carries
it along. ``detail["held"]`` names the content that the owner saved last: if that is to be there again before the owner
came to it, then nothing is pending any more.

A *request* asks for what the owner saved last, because the object may have changed since: it changes no content, only what is
pending. Undo and redo take it back as long as it stands, which withdraws it, and make it again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from takeback.engine import journal
from takeback.engine.line import Line, Present
from takeback.errors import TakebackError
from takeback.model.kinds import DOCUMENTS
from takeback.model.progress import Watch
from takeback.model.snapshot import Part
from takeback.store.writer import Writer

if TYPE_CHECKING:
    from takeback.model.plan import Effect, Plan, Report
    from takeback.sources.protocol import Step


def begin(line: Line, writer: Writer, watch: Watch) -> Present:
    """Settle what was begun before, by whomever, and look at the present. The caller holds the lock."""
    settle(line, writer, watch)
    return line.capture(writer, watch)


def sync(line: Line, watch: Watch) -> Report | None:
    """Do only that; what was done of what is pending."""
    with line.locked(), line.writer() as writer:
        return settle(line, writer, watch)


def settle(line: Line, writer: Writer, watch: Watch) -> Report | None:
    """Finish a restore that was killed, and then what is pending here; what was done of the latter."""
    journal.recover(line, writer)
    return catch_up(line, writer, watch)


def catch_up(line: Line, writer: Writer, watch: Watch) -> Report | None:
    """Put in place what is pending for the objects at hand; None if nothing is. The caller holds the lock."""
    names = [name for name, source in line.sources.items() if source.kind in DOCUMENTS]
    head = line.head() if names else None
    latest = line.latest(writer.reader, head) if head is not None else None
    waiting = {name: latest.parts[name] for name in names if latest and name in latest.parts}
    waiting = {name: part for name, part in waiting.items() if part.pending}
    if not waiting:
        return None
    with line.still():
        return _put_in_place(line, writer, waiting, watch)


def _put_in_place(line: Line, writer: Writer, waiting: Mapping[str, Part], watch: Watch) -> Report:
    from takeback.engine.apply import carry_out
    from takeback.model.plan import Plan

    present = line.capture(writer, watch)
    proposals = [
        line.sources[name].plan(writer.reader, present.parts[name], part, None) for name, part in waiting.items()
    ]
    plan = Plan(
        verb="restore",
        timeline=line.name,
        root=line.root,
        present=None,
        effects=tuple(effect for proposal in proposals for effect in proposal.effects),
        title=f"restore {', '.join(waiting)}, as it was asked for",
        notes=tuple(note for proposal in proposals for note in proposal.notes),
        catches_up=True,
        kept=tuple(item for proposal in proposals for item in (*proposal.conflicts, *proposal.kept)),
        completes=all(_is_held(present.parts[name], part) for name, part in waiting.items()),
    )
    try:
        return carry_out(line, writer, plan, present)
    except TakebackError as error:
        names = ",".join(waiting)
        error.hints = (*error.hints, f"`takeback undo` takes back what asked for {names} to be restored")
        raise


def _is_held(present: Part, waiting: Part) -> bool:
    """Whether an object is as its owner saved it last, so that whatever asked for the restore can take it back, too."""
    return waiting.detail.get("held") == present.content.hex()


def mark(line: Line, plan: Plan, before: Mapping[str, Part], parts: dict[str, Part]) -> bool:
    """Say in the parts that a plan led to what is pending; whether that is anything new."""
    touched = {effect.part for effect in plan.effects}
    new = False
    for name in {*touched, *plan.pending}:
        if not line.is_elsewhere(name, before):
            continue
        old, part = before[name], parts[name]
        detail = {key: value for key, value in part.detail.items() if key not in ("pending", "held")}
        if name in plan.pending or not _is_back(plan.verb, old, part.content):
            detail |= {"pending": True, "held": _held(old)}
        parts[name] = part._replace(detail=detail)
        new = new or parts[name].pending != old.pending
    return new


def for_another(part: Part) -> Part:
    """A value for an object that has never been saved: it gets it when it comes."""
    detail = {key: value for key, value in part.detail.items() if key != "held"}
    return part if part.purged or part.remembered or part.filed else part._replace(detail={**detail, "pending": True})


def is_asked(present: Part, steps: Sequence[Step], after: bytes, *, in_doubt: bool) -> bool:
    """Whether the owner of a value is asked to put it in place, once an undo or redo has taken back ``steps`` and the value is
    ``after``. Nobody knows what an owner holds that is ``in_doubt``; any other holds what it saved last, and that again is
    asked for only if it was before what takeback did in these steps."""
    asked_before = bool(steps) and steps[-1].certain and steps[-1].before.pending
    return in_doubt or asked_before or _held(present) != after.hex()


def is_request(step: Step) -> bool:
    """Whether takeback did no more in a step than to ask an owner for what it saved last, or to withdraw that."""
    before, after = step.before, step.after
    return step.certain and before.content == after.content and before.pending != after.pending


def stands(present: Part, request: Step) -> bool:
    """Whether the present is as a request, or the end of one, has left it: nobody has come to it, and nobody changed it."""
    as_left = (present.content, present.pending) == (request.after.content, request.after.pending)
    return as_left and _held(present) == present.content.hex()


def withdrawn(part: Part) -> Effect:
    """What withdraws a request: the value is recorded as it is, and its owner keeps what it has."""
    from takeback.model.plan import Effect
    from takeback.sources.state.content import entry

    return Effect(part.name, part.name, entry(part), entry(part), told=("change", part.name))


def _held(part: Part) -> object:
    """What the owner of a value saved last, in hexadecimal digits; None if it has never saved it."""
    return part.detail.get("held") if part.pending else part.content.hex()


def _is_back(verb: str, part: Part, content: bytes) -> bool:
    """Whether an undo or redo makes a value that is still pending what its owner holds anyway."""
    return verb != "restore" and part.pending and _held(part) == content.hex()
