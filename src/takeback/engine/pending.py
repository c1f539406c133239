"""Values whose objects live in other processes: what a restore does to them is recorded as pending, and whoever has the
object puts it in place before anything else.

The latest snapshot says what is pending, in the part itself (``detail["pending"]``), so whoever saves meanwhile carries
it along. ``detail["held"]`` names the content that the owner saved last: if that is to be there again before the owner
came to it, then nothing is pending any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from takeback.engine import journal
from takeback.engine.line import Line, Present
from takeback.errors import TakebackError
from takeback.model.kinds import DOCUMENTS
from takeback.model.progress import Watch
from takeback.model.snapshot import Part
from takeback.store.writer import Writer

if TYPE_CHECKING:
    from takeback.model.plan import Plan, Report


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
        if name not in touched or not is_back(plan.verb, old, part.content):
            held = old.detail.get("held") if old.pending else old.content.hex()
            detail |= {"pending": True, "held": held}
        parts[name] = part._replace(detail=detail)
        new = new or parts[name].pending != old.pending
    return new


def for_another(part: Part) -> Part:
    """A value for an object that has never been saved: it gets it when it comes."""
    detail = {key: value for key, value in part.detail.items() if key != "held"}
    return part if part.purged or part.remembered or part.filed else part._replace(detail={**detail, "pending": True})


def is_back(verb: str, part: Part, content: bytes) -> bool:
    """Whether an undo or redo makes a value that is still pending what its owner holds anyway."""
    return verb != "restore" and part.pending and part.detail.get("held") == content.hex()
