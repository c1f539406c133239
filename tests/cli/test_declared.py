"""What a project's file declares belongs to every command, once a person has agreed; before that nobody looks at it."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import takeback as tb
from support.cli import PROGRAM, Cli
from support.terminal import Terminal
from takeback.locate import agreed, place

if TYPE_CHECKING:
    from support.teams.real import RealTeam


def declare(cli: Cli, text: str) -> None:
    cli.write("takeback.toml", text)


@pytest.fixture
def inner(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> RealTeam:
    """A real team in the project's own ``.clawteam``."""
    from support.teams.real import RealTeam

    place = cli.root / ".clawteam"
    place.mkdir()
    monkeypatch.setenv("CLAWTEAM_DATA_DIR", str(place))
    monkeypatch.setenv("CLAWTEAM_TRANSPORT", "file")
    made = RealTeam(place)
    made.make()
    return made


# agreeing


def test_nothing_that_a_file_names_is_looked_at_before_somebody_agreed(cli: Cli, team: RealTeam) -> None:
    declare(cli, 'teams = ["alpha"]\n')
    saved = cli("save")
    assert "takeback.toml names the team alpha, outside of this directory" in saved.err
    assert "`takeback trust`" in saved.err
    assert list(cli.json("show", "@")["parts"]) == ["workspace"]


def test_once_agreed_every_command_has_it_without_a_word(cli: Cli, team: RealTeam) -> None:
    declare(cli, 'teams = ["alpha"]\n')
    out = cli("trust", "--yes").out
    assert f"the team alpha in {team.data}" in out and "agreed" in out
    cli.write("a.txt", "old")
    saved = cli("save", "-m", "first")
    assert saved.err == "" and "team: alpha, 4 members" in saved.out
    before = team.files()
    cli.write("a.txt", "new")
    team.tasks.create("Rewrite it all", owner="bob")
    out = cli("undo", "--yes").out
    assert "takeback redo`" in out  # nothing has to be typed
    assert cli.read("a.txt") == "old" and team.files() == before
    cli("redo", "--yes")
    assert "Rewrite it all" in [task.subject for task in team.tasks.list_tasks()]
    assert "`takeback undo` takes back the newest move" in cli("status").out


def test_here_has_it_too(cli: Cli, team: RealTeam) -> None:
    declare(cli, 'teams = ["crew=alpha"]\n')
    cli("trust", "--yes")
    line = tb.here(cli.root)
    assert list(line.sources) == ["workspace", "crew"]
    assert line.save().parts["crew"].detail["team"] == "alpha"


def test_an_agent_that_saves_through_mcp_has_it_too(cli: Cli, team: RealTeam) -> None:
    from takeback.adapters.mcp.tools import Tools

    declare(cli, 'teams = ["alpha"]\n')
    assert list(Tools(place()).save()["parts"]) == ["workspace"]
    cli("trust", "--yes")
    assert set(Tools(place()).save()["parts"]) == {"workspace", "team"}


def test_trust_asks_and_without_a_terminal_needs_yes(cli: Cli, team: RealTeam) -> None:
    declare(cli, 'teams = ["alpha"]\n')
    assert "add --yes" in cli("trust", code=2).err
    assert agreed.read(str(cli.root)) is None


@pytest.mark.parametrize(("answer", "code"), [(b"y\n", 0), (b"n\n", 130)])
def test_on_a_terminal_trust_shows_what_is_named_and_asks(cli: Cli, answer: bytes, code: int) -> None:
    declare(cli, 'containers = ["sandbox"]\nkeep_last = 5\n')
    terminal = Terminal([*PROGRAM, "trust"], cli.root, {"NO_COLOR": "1"})
    terminal.wait_for(b"Agree? [y/N] ")
    assert b"the container sandbox: saved with each snapshot" in terminal.shown and b"keep_last = 5" in terminal.shown
    terminal.type(answer)
    assert terminal.end() == code
    assert (agreed.read(str(cli.root)) is not None) == (code == 0)


def test_trust_twice_and_with_nothing_to_trust_changes_nothing(cli: Cli, team: RealTeam) -> None:
    assert "names nothing that needs your agreement" in cli("trust").out
    declare(cli, 'teams = ["alpha"]\n')
    first = cli.json("trust", "--yes")
    assert first == {
        "root": str(cli.root),
        "changed": True,
        "sources": [{"kind": "team", "part": "team", "name": "alpha", "data_dir": str(team.data)}],
        "policy": {},
        "settings": {},
        "rules": [],
        "new_root": None,
    }
    assert cli.json("trust") == {**first, "changed": False}


