"""The project that everybody works on: a generated tree under git, everything committed and packed, as projects are."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from bench.trees import Tree, generate


def make(root: Path, files: int) -> Tree:
    tree = generate(root, files)
    # A threshold of one byte makes git write one pack instead of a file an object: the same project, sooner.
    commands = ["init --quiet", "-c core.bigFileThreshold=1 add --all", "-c gc.auto=0 commit --quiet --message=all"]
    for command in commands:
        subprocess.run(["git", *command.split()], cwd=root, check=True)
    return tree


def warm(tree: Tree) -> None:
    """Everybody finds the files in memory."""
    for directory, _, names in os.walk(tree.root):
        for name in names:
            path = os.path.join(directory, name)
            if not os.path.islink(path):
                with open(path, "rb") as stream:
                    stream.read()
