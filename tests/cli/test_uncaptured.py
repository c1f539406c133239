"""What undo says of what no snapshot holds: first of all, and with an exit code of its own."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from support.cli import PROGRAM, Cli, takeback
from support.git import commit_all, init_repository
from support.privileges import run_as_ordinary_user
from support.trees import read_tree
from takeback.errors import Unavailable


@pytest.fixture
def project(cli: Cli) -> Cli:
    init_repository(cli.root)
    cli.write(".gitignore", ".env\n")
    cli.write("a.txt", "0\n")
    commit_all(cli.root)
    cli.write(".env", "TOKEN=1\n")
    cli("save", "-m", "good")
    return cli


def run(cli: Cli, script: str) -> None:
    cli("run", "-m", "work", "--", "sh", "-c", script)


def test_undo_says_first_what_no_snapshot_can_bring_back(project: Cli) -> None:
    run(project, "rm -rf .env .git; echo 1 > a.txt")
    ruined = read_tree(project.root)
    shown = project("undo", "--dry-run").out
    assert shown.startswith("no snapshot can bring back\n  .env: removed\n  .git/: removed\n")
    done = project("undo", "--yes", code=3).out
    assert done.startswith("no snapshot can bring back\n  .env: removed\n  .git/: removed\n")
    assert "what was written is read back and verified" in done
    assert project.read("a.txt") == "0\n"
    project("redo", "--yes")
    assert read_tree(project.root) == ruined


def test_scripts_are_told_as_well(project: Cli) -> None:
    run(project, "mv .env a.txt; echo more >> b.txt")
    lost = [{"path": ".env", "how": "moved", "to": "a.txt"}]
    assert project.json("undo", "--dry-run")["lost"] == lost
    done = project.json("undo", "--yes", code=14)
    assert done["lost"] == lost and done["conflicts"] == ["a.txt"] and done["changed"] == ["b.txt"]
    assert project.read("a.txt") == "TOKEN=1\n"
    assert project.json("redo", "--yes")["lost"] == []


def test_where_nothing_else_can_be_taken_back_the_error_says_it(project: Cli) -> None:
    run(project, "rm .env")
    error = project.error("undo", "--yes", code=3)
    assert ".env: removed" in error["message"] and error["hints"]


def test_what_is_written_to_in_place_is_told_and_is_success_only_of_a_log(project: Cli) -> None:
    run(project, "echo TOKEN=2 >> .env; echo 1 > a.txt")
    assert project("undo", "--yes", code=3).out.startswith("no snapshot can bring back\n  .env: written to\n")
    project.write(".gitignore", "*.log\n")
    project.write("debug.log", "begun\n")
    run(project, "echo more >> debug.log; echo 2 > a.txt")
    assert project("undo", "--yes").out.startswith("in no snapshot\n  debug.log: written to\n")


def test_a_file_over_the_limit_is_spoken_of_too(project: Cli) -> None:
    project.write("takeback.toml", 'max_file_size = "1KiB"\n')
    project.write("big.bin", "b" * 5000)
    project("save")
    run(project, "rm big.bin; echo 1 > a.txt")
    assert "big.bin: removed" in project("undo", "--yes", code=3).out


def test_a_project_that_nobody_can_look_into_says_what_to_do(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.txt").write_text("0\n")
    env = {"TAKEBACK_STORE": str(tmp_path / "store")}
    assert takeback("save", cwd=root, env=env).returncode == 0
    root.chmod(0)
    try:
        done = run_as_ordinary_user([*PROGRAM, "-C", str(root), "undo", "--yes"], env={**os.environ, **env})
    finally:
        root.chmod(0o755)
    assert done.returncode == Unavailable.exit_code
    assert f"chmod u+rwx {root}" in done.stderr.decode()


def test_a_directory_that_an_agent_closed_is_opened_again(tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src/a.txt").write_text("0\n")
    env = {**os.environ, "TAKEBACK_STORE": str(tmp_path / "store")}
    for command in (["save"], ["run", "--", "chmod", "000", "src"], ["undo", "--yes"]):
        done = run_as_ordinary_user([*PROGRAM, "-C", str(root), *command], env=env, cwd=root)
        assert done.returncode == 0, done.stderr
    assert stat.S_IMODE((root / "src").stat().st_mode) == 0o755
    assert run_as_ordinary_user([*PROGRAM, "-C", str(root), "redo", "--yes"], env=env).returncode == 0
    assert stat.S_IMODE((root / "src").stat().st_mode) == 0
