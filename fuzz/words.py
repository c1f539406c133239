"""What people and agents type: references, sizes, durations."""

from __future__ import annotations

import atexit

import takeback as tb
from takeback.engine.references import resolve, resolve_move
from takeback.model.sizes import format_size, parse_seconds, parse_size

_STORE = tb.open(":memory:")
_LINE = _STORE.timeline("main", root="/nowhere")._line
with _STORE.blobs.database.write() as _tx:
    _LINE.row_or_new(_tx)
atexit.register(_STORE.close)


def reference(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    for find in (resolve, resolve_move):
        with _STORE.blobs.database.read() as tx:
            try:
                find(tx, _LINE, text)
            except (tb.NotFound, tb.InvalidInput):
                pass


def size(data: bytes) -> None:
    found = parse_size(data.decode("utf-8", "replace"))
    assert found >= 0
    format_size(found)


def duration(data: bytes) -> None:
    assert parse_seconds(data.decode("utf-8", "replace")) >= 0


TARGETS = {
    "reference": (
        reference,
        [b"@", b"@-3", b"root", b"original", b"10m ago", b"4f2a", b"good", b"\xff", b"@-" + b"9" * 5000],
    ),
    "size": (size, [b"100MiB", b"5", b"1.5 kB", b"9" * 308 + b"TiB"]),
    "duration": (duration, [b"5m", b"90", b"1.5 h", b"2weeks", b"9" * 309 + b"w"]),
}
