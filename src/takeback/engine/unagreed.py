"""Ignore rules that an agent changed, and that hide nothing until a person agrees to them."""

from __future__ import annotations

from takeback.engine.line import Line
from takeback.model.rule_change import RuleChange
from takeback.model.snapshot import Snapshot


def unagreed(line: Line, snapshot: Snapshot | None = None) -> tuple[RuleChange, ...]:
    """Those of a snapshot, by default of the latest one."""
    with line.blobs.reader() as reader:
        if snapshot is None:
            head = line.head()
            snapshot = line.latest(reader, head) if head is not None else None
        found: list[RuleChange] = []
        for name, part in snapshot.parts.items() if snapshot is not None else ():
            look = getattr(line.sources.get(name), "unagreed", None) if "trusted" in part.refs else None
            found += look(reader, part) if look is not None else ()
    return tuple(found)
