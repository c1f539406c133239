"""Files are put into place without privileges, in directories that forbid it; killed at any step, the next one finishes."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import campaigns, counts, faults
from support.effects import goal, leftovers
from support.faults import Fault
from support.faults.zygote import KILLED, Zygote
from support.privileges import drop_privileges
from support.template import Template
from support.trees import Dir, File, Link, Spec, make_tree, read_tree

BEFORE: dict[str, Spec] = {
    "a": "old",
    "gone": "x",
    "d/b": "old",
    "d/e/c": "old",
    "locked": Dir(0o555),
    "locked/f": "old",
    "locked/inner": Dir(0o500),
    "locked/inner/g": "old",
    "swap": "file",
    "swop/x/y": "dir",
    "mode": File("x", 0o600),
    "link": Link("a"),
    "unread": File("x", 0o200),
}
AFTER: dict[str, Spec] = {
    "a": "new",
    "d/b": "newer",
    "d/n/m": "made",
    "locked": Dir(0o555),
    "locked/f": "new",
    "locked/made": File("new", 0o444),
    "locked/inner": Dir(0o500),
    "swap/in/here": "dir",
    "swop": "file",
    "mode": File("x", 0o755),
    "link": Link("b"),
    "unread": File("x", 0o640),
    "closed": Dir(0o111),
}


def prepare(base: Path) -> None:
    for name, tree in (("first", BEFORE), ("root", BEFORE), ("wanted", AFTER)):
        make_tree(base / name, tree)


def place(base: Path, at: int) -> int:
    """How many points there were, if it was not killed at one of them."""
    there = goal(base / "first", base / "wanted")
    drop_privileges()
    faults.arm(base / "root", Fault.KILL if at else None, at)
    there.apply(base / "root")
    return len(faults.points())


@pytest.mark.campaign("crash-placing")
def test_killed_at_any_step_it_is_finished_by_the_next(
    zygote: Zygote, memory_path: Path, record_property: counts.Tell
) -> None:
    base = memory_path / "clean"
    prepare(base)
    template = Template(memory_path / "template", base)
    wanted = read_tree(base / "wanted")
    total = zygote.do(place, base, 0)
    assert read_tree(base / "root") == wanted
    chosen = campaigns.pick(range(1, total + 1), 12)
    for at in chosen:
        template.reset()
        assert zygote.call(place, base, at).code == KILLED
        zygote.do(place, base, 0)
        assert read_tree(base / "root") == wanted, at
        assert not leftovers(base / "root"), at
    campaigns.count_runs(record_property, len(chosen))
    counts.tell(record_property, f"putting files into sealed directories: killed at {len(chosen)} of {total} points")
