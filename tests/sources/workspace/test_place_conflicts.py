"""Somebody else is at work in the same directory: their work stays, and no link of theirs leads us astray."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from support.effects import Goal, goal, leftovers
from support.trees import Dir, File, Link, Spec, make_tree, read_tree
from takeback.errors import Conflict, TakebackError
from takeback.model.plan import Effect
from takeback.model.tree import Entry
from takeback.sources.workspace.place.files import StagedFiles
from takeback.sources.workspace.place.readback import unfinished

Specs = Mapping[str, Spec]


def planned(root: Path, wanted: Specs) -> Goal:
    make_tree(root.parent / "wanted", wanted)
    return goal(root, root.parent / "wanted")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    tree: Specs = {"a": "old", "d/b": "old", "d/c": "old", "run": File("x", 0o755), "l": Link("a")}
    make_tree(tmp_path / "root", tree)
    return tmp_path / "root"


@pytest.mark.parametrize("moment", ["before staging", "after staging"])
@pytest.mark.parametrize("change", ["same size", "longer", "mode", "link", "gone", "directory"])
def test_what_a_person_changed_is_kept(change: str, moment: str, root: Path) -> None:
    there = planned(root, {"a": "new", "d/b": "old", "d/c": "old", "run": File("x", 0o755), "l": Link("a")})

    def person() -> None:
        target = root / "a"
        if change == "same size":
            target.write_text("WIP")
        elif change == "longer":
            target.write_text("mine, all mine")
        elif change == "mode":
            target.chmod(0o600)
        else:
            target.unlink()
            if change == "link":
                target.symlink_to("d/b")
            elif change == "directory":
                target.mkdir()

    if moment == "before staging":
        person()
    staged = there.stage(root)
    if moment == "after staging":
        person()
    mine = {path: node for path, node in read_tree(root).items() if b"stage" not in path}
    with pytest.raises(Conflict, match=r"^a was changed by somebody else"):
        staged.apply()
    staged.discard()
    assert read_tree(root) == mine


def test_an_older_edit_of_the_same_size_is_seen_when_everything_is_compared(root: Path) -> None:
    there = planned(root, {"a": "new", "d/b": "old", "d/c": "old", "run": File("x", 0o755), "l": Link("a")})
    (root / "a").write_text("WIP")
    staged = there.stage(root, unchanged_since=0)
    with pytest.raises(Conflict):
        staged.apply()
    staged.discard()
    assert (root / "a").read_text() == "WIP"


@pytest.mark.parametrize("path", ["a", "d/b", "l"])
def test_what_a_person_changed_is_not_deleted(path: str, root: Path) -> None:
    there = planned(root, {})
    staged = there.stage(root)
    (root / path).unlink()
    (root / path).write_text("mine")
    with pytest.raises(Conflict, match=f"^{path} "):
        staged.apply()
    staged.discard()
    assert (root / path).read_text() == "mine"


def test_what_a_person_created_in_the_place_of_something_new_is_kept(root: Path) -> None:
    there = planned(root, {"a": "old", "d/b": "old", "d/c": "old", "run": File("x", 0o755), "l": Link("a"), "new": "1"})
    staged = there.stage(root)
    (root / "new").write_text("mine")
    with pytest.raises(Conflict, match=r"^new "):
        staged.apply()
    staged.discard()
    assert (root / "new").read_text() == "mine"


def test_a_mode_that_a_person_set_is_kept(root: Path) -> None:
    there = planned(root, {"a": "old", "d/b": "old", "d/c": "old", "run": File("x", 0o600), "l": Link("a")})
    staged = there.stage(root)
    (root / "run").chmod(0o711)
    with pytest.raises(Conflict, match=r"^run "):
        staged.apply()
    staged.discard()
    assert (root / "run").stat().st_mode & 0o777 == 0o711


def test_after_a_conflict_a_second_try_finishes_the_rest(root: Path) -> None:
    there = planned(root, {"a": "NEW", "d/b": "NEW", "d/c": "NEW", "run": File("x", 0o755), "l": Link("b")})
    staged = there.stage(root)
    (root / "d/c").write_text("WIP")
    with pytest.raises(Conflict, match=r"^d/c "):
        staged.apply()
    assert (root / "a").read_text() == "NEW"
    (root / "d/c").write_text("old")
    staged.apply()
    assert unfinished(str(root), there.effects) == ()
    assert leftovers(root) == []


@pytest.mark.parametrize("moment", ["before staging", "after staging"])
@pytest.mark.parametrize("wanted", [{"a": "old", "d/b": "new", "d/c": "old"}, {"a": "old"}, {"a": "old", "d/new": "1"}])
def test_a_link_in_the_place_of_a_directory_is_not_followed(wanted: Specs, moment: str, root: Path) -> None:
    there = planned(root, {"run": File("x", 0o755), "l": Link("a"), "d": Dir(), **wanted})
    outside = root.parent / "outside"
    make_tree(outside, {"b": "old", "c": "old"})
    before = read_tree(outside)

    def swap() -> None:
        os.rename(root / "d", root.parent / "aside")
        os.symlink(outside, root / "d")

    with pytest.raises(Conflict, match=r"^d is a link"):
        if moment == "before staging":
            swap()
        staged = there.stage(root)
        try:
            swap()
            staged.apply()
        finally:
            staged.discard()
    assert read_tree(outside) == before
    assert leftovers(root) == []


def test_a_mode_is_never_set_through_a_link(root: Path) -> None:
    outside = root.parent / "secret"
    outside.write_text("x")
    outside.chmod(0o600)
    there = planned(root, {"a": "old", "d/b": "old", "d/c": "old", "run": File("x", 0o644), "l": Link("a")})
    staged = there.stage(root)
    (root / "run").unlink()
    (root / "run").symlink_to(outside)
    with pytest.raises(Conflict):
        staged.apply()
    staged.discard()
    assert outside.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(sys.platform != "linux", reason="swapping two names at once is a call of Linux")
def test_a_link_that_comes_and_goes_never_leads_outside(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    names = [f"d/f{number}" for number in range(8)]
    old: Specs = {**dict.fromkeys(names, "old"), "d/x": "x"}
    new: Specs = {**dict.fromkeys(names[:4], "new"), "d/made": "new", "d/x": File("x", 0o600)}
    for place, tree in ((root, old), (tmp_path / "wanted", new), (tmp_path / "first", old)):
        make_tree(place, tree)
    make_tree(outside, {name[2:]: "old" for name in [*old, "d/made"]})
    os.symlink(outside, tmp_path / "link")
    before = read_tree(outside)
    there, back = goal(tmp_path / "first", tmp_path / "wanted"), goal(tmp_path / "wanted", tmp_path / "first")
    stop = threading.Event()

    def swap() -> None:
        rename = ctypes.CDLL(None).renameat2
        while not stop.is_set():
            rename(-100, bytes(root / "d"), -100, bytes(tmp_path / "link"), 2)

    thread = threading.Thread(target=swap)
    thread.start()
    outcomes = []
    try:
        for turn in range(400):
            try:
                (back if turn % 2 else there).apply(root)
                outcomes.append("applied")
            except TakebackError as error:
                outcomes.append(type(error).__name__)
            assert read_tree(outside) == before
    finally:
        stop.set()
        thread.join()
    assert "Blocked" in outcomes, "the link was never in the way: the test shows nothing"


def test_unfinished_sees_every_kind_of_difference(root: Path) -> None:
    after: Specs = {"a": "new", "d/b": "old", "d/c": Link("x"), "run": File("x", 0o700), "e": Dir(0o750)}
    there = planned(root, after)
    there.apply(root)
    assert unfinished(str(root), there.effects) == ()
    (root / "a").write_text("NEW")
    os.unlink(root / "d/c")
    os.symlink("y", root / "d/c")
    (root / "run").chmod(0o701)
    (root / "e").chmod(0o755)
    (root / "l").write_text("back")
    assert {effect.path for effect in unfinished(str(root), there.effects)} == {"a", "d/c", "run", "e", "l"}
    os.rename(root / "d", root.parent / "aside")
    os.symlink(root.parent / "aside", root / "d")
    assert "d/c" in {effect.path for effect in unfinished(str(root), there.effects)}


def test_what_is_written_between_the_last_look_and_the_change_is_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    make_tree(root, {"edited": "old", "gone": "old", "a": "1"})
    staged = planned(root, {"edited": "new", "a": "1"}).stage(root)
    still_to_do = StagedFiles._still_to_do

    def then_somebody_writes(self: StagedFiles, effect: Effect, *entries: Entry | None) -> bool:
        answer = still_to_do(self, effect, *entries)
        (root / effect.path).write_text("mine")
        return answer

    monkeypatch.setattr(StagedFiles, "_still_to_do", then_somebody_writes)
    with pytest.raises(Conflict):
        staged.apply()
    staged.discard()
    assert {path.name: path.read_text() for path in root.iterdir()} in (
        {"edited": "mine", "gone": "old", "a": "1"},
        {"edited": "old", "gone": "mine", "a": "1"},
    )


def test_what_goes_between_the_last_look_and_the_change_is_a_conflict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when a member of a team reads its mail just then: who asks again is not in the way any more."""
    root = tmp_path / "root"
    make_tree(root, {"gone": "old", "a": "1"})
    staged = planned(root, {"a": "1"}).stage(root)
    still_to_do = StagedFiles._still_to_do

    def then_it_goes(self: StagedFiles, effect: Effect, *entries: Entry | None) -> bool:
        answer = still_to_do(self, effect, *entries)
        (root / effect.path).unlink()
        return answer

    monkeypatch.setattr(StagedFiles, "_still_to_do", then_it_goes)
    with pytest.raises(Conflict):
        staged.apply()
    staged.discard()
    assert [path.name for path in root.iterdir()] == ["a"]


@pytest.mark.parametrize("path", ["edited", "gone"])
def test_what_is_written_to_a_file_that_has_just_left_its_place_is_given_back(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    make_tree(root, {"edited": "old", "gone": "old"})
    staged = planned(root, {"edited": "new"}).stage(root)
    with open(root / path, "a") as held:
        check_out = staged._entries.check_out

        def then_somebody_writes() -> None:
            held.write(" and mine")
            held.flush()
            check_out()

        staged._entries.check_out = then_somebody_writes  # type: ignore[method-assign]
        with pytest.raises(Conflict):
            staged.apply()
        staged.discard()
    assert (root / path).read_text() == "old and mine"
