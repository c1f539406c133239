"""takeback stats"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from takeback.cli import shapes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.people import say
from takeback.cli.progress import listener
from takeback.model.sizes import format_size
from takeback.views.lines import Line, table
from takeback.views.text import age, clip, count

if TYPE_CHECKING:
    from takeback.engine.health import Usage
    from takeback.store.stats import StoreStats


@click.command("stats", cls=Command)
@click.pass_obj
def command(call: Call) -> None:
    """Show what uses the store's space.

    From top to bottom: what all snapshots would take as plain copies; the same with every repetition stored once, and
    with the lists of what is where; that compressed; and with the catalogue, what the store takes on the disk. What a
    part of a timeline uses is counted for each of them; bytes that several share count in each.

    For example:
      takeback stats
    """
    where = call.place()
    usage = call.open(where).stats(listener=listener(quiet=call.json))
    if call.json:
        shapes.print_json({"path": where["store"], **_shape(usage)})
        return
    say(*_lines(usage, str(where["store"])))


def _shape(usage: Usage) -> shapes.Shape:
    store = usage.store
    return {
        "bytes_on_disk": store.bytes_on_disk,
        "raw_bytes": store.raw_bytes,
        "sealed_bytes": store.sealed_bytes,
        "logical_bytes": usage.logical,
        "saved_by_deduplication": usage.saved_by_deduplication,
        "saved_by_compression": store.saved_by_compression,
        "packs": store.packs,
        "condemned_packs": store.condemned_packs,
        "frames": store.frames,
        "hot_frames": store.hot_frames,
        "hot_bytes": store.hot_bytes,
        "catalogue_bytes": store.catalogue_bytes,
        "maintained": shapes.iso(store.maintained_ns) if store.maintained_ns else None,
        "blobs": dict(store.blobs),
        "shares": [
            {
                "root": share.root,
                "timeline": share.timeline,
                "part": share.part,
                "snapshots": share.snapshots,
                "raw": share.raw,
                "stored": share.stored,
            }
            for share in usage.shares
        ],
    }


def _where(store: StoreStats) -> str:
    hot = f", {format_size(store.hot_bytes)} still in the catalogue" if store.hot_bytes else ""
    return f"in {count(store.packs, 'pack')}{hot}"


def _lines(usage: Usage, path: str) -> Iterator[Line]:
    store = usage.store
    yield [("store ", "quiet"), path]
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in store.blobs.items())
    yield from table(
        [
            [("as plain copies", "quiet"), format_size(usage.logical), "if every snapshot were one"],
            [("stored once", "quiet"), format_size(store.raw_bytes), "without repetitions; with trees and manifests"],
            [("compressed", "quiet"), format_size(store.sealed_bytes), _where(store)],
            [("on disk", "quiet"), (format_size(store.bytes_on_disk), "head"), "with the catalogue"],
            [("maintained", "quiet"), age(store.maintained_ns) if store.maintained_ns else "not yet", ""],
            [("blobs", "quiet"), f"{sum(store.blobs.values()):,}", clip(kinds, 44)],
        ],
        indent=2,
    )
    if usage.shares:
        yield ""
        head: Line = [(text, "quiet") for text in ("timeline", "part", "snapshots", "raw", "stored", "root")]
        rows: list[Line] = [
            [
                clip(share.timeline, 12),
                clip(share.part, 12),
                f"{share.snapshots:,}",
                format_size(share.raw),
                format_size(share.stored),
                share.root,
            ]
            for share in usage.shares
        ]
        yield from table([head, *rows])
