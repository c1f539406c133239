"""Every byte, name, mode and link is captured as it is, and comes back so; and where a workspace may be."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from support.agent import MakeWorld, World, look
from support.captures import comes_back, content, fill, left_out, saved
from support.trees import Dir, File, Link, Spec, make_tree
from takeback.sources.workspace import capture

# names, bytes, modes, links, directories

NAMES = {
    "a newline": b"two\nlines",
    "a lone newline": b"\n",
    "invalid UTF-8": b"\xff\xfe\x80",
    "half of a character": b"caf\xc3",
    "a surrogate in UTF-8": b"\xed\xa0\x80",
    "characters outside the basic plane": "🚀\u202e".encode(),
    "composed and decomposed": "é".encode(),
    "a leading dash": b"-rf",
    "quotes": b"'\"`$(touch pwned)",
    "a backslash": b"back\\slash\\n",
    "spaces at the ends": b" x ",
    "a tab and a bell": b"\t\x07",
    "dots": b"...",
    "a tilde": b"~root",
    "pathspec magic": b":(exclude)*",
    "255 bytes": b"n" * 255,
    "255 bytes that are no text": b"\xf0" * 255,
    "every other byte": bytes(set(range(1, 256)) - {0x2F}),
}


@pytest.mark.parametrize("raw", NAMES.values(), ids=NAMES)
def test_any_bytes_in_a_name_are_kept(world: World, raw: bytes) -> None:
    tree: dict[bytes, Spec] = {
        raw: "a file",
        b"d/" + raw + b"/" + raw: "deeper",
        b"l/" + raw: Link(raw),
        b"e/" + raw: Dir(),
    }
    make_tree(world.root, tree)
    comes_back(world)


def test_names_that_differ_only_in_how_they_are_composed_are_two(world: World) -> None:
    make_tree(world.root, {"é".encode(): "composed", "e\u0301".encode(): "decomposed", b"\xe9": "latin 1"})
    comes_back(world)


def test_bytes_are_kept_as_they_are(world: World) -> None:
    fill(
        world,
        {
            ".gitattributes": "* text=auto eol=lf\n",
            "crlf": b"one\r\ntwo\r\n",
            "mixed": b"one\r\ntwo\nthree\r",
            "no newline": b"end",
            "binary": bytes(range(256)) * 20,
            "empty": b"",
            "bom": b"\xef\xbb\xbftext",
            "zeros": bytes(3 << 20),
            "large": os.urandom((2 << 20) + 1),
        },
    )
    comes_back(world)


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o755, 0o700, 0o777, 0o400, 0o555, 0o000])
def test_permissions_are_kept(world: World, mode: int) -> None:
    fill(world, {"file": File("x", mode), "directory/file": "y", "directory": Dir(mode)})
    comes_back(world)


def test_setuid_and_setgid_are_dropped_with_a_word(world: World) -> None:
    fill(world, {"setuid": File("u", 0o4755), "setgid": File("g", 0o2750), "both": File("b", 0o6711), "plain": "p"})
    for snapshot in (world.line.save(), world.line.save()):  # read, and recognised as unchanged
        assert left_out(snapshot) == {"setuid": "setuid", "setgid": "setuid", "both": "setuid"}
        captured = content(world, snapshot)
        assert {path: node.mode for path, node in captured.items()} == {
            "setuid": 0o755,
            "setgid": 0o750,
            "both": 0o711,
            "plain": 0o644,
        }
    world.write("setuid", "changed", 0o755)
    world.restore("root")
    assert world.read("setuid") == b"u"
    assert world.mode("setuid") == 0o755


def test_links_are_never_followed(world: World, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    make_tree(outside, {"secret": "not yours", "directory/inside": "nor this"})
    fill(
        world,
        {
            "dangling": Link("nowhere"),
            "to a file": Link(str(outside / "secret")),
            "to a directory": Link(str(outside / "directory")),
            "upwards": Link("../../outside"),
            "to itself": Link("to itself"),
            "to the root": Link("/"),
            "to here": Link("."),
            "long": Link("x/" * 2000),
            "no text": Link(b"\xff\n"),
        },
    )
    before = look(outside)
    comes_back(world)
    assert look(outside) == before


def test_empty_directories_are_kept(world: World) -> None:
    fill(world, {"empty": Dir(), "a/b/c": Dir(0o700), "beside/file": "x", "beside/empty": Dir()})
    comes_back(world)


def test_a_file_that_becomes_a_directory_and_back(world: World) -> None:
    fill(world, {"x": "file"})
    file = saved(world)
    world.remove("x")
    fill(world, {"x/y/z": "directory"})
    directory = saved(world)
    world.remove("x")
    world.link("x", "elsewhere")
    link = saved(world)
    world.remove("x")
    fill(world, {"x": "file"})
    assert content(world, world.line.save()) == content(world, file)
    for snapshot in (directory, link, file, link, directory, file):
        world.restore(snapshot)
        assert world.tree() == content(world, snapshot)


def test_a_name_that_changes_only_its_case(world: World) -> None:
    fill(world, {"Readme.md": "text", "Source/main.c": "main"})
    first = saved(world)
    world.rename("Readme.md", "README.md")
    world.rename("Source", "source")
    second = saved(world)
    assert set(content(world, second)) == {"README.md", "source", "source/main.c"}
    world.restore(first)
    assert world.tree() == content(world, first)
    world.restore(second)
    assert world.tree() == content(world, second)


@pytest.mark.parametrize("moment", [-1, 0, 2**31, 10_413_792_000, -2_000_000_000])
def test_files_of_any_age_are_captured_and_every_edit_of_them(world: World, moment: int) -> None:
    fill(world, {"file": "one", "link": Link("one")})
    for text in ("one", "two", "six"):
        world.write("file", text)
        world.link("link", text)
        for path in ("file", "link"):
            os.utime(world.root / path, (moment, moment), follow_symlinks=False)
        saved(world)


# rules


def paths(world: World) -> set[str]:
    """The files in a fresh snapshot, which holds what is in them."""
    captured = content(world, world.line.save())
    for path, node in captured.items():
        assert node == world.tree()[path]
    return {path for path, node in captured.items() if node.kind != "dir"}


def test_outside_git_heavy_directories_are_left_out_and_all_else_is_kept(world: World) -> None:
    fill(world, {"node_modules/x/y": "", ".venv/bin/python": "", "a/__pycache__/m.pyc": "", "build/x": "", ".env": ""})
    assert paths(world) == {"build/x", ".env"}


def test_exclude_include_and_takebackignore(make_world: MakeWorld) -> None:
    world = make_world(exclude=["*.log", "cache/"], include=[".env", "keep.log", "node_modules/mine/"])
    fill(
        world,
        {
            "a.log": "",
            "keep.log": "",
            "cache/x": "",
            "deep/cache/y": "",
            "node_modules/mine/index.js": "",
            "node_modules/theirs/index.js": "",
            ".env": "",
            "sub/.takebackignore": "*.tmp\n!good.tmp\n.env\n",
            "sub/bad.tmp": "",
            "sub/good.tmp": "",
            "sub/.env": "",
            "other.tmp": "",
        },
    )
    expected = {
        "keep.log",
        "node_modules/mine/index.js",
        ".env",
        "sub/.takebackignore",
        "sub/good.tmp",
        "sub/.env",
        "other.tmp",
    }
    assert paths(world) == expected
    assert paths(world) == expected


# places


def test_a_workspace_that_is_gone_is_not_found(world: World) -> None:
    fill(world, {"file": "x"})
    first = saved(world)
    world.remove("file")
    world.root.rmdir()
    for act in (world.line.save, world.line.diff, world.line.undo, lambda: world.line.restore(first)):
        with pytest.raises(tb.NotFound, match=r"gone|no such directory"):
            act()
    world.root.mkdir()
    world.restore(first)
    assert world.read("file") == b"x"


@pytest.mark.parametrize("place", ["missing", "file", "/"])
def test_what_is_no_workspace_is_invalid(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(tb.InvalidInput):
        tb.Workspace(place if place == "/" else tmp_path / place)


def test_a_workspace_is_where_it_was_when_the_directory_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_tree(tmp_path / "a", {"file": "a"})
    make_tree(tmp_path / "b", {"file": "b"})
    monkeypatch.chdir(tmp_path / "a")
    with tb.open("../store") as store:
        line = store.timeline(sources=[tb.Workspace(".")])
        monkeypatch.chdir(tmp_path / "b")
        snapshot = line.save()
        assert line.read(snapshot, "file") == b"a"
        (tmp_path / "a" / "file").write_text("changed")
        line.restore(snapshot)
    assert (tmp_path / "a" / "file").read_text() == "a"
    assert (tmp_path / "b" / "file").read_text() == "b"
    assert not (tmp_path / "b" / "store").exists()


def test_a_workspace_reached_through_a_link_is_the_same(tmp_path: Path) -> None:
    world = World(tmp_path)
    fill(world, {"file": "x"})
    first = world.line.save()
    (tmp_path / "link").symlink_to("project")
    assert world.store.timeline(sources=[tb.Workspace(tmp_path / "link")]).save().id == first.id


def test_a_root_whose_own_name_is_no_text(tmp_path: Path) -> None:
    root = os.fsencode(tmp_path) + b"/\xff\n"
    make_tree(root, {"file": "x"})
    with tb.open(tmp_path / "store") as store:
        line = store.timeline(sources=[tb.Workspace(os.fsdecode(root))])
        first = line.save()
        make_tree(root, {"file": "y"})
        line.restore(first)
        assert line.show("@").root == os.fsdecode(root)
    assert look(Path(os.fsdecode(root)))["file"].data == b"x"


# directories of nothing but files


def settle(directory: Path) -> None:
    """Wait until no file in a directory could change without its stat changing: the racy rule's affair."""
    latest = max(path.lstat().st_ctime_ns for path in directory.iterdir())
    while time.clock_gettime_ns(time.CLOCK_REALTIME) - latest < 100_000_000:
        pass


