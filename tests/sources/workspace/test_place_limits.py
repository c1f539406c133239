"""Permissions, full disks, other filesystems, and what a dead process leaves. Killed at any step: `tests/crash`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from support.effects import Goal, goal, leftovers, open_descriptors
from support.mounts import mounted
from support.privileges import as_ordinary_user
from support.trees import Dir, File, Link, Spec, make_tree, read_tree
from takeback.errors import Conflict, Unavailable
from takeback.sources.workspace.names import STAGE_PREFIX
from takeback.sources.workspace.place import areas
from takeback.sources.workspace.place.readback import unfinished
from takeback.sources.workspace.place.sweeping import sweep_stages

Specs = Mapping[str, Spec]

BEFORE: Specs = {
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
AFTER: Specs = {
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


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_tree(tmp_path / "root", BEFORE)
    make_tree(tmp_path / "wanted", AFTER)
    return tmp_path / "root"


@pytest.fixture
def there(root: Path) -> Goal:
    return goal(root, root.parent / "wanted")


def apply(there: Goal, root: Path) -> tuple[int, int]:
    there.apply(root)
    return len(unfinished(str(root), there.effects)), len(leftovers(root))


def test_read_only_directories_are_opened_for_the_moment_only(there: Goal, root: Path) -> None:
    assert as_ordinary_user(apply, there, root) == (0, 0)
    assert read_tree(root) == read_tree(root.parent / "wanted")


def test_a_read_only_root_is_opened_for_the_moment_only(there: Goal, root: Path) -> None:
    root.chmod(0o555)
    assert as_ordinary_user(apply, there, root) == (0, 0)
    assert root.stat().st_mode & 0o777 == 0o555
    assert read_tree(root) == read_tree(root.parent / "wanted")


def test_modes_are_given_back_after_a_failure_too(there: Goal, root: Path) -> None:
    def fail() -> None:
        staged = there.stage(root)
        (root / "swop/x/y").write_text("mine")
        (root / "unread").chmod(0o777)
        with pytest.raises(Conflict):
            staged.apply()
        staged.discard()

    as_ordinary_user(fail)
    assert (root / "locked").stat().st_mode & 0o777 == 0o555
    assert (root / "locked/inner").stat().st_mode & 0o777 == 0o500
    assert leftovers(root) == []


def test_a_directory_of_somebody_else_cannot_be_written_and_the_error_says_so(there: Goal, root: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(root / "locked", 1234, 1234)
    with pytest.raises(Unavailable, match=r"^cannot write locked/(f|made|inner): Permission denied"):
        as_ordinary_user(apply, there, root)
    assert (root / "locked").stat().st_mode & 0o777 == 0o555


# Sweeping.


def dying(work: Callable[[], object]) -> bool:
    """Do something in a child that is gone right after, whatever it left behind; whether it came so far."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            work()
            os._exit(0)
        os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_only_staging_directories_of_dead_processes_are_swept(there: Goal, root: Path) -> None:
    staged = there.stage(root)
    [mine] = leftovers(root)
    dying(lambda: there.stage(root))
    assert len(leftovers(root)) == 2
    sweep_stages(str(root))
    assert leftovers(root) == [mine]
    staged.apply()
    assert leftovers(root) == []


def test_a_staging_directory_that_could_not_be_removed_says_that_its_modes_are_given_back(tmp_path: Path) -> None:
    root, wanted = tmp_path / "root", tmp_path / "wanted"
    make_tree(root, {"sealed/a": "old"})
    (root / "sealed").chmod(0o555)
    make_tree(wanted, {"sealed/a": "new"})
    there = goal(root, wanted)

    def work() -> list[str]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(areas, "remove_anything", lambda *_: False)
            there.apply(root)
        found = leftovers(root)
        sweep_stages(str(root))
        return found

    assert as_ordinary_user(work)
    assert read_tree(root) == read_tree(wanted)


def test_what_only_looks_like_a_staging_directory_is_left_alone(root: Path) -> None:
    make_tree(root, {f"{STAGE_PREFIX}notes/plan.txt": "mine", f"{STAGE_PREFIX}{'0' * 16}/thesis.txt": "mine"})
    os.symlink(root / "d", root / f"{STAGE_PREFIX}{'1' * 16}")
    before = read_tree(root)
    sweep_stages(str(root))
    assert read_tree(root) == before


