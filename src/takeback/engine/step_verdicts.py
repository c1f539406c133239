"""Verdicts for one part of a step: the part's changes and evidence, handed to `takeback.engine.verdicts`."""

from __future__ import annotations

from collections.abc import Set

from takeback.engine.attribution import PRESENT, OwnedStep
from takeback.engine.line import Line
from takeback.engine.snapshot_parts import SnapshotParts
from takeback.engine.stretches import Stretch
from takeback.engine.verdicts import Verdicts, judge
from takeback.sources.clock import TICK_NS
from takeback.sources.evidence import Dated, load
from takeback.store.reader import Reader


def judged(
    line: Line,
    reader: Reader,
    parts: SnapshotParts,
    name: str,
    step: OwnedStep,
    spent: Set[tuple[Stretch, str]] = frozenset(),
) -> Verdicts:
    """Whose the changes of a part in a step are; ``spent`` is what the verdicts of later steps say of calls."""
    if not step.claims:
        return Verdicts()
    old, new = parts.at(step.before)[name], parts.at(step.after)[name]
    source = line.source(name, {name: new})
    dated = source if isinstance(source, Dated) else None
    evidence = load(reader, new)
    if step.after is PRESENT and dated is not None:
        evidence = dated.evidence(reader, old, new)
    before = load(reader, old)
    known = step.before.time_ns
    looked = (before.began_ns, before.ended_ns) if before is not None else (known - TICK_NS, known)
    changes = source.diff(reader, old, new)
    return judge(step, changes, evidence, looked, has_times=dated is not None, spent=spent)
