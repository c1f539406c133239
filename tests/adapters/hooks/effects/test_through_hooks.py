"""From what an agent tells its hooks to what undo says: the real hook command, a real push."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.cli import Cli
from support.git import commit_all, git, init_repository
from support.trees import make_tree
from takeback.locate import user_file


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Cli:
    cli = Cli(tmp_path, capsysbinary)
    monkeypatch.chdir(cli.root)
    monkeypatch.setenv("TAKEBACK_STORE", str(cli.store))
    return cli


def hook(cli: Cli, name: str, **more: Any) -> None:
    event = {"session_id": "s1", "transcript_path": "", "cwd": str(cli.root), "hook_event_name": name, **more}
    command = [sys.executable, "-P", "-m", "takeback", "hook", "claude-code"]
    done = subprocess.run(command, input=json.dumps(event).encode(), capture_output=True, cwd=cli.root, timeout=60)
    assert (done.returncode, done.stdout) == (0, b""), done.stderr


def bash(cli: Cli, command: str, id: str) -> None:
    """A call of the agent's shell that really runs."""
    call = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": id}
    hook(cli, "PreToolUse", **call)
    subprocess.run(["bash", "-c", command], cwd=cli.root, check=True, capture_output=True)
    hook(cli, "PostToolUse", **call, tool_response={})


@pytest.mark.service("git")
def test_undo_lists_the_push_and_the_commit_of_a_turn(cli: Cli) -> None:
    remote = cli.root.parent / "remote.git"
    git(cli.root.parent, "init", "--quiet", "--bare", str(remote))
    init_repository(cli.root)
    cli.write("a.txt", "1\n")
    before = commit_all(cli.root, "First")
    git(cli.root, "remote", "add", "origin", str(remote))
    hook(cli, "UserPromptSubmit", prompt="ship it")
    bash(cli, "echo 2 > a.txt && git commit -qam 'Second; git push later'", "t1")
    bash(cli, "git push -q origin main 2>&1 | cat", "t2")
    bash(cli, "echo 'git push' > notes", "t3")
    hook(cli, "Stop")
    pushed = git(remote, "rev-parse", "main").decode().strip()
    done = cli.json("undo", "--yes")
    assert [(each["kind"], each["what"]) for each in done["effects"]] == [
        ("commit", f"{pushed[:10]} on main: Second; git push later"),
        ("push", "git push -q origin main"),
    ]
    assert all(each["time"] for each in done["effects"])
    assert any(before[:10] in hint for hint in done["hints"])
    assert cli.read("a.txt") == "1\n"
    assert git(remote, "rev-parse", "main").decode().strip() == pushed  # as it says: that stays


def test_undo_lists_what_a_user_s_rule_and_a_file_outside_say(cli: Cli) -> None:
    cli.write("Makefile", "ship:\n\ttouch shipped\n")
    make_tree(user_file().rpartition("/")[0], {"config.toml": "[[effects]]\nkind = 'deploy'\ncommand = 'make ship'\n"})
    outside = cli.root.parent / "outside.txt"
    hook(cli, "UserPromptSubmit", prompt="ship it")
    bash(cli, "make ship || touch shipped", "t1")
    call = {"tool_name": "Write", "tool_input": {"file_path": str(outside), "content": "x"}, "tool_use_id": "t2"}
    hook(cli, "PreToolUse", **call)
    outside.write_text("x")
    hook(cli, "PostToolUse", **call, tool_response={})
    hook(cli, "Stop")
    done = cli.json("undo", "--yes")
    assert [(each["kind"], each["what"]) for each in done["effects"]] == [
        ("deploy", "make ship"),
        ("files", str(outside)),
    ]
