"""How restore, undo and redo are carried out: look at the plan, ask, apply; or, told --yes, at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from takeback.cli import shapes
from takeback.cli.call import Call
from takeback.cli.people import say
from takeback.errors import Cancelled, Conflict, InvalidInput, Partial
from takeback.model.kinds import FOLLOWING
from takeback.views import plans
from takeback.views.text import visible

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline
    from takeback.model.plan import Plan, Report
    from takeback.model.snapshot import Snapshot


def carry_out(
    call: Call,
    line: Timeline,
    plan: Callable[[], Plan],
    act: Callable[[], Report],
    *,
    dry_run: bool,
    yes: bool,
    options: str = "",
    accepting: Callable[[Sequence[str]], Plan] | None = None,
) -> int:
    """Show, ask and do, as the options and the terminal say; the exit code. A dry run has always worked: 0. ``options`` are
    those that the way back needs, too. ``accepting`` plans again, with some paths of which it is undecided whose they are."""
    if dry_run:
        show_plan(call, plan())
        return 0
    if yes:
        return show_report(call, act(), options)
    planned = plan()  # first of all, so that a wrong reference is said to be one
    if not call.interactive:
        raise needs_yes(call)
    show_plan(call, planned)
    if accepting is not None and (planned.shared or planned.in_part):
        accepted = _accepted(planned)
        if accepted:
            planned = accepting(accepted)
            show_plan(call, planned)
    if planned.empty:
        if not planned.stuck:
            return 0
        return Conflict.exit_code if planned.conflicts or planned.kept else Partial.exit_code
    ask("Do it?")
    try:
        return show_report(call, line.apply(planned), options)
    except Conflict:
        if plan().told != planned.told:
            raise
        return show_report(call, act(), options)  # the same paths, but something writes there all the time


def _accepted(plan: Plan) -> list[str]:
    """Ask about each command whether what may be its doing, or a person's, is to be taken back, too."""
    left, accepted = {*plan.shared, *plan.in_part}, []
    for group in plan.undecided:
        paths = [path for path in group.paths if path in left]
        number = "1 path" if len(paths) == 1 else f"{len(paths):,} paths"
        if paths and agrees(f"Take back {number} that “{visible(group.command)}” may have changed, too?"):
            accepted += paths
    return accepted


def chosen(only: str | None, said: Sequence[str], shown: Callable[[], Snapshot]) -> list[str] | None:
    """The parts that ``--only`` names, and those of ``--conversation``; None for what is usual. What is usual beside a
    conversation depends on the snapshot."""
    parts = None if only is None else [part.strip() for part in only.split(",") if part.strip()]
    if parts == []:
        raise InvalidInput("--only names no part", hints=["such as --only workspace"])
    if not said:
        return parts
    usual = [name for name, part in shown().parts.items() if part.kind not in FOLLOWING] if parts is None else parts
    return [*usual, *said]


def conversations(snapshot: Snapshot) -> list[str]:
    """The parts of a snapshot that ``--conversation`` means: the agent's own, and those of a team's members."""
    from takeback.engine import conversation  # who asks for help needs no engine

    return [name for name, part in snapshot.parts.items() if part.kind in FOLLOWING] or [conversation.PART]


def show_plan(call: Call, plan: Plan) -> None:
    if call.json:
        shapes.print_json(shapes.plan(plan))
    else:
        say(*plans.plan_lines(plan, _most()))


def show_report(call: Call, report: Report, options: str = "") -> int:
    """Say what was done; 14 if there were conflicts, 3 if something is pending, was left because it may be somebody else's, is
    in no snapshot, or cannot be done now."""
    if call.json:
        shapes.print_json(shapes.report(report))
    else:
        say(*plans.report_lines(report, _most(), f"{options}{call.chosen}"))
    if report.conflicts:
        return Conflict.exit_code
    left = report.shared or report.in_part or report.partial or any(item.counts for item in report.lost)
    return Partial.exit_code if report.pending or left else 0


def needs_yes(call: Call, otherwise: str = ", or --dry-run to see what it would do") -> InvalidInput:
    why = "--json asks nothing" if call.json else "there is no terminal to ask on"
    return InvalidInput(
        f"nothing was changed: {why}", hints=[f"add --yes to do it: `{call.typed_with('--yes')}`{otherwise}"]
    )


def ask(question: str) -> None:
    """Ask on the terminal; Cancelled unless the answer is yes."""
    if not agrees(question):
        raise Cancelled("nothing was changed")


def agrees(question: str) -> bool:
    """Ask on the terminal; whether the answer is yes."""
    return answer(f"{question} [y/N] ").strip().lower() in ("y", "yes")


def answer(question: str) -> str:
    """What a person types on the terminal; empty if that is interrupted."""
    try:
        sys.stdout.write(question)
        sys.stdout.flush()
        said = sys.stdin.readline()
    except KeyboardInterrupt:
        said = ""
    if not said.endswith("\n"):
        sys.stdout.write("\n")
    return said


def _most() -> int | None:
    return plans.MOST if sys.stdout.isatty() else None
