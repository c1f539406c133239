"""An agent that changes what is ignored hides nothing: what it makes is captured, undo takes it back, and redo is exact."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support.git import init_repository
from support.hooks.forked import Hooks
from support.hooks.project import Project
from support.hooks.told import Told
from support.hooks.voices import Call
from support.trees import Spec, make_tree
from takeback import locate
from takeback.sources.workspace.ignore import allowance

pytestmark = pytest.mark.service("git")


@pytest.fixture
def project(memory_path: Path, home: Path, hooks: Hooks) -> Project:
    project = Project(memory_path, home, hooks)
    project.write({"inner/.git/HEAD": "ref: refs/heads/main\n"})
    project.write({"a.txt": "a\n", "src/b.txt": "b\n", "src/deep/c.txt": "c\n", ".gitignore": "*.log\n"})
    return project


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
    "in a repository inside": {"inner/.git/info/exclude": "*\n", "inner/x": "1", "inner/deep/x": "1"},
    "by case": {".git/config": "[core]\nignorecase = true\n", ".gitignore": "*.log\nMADE*\nNEW\n"},
}


def fill(root: Path, name: str) -> None:
    make_tree(root, {f"{name}.txt": name, f"src/{name}.txt": name, f"src/deep/{name}.txt": name, f"new/{name}/x": name})


SOME = ("everything", "all but what was there", "further down", "from us alone")


@pytest.mark.parametrize(
    ("rules", "repository", "at_once"),
    [
        *(pytest.param(rules, True, True, id=name) for name, rules in HIDING.items()),
        *(pytest.param(HIDING[name], True, False, id=f"{name}, one by one") for name in SOME),
        *(pytest.param(HIDING[name], False, True, id=f"{name}, outside git") for name in SOME),
    ],
)
def test_what_a_turn_makes_is_taken_back_whatever_it_ignores(
    project: Project, home: Path, rules: dict[str, str], repository: bool, at_once: bool
) -> None:
    if repository:
        init_repository(project.root)
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
    assert all("changed while an agent was at work" in notice.message for notice in project.notices())
    assert project.notices()
    project.goes_back_and_forth(first, second, third, project.world.tree())
    assert project.world.store.verify(read_data=True).ok


# whose rules


def test_what_a_person_ignores_counts_at_once_and_without_a_word(project: Project) -> None:
    project.writes({"made.txt": "1"})
    project.write({".gitignore": "*.log\nleft*\n", "src/.gitignore": "right\n", "src/left1": "1"})
    project.writes({"left2": "1", "src/right": "1"}, {"more.txt": "1"})
    assert held(project) == {
        ".gitignore",
        "src/.gitignore",
        "a.txt",
        "src/b.txt",
        "src/deep/c.txt",
        "made.txt",
        "more.txt",
    }
    assert "agent" not in project.type("status") and project.notices() == []


def test_what_a_person_ignores_between_two_commands_of_an_agent_is_hers(project: Project) -> None:
    project.writes({"made.txt": "1"})
    project.say(*project.voice.prompt("work"))
    project.run(lambda: project.write({"a.txt": "2"}))
    project.write({".gitignore": "*.log\nleft*\n"})
    project.run(lambda: project.write({"left": "1", "more.txt": "1"}))
    project.say(*project.voice.stop())
    assert "left" not in held(project) and "more.txt" in held(project)
    assert "agent" not in project.type("status") and project.notices() == []


def test_what_a_person_ignores_around_an_edit_of_another_file_is_hers(project: Project) -> None:
    edit = Call(path=f"{project.root}/a.txt", text="2")
    project.say(*project.voice.prompt("work"), *project.voice.before(edit))
    project.write({".gitignore": "*.log\nleft1\n"})  # while it waits for a permission
    project.write({"a.txt": "2"})
    project.say(*project.voice.after(edit))
    project.write({".gitignore": "*.log\nleft*\n"})  # while the agent's own hooks may format the file
    project.run(lambda: project.write({"left1": "1", "left2": "1", "more.txt": "1"}))
    project.say(*project.voice.stop())
    assert "more.txt" in held(project) and not held(project) & {"left1", "left2"}
    assert "agent" not in project.type("status") and project.notices() == []


@pytest.mark.parametrize("path", [".gitignore", "src/.takebackignore", ".git/info/exclude"])
def test_what_an_edit_of_rules_ignores_is_the_agents(project: Project, path: str) -> None:
    init_repository(project.root)
    edit = Call(path=f"{project.root}/{path}", text="left*\n")
    project.writes({"a.txt": "2"})
    project.say(*project.voice.prompt("work"), *project.voice.before(edit))
    project.write({path: edit.text})
    project.say(*project.voice.after(edit), *project.voice.stop())
    project.writes({"left1": "1", "src/left1": "1"})
    assert held(project) >= {"left1", "src/left1"}
    assert f"{path} (‘left*’)" in project.type("log")


def test_a_person_who_edits_an_agents_rules_has_made_them_hers(project: Project) -> None:
    project.writes({"made.txt": "1"})
    project.writes({".gitignore": "left*\n", ".takebackignore": "right*\n"})
    assert ".gitignore (‘left*’)" in project.type("status") + project.type("doctor")
    project.write({".gitignore": "left*\nmine*\n"})
    project.type("save")
    project.writes({"left": "1", "right": "1", "mine": "1"})
    assert held(project) & {"left", "right", "mine"} == {"right"}
    assert ".takebackignore" in project.type("log") and ".gitignore" not in project.type("log")


def test_once_a_person_agrees_rules_count_until_an_agent_changes_them_again(project: Project) -> None:
    project.writes({"left1": "1"})
    project.writes({".gitignore": "left*\n"})
    assert ".gitignore hides more: left*" in project.type("trust", "--yes")
    first = project.world.tree()
    project.writes({"left1": "2", "left2": "1", "right": "1"})
    assert held(project) >= {"left1", "right"} and "left2" not in held(project), "what is captured stays captured"
    assert "agent" not in project.type("log")
    project.type("undo", "--yes")
    assert project.world.tree() == first | {"left2": project.world.tree()["left2"]}
    project.writes({".gitignore": "left*\nright\n"}, {"right": "1", "left3": "1"})
    assert "right" in held(project) and "left3" not in held(project)
    assert ".gitignore (‘right’)" in project.type("log")


def test_rules_that_hide_no_more_than_before_are_no_matter(project: Project) -> None:
    project.write({".gitignore": "*.log\n*.tmp\n# of mine\n"})
    project.writes({"a.txt": "2"})
    project.writes({".gitignore": "*.tmp\n# a word\n!kept.tmp\n"})
    assert "agent" not in project.type("log") and project.notices() == []
    project.writes({".gitignore": "*.tmp\n*.log\n"}, {"x.log": "1"})
    assert "agent" in project.type("log")
    project.writes({".gitignore": "*.log\n*.tmp\n"})
    assert "agent" not in project.type("log"), "they are again what a person had written"


def test_an_agent_that_takes_its_own_rules_back_leaves_nothing_behind(project: Project) -> None:
    project.writes({"a.txt": "2"})
    before = project.world.line.show("@").parts["workspace"].refs.keys()
    project.writes({".gitignore": "*\n"}, {"made.txt": "1"}, {".gitignore": "*.log\n"})
    assert "made.txt" in held(project)
    assert "agent" not in project.type("log")
    assert project.world.line.show("@").parts["workspace"].refs.keys() == before


def test_redo_of_what_hid_something_hides_nothing(project: Project) -> None:
    project.writes({"a.txt": "2"}, title="first")
    project.writes({".gitignore": "*\n"}, {"made.txt": "1"}, title="hide")
    project.type("undo", "--yes")
    assert "agent" not in project.type("log")
    project.type("redo", "--yes")
    assert ".gitignore (‘*’)" in project.type("log")
    project.writes({"more.txt": "1"})
    assert "more.txt" in held(project)


def test_restore_brings_rules_back_as_they_were_trusted_then(project: Project) -> None:
    project.write({".gitignore": "*.log\nmine*\n"})
    project.writes({"a.txt": "2"})
    project.type("save", "-m", "mine")
    project.write({".gitignore": "*.log\n"})
    project.writes({".gitignore": "*\n"}, {"a.txt": "3"})
    project.type("save", "-m", "theirs")
    project.type("restore", "mine", "--yes")
    assert "agent" not in project.type("log")
    project.writes({"mine1": "1", "made.txt": "1"})
    assert "made.txt" in held(project) and "mine1" not in held(project)
    project.type("restore", "theirs", "--yes")
    assert ".gitignore (‘*’)" in project.type("log")
    project.writes({"more.txt": "1"})
    assert "more.txt" in held(project)


def test_the_global_excludes_of_a_person_still_hold_and_are_left_as_they_are(project: Project, home: Path) -> None:
    init_repository(project.root)
    (home / ".config/git").mkdir(parents=True)
    excludes = home / ".config/git/ignore"
    excludes.write_text("global*\n")
    project.writes({"global1": "1", "a.txt": "2"})
    project.writes({".gitignore": "*\n"}, {"global2": "1", "made.txt": "1"})
    assert "made.txt" in held(project) and not held(project) & {"global1", "global2"}
    project.type("undo", "--yes")
    assert excludes.read_text() == "global*\n" and project.world.exists("global2")


def test_what_a_turn_of_a_run_or_a_library_ignores_hides_nothing_either(project: Project) -> None:
    project.type("save")
    first = project.world.tree()
    project.type(
        "run", "-m", "hide", "--", "sh", "-c", "echo '*' > .gitignore; echo 1 > made.txt; mkdir new; echo 1 > new/x"
    )
    second = project.world.tree()
    with project.world.line.turn("hide more"):
        project.write({"src/.gitignore": "*\n", "src/made.txt": "1"})
    project.goes_back_and_forth(first, second, project.world.tree())


# what undo says


def test_undo_says_that_a_move_changed_what_is_ignored(project: Project) -> None:
    init_repository(project.root)
    project.writes({"a.txt": "2"})
    project.writes({".gitignore": "*.log\nmade*\n", ".git/info/exclude": "secret\n", "made.txt": "1"})
    said = project.type("undo", "--yes")
    assert "the move changed what is ignored: .gitignore (‘made*’)" in said
    assert ".git/info/exclude (‘secret’); that stays" in said
    assert (project.root / ".git/info/exclude").read_text() == "secret\n"
    assert ".git/info/exclude (‘secret’)" in project.type("log"), "which still hides nothing"
    project.writes({"secret": "1"})
    assert "secret" in held(project)


# cost


def test_what_tools_make_again_stays_out_as_soon_as_it_is_ignored(project: Project) -> None:
    init_repository(project.root)
    project.writes({"a.txt": "2"})
    packages = {f"node_modules/p{number}/index.js": "x" for number in range(50)}
    project.writes(
        {".gitignore": "*.log\nnode_modules/*\n", ".venv/.gitignore": "*\n", ".venv/lib/x.py": "1"},
        packages | {"web/node_modules/q/index.js": "x", "web/.gitignore": "node_modules\n", "web/app.js": "1"},
    )
    assert held(project) >= {"web/app.js", "web/.gitignore"}
    assert not [path for path in held(project) if "node_modules" in path or ".venv" in path]


@pytest.fixture
def told(project: Project, monkeypatch: pytest.MonkeyPatch) -> Told:
    """Hooks in this process, where the allowance can be smaller."""
    monkeypatch.setattr(allowance, "FILES", 30)
    monkeypatch.setattr(allowance, "_LISTED", 5)
    monkeypatch.setenv("TAKEBACK_STORE", str(project.store))
    told = Told(project.root, "one")
    told("UserPromptSubmit", prompt="work")
    told.write("a.txt", "2", "t1")
    told.write(".gitignore", "out*\n", "t2")
    return told


def makes(told: Told, tree: dict[str, Spec], key: str) -> None:
    call = {"tool_name": "Bash", "tool_input": {"command": f"make {key}"}, "tool_use_id": key}
    told("PreToolUse", **call)
    make_tree(told.root, tree)
    told("PostToolUse", **call)


def test_a_directory_that_is_more_than_the_allowance_is_listed_as_not_captured(project: Project, told: Told) -> None:
    makes(told, {f"out1/{number}": "x" for number in range(20)}, "t3")
    makes(told, {f"out2/deep/{number}": "x" for number in range(11)}, "t4")
    makes(told, {f"out3/{number}": "x" for number in range(10)}, "t5")
    assert {path.partition("/")[0] for path in held(project) if path.startswith("out")} == {"out1", "out3"}
    snapshot = told.line.show("@")
    (left,) = snapshot.not_captured
    assert (left.path, left.reason) == ("out2", "hidden") and "`takeback trust`" in left.detail
    told("Stop")
    assert told.line.save().id == told.line.show("@").id == snapshot.id, "the same is said of the same"
    tree = project.world.tree()
    assert not told.line.undo().conflicts
    assert sorted(project.world.files()) == [
        ".gitignore", "a.txt", *sorted(f"out2/deep/{number}" for number in range(11)), "src/b.txt", "src/deep/c.txt"
    ]  # fmt: skip
    told.line.redo()
    assert project.world.tree() == tree


def test_of_more_files_than_the_allowance_each_is_listed_or_counted_as_ignored(project: Project, told: Told) -> None:
    makes(told, {f"out{number}": "x" for number in range(40)}, "t3")
    snapshot = told.line.show("@")
    assert len([path for path in held(project) if path.startswith("out")]) == 30
    assert len(snapshot.not_captured) == 5 and {item.reason for item in snapshot.not_captured} == {"hidden"}
    told("Stop")
    assert told.line.save().id == snapshot.id
    tree = project.world.tree()
    told.line.undo()
    assert len([path for path in project.world.files() if path.startswith("out")]) == 10
    told.line.redo()
    assert project.world.tree() == tree
    agreed = {change.digest for change in told.line.unagreed()}
    baseline = locate.baseline.read(str(project.root))
    assert baseline is not None
    locate.baseline.write(baseline._replace(rules=tuple(agreed)))
    assert told.line.save().not_captured == ()


def held(project: Project) -> set[str]:
    """The files of the latest snapshot."""
    return {path for path, entry in project.world.line.files("@") if entry.kind != "d"}
