from __future__ import annotations

import os
import random
import stat
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from support.effects import Goal, entry, goal, leftovers, open_descriptors
from support.trees import Dir, File, Link, Node, Spec, make_tree, read_node, read_tree
from takeback.errors import Conflict, Integrity
from takeback.model.plan import Effect
from takeback.sources.workspace.names import STAGE_PREFIX
from takeback.sources.workspace.place import entries, files
from takeback.sources.workspace.place.files import stage
from takeback.sources.workspace.place.readback import unfinished

Specs = Mapping[str, Spec]


def from_to(tmp_path: Path, before: Specs, after: Specs) -> tuple[Path, Goal, Path]:
    """A root that holds ``before``, the way to ``after``, and a directory that holds that."""
    root, wanted = tmp_path / "root", tmp_path / "wanted"
    make_tree(root, before)
    make_tree(wanted, after)
    return root, goal(root, wanted), wanted


CASES: dict[str, tuple[Specs, Specs]] = {
    "new files and directories": ({}, {"a": "1", "d/e/f": "2", "empty": Dir()}),
    "deleted": ({"a": "1", "d/e/f": "2", "empty": Dir(0o700)}, {}),
    "changed content": ({"a": "old", "b": "same size 1"}, {"a": "new and longer", "b": "same size 2"}),
    "modes": (
        {"a": File("x", 0o600), "b": File("x", 0o755), "c": File("x", 0o444), "d": Dir(0o700), "new": "x"},
        {"a": File("x", 0o755), "b": File("x", 0o444), "c": File("y", 0o600), "d": Dir(0o555), "new": File("n", 0o000)},
    ),
    "file to directory": ({"a": "file"}, {"a/b/c": "x", "a/d": Dir(0o711)}),
    "directory to file": ({"a/b/c": "x", "a/d": Dir()}, {"a": "file"}),
    "directory to link": ({"a/b": "x"}, {"a": Link("/etc")}),
    "link to directory": ({"a": Link("/etc"), "z": "1"}, {"a/passwd": "mine", "z": "1"}),
    "file to link to file": ({"a": "x", "b": Link("a")}, {"a": Link("nowhere"), "b": "x"}),
    "dangling and outside links": ({"l": Link("gone")}, {"l": Link("../../outside"), "m": Link("/"), "n": Link("é\n")}),
    "only the letters' case": ({"Readme": "x", "dir/A": "1"}, {"README": "x", "dir/a": "1"}),
    "directory modes that forbid": ({"d": Dir(0o500), "d/a": "1"}, {"d": Dir(0o555), "d/a": "2", "d/b": "3"}),
    "large": ({"big": b"x" * 3_000_000}, {"big": os.urandom(2_500_000)}),
}


@pytest.mark.parametrize("name", CASES)
def test_a_plan_leads_from_one_tree_to_the_other_and_back(name: str, tmp_path: Path) -> None:
    root, there, wanted = from_to(tmp_path, *CASES[name])
    back = goal(wanted, root)
    original = read_tree(root)
    assert len(unfinished(str(root), there.effects)) == len(there.effects) > 0
    there.apply(root)
    assert read_tree(root) == read_tree(wanted)
    assert unfinished(str(root), there.effects) == ()
    back.apply(root)
    assert read_tree(root) == original
    assert unfinished(str(root), back.effects) == ()


