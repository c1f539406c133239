"""An agent that changes what is ignored hides nothing: what it makes is captured, undo takes it back, and redo is exact."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.cli import takeback
from support.git import commit_all, git, init_repository
from support.hooks.forked import Hooks
from support.hooks.program import Program
from support.hooks.voices import Call
from support.trees import make_tree

pytestmark = pytest.mark.service("git")


class Project(Program):
    """A project in which an agent runs commands, and a person types takeback's."""

    def __init__(self, base: Path, home: Path, hooks: Hooks) -> None:
        super().__init__(base, home, hooks)
        self.root = self.world.root
        make_tree(self.root, {"a.txt": "a\n", "src/b.txt": "b\n", "src/deep/c.txt": "c\n", ".gitignore": "*.log\n"})

    def run(self, work: Callable[[], object]) -> None:
        """A command of the agent's."""
        call = Call(command="make")
        self.say(*self.voice.before(call))
        work()
        self.say(*self.voice.after(call))

    def makes(self, *works: Callable[[], object], title: str = "work") -> None:
        """A turn of several commands."""
        self.say(*self.voice.prompt(title))
        for work in works:
            self.run(work)
        self.say(*self.voice.stop())

    def write(self, **files: str) -> None:
        make_tree(self.root, {path.replace("__", "/").replace("_", "."): text for path, text in files.items()})

    def type(self, *arguments: str, code: int = 0) -> str:
        """A command of the person's; all that it says."""
        done = takeback(*arguments, cwd=self.root, env=self.env)
        said = (done.stdout + done.stderr).decode()
        assert done.returncode == code, said
        return said

    def goes_back_and_forth(self, *states: object) -> None:
        """Undo leads through the states, the oldest first, and redo through all of them again."""
        *older, last = states
        assert self.world.tree() == last
        for state in reversed(older):
            self.type("undo", "--yes")
            assert self.world.tree() == state
        for state in states[1:]:
            self.type("redo", "--yes")
            assert self.world.tree() == state


@pytest.fixture
def project(memory_path: Path, home: Path, hooks: Hooks) -> Iterator[Project]:
    yield Project(memory_path, home, hooks)


HIDING: dict[str, dict[str, str]] = {
    "everything": {".gitignore": "*\n"},
    "itself and more": {".gitignore": "*.log\n.gitignore\nmade*\n"},
    "a directory": {".gitignore": "*.log\nsrc/\n"},
    "all but what was there": {".gitignore": "*\n!a.txt\n!src/\n!src/b.txt\n"},
    "further down": {"src/.gitignore": "*\n", "src/deep/.gitignore": "made*\n", "new/.gitignore": "*\n"},
    "from us alone": {".takebackignore": "*\n"},
    "from us further down": {"src/.takebackignore": "made*\n", "src/deep/.takebackignore": "*\n"},
    "in git's own": {".git/info/exclude": "made*\nnew/\n"},
    "in a file that git's configuration names": {".git/config": "[core]\nexcludesFile = ~/hidden\n", "a.txt": "*\n"},
    "by case": {".git/config": "[core]\nignorecase = true\n", ".gitignore": "*.log\nMADE*\nNEW\n"},
}


def fill(root: Path, name: str) -> None:
    make_tree(root, {f"{name}.txt": name, f"src/{name}.txt": name, f"src/deep/{name}.txt": name, f"new/{name}/x": name})


@pytest.mark.parametrize("rules", HIDING.values(), ids=HIDING)
@pytest.mark.parametrize("repository", [True, False], ids=["in git", "outside git"])
@pytest.mark.parametrize("at_once", [True, False], ids=["in one command", "one by one"])
def test_what_a_turn_makes_is_taken_back_whatever_it_ignores(
    project: Project, home: Path, rules: dict[str, str], repository: bool, at_once: bool
) -> None:
    if repository:
        init_repository(project.root)
    elif any(path.startswith(".git/") for path in rules):
        pytest.skip("there is no such file outside git")
    (home / "hidden").write_text("made*\nnew\n")
    project.turn("before", "before.txt", "1")
    first = project.world.tree()
    works: list[Callable[[], object]] = [
        lambda: make_tree(project.root, rules),
        lambda: fill(project.root, "made"),
    ]
    if at_once:
        project.makes(lambda: [work() for work in works], title="hide")
    else:
        project.makes(*works, title="hide")
    second = project.world.tree()
    project.makes(lambda: fill(project.root, "made2"), title="more")
    third = project.world.tree()
    project.makes(
        lambda: (project.root / "src/made.txt").unlink(),
        lambda: (project.root / "made.txt").write_text("again"),
        title="change",
    )
    assert project.turns() == ["before", "hide", "more", "change"]
    project.goes_back_and_forth(first, second, third, project.world.tree())
    assert project.notices() == []
    assert project.world.store.verify(read_data=True).ok
