"""What an agent changed and does not count until a person agrees: settings, ignore rules, another root. For all who say it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from blake3 import blake3

from takeback.errors import TakebackError
from takeback.locate import baseline

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline
    from takeback.locate import Place
    from takeback.model.rule_change import RuleChange
    from takeback.model.snapshot import Snapshot


def of_rules(line: Timeline, snapshot: Snapshot | None = None) -> tuple[str, ...]:
    """A sentence for each text of ignore rules that waits, as of a snapshot, by default the latest one."""
    try:
        return tuple(map(words, line.unagreed(snapshot)))
    except TakebackError:
        return ()  # a harmed snapshot is for verify to tell of


def words(change: RuleChange) -> str:
    from takeback.sources.workspace.rule_notes import quoted

    return (
        f"what is ignored was changed while an agent was at work: {change.path} ({quoted(change.lines)}). Until you agree with "
        "`takeback trust`, what that hides is captured all the same"
    )


def tell(where: Place, line: Timeline, snapshot: Snapshot | None, note: Callable[[str], object]) -> None:
    """Note each change that waits for a person, once."""
    known = where.baseline
    if known is None:
        return
    distrusts = snapshot is not None and any("trusted" in part.refs for part in snapshot.parts.values())
    waits = (*where.unagreed, *(of_rules(line, snapshot) if distrusts else ()))
    token = blake3("\n".join(waits).encode("utf-8", "surrogateescape")).hexdigest()[:16] if waits else ""
    if token == known.said:
        return
    for each in waits:
        note(each)
    where.baseline = (baseline.read(where.root) or known)._replace(said=token)  # a person may have agreed meanwhile
    baseline.note(where.baseline)
