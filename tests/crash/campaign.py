"""One operation under every fault at every one of its points, and what counts as wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from crash import inside
from crash.inside import Clean, Outcome
from crash.operations import Operation
from support.faults import SYNCS, Fault, Point
from support.faults.zygote import Zygote
from support.template import Template

UNAVAILABLE = 15


class Stage:
    """A prepared world that is set up anew, at the same path, for each run."""

    def __init__(self, zygote: Zygote, operation: Operation, base: Path) -> None:
        self._zygote, self.operation = zygote, operation
        self._world = base / "world"
        self._world.mkdir()
        zygote.do(inside.prepare, operation.name, self._world)
        self._template = Template(base / "template", self._world)
        self.clean = self._clean()

    def run(self, fault: Fault, at: int) -> str:
        """What is wrong after this fault at this point; nothing if all is well."""
        self._template.reset()
        name = self.operation.name
        acted = self._zygote.call(inside.act, name, self._world, fault, at, fault is Fault.FAIL)
        if acted.trouble:
            return acted.trouble
        if acted.result is not None and (wrong := _judge(fault, at, self.operation, self.clean, acted.result)):
            return wrong
        return self._zygote.call(inside.check, name, self._world, self.clean, acted.said).trouble

    def _clean(self) -> Clean:
        do, name, first = self._zygote.do, self.operation.name, self.operation.first
        before = frozenset() if first else do(inside.snapshots, self._world)
        also = [do(inside.as_in, self._world, self.operation.or_as)] if self.operation.or_as else []
        self._template.reset()
        tree = do(inside.workspace, self._world)
        acted = self._zygote.call(inside.act, name, self._world, None, 0, True)
        assert not acted.trouble and acted.result.failure is None, acted
        outcome: Outcome = acted.result
        after = do(inside.snapshots, self._world)
        kept = after if first else before & after
        clean = Clean(tree, outcome.tree, (outcome.tree, *also), kept, outcome.points)
        return replace(clean, sizes=do(inside.check, name, self._world, clean, acted.said))


def _judge(fault: Fault, at: int, operation: Operation, clean: Clean, outcome: Outcome) -> str:
    """What is wrong with how an operation ended whose process lived."""
    failure, reached = outcome.failure, outcome.points[at - 1 : at]
    if failure is None:
        if outcome.tree not in clean.ends:
            return "it reported success, and the workspace is not as planned"
        if fault is Fault.FAIL and reached and _must_tell(reached[0]) and operation.or_as is None:
            return f"it reported success although {reached[0].text} failed"
        return ""
    if fault is Fault.STOP:
        wrong = "" if failure.kind == "KeyboardInterrupt" else "Ctrl-C became another error"
    elif not outcome.failed_calls:
        wrong = "it failed without a fault"
    elif failure.kind != "ours":
        wrong = "an error of the system came through"
    elif failure.exit_code != UNAVAILABLE or not failure.hints:
        wrong = f"the error has exit code {failure.exit_code} and hints {failure.hints}"
    elif fault in (Fault.FILL, Fault.TEAR) and "disk is full" not in f"{failure.message} {failure.hints}":
        wrong = "the error does not say that the disk is full"
    else:
        wrong = ""
    if not wrong and outcome.tree != clean.before and not _explained(fault, operation, clean, outcome):
        wrong = "it failed and yet changed something"
    return f"{wrong}: {failure.trace}" if wrong else ""


def _explained(fault: Fault, operation: Operation, clean: Clean, outcome: Outcome) -> bool:
    """Whether a failed operation may leave changes: they are the agent's own, or those of the restore that it was
    finishing; it was stopped when all was done; or its journal stands, nothing could be put back on a disk that takes no
    more, and it says who will finish it."""
    told = outcome.failure is not None and any("the next `takeback` command" in hint for hint in outcome.failure.hints)
    if operation.or_as is not None:
        return True
    if fault is Fault.STOP or operation.edits:
        return outcome.tree == clean.after
    return told and fault is not Fault.FAIL


def _must_tell(point: Point) -> bool:
    """Whether data may be lost when this fails. SQLite itself does not mind if the directory of its WAL is not synced."""
    call, _, path = point.text.partition(" ")
    return point.kind == SYNCS and not (call == "fdatasync" and path in ("store", "second store"))
