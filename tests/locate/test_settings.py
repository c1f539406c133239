"""Which store, which root, which settings; and that a cloned repository decides about none but its own."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import takeback as tb
from support.git import commit_all, init_repository
from support.trees import make_tree
from takeback.locate import SETTINGS, Place, agreed, find_root, place, store_path, user_file
from takeback.model.effect_rule import EffectRule


@pytest.fixture
def project(tmp_path: Path) -> Path:
    make_tree(tmp_path / "project", {"src/main.py": "main"})
    return tmp_path / "project"


@pytest.fixture(autouse=True)
def untouched(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting comes from the environment of the tests."""
    monkeypatch.delenv("TAKEBACK_UPKEEP")


def configure(text: str) -> None:
    """Write the user's configuration."""
    make_tree(os.path.dirname(user_file()), {"config.toml": text})


# the order


LAYERS: dict[str, Callable[[Path, pytest.MonkeyPatch], object]] = {
    "flag": lambda project, patch: None,
    "environment": lambda project, patch: patch.setenv("TAKEBACK_TIMELINE", "environment"),
    "takeback.toml": lambda project, patch: make_tree(project, {"takeback.toml": "timeline = 'takeback.toml'"}),
    "pyproject.toml": lambda project, patch: make_tree(
        project, {"pyproject.toml": "[tool.takeback]\ntimeline = 'pyproject.toml'"}
    ),
    "user": lambda project, patch: configure("timeline = 'user'"),
}


@pytest.mark.parametrize("winner", [*LAYERS, "default"])
def test_a_value_comes_from_the_first_place_that_has_one(
    project: Path, monkeypatch: pytest.MonkeyPatch, winner: str
) -> None:
    order = [*LAYERS, "default"]
    for name in order[order.index(winner) : -1]:
        LAYERS[name](project, monkeypatch)
    flags = {"timeline": "flag"} if winner == "flag" else {}
    where = place(str(project), fixed=False, **flags)
    assert where["timeline"] == ("main" if winner == "default" else winner)
    assert where.settings["timeline"].origin == (user_file() if winner == "user" else winner)


def test_takeback_toml_hides_pyproject_as_a_whole(project: Path) -> None:
    make_tree(
        project,
        {"takeback.toml": "exclude = ['a']", "pyproject.toml": "[tool.takeback]\ntimeline = 'x'\nexclude = ['b']"},
    )
    where = place(str(project))
    assert (where["timeline"], where["exclude"]) == ("main", ("a",))


