"""An export whose history alone is more than what is kept in rows of the catalogue."""

from __future__ import annotations

import random
from pathlib import Path

import takeback as tb


def test_a_long_history_is_exported_with_all_that_it_says(tmp_path: Path) -> None:
    chance = random.Random(1)
    memory = ["hello"]
    labels = {chance.randbytes(4_000).hex() for _ in range(600)}
    with tb.open(":memory:") as store, tb.open(":memory:") as other:
        line = store.timeline("agent", sources=[tb.State("memory", memory)])
        snapshot = line.save()
        for label in labels:
            line.label(snapshot, label)
        store.export(tmp_path / "all.tb")
        other.import_(tmp_path / "all.tb")
        copied = other.timeline("agent")
        assert set(copied.show("@").labels) == labels
        assert copied.value("@", "memory") == memory
