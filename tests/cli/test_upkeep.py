"""Commands that save keep the store up, in a process that nobody waits for; what went wrong there is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.cli import PROGRAM, Cli
from support.stores import noise
from support.terminal import Terminal
from takeback.engine import background
from takeback.engine.background import Background
from takeback.model.limits import Limits
from takeback.model.policy import Policy
from takeback.store import notices
from takeback.store.blobstore import open_local
from takeback.store.locks import root_lock

PATIENCE = 60


@pytest.fixture
def automatic(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.setenv("TAKEBACK_UPKEEP", "auto")
    monkeypatch.setenv("TAKEBACK_MIN_FREE", "0")
    monkeypatch.setattr(background, "_STARTED", [])
    return cli


def save(cli: Cli, count: int) -> None:
    for _ in range(count):
        cli.write("a.bin", os.urandom(100))
        cli("save")


def started() -> int:
    """How many processes were started, once they have ended."""
    for process in background._STARTED:
        process.wait(PATIENCE)
    return len(background._STARTED)


def test_nothing_is_started_as_long_as_nothing_is_due(automatic: Cli) -> None:
    save(automatic, 5)
    automatic("run", "--", "true")
    assert started() == 0
    assert len(automatic.json("log")["snapshots"]) == 5, "by default everything is kept"


def test_the_policy_of_the_configuration_is_kept_by_itself(automatic: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    config = Path(os.environ["XDG_CONFIG_HOME"]) / "takeback" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("keep_last = 3\n")
    save(automatic, 5)
    assert started() == 1, "three, the first, and one too many"
    assert len(automatic.json("log")["snapshots"]) == 4
    save(automatic, 3)
    assert started() == 1, "not again within a minute"
    assert automatic.json("status")["notices"] == []
    assert automatic.json("stats")["maintained"] is not None
    assert automatic.json("verify", "--read-data")["ok"]


def test_a_project_cannot_make_the_store_forget(automatic: Cli) -> None:
    automatic.write("takeback.toml", "keep_last = 1\nmax_age = 0\nmax_bytes = 0\nupkeep = 'auto'\nmin_free = '1TiB'\n")
    save(automatic, 6)
    assert started() == 0
    assert len(automatic.json("log")["snapshots"]) == 6
    said = automatic("log").err
    assert said.count("ignoring a line") == 3
    assert "takeback.toml says keep_last = 1 and max_age = 0: no snapshot goes because of that until you agree" in said


def test_what_a_project_says_holds_for_its_own_timelines_once_agreed(automatic: Cli, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for number in range(6):
        (other / "a").write_text(str(number))
        automatic("-C", str(other), "save")
    automatic.write("takeback.toml", "keep_last = 3\n")
    automatic("trust", "--yes")
    save(automatic, 5)
    assert started() == 1
    assert len(automatic.json("log")["snapshots"]) == 4, "three, and the first"
    assert len(automatic.json("-C", str(other), "log")["snapshots"]) == 6
    automatic.write("takeback.toml", "keep_last = 1\n")  # an agent's idea
    assert "says keep_last = 1: no snapshot goes because of that" in automatic("log").err
    assert "keep_last = 3 holds for this directory (agreed)" in automatic("config", "show").out


def test_it_can_be_switched_off(automatic: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAKEBACK_UPKEEP", "off")
    monkeypatch.setenv("TAKEBACK_KEEP_LAST", "1")
    save(automatic, 5)
    assert started() == 0
    checks = {each["check"]: each for each in automatic.json("doctor")["checks"]}
    assert checks["upkeep"]["state"] == "warn" and "takeback maintain" in checks["upkeep"]["next"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("UPKEEP", "on"), ("KEEP_LAST", "0"), ("KEEP_LAST", "many"), ("MAX_AGE", "soon"), ("MIN_FREE", "much")],
)
def test_a_wrong_setting_is_said(cli: Cli, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"TAKEBACK_{name}", value)
    assert name.lower() in cli.error("save", code=2)["message"]


def test_the_process_stands_alone_and_loads_nothing_from_the_workspace(
    automatic: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    automatic.write("takeback/__init__.py", "open('ruined', 'w')")
    save(automatic, 4)
    with open_local(automatic.store) as blobs, root_lock(str(automatic.root)):  # which a prune waits for
        Background(blobs, Limits(Policy(keep_last=1)))("manual")
        (process,) = background._STARTED
        assert process.poll() is None
        assert os.getsid(process.pid) == process.pid, "Ctrl-C does not reach it"
        assert os.readlink(f"/proc/{process.pid}/cwd") == "/"
        assert {os.readlink(f"/proc/{process.pid}/fd/{number}") for number in range(3)} == {"/dev/null"}
    assert process.wait(PATIENCE) == 0
    assert len(automatic.json("log")["snapshots"]) == 2
    assert not (automatic.root / "ruined").exists()


def test_what_failed_is_said_once_to_a_person_and_as_often_as_asked_in_json(
    automatic: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAKEBACK_KEEP_LAST", "1")
    automatic.write("sub/file", noise(400_000))
    automatic("save")
    automatic.write("sub/file", "small")
    automatic("save")
    (pack,) = (each for each in (automatic.store / "packs").rglob("*") if each.is_file())
    pack.chmod(0o600)
    pack.write_bytes(b"damaged")
    save(automatic, 1)
    assert started() == 1, "and no save has failed because of it"
    (notice,) = automatic.json("status")["notices"]
    assert notice["where"] == "upkeep" and "cannot be followed" in notice["message"] and notice["hints"]
    assert any(each["check"] == "upkeep" and each["state"] == "warn" for each in automatic.json("doctor")["checks"])
    assert "cannot be followed" in automatic("status").out
    assert "cannot be followed" not in automatic("status").out
    assert notices.read(automatic.store) == ()


def test_other_commands_on_a_terminal_point_at_it(cli: Cli) -> None:
    cli("save")
    notices.note(cli.store, "upkeep", "something")
    terminal = Terminal([*PROGRAM, "log"], cli.root, {})
    assert terminal.end() == 0
    assert b"`takeback status` shows it" in terminal.shown
    assert "something" not in cli("log").err, "scripts are left alone"
    assert "something" in cli("status").out


def test_little_space_is_said(automatic: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is as full as it is; what should be free is what is asked for too much."""
    monkeypatch.setattr("takeback.model.limits._SHARE", 1)
    monkeypatch.setenv("TAKEBACK_MIN_FREE", "1000TiB")
    save(automatic, 1)
    checks = {each["check"]: each for each in automatic.json("doctor")["checks"]}
    assert checks["space"]["state"] == "warn" and "should be" in checks["space"]["found"]
    assert started() == 1, "the process looks at the disk with its own eyes, and is content"