@pytest.mark.parametrize("seed", range(40))
def test_any_tree_becomes_any_other(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    names = [b"a", b"b", b"c\n", b"\xff\xfe", "é".encode(), b" ", b"-r", b"a\\b", b"x" * 255]

    def tree() -> Specs:
        made: dict[bytes, Spec] = {}
        for _ in range(12):
            parts = rng.choices(names, k=rng.choice([1, 2, 2, 3]))
            if any(b"/".join(parts[:depth]) in made for depth in range(1, len(parts) + 1)):
                continue
            if any(path.startswith(b"/".join(parts) + b"/") for path in made):
                continue
            choices: list[Spec] = [
                File(rng.randbytes(rng.choice([0, 1, 5, 5000])), rng.choice([0o644, 0o600, 0o755, 0o444])),
                Link(rng.choice([b"a", b"../..", b"\xff"])),
                Dir(rng.choice([0o755, 0o700, 0o555])),
            ]
            made[b"/".join(parts)] = rng.choice(choices)
        return {os.fsdecode(path): spec for path, spec in made.items()}

    root, there, wanted = from_to(tmp_path, tree(), tree())
    staged = there.apply(root)
    assert read_tree(root) == read_tree(wanted)
    assert (unfinished(str(root), there.effects), staged.kept) == ((), [])


def test_nothing_visible_changes_before_apply_and_discard_leaves_no_trace(tmp_path: Path) -> None:
    root, there, _ = from_to(tmp_path, {"a": "1", "d/b": "2"}, {"a": "new", "d/b": "new", "d/c": Link("x")})
    before = read_tree(root)
    staged = there.stage(root)
    [stage_directory] = leftovers(root)
    assert stat.S_IMODE(os.lstat(stage_directory).st_mode) == 0o700
    assert {path: node for path, node in read_tree(root).items() if STAGE_PREFIX.encode() not in path} == before
    staged.discard()
    staged.discard()
    assert read_tree(root) == before


def test_apply_and_everything_else_can_be_done_twice(tmp_path: Path) -> None:
    root, there, wanted = from_to(tmp_path, *CASES["file to directory"])
    staged = there.stage(root)
    staged.apply()
    staged.apply()
    staged.discard()
    there.apply(root)
    assert read_tree(root) == read_tree(wanted)
    assert leftovers(root) == []


def test_a_file_that_is_not_in_the_plan_keeps_its_inode_and_times(tmp_path: Path) -> None:
    root, there, _ = from_to(tmp_path, {"a": "1", "other": "x"}, {"a": "2", "other": "x"})
    before = os.lstat(root / "other")
    there.apply(root)
    assert os.lstat(root / "other") == before


@pytest.mark.parametrize(
    "path",
    [
        *["", ".", "..", "a/../b", "../x", "/etc/x", "a//b", "a/", "./a", "a/./b", "a\0b"],
        *[".git/config", "a/.GIT/x", ".Git", "sub/.git", ".g\u200cit/hooks/x"],
    ],
)
def test_hostile_paths_are_refused_before_anything_is_touched(path: str, tmp_path: Path) -> None:
    root = tmp_path / "root"
    make_tree(root, {"good": "1"})
    good = Effect("workspace", "good", entry(read_node(root / "good")), None)
    bad = Effect("workspace", path, None, entry(Node("file", 0o644, b"x")))
    with pytest.raises(Integrity):
        stage(str(root), [good, bad], lambda _: iter([b"x"]))
    with pytest.raises(Integrity):
        unfinished(str(root), [bad])
    assert sorted(os.listdir(root)) == ["good"]


def test_a_path_that_is_planned_twice_is_refused(tmp_path: Path) -> None:
    effect = Effect("workspace", "a", None, entry(Node("file", 0o644, b"x")))
    with pytest.raises(Integrity):
        stage(str(tmp_path), [effect, effect], lambda _: iter([b"x"]))


@pytest.mark.parametrize("kind", ["file", "link"])
def test_content_that_is_not_what_it_should_be_changes_nothing(kind: str, tmp_path: Path) -> None:
    after: Specs = {"a": "new", "b": "new b" if kind == "file" else Link("target")}
    root, there, _ = from_to(tmp_path, {"a": "1", "b": "2"}, after)
    before = read_tree(root)
    descriptors = open_descriptors()
    there.blobs = {blob: data if data == b"new" else data + b"!" for blob, data in there.blobs.items()}
    with pytest.raises(Integrity, match="b is not what it should be"):
        there.stage(root)
    assert read_tree(root) == before
    assert open_descriptors() == descriptors


def test_a_store_that_fails_in_the_middle_leaves_no_trace(tmp_path: Path) -> None:
    root, there, _ = from_to(tmp_path, {"a": "1"}, {"a": "2", "b": "3"})
    before = read_tree(root)
    del there.blobs[next(blob for blob, data in there.blobs.items() if data == b"3")]
    with pytest.raises(KeyError):
        there.stage(root)
    assert read_tree(root) == before


def test_merged_bytes_need_no_blob(tmp_path: Path) -> None:
    root, there, _ = from_to(tmp_path, {"a": "1"}, {"a": "merged"})
    effects = [replace(effect, merged=b"merged") for effect in there.effects]
    staged = stage(str(root), effects, lambda _: iter(()))
    staged.apply()
    assert (root / "a").read_bytes() == b"merged"


def test_only_the_nine_permission_bits_are_ever_set(tmp_path: Path) -> None:
    root, there, _ = from_to(tmp_path, {"a": "1", "d": Dir(0o700)}, {"a": "2", "d": Dir(0o755), "b": "3"})
    effects = []
    for effect in there.effects:
        assert effect.after is not None
        effects.append(replace(effect, after=effect.after._replace(mode=effect.after.mode | 0o7000)))
    staged = stage(str(root), effects, there.content)
    staged.apply()
    assert [oct(stat.S_IMODE(os.lstat(root / name).st_mode)) for name in "abd"] == ["0o644", "0o644", "0o755"]
    assert unfinished(str(root), effects) == ()


def test_a_directory_keeps_the_bits_that_are_not_captured(tmp_path: Path) -> None:
    root, there, _ = from_to(tmp_path, {"d": Dir(0o700)}, {"d": Dir(0o755)})
    os.chmod(root / "d", 0o3700)
    there.apply(root)
    assert stat.S_IMODE(os.lstat(root / "d").st_mode) == 0o3755


def test_missing_parents_are_made_although_the_plan_does_not_name_them(tmp_path: Path) -> None:
    root, there, _ = from_to(tmp_path, {}, {"d/e/f": "1"})
    only = Goal(tuple(effect for effect in there.effects if effect.path == "d/e/f"), there.blobs)
    only.apply(root)
    assert read_node(root / "d/e/f") == ("file", 0o644, b"1")
    assert read_node(root / "d/e").mode == 0o755


def test_a_directory_that_holds_something_else_is_kept(tmp_path: Path) -> None:
    root, there, _ = from_to(tmp_path, {"d/e/a": "1", "d/b": "2"}, {})
    (root / "d/e/ignored").write_text("mine")
    staged = there.apply(root)
    assert staged.kept == ["d/e", "d"]
    assert {*read_tree(root)} == {b"d", b"d/e", b"d/e/ignored"}


def test_a_directory_that_holds_something_else_cannot_become_a_file(tmp_path: Path) -> None:
    root, there, _ = from_to(tmp_path, {"d/a": "1"}, {"d": "file"})
    (root / "d/ignored").write_text("mine")
    with pytest.raises(Conflict, match=r"^d cannot become a file"):
        there.apply(root)
    assert (root / "d/ignored").read_text() == "mine"
    assert leftovers(root) == []


def test_owner_and_group_are_kept_or_taken_from_the_directory(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    root, there, _ = from_to(
        tmp_path, {"a": "1", "d": Dir(), "d/l": Link("x")}, {"a": "2", "d/b": "3", "d/l": Link("y"), "d/e/f": "4"}
    )
    os.chown(root / "a", 1234, 5678)
    os.chown(root / "d", 4321, 8765)
    os.chown(root / "d/l", 11, 12, follow_symlinks=False)
    there.apply(root)
    owners = {name: (os.lstat(root / name).st_uid, os.lstat(root / name).st_gid) for name in ["a", "d/b", "d/l", "d/e"]}
    assert owners == {"a": (1234, 5678), "d/b": (4321, 8765), "d/l": (11, 12), "d/e": (4321, 8765)}


def test_new_directories_inherit_the_group_where_theirs_hands_it_down(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    root, there, _ = from_to(tmp_path, {"d": Dir()}, {"d/e/f": "1"})
    os.chown(root / "d", 0, 5678)
    os.chmod(root / "d", 0o2755)
    there.apply(root)
    made = os.lstat(root / "d/e")
    assert (made.st_gid, stat.S_IMODE(made.st_mode), os.lstat(root / "d/e/f").st_gid) == (5678, 0o2755, 5678)


def test_a_new_directory_of_somebody_else_is_a_conflict_and_stays(tmp_path: Path) -> None:
    root, there, _ = from_to(tmp_path, {}, {"d/e/f": "1", "z": "1"})
    staged = there.stage(root)
    make_tree(root, {"d/mine": "x"})
    with pytest.raises(Conflict, match=r"^d was changed by somebody else"):
        staged.apply()
    staged.discard()
    assert {*read_tree(root)} == {b"d", b"d/mine"}
    there.apply(root)
    assert {*read_tree(root)} == {b"d", b"d/mine", b"d/e", b"d/e/f", b"z"}


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    root, there, wanted = from_to(
        tmp_path, {f"d{n}/e/f": "1" for n in range(20)}, {f"d{n}/e/f": "2" for n in range(20)}
    )
    descriptors = open_descriptors()
    for _ in range(3):
        there.apply(root)
        goal(wanted, tmp_path / "root").apply(root)
        there.stage(root).discard()
        unfinished(str(root), there.effects)
    assert open_descriptors() == descriptors


def test_many_files_at_once(tmp_path: Path) -> None:
    root, there, wanted = from_to(tmp_path, {}, {f"d{n % 200}/f{n}": f"{n}" for n in range(1500)})
    there.apply(root)
    assert read_tree(root) == read_tree(wanted)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o377])
def test_new_directories_get_exactly_the_modes_of_the_plan_whatever_the_umask_is(umask: int, tmp_path: Path) -> None:
    modes = [0o644, 0o755, 0o600, 0o400, 0o444, 0o000, 0o666, 0o777, 0o644, 0o755]
    root, there, wanted = from_to(
        tmp_path, {}, {f"d/e/{number}": File(str(number), mode) for number, mode in enumerate(modes)}
    )
    before = os.umask(umask)
    try:
        there.apply(root)
    finally:
        os.umask(before)
    assert read_tree(root) == read_tree(wanted)


@pytest.mark.parametrize("durable", [True, False])
@pytest.mark.parametrize("count", [3, 100])
def test_what_is_to_be_durable_is_on_the_disk_before_it_is_in_place(
    durable: bool, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, there, wanted = from_to(
        tmp_path, {"a": "old"}, {"a": "new", **{f"d/{number}": "x" for number in range(count)}}
    )
    synced: list[str] = []

    def note(*arguments: object) -> None:
        synced.append("after" if (root / "d").exists() else "before")

    monkeypatch.setattr(os, "fsync", note)
    for module in (files, entries):
        monkeypatch.setattr(module, "synchronise", note)
    staged = there.stage(root, durable=durable)
    staged.apply()
    assert read_tree(root) == read_tree(wanted)
    if durable:
        assert synced.count("before") > 1 and "after" in synced
    else:
        assert synced == ["before"], "only the staging directory itself, so that it is swept after a power cut"
