"""What people and agents type: references, sizes, durations, commands."""

from __future__ import annotations

import atexit

import takeback as tb
from takeback.adapters.hooks.effects import MOST, effects_of
from takeback.adapters.hooks.effects.commands import Budget, split
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


def command(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    budget = Budget()
    for each in split(text, budget):
        assert each.words or each.writes
    assert budget.left > -1000
    found = effects_of("Bash", {"command": text})
    assert len(found) <= MOST + 2 and all(len(effect.what) <= 200 and effect.what.isprintable() for effect in found)


TARGETS = {
    "reference": (
        reference,
        [b"@", b"@-3", b"root", b"original", b"10m ago", b"4f2a", b"good", b"\xff", b"@-" + b"9" * 5000],
    ),
    "size": (size, [b"100MiB", b"5", b"1.5 kB", b"9" * 308 + b"TiB"]),
    "duration": (duration, [b"5m", b"90", b"1.5 h", b"2weeks", b"9" * 309 + b"w"]),
    "command": (
        command,
        [
            b"cd x && sudo git push 2>&1 | tail -3",
            b"git commit -m \"$(cat <<'EOF'\nit's `done`\nEOF\n)\"",
            b"case $x in a) bash -c 'npm publish' ;; esac # done",
            b"for i in $(seq 3); do echo ${i:-`date`} >> $'a\\'b'; done <<< x &",
            b"cat <<-A <<B | sh\n\tgit push\n\tA\nB\n(( 1 << 2 )); diff <(a) >(b)",
        ],
    ),
}
