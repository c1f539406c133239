"""A directory and a turn in it that has every kind of effect, for tests of how restores end."""

from __future__ import annotations

from support.agent import World
from support.trees import Dir, File, Link, Spec, make_tree

BEFORE: dict[str, Spec] = {
    "changed": "as it was\n",
    "deleted": "to come back\n",
    "gone/deep/file": "to come back\n",
    "gone/empty": Dir(0o700),
    "mode": File("m", 0o644),
    "directory": Dir(0o755),
    "directory/inside": "inside",
    "link": Link("one"),
    "file then directory": "file",
    "directory then file/x/y": "y",
    "directory then link/x": "x",
    "untouched": "u",
}


def turn(world: World) -> None:
    """One move with every kind of effect."""
    root = world.root
    world.write("changed", "by the agent\n")
    world.remove("deleted")
    world.remove("gone")
    world.chmod("mode", 0o600)
    world.chmod("directory", 0o711)
    world.link("link", "two")
    world.remove("file then directory")
    made: dict[str, Spec] = {"new/a/b": "new", "new/empty": Dir(), "new file": "new"}
    make_tree(root, {"file then directory/inside/deep": "d", **made})
    for path in ("directory then file", "directory then link"):
        world.remove(path)
    world.write("directory then file", "file")
    world.link("directory then link", "elsewhere")