def test_a_directory_of_unchanged_files_is_recognised_as_a_whole(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also after one of them changed, came or went: the order in which the system lists them is remembered anew."""
    one_by_one: list[str] = []

    class Noted(capture._Visit):
        def __init__(self, walk: capture.Walk, handle: int, path: str, *rest: Any) -> None:
            one_by_one.append(path)
            super().__init__(walk, handle, path, *rest)

    monkeypatch.setattr(capture, "_Visit", Noted)
    for number in range(30):
        world.write(f"plain/{number:02}", f"{number}")
    changes: list[Callable[[], object]] = [
        lambda: world.write("plain/07", "changed"),
        lambda: world.write("plain/new", "new"),
        lambda: world.remove("plain/11"),
        lambda: world.chmod("plain/12", 0o755),
        lambda: world.rename("plain/13", "plain/renamed"),
    ]
    for number, change in enumerate(changes):
        settle(world.root / "plain")
        world.write("elsewhere", f"{number}")  # a save that changes nothing remembers nothing anew
        world.line.save()
        one_by_one.clear()
        world.line.save()
        assert one_by_one == [""]
        change()
        assert content(world, world.line.save()) == world.tree()
        assert one_by_one == ["", "", "plain"]


def test_a_file_that_became_a_directory_is_noticed_among_unchanged_ones(world: World) -> None:
    for name in ("a", "b", "c"):
        world.write(f"plain/{name}", name)
    settle(world.root / "plain")
    world.line.save()
    world.remove("plain/b")
    world.write("plain/b/inner", "b")
    assert content(world, world.line.save()) == world.tree()
