"""`takeback doctor`: each thing that it can find, with real files; and the line about hooks in `takeback status`."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest

from support.cli import Cli, takeback
from support.trees import make_tree
from takeback.locate import user_file
from takeback.store.catalogue import snapshots


def check(cli: Cli, name: str, code: int = 0) -> dict[str, Any]:
    """The one finding of a check."""
    (found,) = (each for each in cli.json("doctor", code=code)["checks"] if each["check"] == name)
    if found["state"] != "ok":
        assert found["next"], found
    assert isinstance(found, dict)
    return found


def checks(cli: Cli) -> set[str]:
    return {each["check"] for each in cli.json("doctor")["checks"]}


@pytest.fixture
def claude(cli: Cli, home: Path) -> Path:
    """Claude Code's configuration, with takeback's hooks in it."""
    cli("install", "claude-code", "--yes", "--no-keep-env")
    return home / ".claude" / "settings.json"


def call_hook(cli: Cli, event: str, session: str = "s1") -> None:
    data = {"hook_event_name": event, "session_id": session, "cwd": str(cli.root), "prompt": "work"}
    done = takeback("hook", "claude-code", cwd=cli.root, stdin=json.dumps(data).encode())
    assert (done.returncode, done.stdout) == (0, b"")


def begin_session(home: Path, root: Path, session: str, *, ago: float = 0) -> None:
    """A conversation of Claude Code, as it keeps it."""
    folder = home / ".claude" / "projects" / "".join(each if each.isalnum() else "-" for each in str(root))
    began = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() - ago))
    lines: list[dict[str, Any]] = [
        {"type": "summary", "summary": "work"},
        {"type": "user", "cwd": str(root), "sessionId": session, "timestamp": began},
    ]
    make_tree(folder, {f"{session}.jsonl": "".join(json.dumps(line) + "\n" for line in lines)})


def an_hour_old(file: Path) -> None:
    os.utime(file, (time.time() - 3600, time.time() - 3600))


def test_where_no_hooks_are_installed_nothing_is_wrong(cli: Cli) -> None:
    assert check(cli, "hooks")["state"] == "ok"
    assert "\nhooks" not in cli("status").out
    assert cli("--json").json["hooks"] == {}


def test_hooks_that_run_are_sound_and_status_says_when_they_did(cli: Cli, claude: Path) -> None:
    assert "not called yet" in check(cli, "hooks claude-code")["found"]
    assert "claude-code, not called yet" in cli("status").out
    assert cli("--json").json["hooks"] == {"claude-code": None}
    call_hook(cli, "UserPromptSubmit")
    found = check(cli, "hooks claude-code")
    assert found["state"] == "ok"
    assert "last ran" in found["found"]
    assert "claude-code, last ran" in cli("status").out
    assert cli("--json").json["hooks"]["claude-code"] is not None
    assert cli("--json").json["hooks_off"] is None


def test_hooks_of_an_earlier_takeback_are_told_what_they_lack(cli: Cli, claude: Path) -> None:
    hooks = json.loads(claude.read_text())
    del hooks["hooks"]["PermissionRequest"]
    claude.write_text(json.dumps(hooks))
    found = check(cli, "hooks claude-code")
    assert found["state"] == "warn" and "does not tell of PermissionRequest" in found["found"]
    assert "takeback install claude-code" in found["next"]
    cli("install", "claude-code", "--yes", "--no-keep-env")
    assert check(cli, "hooks claude-code")["state"] == "ok"


def test_a_python_that_is_gone(cli: Cli, claude: Path) -> None:
    claude.write_text(claude.read_text().replace(sys.executable, "/nowhere/python"))
    found = check(cli, "hooks claude-code", code=1)
    assert found["state"] == "fail"
    assert "/nowhere/python" in found["found"]
    assert "takeback install claude-code" in found["next"]
    cli("install", "claude-code", "--yes", "--no-keep-env")
    assert check(cli, "hooks claude-code")["state"] == "ok"


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("echo 'No module named takeback' >&2; exit 1", "No module named takeback"),
        ("exit 2", "end with 2"),
        ("cat > /dev/null; echo hello", "hello"),
        ("exec /nowhere", "end with 127"),
    ],
)
def test_a_hook_that_does_not_do_what_the_agent_expects(
    cli: Cli, claude: Path, tmp_path: Path, script: str, says: str
) -> None:
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    claude.write_text(claude.read_text().replace(sys.executable, str(program)))
    found = check(cli, "hooks claude-code", code=1)
    assert (found["state"], says in found["found"]) == ("fail", True), found


def test_a_configuration_that_cannot_be_read_counts_if_it_holds_hooks_of_ours(cli: Cli, claude: Path) -> None:
    claude.write_text(claude.read_text() + "broken")
    found = check(cli, "hooks claude-code", code=1)
    assert found["state"] == "fail"
    assert found["next"].startswith("correct the file")
    assert "\nhooks     claude-code" in cli("status").out
    claude.write_text("{ broken, and somebody else's")
    assert check(cli, "hooks")["state"] == "ok"
    assert "\nhooks" not in cli("status").out


def test_hooks_of_docker_agent_and_its_extra(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.write("team.yaml", "agents:\n  root:\n    model: openai/gpt-5\n    instruction: help\n")
    cli("install", "docker-agent", "team.yaml", "--yes", "--no-keep-env")
    assert check(cli, "hooks docker-agent")["state"] == "ok"
    sound = cli.read("team.yaml")
    cli.write("team.yaml", sound.replace(sys.executable, "/nowhere/python"))
    assert f"takeback install docker-agent {cli.root}/team.yaml" in check(cli, "hooks docker-agent", code=1)["next"]
    cli.write("team.yaml", sound)
    for name in [name for name in sys.modules if name.partition(".")[0] == "yaml"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "yaml", None)
    monkeypatch.setattr("takeback.cli.checkup.hooks.find_spec", lambda name: None)
    monkeypatch.setattr("takeback.cli.checkup.machine.find_spec", lambda name: None)
    found = check(cli, "extra")
    assert (found["state"], "takeback[docker-agent]" in found["next"]) == ("warn", True)


def test_a_command_of_a_cloned_project_is_never_run(cli: Cli, home: Path) -> None:
    """Its file may hold anything, called what ours is called."""
    cli("install", "claude-code", "--project", "--yes", "--no-keep-env")
    file = cli.root / ".claude" / "settings.json"
    sound = file.read_text()
    evil = cli.root / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {cli.root}/ran\n")
    evil.chmod(0o755)
    (home / "link").symlink_to(cli.root)
    for interpreter in (
        f"touch {cli.root}/ran; {sys.executable}",
        str(evil),
        "./evil",
        f"{home}/link/evil",
        f"{cli.root}/../{cli.root.name}/evil",
    ):
        file.write_text(sound.replace(sys.executable, interpreter))
        check(cli, "hooks claude-code", code=1)
        assert not (cli.root / "ran").exists(), interpreter


def test_an_agent_that_was_told_to_run_no_hooks(cli: Cli, claude: Path) -> None:
    make_tree(cli.root / ".claude", {"settings.local.json": '{"disableAllHooks": true}'})
    found = check(cli, "hooks claude-code")
    assert found["state"] == "warn"
    assert "disableAllHooks" in found["found"]
    assert "settings.local.json" in found["found"]
    make_tree(cli.root / ".claude", {"settings.local.json": '{"disableAllHooks": false}'})
    assert check(cli, "hooks claude-code")["state"] == "ok"


def test_gemini_that_was_told_to_run_no_hooks(cli: Cli, home: Path) -> None:
    make_tree(home / ".gemini", {"settings.json": '{"hooksConfig": {"enabled": false}}'})
    cli("install", "gemini-cli", "--yes", "--no-keep-env")
    assert "hooksConfig.enabled" in check(cli, "hooks gemini-cli")["found"]


def test_a_session_that_the_hook_was_never_told_of(cli: Cli, claude: Path, home: Path) -> None:
    begin_session(home, cli.root, "before-it-was-installed", ago=7200)
    an_hour_old(claude)
    assert check(cli, "hooks claude-code")["state"] == "ok"
    begin_session(home, cli.root, "heard-of", ago=600)
    call_hook(cli, "UserPromptSubmit", "heard-of")
    assert check(cli, "hooks claude-code")["state"] == "ok"
    begin_session(home, cli.root, "unheard-of", ago=300)
    found = check(cli, "hooks claude-code")
    assert found["state"] == "warn"
    assert "did not call" in found["found"]
    assert "/hooks" in found["next"]


def test_a_session_of_codex_that_the_hook_was_never_told_of(cli: Cli, home: Path) -> None:
    cli("install", "codex", "--yes", "--no-keep-env")
    an_hour_old(home / ".codex" / "hooks.json")
    assert check(cli, "hooks codex")["state"] == "ok"
    began = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() - 60))
    about = {"id": "0199-abcdef12", "timestamp": began, "cwd": str(cli.root)}
    line = json.dumps({"timestamp": began, "type": "session_meta", "payload": about})
    make_tree(home / ".codex" / "sessions" / "2026" / "01" / "01", {"rollout-x-0199-abcdef12.jsonl": line + "\n"})
    assert check(cli, "hooks codex")["state"] == "warn"


def test_snapshots_that_are_switched_off_and_by_what(cli: Cli, claude: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "snapshots" not in checks(cli)
    cli.write("takeback.toml", "snapshots = false\n")
    found = check(cli, "snapshots")
    assert found["state"] == "warn"
    assert "takeback.toml" in found["found"]
    assert "off: snapshots = false" in cli("status").out
    assert "takeback.toml" in cli("--json").json["hooks_off"]
    cli.write("takeback.toml", "")
    make_tree(os.path.dirname(user_file()), {"config.toml": "snapshots = false\n"})
    assert user_file() in check(cli, "snapshots")["found"]
    monkeypatch.setenv("TAKEBACK_OFF", "1")
    assert "TAKEBACK_OFF" in check(cli, "snapshots")["found"]
    assert "off: TAKEBACK_OFF=1" in cli().out
    monkeypatch.setenv("TAKEBACK_OFF", "0")
    make_tree(os.path.dirname(user_file()), {"config.toml": "snapshots = true\n"})
    assert "snapshots" not in checks(cli)


def test_a_clock_that_jumped_back_between_two_snapshots(cli: Cli) -> None:
    import takeback as tb

    for text in ("one", "two", "three"):
        cli.write("a.txt", text)
        cli("save")
    assert check(cli, "clock")["state"] == "ok"
    with tb.open(str(cli.store)) as store, store.blobs.database.write() as tx:
        newest = snapshots.newest(tx, 1, 1)[0]
        hour = 3600 * 10**9
        tx.execute("UPDATE snapshots SET time_ns = ? WHERE id = ?", (newest.time_ns - hour, newest.id))
    found = check(cli, "clock")
    assert found["state"] == "warn"
    assert "59 min" in found["found"] or "60 min" in found["found"]


def test_a_store_beyond_its_limit(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.write("a.txt", "one")
    cli("save")
    assert check(cli, "size")["state"] == "ok"
    monkeypatch.setenv("TAKEBACK_MAX_BYTES", "1KiB")
    found = check(cli, "size")
    assert found["state"] == "warn"
    assert "1.0 KiB" in found["found"]


@pytest.mark.parametrize(("left", "state", "code"), [(50, "fail", 1), (5_000, "warn", 0), (50_000, "", 0)])
def test_a_disk_that_takes_no_more_files(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, left: int, state: str, code: int
) -> None:
    real = os.statvfs(cli.root)
    full = namedtuple("full", "f_bavail f_frsize f_blocks f_favail f_files")
    numbers = full(real.f_bavail, real.f_frsize, real.f_blocks, left, 100_000)
    monkeypatch.setattr("takeback.store.space.os.statvfs", lambda path: numbers)
    found = [each for each in cli.json("doctor", code=code)["checks"] if each["check"] == "files"]
    assert [each["state"] for each in found] == ([state] if state else [])


def test_an_extra_that_is_configured_but_missing(cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "extra" not in checks(cli)
    server = {"command": sys.executable, "args": ["-P", "-m", "takeback", "-C", str(cli.root), "mcp"]}
    configurations = {
        cli.root / ".mcp.json": json.dumps({"mcpServers": {"takeback": server}}, indent=2),
        home / ".codex" / "config.toml": '[mcp_servers.takeback]\ncommand = "takeback"\nargs = ["mcp"]\n',
        home / ".gemini" / "settings.json": '{"mcpServers": {"t": {"command": "/x/takeback", "args": ["mcp"]}}}',
    }
    for file, text in configurations.items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        assert check(cli, "extra")["state"] == "ok"
        with monkeypatch.context() as patch:
            patch.setattr("takeback.cli.checkup.machine.find_spec", lambda name: None)
            found = check(cli, "extra")
        assert found["state"] == "warn"
        assert "takeback[mcp]" in found["next"]
        assert str(file) in found["found"]
        file.unlink()


def test_looking_leaves_nothing_behind(cli: Cli, claude: Path, home: Path) -> None:
    before = sorted(str(path) for path in (*home.rglob("*"), *cli.root.rglob("*")))
    cli("doctor")
    cli("status")
    assert sorted(str(path) for path in (*home.rglob("*"), *cli.root.rglob("*"))) == before
    assert not cli.store.exists()
    shutil.rmtree(home / ".claude")
    assert check(cli, "hooks")["state"] == "ok"
