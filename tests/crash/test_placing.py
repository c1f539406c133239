"""Files are put into place without privileges, in directories that forbid it; killed at any step, the next one finishes."""

from __future__ import annotations

from pathlib import Path

from support import counts, faults
from support.effects import goal, leftovers
from support.faults import Fault
from support.faults.zygote import Zygote
from support.privileges import drop_privileges
from support.processes import KILLED
from support.trees import Dir, File, Link, Spec, make_tree, read_tree, remove

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


def test_killed_at_any_step_it_is_finished_by_the_next(
    zygote: Zygote, memory_path: Path, record_property: counts.Tell
) -> None:
    prepare(memory_path / "clean")
    wanted = read_tree(memory_path / "clean/wanted")
    total = zygote.call(place, memory_path / "clean", 0).result
    assert read_tree(memory_path / "clean/root") == wanted
    for at in range(1, total + 1):
        base = memory_path / str(at)
        prepare(base)
        assert zygote.call(place, base, at).code == KILLED
        assert not zygote.call(place, base, 0).trouble, at
        assert read_tree(base / "root") == wanted, at
        assert not leftovers(base / "root"), at
        remove(base)
    counts.tell(record_property, f"putting files into sealed directories: killed at each of {total} points")
