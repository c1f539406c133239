"""An agent that changes takeback's settings stops nothing: what it does is recorded, undo takes it back, and redo is exact."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from support.git import init_repository
from support.hooks.forked import Hooks
from support.hooks.project import Project, Work
from support.hooks.voices import ClaudeCode
from takeback import locate


@pytest.fixture
def project(memory_path: Path, home: Path, hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> Project:
    project = Project(memory_path, home, hooks)
    monkeypatch.setenv("TAKEBACK_STORE", str(project.store))
    project.write({"a.txt": "a\n", "src/b.txt": "b\n"})
    return project


WEAKENING = {
    "nothing recorded": "snapshots = false",
    "everything left out": 'exclude = ["**"]',
    "some left out": 'exclude = ["made*", "more*"]',
    "no time": 'time_budget = "1ms"\nmax_file_size = "1"',
    "no time at all": "time_budget = 0",
    "no files": 'max_file_size = "1"',
    "another timeline": 'timeline = "elsewhere"',
    "turns alone": 'triggers = ["turn"]',
    "no conversation": "transcripts = false",
    "a value that is never saved": 'states = ["memory"]',
    "all at once": 'snapshots = false\nexclude = ["**"]\ntime_budget = 0\nmax_file_size = 1\ntimeline = "x"\ntriggers = []',
}

FILES = {"takeback.toml": "{}\n", "pyproject.toml": "[project]\nname = 'x'\n[tool.takeback]\n{}\n"}


@pytest.mark.parametrize(
    ("file", "text"),
    [
        *(pytest.param("takeback.toml", text, id=name) for name, text in WEAKENING.items()),
        pytest.param("pyproject.toml", WEAKENING["all at once"], id="in pyproject.toml"),
    ],
)
def test_settings_that_an_agent_writes_stop_nothing_and_are_told(project: Project, file: str, text: str) -> None:
    project.writes({"before.txt": "1"}, title="before")
    first = project.world.tree()
    project.writes({file: FILES[file].format(text)}, {"made.txt": "made", "src/b.txt": "changed"}, title="weaken")
    second = project.world.tree()
    project.voice = ClaudeCode("two", str(project.root), project.voice.home)  # another session, in which it would count
    project.writes({"more.txt": "more"}, {"made.txt": "again"}, title="more")
    third = project.world.tree()
    assert project.turns() == ["before", "weaken", "more"]
    assert {move.level for move in project.world.moves()} == {"turn", "action"}
    notices = [notice.message for notice in project.notices()]
    assert notices and all("changed while an agent was at work" in each and file in each for each in notices)
    assert "changed while an agent was at work" in project.type("status")
    assert json.loads(project.type("status", "--json"))["to_agree"]
    project.goes_back_and_forth(first, second, third)
    assert project.world.store.verify(read_data=True).ok


# who changed them


def test_what_a_clone_brings_and_what_a_person_changes_counts_at_once_and_without_a_word(project: Project) -> None:
    project.write({"takeback.toml": 'exclude = ["left"]\n'})
    project.writes({"left": "1", "made.txt": "made"})
    assert "left" not in held(project)
    project.write({"takeback.toml": 'exclude = ["left", "right"]\nmax_file_size = 5\n'})
    project.writes({"right": "1", "large.txt": "123456"}, {"small.txt": "1"})
    assert held(project) & {"left", "right", "large.txt", "small.txt"} == {"small.txt"}
    assert "agent" not in project.type("status") and project.notices() == []
    (project.root / "takeback.toml").unlink()
    project.writes({"right": "2"})
    assert "right" in held(project)
    assert "agent" not in project.type("status") and project.notices() == []


def test_what_a_person_changes_between_two_commands_of_an_agent_is_hers(project: Project) -> None:
    project.writes({"a.txt": "1"})
    project.makes(lambda: project.write({"a.txt": "2"}))
    project.say(*project.voice.prompt("work"))
    project.run(lambda: project.write({"a.txt": "3"}))
    project.write({"takeback.toml": 'exclude = ["left"]\n'})
    project.run(lambda: project.write({"left": "1", "made.txt": "1"}))
    project.say(*project.voice.stop())
    assert "left" not in held(project) and "made.txt" in held(project)
    assert "agent" not in project.type("status") and project.notices() == []


def test_of_what_an_agent_writes_counts_what_records_more(project: Project) -> None:
    project.write({"takeback.toml": 'exclude = ["left", "right"]\nmax_file_size = 5\n', ".gitignore": "ignored*\n"})
    project.writes({"a.txt": "1"})
    project.writes({"takeback.toml": 'exclude = ["left"]\nmax_file_size = 9\ninclude = ["ignored.txt"]\n'})
    assert "agent" not in project.type("status") and project.notices() == []
    project.writes({"left": "1", "right": "1", "large": "1234567", "ignored.txt": "1", "ignored.log": "1"})
    assert held(project) >= {"right", "large", "ignored.txt"} and not held(project) & {"left", "ignored.log"}


def test_once_a_person_agrees_they_count_until_an_agent_changes_them_again(project: Project) -> None:
    project.writes({"a.txt": "1"})
    project.writes({"takeback.toml": 'exclude = ["left"]\n'})
    assert "changed while an agent was at work" in project.type("status")
    assert "`takeback trust` asks you" in project.type("doctor")
    said = project.type("trust", "--yes")
    assert 'exclude = ["left"]' in said and "agreed" in said
    project.writes({"left": "1", "right": "1"})
    assert "left" not in held(project)
    assert "agent" not in project.type("status")
    project.writes({"takeback.toml": 'exclude = ["left", "right"]\n'})
    project.writes({"left": "2", "right": "2", "made.txt": "1"})
    assert "right" in held(project) and "left" not in held(project)
    assert "changed while an agent was at work" in project.type("status")


def test_what_an_agent_wrote_stays_an_agents_however_often_it_is_written_again(project: Project) -> None:
    project.writes({"a.txt": "1"})
    project.writes({"takeback.toml": "snapshots = false\n"})
    text = (project.root / "takeback.toml").read_text()
    (project.root / "takeback.toml").unlink()
    project.type("save")
    project.write({"takeback.toml": text})
    assert "changed while an agent was at work" in project.type("save")
    project.type("undo", "--yes")
    assert "an agent" not in project.type("log")
    project.type("redo", "--yes")
    assert "changed while an agent was at work" in project.type("log")


def test_an_agent_cannot_agree_for_a_person(project: Project) -> None:
    project.writes({"a.txt": "1"})
    said: list[str] = []
    project.makes(
        lambda: project.write({"takeback.toml": "snapshots = false\n", ".gitignore": "*\n"}),
        lambda: said.append(project.type("trust", "--yes", code=2)),
        lambda: project.write({"made.txt": "1"}),
    )
    assert "cannot agree for you" in said[0]
    assert "made.txt" in held(project)


def test_trust_without_anything_new_changes_nothing(project: Project) -> None:
    project.writes({"a.txt": "1"})
    project.type("trust", "--yes")
    before = locate.baseline.read(str(project.root))
    assert "nothing that needs your agreement" in project.type("trust")
    assert before is not None and locate.baseline.read(str(project.root)) == before


# files that cannot be read, or are gone


BROKEN = {
    "no toml": "exclude = [",
    "not utf-8": b"\xff\xfe",
    "too deep": f"a = {'[' * 5000}{']' * 5000}",
    "too large": b"#" * (5 << 20),
    "wrong values": 'timeline = 5\nexclude = 7\nsnapshots = "no"\nmax_file_size = "x"',
    "empty": "",
    "unknown": "[nothing]\nhere = 1",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_file_that_an_agent_breaks_leaves_the_last_good_values(project: Project, text: str | bytes) -> None:
    project.write({"takeback.toml": 'timeline = "work"\ninclude = ["kept.log"]\nexclude = ["left"]\n'})
    project.write({".gitignore": "*.log\n"})
    project.world.timeline = "work"
    project.writes({"a.txt": "1"}, title="before")
    first = project.world.tree()
    project.writes({"takeback.toml": text}, {"made.txt": "1", "kept.log": "1"}, title="break")
    assert project.turns() == ["before", "break"]
    assert {"made.txt", "kept.log"} <= held(project)
    said = project.type("status")
    assert "cannot be read" in said or "changed while an agent was at work" in said
    project.goes_back_and_forth(first, project.world.tree())


def test_a_file_that_a_person_breaks_leaves_them_too(project: Project) -> None:
    project.write({"takeback.toml": 'exclude = ["left"]\n'})
    project.writes({"a.txt": "1"})
    project.write({"takeback.toml": "exclude = ["})
    assert "what takeback.toml said before still counts" in project.type("save")
    project.writes({"left": "1", "b.txt": "1"})
    assert "left" not in held(project)


def test_a_broken_pyproject_leaves_the_last_good_values_and_one_that_never_spoke_to_us_is_no_trouble(
    project: Project,
) -> None:
    project.write({"pyproject.toml": "[tool.takeback]\nexclude = ['left']\n"})
    project.writes({"a.txt": "1"})
    project.writes({"pyproject.toml": "[tool"}, {"left": "1", "made.txt": "1"})
    assert "left" not in held(project) and "made.txt" in held(project)
    assert "what pyproject.toml said before still counts" in project.type("status")
    project.type("undo", "--yes")
    assert "still counts" not in project.type("status")


def test_a_file_that_an_agent_removes_renames_or_replaces_still_counts(project: Project) -> None:
    project.write({"takeback.toml": 'timeline = "work"\ninclude = ["kept.log"]\n', ".gitignore": "*.log\n"})
    project.world.timeline = "work"
    project.writes({"a.txt": "1"}, title="before")
    file = project.root / "takeback.toml"
    states = [project.world.tree()]
    works: list[Work] = [file.unlink, file.mkdir, lambda: file.rename(project.root / "other")]
    for number, work in enumerate(works):
        project.makes(work, partial(project.write, {"kept.log": str(number)}), title=f"turn {number}")
        states.append(project.world.tree())
        assert "kept.log" in held(project)
        assert "changed while an agent was at work" in project.type("status")
    project.goes_back_and_forth(*states)


# the root


def test_a_file_that_an_agent_makes_leaves_the_root_where_it_is(project: Project, tmp_path: Path) -> None:
    init_repository(project.root)
    inner = project.root / "src"
    project.voice.cwd = str(inner)  # the session begins further down
    project.writes({"a.txt": "1"}, title="before")
    first = project.world.tree()
    project.writes({"src/takeback.toml": "", "takeback.toml": ""}, {"src/made.txt": "1"}, title="root")
    second = project.world.tree()
    project.voice = ClaudeCode("two", str(inner), project.voice.home)
    project.writes({"src/more.txt": "1"}, title="another session")
    third = project.world.tree()
    assert project.turns() == ["before", "root", "another session"]
    for state in (second, first):
        assert "makes no root of its own" in project.type("undo", "--yes", directory=inner)
        assert project.world.tree() == state
    for state in (second, third):
        project.type("redo", "--yes", directory=inner)
        assert project.world.tree() == state
    project.type("trust", "--yes", directory=inner)
    assert json.loads(project.type("status", "--json", directory=inner))["root"] == str(inner)
    assert json.loads(project.type("status", "--json"))["root"] == str(project.root)


def test_a_file_that_an_agent_makes_above_takes_the_root_along_no_more(project: Project) -> None:
    project.writes({"a.txt": "1"}, title="before")
    first = project.world.tree()
    above = project.root.parent / "takeback.toml"
    project.makes(
        lambda: above.write_text("snapshots = false\n"), lambda: project.write({"made.txt": "1"}), title="above"
    )
    second = project.world.tree()
    project.voice = ClaudeCode("two", str(project.root), project.voice.home)
    project.writes({"more.txt": "1"}, title="another session")
    third = project.world.tree()
    assert project.turns() == ["before", "above", "another session"]
    assert f"{above} was not there" in project.type("status")
    project.goes_back_and_forth(first, second, third)


def test_a_file_that_was_there_before_a_root_was_recorded_makes_a_root(project: Project) -> None:
    inner = project.root / "src"
    project.write({"src/takeback.toml": ""})
    project.writes({"a.txt": "1"})
    assert json.loads(project.type("status", "--json", directory=inner))["root"] == str(inner)


def test_undo_says_that_a_move_changed_takebacks_own_settings(project: Project) -> None:
    project.writes({"a.txt": "1"})
    project.writes({"takeback.toml": "snapshots = false\n", "pyproject.toml": "[tool.takeback]\ntriggers = []\n"})
    planned = project.type("undo", "--dry-run")
    assert "changed takeback's own settings: takeback.toml" in planned
    assert "changed takeback's own settings: [tool.takeback] in pyproject.toml" in planned
    project.writes({"pyproject.toml": "[tool.takeback]\ntriggers = []\n[project]\nname = 'x'\n"})
    assert "own settings" not in project.type("undo", "--dry-run").replace("changed while an agent was at work", "")


def held(project: Project) -> set[str]:
    """The files of the latest snapshot."""
    line = project.world.line
    return {path for path, entry in line.files("@") if entry.kind != "d"}