def test_a_flag_of_none_is_no_flag_and_an_empty_variable_is_not_set(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure("timeline = 'user'")
    monkeypatch.setenv("TAKEBACK_TIMELINE", "")
    monkeypatch.setenv("TAKEBACK_STORE", "")
    where = place(str(project), timeline=None)
    assert where["timeline"] == "user"
    assert where.settings["store"].origin == "default"


def test_every_setting_has_a_default_that_is_valid(project: Path) -> None:
    where = place(str(project))
    assert where.settings.keys() == SETTINGS.keys()
    assert {value.origin for value in where.settings.values()} == {"default"}


def test_settings_of_different_places_join(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure("max_file_size = '5MiB'\ntime_budget = 3\n")
    make_tree(project, {"takeback.toml": "include = ['.env']\ntime_budget = '2s'\n"})
    monkeypatch.setenv("TAKEBACK_TIMELINE", "t")
    where = place(str(project))
    assert {name: where[name] for name, value in where.settings.items() if value.origin != "default"} == {
        "timeline": "t",
        "include": (".env",),
        "max_file_size": "5MiB",
        "time_budget": "2s",
    }


# the store


def test_the_store_is_the_users_own_by_default(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert store_path() == str(home / ".local/share/takeback")
    monkeypatch.delenv("XDG_DATA_HOME")
    assert store_path() == str(home / ".local/share/takeback")
    monkeypatch.setenv("XDG_DATA_HOME", "/somewhere")
    assert store_path() == place(str(project))["store"] == "/somewhere/takeback"


def test_the_store_of_the_configuration_and_of_the_environment(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure("store = '~/kept here'")
    assert store_path() == place(str(project))["store"] == str(home / "kept here")
    monkeypatch.setenv("TAKEBACK_STORE", "~/and here")
    assert store_path() == place(str(project))["store"] == str(home / "and here")
    assert place(str(project), store="/a/flag")["store"] == "/a/flag"
    monkeypatch.chdir(project)
    monkeypatch.setenv("TAKEBACK_STORE", "beside")
    assert store_path() == str(project / "beside")


@pytest.mark.parametrize(
    "tree", [{"takeback.toml": "store = '/tmp/theirs'"}, {"pyproject.toml": "[tool.takeback]\nstore = '/tmp/theirs'"}]
)
def test_a_project_cannot_choose_the_store(project: Path, tree: dict[str, str]) -> None:
    make_tree(project, tree)
    where = place(str(project))
    assert (where["store"], where.settings["store"].origin) == (store_path(), "default")
    (warning,) = where.warnings
    assert str(project / next(iter(tree))) in warning and "may not set 'store'" in warning and user_file() in warning
    tb.here(project).save()
    assert not os.path.exists("/tmp/theirs")


# what is wrong is said, with where it is


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("colour = 'red'", "colour"),
        ("timeline = 5", "timeline"),
        ("include = '.env'", "include"),
        ("include = 5", "include"),
        ("exclude = [1, 2]", "exclude"),
        ("exclude = { a = 'b' }", "exclude"),
        ("max_file_size = 'huge'", "max_file_size"),
        ("max_file_size = -1", "max_file_size"),
        ("max_file_size = 1.5e999", "max_file_size"),
        ("max_file_size = true", "max_file_size"),
        ("max_file_size = []", "max_file_size"),
        ("time_budget = 'soon'", "time_budget"),
        ("time_budget = -5", "time_budget"),
        ("time_budget = nan", "time_budget"),
        ("time_budget = { minutes = 5 }", "time_budget"),
    ],
)
@pytest.mark.parametrize("file", ["takeback.toml", "pyproject.toml", "config.toml"])
def test_an_unknown_or_badly_typed_setting_is_named_with_its_file(
    project: Path, file: str, text: str, setting: str
) -> None:
    if file == "config.toml":
        configure(text)
        with pytest.raises(tb.InvalidInput) as caught:
            place(str(project))
        said = caught.value.message
    else:
        make_tree(project, {file: text if file == "takeback.toml" else f"[tool.takeback]\n{text}"})
        where = place(str(project))
        (said,) = where.warnings
        assert {value.origin for value in where.settings.values()} == {"default"}
    assert file in said
    assert repr(setting) in said


def test_a_user_s_rules_for_effects(project: Path) -> None:
    configure(
        '[[effects]]\nkind = "deploy"\ncommand = "make ship"\n[[effects]]\nkind = "pager"\ntool = "mcp__pager__.*"'
    )
    rules = (EffectRule("deploy", "make ship"), EffectRule("pager", tool="mcp__pager__.*"))
    assert place(str(project))["effects"] == rules


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("effects = 'git push'", "not a list of rules"),
        ("effects = ['git push']", "not a table"),
        ("[[effects]]\ncommand = 'make ship'", "needs a kind"),
        ("[[effects]]\nkind = 5", "not a table of texts"),
        ("[[effects]]\nkind = 'x'", "a command or for a tool"),
        ("[[effects]]\nkind = 'x'\ncommand = 'a'\ntool = 'b'", "a command or for a tool"),
        ("[[effects]]\nkind = 'x'\ncommand = '--force'", "does not begin with a program"),
        ("[[effects]]\nkind = 'x'\ncommand = 'psql ?sql'", "asks a question"),
        ("[[effects]]\nkind = 'x'\ntool = '('", "no regular expression"),
        ("[[effects]]\nkind = 'x'\nprogram = 'a'", "no 'program'"),
    ],
)
def test_a_wrong_rule_for_effects_is_an_error(project: Path, rule: str, message: str) -> None:
    configure(rule)
    with pytest.raises(tb.InvalidInput, match=message) as raised:
        place(str(project))
    assert user_file() in raised.value.message


