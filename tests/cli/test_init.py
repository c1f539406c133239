"""`takeback init` looks around and writes a file that says what it found, and why; it never changes one that is there."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.cli import PROGRAM, Cli
from support.git import commit_all, init_repository
from support.terminal import Terminal
from takeback.cli import drafting
from takeback.locate import agreed, place
from takeback.locate.around import Around, look_around
from takeback.locate.declared import Declared
from takeback.locate.layers import project_file

if TYPE_CHECKING:
    from support.containers.boxes import Boxes
    from support.teams.real import RealTeam


def test_an_empty_directory_gets_a_file_of_explanations(cli: Cli) -> None:
    out = cli("init", "--yes").out
    assert "written" in out and "next: " in out
    warnings: list[str] = []
    assert project_file(str(cli.root), warnings).settings == {} and not warnings
    assert "every" not in [name for name, value in place().settings.items() if value.origin == "takeback.toml"]


def test_each_line_has_a_comment_before_it(cli: Cli, team: RealTeam) -> None:
    cli("init", "--yes")
    lines = cli.read("takeback.toml").splitlines()
    for before, line in pairwise(lines):
        if " = " in line and not line.startswith("# What"):
            assert before.startswith("# ") and before.endswith("."), line
    assert max(map(len, lines)) <= 100


def test_what_is_written_is_read_again_as_it_was_meant(cli: Cli) -> None:
    around = Around(
        "compose.yaml",
        (Declared("container", "db", "shop-db-1"), Declared("container", "web", "shop-web-1")),
        "",
        (Declared("team", "team", "alpha", {"workspaces": True}),),
        ".clawteam",
    )
    wanted = drafting.entries(place(), around, ["Claude Code"], [".env"])
    cli.write("takeback.toml", drafting.text(wanted))
    warnings: list[str] = []
    file = project_file(str(cli.root), warnings)
    assert not warnings
    assert file.settings == {"triggers": ("turn", "action")}
    assert file.named == {"containers": around.containers, "teams": around.teams, "team_dir": ".clawteam"}
    switched_on = "\n".join(line.removeprefix("# ") for line in drafting.text(wanted).splitlines() if " = " in line)
    cli.write("takeback.toml", "\n".join(dict.fromkeys(switched_on.splitlines())))
    on = project_file(str(cli.root), warnings)
    assert not warnings
    assert {**on.settings, **on.named}.keys() == {each.name for each in wanted}


def test_a_second_time_changes_nothing(cli: Cli, team: RealTeam) -> None:
    cli("init", "--yes")
    first = cli.read("takeback.toml"), agreed.read(str(cli.root))
    assert "is left as it is" in cli("init").out
    assert (cli.read("takeback.toml"), agreed.read(str(cli.root))) == first


def test_a_dry_run_writes_nothing(cli: Cli) -> None:
    assert "nothing was written" in cli("init", "--dry-run").out
    assert not (cli.root / "takeback.toml").exists()


def test_without_a_terminal_it_needs_yes(cli: Cli) -> None:
    result = cli("init", code=2)
    assert "add --yes" in result.err and result.out == ""
    assert not (cli.root / "takeback.toml").exists()


@pytest.mark.parametrize(("answer", "code"), [(b"y\n", 0), (b"n\n", 130), (b"\n", 130), (b"\x04", 130)])
def test_on_a_terminal_it_shows_and_asks(cli: Cli, answer: bytes, code: int) -> None:
    terminal = Terminal([*PROGRAM, "init"], cli.root, {"NO_COLOR": "1"})
    terminal.wait_for(b"Write it? [y/N] ")
    assert b"keep_last" in terminal.shown
    terminal.type(answer)
    assert terminal.end() == code
    assert (cli.root / "takeback.toml").exists() == (code == 0)


def test_json_is_one_object(cli: Cli) -> None:
    assert cli.error("init", code=2)
    shape = cli.json("init", "--yes")
    assert shape["written"] and shape["file"] == str(cli.root / "takeback.toml")
    assert shape["text"] == cli.read("takeback.toml")
    assert cli.json("init", "--dry-run")["lacks"] == {}


def test_an_existing_file_is_told_what_it_lacks(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from support.teams.real import RealTeam

    (cli.root / ".clawteam").mkdir()
    monkeypatch.setenv("CLAWTEAM_DATA_DIR", str(cli.root / ".clawteam"))
    RealTeam(cli.root / ".clawteam").make()
    cli.write("pyproject.toml", "[tool.takeback]\nmax_file_size = '1MiB'\n")
    out = cli("init").out
    assert 'it lacks: teams = ["alpha"]' in out and 'it lacks: team_dir = ".clawteam"' in out
    assert not (cli.root / "takeback.toml").exists()
    assert agreed.read(str(cli.root)) is None


def test_the_home_directory_is_no_project(cli: Cli, home: Path) -> None:
    assert "no project" in cli.error("-C", str(home), "init", "--yes", code=2)["message"]


def test_a_file_that_comes_up_meanwhile_is_not_overwritten(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    text = drafting.text

    def late(wanted: list[drafting.Entry]) -> str:
        cli.write("takeback.toml", "# mine\n")
        return text(wanted)

    monkeypatch.setattr(drafting, "text", late)
    assert cli.error("init", "--yes", code=2)["message"].endswith("is left as it is")
    assert cli.read("takeback.toml") == "# mine\n"


# what is found


def test_a_team_inside_the_root_is_declared_agreed_to_and_saved(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from support.teams.real import RealTeam

    (cli.root / ".clawteam").mkdir()
    monkeypatch.setenv("CLAWTEAM_DATA_DIR", str(cli.root / ".clawteam"))
    monkeypatch.setenv("CLAWTEAM_TRANSPORT", "file")
    RealTeam(cli.root / ".clawteam").make()
    cli("init", "--yes")
    saved = cli("save")
    assert saved.err == "" and "team: alpha" in saved.out


def test_a_team_whose_members_work_in_the_repository_is_declared(cli: Cli, team: RealTeam) -> None:
    assert look_around(str(cli.root)).teams == ()
    registry = team.data / "workspaces/alpha/workspace-registry.json"
    registry.parent.mkdir(parents=True, exist_ok=True)
    registry.write_text(json.dumps({"team_name": "alpha", "repo_root": str(cli.root), "workspaces": []}))
    assert look_around(str(cli.root)) == Around(teams=(Declared("team", "team", "alpha"),))


def test_agents_and_ignored_files_are_named(cli: Cli) -> None:
    init_repository(cli.root)
    cli.write("CLAUDE.md", "be good")
    cli.write(".gitignore", ".env\n")
    cli.write(".env", "SECRET=1")
    commit_all(cli.root)
    out = cli("init", "--dry-run").out
    assert "When hooks save, for Claude Code" in out
    assert '# include = [".env"]' in out
    assert "everything that git does not ignore" in out


def test_a_compose_file_without_docker_is_a_line_to_fill_in(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    cli.write("compose.yaml", "services: {}\n")
    out = cli("init", "--yes").out
    assert "containers are not known: cannot reach Docker" in out and "; start Docker" in out
    assert '# containers = ["NAME"]' in cli.read("takeback.toml")


@pytest.mark.service("docker")
def test_containers_of_docker_compose_are_found_by_its_labels(cli: Cli, boxes: Boxes) -> None:
    cli.write("compose.yaml", "services: {}\n")

    def made(service: str, place: str, **more: str) -> str:
        labels = {"project": "shop", "project.working_dir": place, "service": service, **more}
        labels = {f"com.docker.compose.{name}": value for name, value in labels.items()}
        return boxes.run(service, labels=labels)

    db, web = made("db", str(cli.root)), made("web", str(cli.root / "inner"))
    made("job", str(cli.root), oneoff="True")
    made("other", f"{cli.root}-2")
    found = look_around(str(cli.root)).containers
    assert sorted((each.part, each.name) for each in found) == sorted([("db", db), ("web", web)])
    cli("init", "--yes")
    saved = cli("save")
    assert f"container db: {db}" in saved.out and f"container web: {web}" in saved.out
