"""How much a database does: steps of SQLite's own virtual machine, which are as many on every machine."""

from __future__ import annotations

from collections.abc import Callable

import takeback as tb

_GRAIN = 20


def steps(store: tb.Store, act: Callable[[], object]) -> int:
    """About how many steps the store's database makes meanwhile, in this thread."""
    handle = store.blobs.database._connection().handle  # type: ignore[attr-defined]
    count = 0

    def step() -> bool:
        nonlocal count
        count += 1
        return False

    handle.set_progress_handler(step, _GRAIN)
    try:
        act()
    finally:
        handle.set_progress_handler(None)
    return count * _GRAIN