def test_a_project_cannot_say_what_is_no_effect(project: Path) -> None:
    make_tree(project, {"takeback.toml": "[[effects]]\nkind = 'none'\ncommand = 'git push'"})
    where = place(str(project))
    assert where["effects"] == () and "may not set 'effects'" in where.warnings[0]


def test_a_bad_flag_and_a_bad_variable_are_named_too(project: Path) -> None:
    with pytest.raises(tb.InvalidInput, match=r"'max_file_size' from flag"):
        place(str(project), max_file_size="huge")


NO_TOML = pytest.mark.parametrize("data", [b"timeline = ", b"\xff\xfe", b"a = 1\na = 2"])


@NO_TOML
def test_a_configuration_that_is_no_toml_is_invalid_and_named(project: Path, data: bytes) -> None:
    make_tree(os.path.dirname(user_file()), {"config.toml": data})
    with pytest.raises(tb.InvalidInput, match=r"config\.toml"):
        place(str(project))


@NO_TOML
def test_a_project_file_that_is_no_toml_is_ignored_with_a_warning(project: Path, data: bytes) -> None:
    make_tree(project, {"takeback.toml": data})
    where = place(str(project))
    assert "takeback.toml" in where.warnings[0] and where["timeline"] == "main"


@pytest.mark.parametrize("text", ["bogus = 1", "time_budget = 0", "[broken", "include = 7"])
def test_an_agent_cannot_block_undo_by_writing_a_project_file(project: Path, text: str) -> None:
    with tb.here(project).turn("sabotage"):
        make_tree(project, {"src/main.py": "ruined", "takeback.toml": text})
    tb.here(project).undo()
    assert (project / "src/main.py").read_text() == "main"
    assert not (project / "takeback.toml").exists()


@pytest.mark.parametrize("text", ["[tool", "tool = 5", "[tool]\nother = 1", "", "[tool.takeback]"])
def test_a_pyproject_that_says_nothing_for_us_is_no_trouble(project: Path, text: str) -> None:
    make_tree(project, {"pyproject.toml": text})
    assert place(str(project))["timeline"] == "main"


@pytest.mark.parametrize(
    "text", ["[tool]\ntakeback = 'x'", "[tool]\ntakeback = 5", "[[tool.takeback]]\ntimeline = 'x'"]
)
def test_a_pyproject_whose_table_for_us_is_none_is_ignored_with_a_warning(project: Path, text: str) -> None:
    make_tree(project, {"pyproject.toml": text})
    assert "pyproject.toml" in place(str(project)).warnings[0]


# the root


def root(directory: Path) -> tuple[str, str]:
    return find_root(os.path.realpath(directory))


def test_the_root_of_a_plain_directory_is_itself(project: Path) -> None:
    assert root(project / "src") == (str(project / "src"), "directory")


@pytest.mark.service("git")
def test_the_root_inside_a_repository_is_its_top_level(project: Path) -> None:
    init_repository(project)
    assert root(project / "src") == root(project) == (str(project), "git")