@pytest.mark.parametrize("inode", ["right", "wrong"])
def test_a_hostile_journal_reaches_nothing_outside_and_a_copied_one_nothing_at_all(inode: str, tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    tree: Specs = {"a": "1", "d": Dir(0o755), f"d/{STAGE_PREFIX}{'3' * 16}/mine": "1"}
    make_tree(root, tree)
    make_tree(outside, {f"{STAGE_PREFIX}{'4' * 16}/mine": "1"})
    outside.chmod(0o700)
    os.symlink(outside, root / "link")
    stage = root / f"{STAGE_PREFIX}{'2' * 16}"
    stage.mkdir()
    records = [
        ("mode", "0", "../outside"),
        ("mode", "0", "link"),
        ("mode", "77", ".."),
        ("mode", "x", "d"),
        ("mode", "", "d"),
    ]
    records += [
        ("area", "d", "."),
        ("area", f"{STAGE_PREFIX}{'3' * 16}", "d"),
        ("area", f"{STAGE_PREFIX}{'4' * 16}", "../outside"),
    ]
    records += [("mode", "7" * 50, "d"), ("mode", "55", "a"), ("mode", "55", "d"), ("x", "y", "z"), ("mode", "0", "")]
    first = f"takeback stage 1 {os.stat(stage).st_ino + (inode == 'wrong')}\n"
    (stage / "journal").write_text(first + "".join(f"{field}\0" for record in records for field in record) + "mode\0")
    before = read_tree(tmp_path)
    sweep_stages(str(root))
    after = read_tree(tmp_path)
    ours = {path for path in before if (STAGE_PREFIX + "2" * 16).encode() in path}
    if inode == "wrong":
        assert after == before
    else:
        # In the root it may take the owner's rights, which only its owner could have given it to do.
        expected = {path: node for path, node in before.items() if path not in ours}
        assert after == {**expected, b"root/d": expected[b"root/d"]._replace(mode=0o055)}
        (root / "d").chmod(0o755)


def test_sweeping_a_root_that_is_gone_is_quiet(tmp_path: Path) -> None:
    sweep_stages(str(tmp_path / "nowhere"))


# Filesystems.


def test_a_full_disk_changes_nothing(tmp_path: Path) -> None:
    root = tmp_path / "small"
    with mounted(root, "-t", "tmpfs", "-o", "size=1m", "tmpfs"):
        make_tree(root, {"a": "old", "b": "old"})
        before = read_tree(root)
        after: Specs = {"a": "new", "b": os.urandom(2 << 20)}
        make_tree(tmp_path / "wanted", after)
        there = goal(root, tmp_path / "wanted")
        descriptors = open_descriptors()
        with pytest.raises(Unavailable, match=r"^cannot write b: the disk is full") as caught:
            there.stage(root)
        assert caught.value.hints == ("make room on that filesystem and try again",)
        assert read_tree(root) == before
        assert open_descriptors() == descriptors


def test_files_on_another_filesystem_inside_the_root_are_staged_there(tmp_path: Path) -> None:
    root = tmp_path / "root"
    with mounted(root / "d/mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs"):
        make_tree(root, {"a": "old", "d/mount/x/y": "old", "d/mount/gone": "old"})
        make_tree(tmp_path / "wanted", {"a": "new", "d/mount/x/y": "new", "d/mount/n/m": "made"})
        there = goal(root, tmp_path / "wanted")
        staged = there.stage(root)
        assert sorted(os.path.dirname(path) for path in leftovers(root)) == sorted([str(root), str(root / "d/mount")])
        staged.apply()
        assert read_tree(root / "d/mount/x") == read_tree(tmp_path / "wanted/d/mount/x")
        assert unfinished(str(root), there.effects) == ()
        assert leftovers(root) == []
        more = {**read_tree(root), b"d/mount/z": read_tree(root)[b"a"]}
        dying(lambda: goal(root, more).stage(root))
        assert len(leftovers(root)) == 2
        sweep_stages(str(root))
        assert leftovers(root) == []


def test_a_bind_mount_looks_like_the_same_filesystem_and_works_all_the_same(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    elsewhere.mkdir()
    with mounted(root / "bound", "--bind", str(elsewhere)):
        before: Specs = {"a": "old", "bound/x": "old", "bound/l": Link("x")}
        after: Specs = {"a": "new", "bound/x": "new", "bound/l": Link("y"), "bound/made": "1", "bound/d/e/f": "2"}
        make_tree(root, before)
        make_tree(tmp_path / "wanted", after)
        there = goal(root, tmp_path / "wanted")
        there.apply(root)
        assert read_tree(root) == read_tree(tmp_path / "wanted")
        assert leftovers(root) == []


def test_a_staging_directory_says_on_the_disk_what_it_is_before_it_holds_anything(
    root: Path, there: Goal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a power cut the next process could not tell it from somebody else's, and would leave it there for ever."""
    synced: list[tuple[int, int, int]] = []
    fsync = os.fsync

    def noting(handle: int) -> None:
        status = os.fstat(handle)
        fsync(handle)
        held = [len(list(area.iterdir())) for area in root.glob(f"{STAGE_PREFIX}*")]
        synced.append((status.st_ino, status.st_size, sum(held)))

    monkeypatch.setattr(os, "fsync", noting)
    staged = there.stage(root)
    journal = next(root.glob(f"{STAGE_PREFIX}*/journal")).stat()
    staged.discard()
    inode, size, held = synced[0]
    assert inode == journal.st_ino and size > 0 and held == 1