def test_what_is_forgotten_is_left_alone_again(cli: Cli, team: RealTeam) -> None:
    declare(cli, 'teams = ["alpha"]\n')
    cli("trust", "--yes")
    cli("save")
    cli("trust", "--forget")
    team.tasks.create("Afterwards", owner="bob")
    assert "until you agree" in cli("save").err
    assert "nothing changed" in cli("save").out


# what an agent writes into the file


def test_an_agent_that_renames_takes_out_or_changes_a_declaration_changes_nothing(cli: Cli, team: RealTeam) -> None:
    declare(cli, 'teams = ["alpha"]\n')
    cli("trust", "--yes")
    for text, said in [
        ("", "is not in takeback.toml any more, and is still saved"),
        ('teams = [{ name = "alpha", workspaces = true }]', "has other options for the team alpha"),
        ('teams = ["beta"]', "names the team beta"),
        ('containers = ["sandbox"]\nteams = ["alpha"]', "names the container sandbox"),
        ("teams = ['alpha'", "ignoring"),
    ]:
        declare(cli, text)
        saved = cli("save")
        assert said in saved.err, text
        assert {"workspace", "team"} == set(cli.json("show", "@")["parts"]), text
    os.unlink(cli.root / "takeback.toml")
    assert "is still saved" in cli("save").err


