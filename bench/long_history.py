"""Histories as long as one wants, in seconds: rows of the catalogue are made as if all those turns had been, and only the newest
ones really were.

The made ones lead to what the first snapshot holds, so they can be listed and found, but not be shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import takeback as tb
from takeback.model.ids import new_id
from takeback.model.move import Move
from takeback.store.catalogue import counters, moves, snapshots, timelines

AGENTS = ("claude-code", "codex")
NEWEST = 60
"""So many turns at the end are real: more than a screen shows."""


@dataclass(frozen=True)
class LongHistory:
    root: Path
    store: Path


def lengthen(line: tb.Timeline, count: int, *, labels: bool = True, per_session: int = 50) -> None:
    """Snapshots and turns as if there had been so many before the latest, each with what that one holds."""
    first = line._line.head()
    assert first is not None
    with line._line.blobs.database.write() as tx:
        last = first
        for number in range(count):
            session = f"session-{number // per_session}"
            context = {"opened": {"agent": AGENTS[number // per_session % len(AGENTS)]}}
            row = snapshots.add(
                tx, id=new_id(), timeline=first.timeline, parent=last.id, time_ns=first.time_ns - count + number,
                trigger="turn_end", session=session, manifest=first.manifest, changed=1,
            )  # fmt: skip
            turn = Move(
                new_id(), session, "turn", f"turn {number}", last.id, last.seq, row.id, row.seq,
                row.time_ns, row.time_ns, context=context,
            )  # fmt: skip
            moves.add(tx, first.timeline, turn)
            if labels:
                snapshots.label(tx, row.id, f"label {number}", 1)
            last = row
        # The head is one that its own manifest belongs to.
        tx.execute("UPDATE snapshots SET seq = ? WHERE id = ?", (counters.next_value(tx, "snapshots"), first.id))
        timelines.set_head(tx, first.timeline, first.id)


def make(base: Path, count: int) -> LongHistory:
    """A small project whose history has so many snapshots."""
    root, place = base / "project", base / "store"
    root.mkdir(parents=True)
    with tb.open(place) as store:
        line = store.timeline("main", sources=[tb.Workspace(root)])
        (root / "a.txt").write_text("first\n")
        line.save(trigger="interval")
        lengthen(line, count - NEWEST - 1, labels=False)
        for number in range(NEWEST):
            session, agent = f"newest-{number // 10}", AGENTS[number // 10 % len(AGENTS)]
            line.save(trigger="turn_start", session=session, title=f"real turn {number}", context={"agent": agent})
            (root / "a.txt").write_text(f"turn {number}\n")
            (root / f"{number % 7}.txt").write_text(f"a file of turn {number}\n")
            line.save(trigger="turn_end", session=session)
    return LongHistory(root, place)
