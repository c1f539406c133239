"""What was recorded, beside the clock; and restores that were interrupted."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from takeback.cli.checkup.finding import Finding
from takeback.errors import TakebackError
from takeback.model.ids import short
from takeback.views.text import age

if TYPE_CHECKING:
    from takeback.cli.call import Call
    from takeback.locate import Place
    from takeback.store.catalogue.snapshots import SnapshotRow

_SANE_CLOCK = 1_700_000_000
_MINUTE, _HOUR = 60_000_000_000, 3_600_000_000_000
_LOOKED_AT = 200
"""Snapshots among which the clock's jumps are looked for."""


def history(call: Call, place: Place) -> Iterator[Finding]:
    from takeback.locate.unagreed import of_rules

    try:
        line = call.line()
        newest = line.log(_LOOKED_AT).snapshots
        interrupted = line.interrupted()
        waiting = of_rules(line)
    except TakebackError:
        newest, interrupted, waiting = (), None, ()  # the store's own check says why
    yield _clock(newest)
    yield from (Finding("ignore rules", "warn", said, "`takeback trust` asks you about it") for said in waiting)
    if interrupted is not None:
        yield Finding("restore", "warn", f"one was interrupted {age(interrupted)}", "`takeback save` finishes it")
    else:
        yield Finding("restore", "ok", "none is unfinished")


def _clock(newest: Sequence[SnapshotRow]) -> Finding:
    now = time.time_ns()
    if now < _SANE_CLOCK * 1_000_000_000:
        return Finding("clock", "fail", time.strftime("it says %Y-%m-%d"), "set the clock")
    if newest and newest[0].time_ns > now + _HOUR:
        return Finding("clock", "warn", "the newest snapshot is from the future", "compare the clock with another's")
    for later, earlier in pairwise(newest):
        if later.time_ns < earlier.time_ns - _MINUTE:
            minutes = (earlier.time_ns - later.time_ns) // _MINUTE
            found = f"it went back by {minutes:,} min between the snapshots {short(earlier.id)} and {short(later.id)}"
            return Finding("clock", "warn", found, "name snapshots around then by their ids, not by `10m ago`")
    return Finding("clock", "ok", time.strftime("%Y-%m-%d %H:%M:%S"))
