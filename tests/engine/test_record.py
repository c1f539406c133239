from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import takeback as tb
from takeback.model.progress import Watch
from takeback.model.snapshot import Part
from takeback.store.writer import Writer


class Interrupted(tb.State):
    """A state during whose next capture something else happens."""

    meanwhile: Callable[[], Any] | None = None

    def capture(self, writer: Writer, previous: Part | None, watch: Watch) -> Part:
        part = super().capture(writer, previous, watch)
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return part


def test_a_save_that_another_process_came_between_is_made_from_the_new_latest_snapshot(tmp_path: Path) -> None:
    plan, notes = ["plan"], ["note"]
    with tb.open(tmp_path / "store") as store, tb.open(tmp_path / "store") as other_store:
        slow = Interrupted("plan", plan)
        line = store.timeline("agent", sources=[slow])
        other = other_store.timeline("agent", sources=[tb.State("notes", notes)])
        line.save()
        plan.append("changed")
        slow.meanwhile = other.save
        last = line.save()
        assert line.value("@", "notes") == ["note"] and line.value("@", "plan") == ["plan", "changed"]
        between, newest = line.log().snapshots[1], line.log().snapshots[0]
        assert newest.id == last.id and last.parent == between.id