def test_a_link_that_an_agent_puts_in_the_place_of_the_team_is_not_followed(
    cli: Cli, inner: RealTeam, tmp_path: Path
) -> None:
    declare(cli, 'teams = ["alpha"]\nteam_dir = ".clawteam"\n')
    cli("trust", "--yes")
    cli("save")
    os.rename(cli.root / ".clawteam", tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", cli.root / ".clawteam")
    saved = cli("save", code=3)
    assert "without team: " in saved.out and "leads to" in saved.out
    assert "team" in cli.json("show", "@")["missed"]


def test_a_program_that_goes_on_follows_no_link_that_an_agent_put_there_meanwhile(
    cli: Cli, inner: RealTeam, tmp_path: Path
) -> None:
    declare(cli, 'teams = ["alpha"]\nteam_dir = ".clawteam"\n')
    cli("trust", "--yes")
    line = tb.here(cli.root)
    inner.tasks.create("One", owner="bob")
    began = line.save()
    inner.tasks.create("Two", owner="bob")
    outside = tmp_path / "outside"
    os.rename(cli.root / ".clawteam", outside)
    before = {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()}
    os.symlink(outside, cli.root / ".clawteam")
    assert "leads to" in line.save().missed["team"]
    with pytest.raises(tb.Unavailable, match="leads to"):
        line.restore(began)
    with pytest.raises(tb.Unavailable, match="leads to"):
        line.restore(began, only=["team"])
    assert {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()} == before


def test_what_lies_beside_a_team_in_its_directory_stays_in_the_workspace(cli: Cli, inner: RealTeam) -> None:
    cli.write(".clawteam/main.py", "one\n")
    cli.write(".clawteam/teams/beta/notes.txt", "one\n")
    cli("save", "-m", "first")
    declare(cli, 'teams = ["alpha"]\nteam_dir = ".clawteam"\n')
    cli("trust", "--yes")
    cli("save")
    assert {path for path, _ in tb.here(cli.root).files("@")} >= {".clawteam/main.py", ".clawteam/teams/beta/notes.txt"}
    assert not any("alpha" in path for path, _ in tb.here(cli.root).files("@"))
    cli.write(".clawteam/main.py", "two\n")
    cli.write(".clawteam/teams/beta/notes.txt", "two\n")
    cli("save")
    cli("restore", "first", "--yes", "--only", "workspace")
    assert (cli.read(".clawteam/main.py"), cli.read(".clawteam/teams/beta/notes.txt")) == ("one\n", "one\n")


@pytest.mark.parametrize(
    "team_dir", ["/etc", "..", "../other", "a/../../b", "~", "~/x", ".", "", "a\\n", "x" * 5000, 5, []]
)
def test_a_project_cannot_name_a_directory_outside(cli: Cli, team: RealTeam, team_dir: object) -> None:
    declare(cli, f'teams = ["alpha"]\nteam_dir = {json.dumps(team_dir)}\n'.replace("\\\\n", "\\n"))
    saved = cli("save")
    assert "ignoring a line" in saved.err and len(saved.err) < 2000
    cli("trust", "--yes")
    assert agreed.read(str(cli.root)).sources["team team=alpha"]["data_dir"] == str(team.data)  # type: ignore[union-attr]


def test_a_directory_that_leads_outside_by_a_link_is_refused(cli: Cli, team: RealTeam) -> None:
    os.symlink(team.data, cli.root / "inside")
    declare(cli, 'teams = ["alpha"]\nteam_dir = "inside"\n')
    error = cli.error("trust", "--yes", code=2)
    assert "outside of" in error["message"]
    assert agreed.read(str(cli.root)) is None


# a team inside the root


def test_a_teams_places_are_not_captured_twice(cli: Cli, inner: RealTeam) -> None:
    declare(cli, 'teams = ["alpha"]\nteam_dir = ".clawteam"\n')
    cli.write("a.txt", "a")
    cli("save")  # not agreed yet: the directory is one like any other
    assert any(path.startswith(".clawteam/") for path, _ in tb.here(cli.root).files("@"))
    cli("trust", "--yes")
    cli("save", "-m", "both")
    line = tb.here(cli.root)
    assert [path for path, _ in line.files("@")] == ["a.txt", "takeback.toml"]
    before = inner.files()
    inner.tasks.create("Another", owner="ada")
    cli.write("a.txt", "b")
    cli("restore", "both", "--yes")
    assert inner.files() == before and cli.read("a.txt") == "a"


def test_a_restore_to_a_time_before_the_declaration_leaves_the_team_to_its_own_part(cli: Cli, inner: RealTeam) -> None:
    cli.write("a.txt", "old")
    cli("save", "-m", "before")
    declare(cli, 'teams = ["alpha"]\nteam_dir = ".clawteam"\n')
    cli("trust", "--yes")
    cli.write("a.txt", "new")
    inner.tasks.create("Another", owner="ada")
    cli("save")
    now = inner.files()
    cli("restore", "before", "--yes", "--only", "workspace")
    assert cli.read("a.txt") == "old" and inner.files() == now


# options beside it


def test_naming_it_again_is_no_error(cli: Cli, team: RealTeam) -> None:
    declare(cli, 'teams = ["crew=alpha"]\n')
    cli("trust", "--yes")
    cli("save", "--team", "alpha")
    cli("save", "--team", "crew=alpha")
    assert set(cli.json("show", "@")["parts"]) == {"workspace", "crew"}
    error = cli.error("save", "--team", "other=alpha", code=2)
    assert "is declared as the part 'crew'" in error["message"]


def test_what_is_declared_is_meant_wherever_clawteam_would_look(
    cli: Cli, inner: RealTeam, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare(cli, 'teams = ["alpha"]\nteam_dir = ".clawteam"\n')
    cli("trust", "--yes")
    cli("save", "-m", "first")
    inner.tasks.create("Another", owner="ada")
    monkeypatch.delenv("CLAWTEAM_DATA_DIR")
    assert "Another" in cli("diff", "--team", "alpha").out
    assert "task" in cli("restore", "first", "--only", "team", "--team", "alpha", "--dry-run").out


def test_another_team_may_be_added(cli: Cli, team: RealTeam, tmp_path: Path) -> None:
    declare(cli, 'teams = ["alpha"]\n')
    cli("trust", "--yes")
    error = cli.error("save", "--team", "alpha", "--data-dir", str(tmp_path / "other"), code=2)
    assert "two parts are called 'team'" in error["message"]


def test_force_and_merge_hold_for_what_is_declared(cli: Cli, team: RealTeam) -> None:
    declare(cli, 'teams = ["alpha"]\n')
    cli("trust", "--yes")
    cli("save", "-m", "first")
    team.mail.send("lead", "bob", "newer")
    team.tasks.create("Another", owner="ada")
    cli("restore", "first", "--merge", "--yes")
    assert "newer" in [each.content for each in team.mail.receive("bob", limit=100)]


# one's own configuration


def test_ones_own_configuration_needs_no_agreement(cli: Cli, team: RealTeam, home: Path) -> None:
    (home / ".config/takeback").mkdir(parents=True)
    (home / ".config/takeback/config.toml").write_text('teams = ["alpha"]\n')
    assert "team: alpha" in cli("save").out
    declare(cli, "teams = []\n")
    assert "team" in cli.json("save")["parts"]


def test_a_fork_has_its_own_in_spite_of_all_configurations(cli: Cli, team: RealTeam, home: Path) -> None:
    (home / ".config/takeback").mkdir(parents=True)
    (home / ".config/takeback/config.toml").write_text('containers = ["sandbox"]\nteams = ["alpha"]\n')
    declare(cli, 'containers = ["db=pg-1"]\nteams = ["alpha"]\n')
    agreed.write(agreed.Agreed(str(cli.root), "attempt-1", {"team team=alpha": {}, "container db=pg-1": {}}))
    saved = cli.json("save")
    assert (saved["timeline"], list(saved["parts"])) == ("attempt-1", ["workspace"])
    assert cli("save").err == ""
    assert cli.json("save", "--timeline", "main")["timeline"] == "main"


def test_a_part_that_is_another_one_in_the_timeline_is_not_mixed_up_with_it(cli: Cli, team: RealTeam) -> None:
    from support.teams.real import RealTeam

    RealTeam(team.data, "beta").make()
    cli("save", "--team", "beta")
    declare(cli, 'teams = ["alpha"]\n')
    cli("trust", "--yes")
    saved = cli("save", code=3)
    assert "is the team 'beta', not 'alpha'" in saved.out
    assert cli.json("show", "@")["parts"]["team"]["team"] == "beta"


# what is not at hand, and what a program saves


def test_a_container_that_cannot_be_reached_is_missed_and_everything_else_saved(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    declare(cli, 'containers = ["sandbox"]\n')
    cli.write("a.txt", "old")
    cli("trust", "--yes")
    assert "without container: " in cli("save", code=3).out
    tb.here(cli.root)  # asks nobody
    cli.write("a.txt", "new")
    cli("undo", "--yes", "--only", "workspace", code=None)
    assert cli.read("a.txt") == "old"


def test_a_reason_that_several_parts_have_is_said_once(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    declare(cli, 'containers = ["one=box-1", "two=box-2"]\n')
    cli("trust", "--yes")
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    out = cli("save", code=3).out
    assert out.count("cannot reach Docker") == 1 and "without one, two: cannot reach Docker" in out


def test_without_the_docker_package_a_declared_container_is_missed(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "docker", None)
    declare(cli, 'containers = ["sandbox"]\n')
    cli("trust", "--yes")
    assert "pip install 'takeback[docker]'" in cli("save", code=3).out


def test_a_value_that_no_program_has_saved_yet_is_missed(cli: Cli) -> None:
    declare(cli, 'states = ["memory"]\n')
    saved = cli("save", code=3)
    assert "without memory: " in saved.out
    memory = {"said": "hello"}
    line = tb.here(cli.root)
    line.add(tb.State("memory", memory))
    assert not line.save().partial
    assert cli("save").code == 0


def test_a_program_adds_its_value_as_the_page_about_settings_says(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs/configuration.md").read_text()
    code = page.partition("```python\n")[2].partition("```")[0]
    declare(cli, 'states = ["memory"]\n')
    memory: list[str] = []
    agent = SimpleNamespace(memory=memory, lock=threading.Lock(), work=lambda: memory.append("done"))
    monkeypatch.chdir(cli.root)
    names: dict[str, Any] = {"takeback": tb, "agent": agent}
    exec(code, names)
    cli.write("a.txt", "a")
    assert "without" not in cli("save").out
    assert names["line"].value("@", "memory") == ["done"]


@pytest.mark.parametrize("states", ["memory", ["work space"], ["transcript"], [5], ["m"] * 40])
def test_what_cannot_be_a_value_is_ignored_with_a_warning(cli: Cli, states: object) -> None:
    declare(cli, f"states = {json.dumps(states)}\n")
    assert "ignoring a line" in cli("save").err


def test_the_worktrees_of_members_come_along_where_they_are_declared(cli: Cli, team: RealTeam, tmp_path: Path) -> None:
    from support.teams.workspaces import Crew

    crew = Crew(tmp_path, team)
    declare(cli, 'teams = [{ name = "alpha", workspaces = true }]\n')
    cli("trust", "--yes")
    saved = cli.json("save", "-m", "good")
    assert {"workspace", "team", "workspace-ada", "workspace-bob"} <= saved["parts"].keys()
    assert cli.json("save", "--with-workspaces")["new"] is False
    trees = crew.trees()
    crew.derail()
    cli("restore", "good", "--yes")
    assert crew.trees() == trees


# where it is said


def test_status_and_config_show_what_is_declared_and_whether_it_is_saved(cli: Cli, team: RealTeam) -> None:
    declare(cli, 'teams = ["alpha"]\ncontainers = ["db=pg-1"]\n')
    assert "container db=pg-1 (not agreed to); team alpha (not agreed to)" in cli("status").out
    shown = cli("config", "show").out
    assert "container db" in shown and "named by takeback.toml; not looked at until you agree" in shown
    declared = cli.json("status")["declared"]
    assert [(each["kind"], each["part"], each["used"]) for each in declared] == [
        ("container", "db", False),
        ("team", "team", False),
    ]
    declare(cli, 'teams = ["alpha"]\n')
    cli("trust", "--yes")
    assert "beside" in cli("status").out and "team alpha" in cli("status").out
    assert f"alpha in {team.data}" in cli("config", "show").out
    (shown,) = cli.json("config", "show")["declared"]
    assert (shown["data_dir"], shown["at_hand"], shown["problem"]) == (str(team.data), True, None)


def test_config_show_says_what_is_not_at_hand(cli: Cli, team: RealTeam, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    declare(cli, 'teams = ["gamma"]\ncontainers = ["sandbox"]\n')
    cli("trust", "--yes")
    out = cli("config", "show").out
    assert "not at hand: there is no team 'gamma'" in out and out.count("not at hand: ") == 2


def test_status_says_which_values_no_program_has_saved(cli: Cli) -> None:
    declare(cli, 'states = ["memory"]\n')
    assert "memory is not saved yet" in cli("status").out
    assert cli.json("status")["states"] == {"memory": False}
    line = tb.here(cli.root)
    line.add(tb.State("memory", {"said": "hello"}))
    line.save()
    assert cli.json("status")["states"] == {"memory": True}
    assert "value memory" in cli("status").out and "not saved yet" not in cli("status").out


def test_doctor_says_what_waits_for_an_agreement(cli: Cli) -> None:
    declare(cli, 'containers = ["sandbox"]\n')
    findings = cli("doctor", "--json", code=None)
    assert "takeback trust" in findings.out


# how often a run saves


def test_a_run_saves_as_often_as_the_project_says(cli: Cli) -> None:
    declare(cli, 'every = "1s"\n')
    cli("run", "--", sys.executable, "-c", _WRITES)
    assert "interval" in [each["trigger"] for each in cli.json("log")["snapshots"]]


_WRITES = """
import pathlib, subprocess, sys, time
pathlib.Path("a.txt").write_text("in the middle")
deadline = time.monotonic() + 60
while time.monotonic() < deadline:
    out = subprocess.run([sys.executable, "-m", "takeback", "log"], capture_output=True, text=True).stdout
    if "interval" in out:
        break
    time.sleep(0.2)
pathlib.Path("a.txt").write_text("at the end")
"""


@pytest.mark.parametrize("every", ["1ms", "0", "9999d", "soon", "-5m", "1" * 500, [], True])
def test_a_time_that_cannot_be_is_ignored_with_a_warning(cli: Cli, every: object) -> None:
    declare(cli, f"every = {json.dumps(every)}\n")
    saved = cli("save")
    assert "ignoring a line" in saved.err and len(saved.err) < 1000


def test_a_team_whose_directory_is_gone_comes_back_with_the_files(cli: Cli, team: RealTeam) -> None:
    declare(cli, 'teams = ["alpha"]\n')
    cli("trust", "--yes")
    cli.write("a.txt", "old")
    cli("save", "-m", "good")
    os.rename(team.data, f"{team.data}-away")
    cli.write("a.txt", "new")
    assert "team: alpha, nothing of it is there" in cli("save").out
    cli("restore", "good", "--yes", "--only", "workspace")
    assert cli.read("a.txt") == "old" and not team.data.exists()
    cli("restore", "good", "--yes")
    assert cli.json("save", "-m", "again")["parts"]["team"]["counts"]["tasks"] == 4


def test_a_team_that_never_was_is_missed(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAWTEAM_DATA_DIR", str(tmp_path / "nowhere"))
    declare(cli, 'teams = ["alpha"]\n')
    cli("trust", "--yes")
    assert "without team: " in cli("save", code=3).out
