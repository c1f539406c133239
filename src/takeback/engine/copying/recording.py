"""Writing down a copied timeline: its rows, in the transaction that makes them visible.

Snapshots and moves keep their ids and their order and get new places; what refers to something that did not come
along refers to nothing, or, a parent, to the one before.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from takeback.engine.copying.copied import Landed
from takeback.engine.copying.landing import Site
from takeback.store.catalogue import moves, operations, snapshots, timelines
from takeback.store.catalogue.database import Transaction


def record(tx: Transaction, site: Site, store: str) -> Landed:
    """Add what is new of a timeline that came from ``store``."""
    line, now = site.line, time.time_ns()
    timeline = site.existing
    if timeline is None:
        timeline = timelines.create(tx, site.root, site.name, line.created_ns, site.fork_of)
    _add_snapshots(tx, site, timeline.number, timeline.head, now)
    if site.new:
        timelines.set_head(tx, timeline.number, site.new[-1].id)
    added = _add_moves(tx, site, timeline.number)
    if site.new or added:
        operations.add(tx, timeline.number, now, "copy", store=store, snapshots=len(site.new), moves=added)
    return Landed(
        root=site.root,
        timeline=site.name,
        from_root=line.root,
        from_timeline=line.name,
        snapshots=tuple(row.id for row in site.new),
        moves=added,
        present=site.present,
        left_out=site.left_out,
        diverged=site.diverged,
    )


def _add_snapshots(tx: Transaction, site: Site, timeline: int, head: str | None, now: int) -> None:
    known = snapshots.among(tx, (row.parent for row in site.new if row.parent is not None)).keys()
    before = site.fork_of if site.diverged else head
    if before is not None and not snapshots.among(tx, [before]):
        before = None
    added: set[str] = set()
    for row in site.new:
        parent = row.parent if row.parent in known or row.parent in added else before
        snapshots.add(
            tx,
            id=row.id,
            timeline=timeline,
            parent=parent,
            time_ns=row.time_ns,
            trigger=row.trigger,
            session=row.session,
            manifest=row.manifest,
            changed=row.changed,
        )
        if row.mixed:
            snapshots.mark_mixed(tx, row.id)
        for number, label in enumerate(row.labels):
            snapshots.label(tx, row.id, label, now + number)
        if row.pinned:
            snapshots.pin(tx, row.id)
        added.add(row.id)
        before = row.id


def _add_moves(tx: Transaction, site: Site, timeline: int) -> int:
    """Moves that both ends of are on the timeline, and which took back which; how many were added."""
    line = site.line
    places = _places(tx, site, timeline)
    anywhere = moves.among(tx, [move.id for move in line.moves])
    there = {id for id, number in anywhere.items() if number == timeline and site.in_step}
    added: set[str] = set()
    for move in line.moves:
        opening, closing = places.get(move.opening), places.get(move.closing or "")
        if move.id in anywhere or opening is None or closing is None:
            continue
        moves.add(tx, timeline, move._replace(opening_seq=opening, closing_seq=closing, undone_by=None))
        added.add(move.id)
    known = added | there
    for taker, target in line.takes:
        if taker in added and target in known:
            moves.take(tx, taker, [target])
    for move in line.moves:
        if move.id in known:
            moves.set_undone(tx, move.id, move.undone_by if move.undone_by in known else None)
    return len(added)


def _places(tx: Transaction, site: Site, timeline: int) -> Mapping[str, int]:
    found = snapshots.among(tx, (row.id for row in site.line.snapshots))
    return {row.id: row.seq for row in found.values() if row.timeline == timeline}
