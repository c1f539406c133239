"""copy: the one operation behind export, import, push and pull."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

from takeback.engine.copying.copied import Copied, Landed
from takeback.engine.copying.landing import Site, find_site
from takeback.engine.copying.lines import CopyLine
from takeback.engine.copying.recording import record
from takeback.engine.copying.soundness import check_line
from takeback.engine.copying.transfer import Transfer
from takeback.engine.copying.wanted import Item, Wanted
from takeback.engine.dropping import root_held
from takeback.errors import InvalidInput, Locked
from takeback.model.progress import Watch
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.reader import Reader

_ATTEMPTS = 3


class _Moved(Exception):
    """The target lost a snapshot since it was looked at, so more has to be moved."""


def copy(
    origin: str, reader: Reader, lines: Sequence[CopyLine], target: BlobStore, root: str | None, watch: Watch
) -> Copied:
    """Bring timelines of the store with the id ``origin`` into another; ``root`` is where they belong there, if not where
    they did. The reader must be older than the lines, so that what they need cannot go meanwhile.

    What the target has is left alone. Nothing is seen of the rest until all of it is there.
    """
    for line in lines:
        check_line(line)
    if root is not None and len({line.root for line in lines}) > 1:
        raise InvalidInput(
            "timelines of several roots cannot be given one",
            hints=[f"their roots: {', '.join(sorted({line.root or 'none' for line in lines}))}"],
        )
    with target.writer() as writer:
        transfer, wanted = Transfer(reader, writer), Wanted(reader)
        moved: set[str] = set()

        def land(tx: Transaction, line: CopyLine) -> Landed:
            site = find_site(tx, line, root, origin)
            if any(row.id not in moved for row in site.new):
                raise _Moved
            return record(tx, site, origin)

        for _ in range(_ATTEMPTS):
            with target.database.read() as tx:
                sites = [find_site(tx, line, root, origin) for line in lines]
            rows = [row for site in sites for row in site.new if row.id not in moved]
            _transfer(transfer, wanted, rows, watch)
            moved.update(row.id for row in rows)
            try:
                with _held(sites):
                    landed = writer.commit(lambda tx: tuple(land(tx, line) for line in lines))
                return Copied(landed, transfer.blobs, transfer.bytes, writer.added)
            except _Moved:
                continue
    raise Locked(
        "somebody removes snapshots from the target as fast as they are looked at. Nothing was copied.",
        hints=["run the same command again"],
    )


def _transfer(transfer: Transfer, wanted: Wanted, rows: Sequence[SnapshotRow], watch: Watch) -> None:
    done = 0

    def tick() -> None:
        watch.tick("copy", done, len(rows), transfer.bytes)

    def items() -> Iterator[Item]:
        nonlocal done
        for row in rows:
            tick()
            yield from wanted.of(row)
            done += 1

    transfer.move(items(), tick)


def _held(sites: Sequence[Site]) -> ExitStack:
    """The locks of the roots whose timelines grow: a save there must not find its timeline moved on."""
    stack = ExitStack()
    try:
        for root in sorted({site.root for site in sites if site.existing is not None and site.new and site.root}):
            stack.enter_context(root_held(root))
    except BaseException:
        stack.close()
        raise
    return stack
