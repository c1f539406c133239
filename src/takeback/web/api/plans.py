"""What would be done, shown first, and then done: nothing is applied that was not planned and looked at.

The world may have moved between the two. Then nothing is done, and the job's error has, as ``again``, the plan for the world as
it is now, and what differs in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from takeback import shapes
from takeback.errors import Conflict, InvalidInput, TakebackError
from takeback.model.plan import Plan
from takeback.model.progress import Listener, Progress
from takeback.shapes import Shape
from takeback.views import choices
from takeback.views.choices import Wanted
from takeback.views.lines import Line, pieces
from takeback.views.plans import plan_lines, report_lines
from takeback.web.asked import Asked
from takeback.web.kept import Kept
from takeback.web.shared import Shared

_WITHOUT_CONTENT = frozenset({"delete", "chmod"})
"""What nothing is written for."""


class Moved(Conflict):
    """The world is not what it was when the plan was made; ``more`` is the plan for what it is."""

    def __init__(self, error: Conflict, again: Shape) -> None:
        super().__init__(error.message, hints=error.hints)
        self.more = {"again": again}


def plan(shared: Shared, asked: Asked) -> Shape:
    """Plan, and keep it to be applied."""
    wanted = Wanted(
        verb=asked.must("verb"),
        lane=shared.lane(asked),
        reference=asked.maybe("reference"),
        move=asked.maybe("move"),
        only=asked.texts("only"),
        paths=asked.texts_by_name("paths"),
        shared=asked.flag("shared"),
        fork=asked.maybe("fork"),
    )
    if wanted.verb == "promote" and shared.read_only:
        raise InvalidInput("to plan a promote saves the fork, and this page was started with --read-only")
    made = choices.plan(shared.desk, wanted, asked.hear)
    return _shown(shared, wanted, made)


def apply(shared: Shared, asked: Asked) -> Shape:
    """Begin to do exactly what a plan said."""
    kept = shared.plans.take(asked.must("plan"), asked.lane)
    title = kept.plan.title or kept.plan.verb
    return {"job": shared.jobs.start(title, _applying(shared, kept)).id}


def _applying(shared: Shared, kept: Kept) -> Callable[[Listener], Shape]:
    writes = sum(1 for action, _ in kept.plan.told if action not in _WITHOUT_CONTENT)

    def work(listener: Listener) -> Shape:
        def tell(progress: Progress) -> None:
            known = progress.phase == "apply" and progress.total is None and progress.done <= writes
            listener(progress._replace(total=writes) if known else progress)

        try:
            report = choices.apply(shared.desk, kept.plan, kept.wanted.lane, tell)
        except Conflict as error:
            raise _again(shared, kept, error, listener) from None
        return {
            **shapes.report(report),
            "verb": report.verb,
            "title": report.title,
            "lines": _lines(report_lines(report)),
        }

    return work


def _again(shared: Shared, kept: Kept, error: Conflict, listener: Listener) -> Conflict:
    """The conflict, with a plan for what is there now; without, if there can be none."""
    try:
        made = choices.plan(shared.desk, kept.wanted, listener)
    except TakebackError:
        return error
    return Moved(error, {**_shown(shared, kept.wanted, made), "differs": _differs(kept.plan, made)})


def _shown(shared: Shared, wanted: Wanted, made: Plan) -> Shape:
    shape = shapes.plan(made)
    return {
        **shape,
        "plan": shared.plans.keep(wanted, made),
        "would": shape["plan"],
        "lane": wanted.lane,
        "verb": made.verb,
        "title": made.title,
        "target": made.target,
        "empty": made.empty,
        "stuck": made.stuck,
        "groups": choices.groups(shared.desk, wanted.lane, made),
        "lines": _lines(plan_lines(made)),
    }


def _differs(old: Plan, new: Plan) -> Shape:
    """What one of two plans would do and the other would not."""
    before, after = dict.fromkeys(old.told), dict.fromkeys(new.told)
    return {
        "new": [{"path": path, "action": action} for action, path in after if (action, path) not in before],
        "gone": [{"path": path, "action": action} for action, path in before if (action, path) not in after],
        "conflicts": [each.path for each in new.conflicts if each not in old.conflicts],
    }


def _lines(lines: Any) -> list[list[tuple[str, str]]]:
    """Lines for people, as texts with styles."""
    made: list[Line] = list(lines)
    return [pieces(line) for line in made]


ROUTES = (("POST", "/api/plan", plan), ("POST", "/api/apply", apply))