@pytest.mark.service("git")
def test_the_root_of_a_worktree_is_the_worktree(project: Path, tmp_path: Path) -> None:
    from support.git import git

    init_repository(project)
    commit_all(project)
    git(project, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    assert (tmp_path / "tree/.git").is_file()
    assert root(tmp_path / "tree/src") == (str(tmp_path / "tree"), "git")


@pytest.mark.service("git")
def test_the_nearest_takeback_toml_wins_also_over_a_nearer_repository(project: Path) -> None:
    make_tree(project, {"takeback.toml": "", "packages/app/lib/x": "", "packages/takeback.toml": ""})
    init_repository(project / "packages/app")
    assert root(project / "packages/app/lib") == (str(project / "packages"), "takeback.toml")
    (project / "packages/takeback.toml").unlink()
    assert root(project / "packages/app/lib") == (str(project), "takeback.toml")
    (project / "takeback.toml").unlink()
    assert root(project / "packages/app/lib") == (str(project / "packages/app"), "git")


def test_a_takeback_toml_that_is_a_directory_marks_nothing(project: Path) -> None:
    (project / "takeback.toml").mkdir()
    assert root(project / "src") == (str(project / "src"), "directory")


def test_the_home_directory_is_known_as_such(home: Path, project: Path) -> None:
    assert place(str(home)).is_home
    assert not place(str(project)).is_home


@pytest.mark.parametrize("wrong", ["missing", "src/main.py"])
def test_what_is_no_directory_is_invalid(project: Path, wrong: str) -> None:
    with pytest.raises(tb.InvalidInput, match=wrong):
        place(str(project / wrong))


# here


def test_here_is_the_timeline_of_the_root_around(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_tree(project, {"takeback.toml": "timeline = 'work'\nexclude = ['*.log']\nmax_file_size = 10\n"})
    make_tree(project, {"a.log": "left out", "large": "x" * 11, "small": "x" * 10})
    monkeypatch.chdir(project / "src")
    line = tb.here()
    assert (line.root, line.name) == (str(project), "work")
    snapshot = line.save()
    assert (snapshot.root, snapshot.timeline) == (str(project), "work")
    assert {change.path for change in line.diff("@", "@").files} == set()
    assert [item.path for item in snapshot.not_captured] == ["large"]
    for path, there in (("small", True), ("src/main.py", True), ("takeback.toml", True), ("a.log", False)):
        if there:
            assert line.read(snapshot, path)
        else:
            with pytest.raises(tb.NotFound):
                line.read(snapshot, path)
    assert (home / ".local/share/takeback/store.json").is_file()
    assert tb.here(project).show("@").id == snapshot.id


def test_here_makes_nothing_in_the_project(project: Path) -> None:
    line = tb.here(project)
    line.save()
    assert sorted(each.name for each in project.rglob("*")) == ["main.py", "src"]


def test_a_time_budget_of_the_project_holds(project: Path) -> None:
    make_tree(project, {"takeback.toml": "time_budget = 0"})
    with pytest.raises(tb.OutOfTime):
        tb.here(project).save()


def test_open_takes_a_place_or_the_users_own(tmp_path: Path, home: Path) -> None:
    with tb.open(tmp_path / "one") as store:
        assert store.timelines() == []
    with tb.open() as store:
        assert store.blobs.path == home / ".local/share/takeback"
    with tb.open(":memory:") as store:
        assert store.blobs.path is None
    with pytest.raises(tb.NotFound):
        tb.open(tmp_path / "two", create=False)


def test_native_windows_is_refused_with_a_word_about_wsl(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("takeback.locate.sys.platform", "win32")
    with pytest.raises(tb.Unavailable, match="WSL"):
        tb.open(":memory:")


def test_a_place_gives_values_by_name(project: Path) -> None:
    where = place(str(project))
    assert isinstance(where, Place)
    with pytest.raises(KeyError):
        where["nothing"]


def test_a_projects_file_leads_to_no_timeline_but_its_own_directorys(project: Path) -> None:
    memory = {"n": 1}
    agent = tb.open().timeline("agent", sources=[tb.State("memory", memory)], root="")
    agent.save()
    memory["n"] = 2
    agent.save()
    make_tree(project, {"takeback.toml": "timeline = 'agent'"})
    line = tb.here(project)
    assert line.root == str(project)
    line.save()
    with pytest.raises(tb.NotFound):
        line.undo()
    agent.save()
    assert memory == {"n": 2}


@pytest.mark.parametrize("name", ["", " ", "a\\u0000b", "a\\u001b[31mb", "a\\nb"])
def test_a_project_cannot_have_a_timeline_that_nobody_can_name(project: Path, name: str) -> None:
    make_tree(project, {"takeback.toml": f'timeline = "{name}"'})
    where = place(str(project))
    assert where["timeline"] == "main" and "cannot be the name of a timeline" in where.warnings[0]


def test_what_is_a_persons_own_is_never_looked_for_in_the_directory_one_stands_in(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(project.parent / "home"))
    monkeypatch.delenv("TAKEBACK_STORE", raising=False)
    for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(variable, "inside")
    monkeypatch.chdir(project)
    for found in (user_file(), store_path(), agreed.state_directory()):
        assert found.startswith(f"{project.parent}/home/."), found
