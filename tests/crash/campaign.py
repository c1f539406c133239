"""One operation under every fault at every one of its points, and what counts as wrong."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from crash import inside
from crash.inside import Clean, Outcome
from crash.operations import Operation
from support.faults import BROKEN, SYNCS, Fault, Point
from support.faults.zygote import Ended, Zygote
from support.trees import remove
from takeback.sources.workspace.names import STAGE_PREFIX

UNAVAILABLE = 15


class Stage:
    """A prepared world that is set up anew, at the same path, for each run."""

    def __init__(self, zygote: Zygote, operation: Operation, base: Path) -> None:
        self._zygote, self.operation = zygote, operation
        self._world, self._template = base / "world", base / "template"
        self._world.mkdir()
        self._do(inside.prepare, operation.name, self._world)
        shutil.copytree(self._world, self._template, symlinks=True)
        self.clean = self._clean()

    def runs(self) -> Iterator[tuple[Fault, int]]:
        """Every fault at every point where it makes a difference."""
        for fault in BROKEN:
            yield from ((fault, at) for at, point in enumerate(self.clean.points, 1) if fault.applies(point))

    def run(self, fault: Fault, at: int) -> str:
        """What is wrong after this fault at this point; nothing if all is well."""
        self._reset()
        name = self.operation.name
        acted = self._call(inside.act, name, self._world, fault, at, fault is Fault.FAIL)
        if acted.trouble:
            return acted.trouble
        if acted.result is not None and (wrong := _judge(fault, at, self.operation, self.clean, acted.result)):
            return wrong
        return self._call(inside.check, name, self._world, self.clean, acted.said).trouble

    def _clean(self) -> Clean:
        first, label = self.operation.first, self.operation.or_as
        before = frozenset() if first else self._do(inside.snapshots, self._world)
        also = [self._do(inside.as_in, self._world, label)] if label else []
        self._reset()
        tree = self._do(inside.workspace, self._world)
        acted = self._call(inside.act, self.operation.name, self._world, None, 0, True)
        assert not acted.trouble and acted.result.failure is None, acted
        outcome: Outcome = acted.result
        after = self._do(inside.snapshots, self._world)
        kept = after if first else before & after
        clean = Clean(tree, outcome.tree, (outcome.tree, *also), kept, outcome.points)
        return replace(clean, sizes=self._do(inside.check, self.operation.name, self._world, clean, acted.said))

    def _reset(self) -> None:
        remove(self._world)
        shutil.copytree(self._template, self._world, symlinks=True)
        for journal in self._world.glob(f"project/{STAGE_PREFIX}*/journal"):
            _adopt(journal)

    def _call(self, work: Callable[..., Any], *arguments: Any) -> Ended:
        return self._zygote.call(work, *arguments)

    def _do(self, work: Callable[..., Any], *arguments: Any) -> Any:
        ended = self._call(work, *arguments)
        assert not ended.trouble, ended.trouble
        return ended.result


def _adopt(journal: Path) -> None:
    """A staging directory names its own inode, so that a copy of it counts for nothing; here the copy is the world."""
    first, end, rest = journal.read_bytes().partition(b"\n")
    words = first.split(b" ")
    words[-1] = b"%d" % journal.parent.stat().st_ino
    journal.write_bytes(b" ".join(words) + end + rest)


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
