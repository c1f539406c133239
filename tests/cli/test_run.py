"""`takeback run` inside this process; signals and terminals are in tests/e2e."""

from __future__ import annotations

import json
import os
import shlex
import sys
from typing import Any

import pytest

from support.cli import Cli
from support.trees import make_tree
from takeback.engine.timeline import Timeline
from takeback.locate import user_file


@pytest.mark.parametrize("code", [0, 1, 3, 77])
def test_the_exit_code_is_passed_on(cli: Cli, code: int) -> None:
    cli("run", "--", "sh", "-c", f"echo x > f{code}; exit {code}", code=code)
    (move,) = cli.json("log")["moves"]
    assert move["level"] == "run"
    assert move["title"] == f"sh -c 'echo x > f{code}; exit {code}'"


def test_a_killed_command_exits_with_128_and_the_signal(cli: Cli) -> None:
    cli("run", "--", "sh", "-c", "echo x > f; kill -9 $$", code=137)
    assert len(cli.json("log")["moves"]) == 1


def test_commands_that_cannot_be_started(cli: Cli) -> None:
    cli.write("no-program", "text\n")
    said = cli("run", "--", "no-such-command", code=127).err
    assert "no-such-command" in said
    assert "hint: is it installed" in said
    assert "no-program" in cli("run", "--", "./no-program", code=126).err
    assert cli.json("log")["moves"] == []


def test_options_after_the_command_are_the_commands_own(cli: Cli) -> None:
    cli("run", "sh", "-c", "echo $1 > f", "sh", "--json")
    assert cli.read("f") == "--json\n"


def test_every_run_is_a_session_of_its_own_unless_named(cli: Cli) -> None:
    cli("run", "--", "sh", "-c", "echo 1 > a")
    cli("run", "--", "sh", "-c", "echo 2 > a")
    cli("run", "--session", "mine", "--", "sh", "-c", "echo 3 > a")
    sessions = [move["session"] for move in cli.json("log")["moves"]]
    assert len(set(sessions)) == 3
    assert sessions[0] == "mine"


def test_saves_in_between(cli: Cli) -> None:
    """The command itself waits until there is a snapshot that is neither its beginning nor its end."""
    log = shlex.join([sys.executable, "-m", "takeback", "log", "--json"])
    script = f"echo half > a; until {log} | grep -q '\"interval\"'; do sleep 0.05; done; echo whole > a"
    cli("run", "--every", "50ms", "--", "sh", "-c", script)
    found = cli.json("log")
    triggers = [row["trigger"] for row in found["snapshots"]]
    assert triggers[-1] == "run_start"
    assert "interval" in triggers
    assert len(found["moves"]) == 1
    cli("undo", "--yes")
    assert not (cli.root / "a").exists()


def test_a_save_in_between_that_fails_is_told_once_and_the_rest_is_recorded(cli: Cli) -> None:
    wait = f"until test -e {shlex.quote(str(cli.root))}/go; do sleep 0.02; done"
    tries = 0
    real = Timeline.save

    def save(self: Timeline, *arguments: Any, **options: Any) -> Any:
        nonlocal tries
        if options.get("trigger") != "interval":
            return real(self, *arguments, **options)
        tries += 1
        if tries == 3:
            cli.write("go", "")
        raise ZeroDivisionError("of our own")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Timeline, "save", save)
        result = cli("run", "--every", "10ms", "--", "sh", "-c", wait)
    assert result.err.count("a save in between failed") == 1
    assert "ZeroDivisionError" in result.err
    assert cli.json("log")["snapshots"][0]["trigger"] == "run_end"


def test_a_command_that_changes_nothing_leaves_no_move(cli: Cli) -> None:
    cli("run", "--", "true")
    assert cli.json("log")["moves"] == []


def test_if_saving_fails_the_command_runs_all_the_same(cli: Cli) -> None:
    cli.store.write_text("not a store")
    result = cli("run", "--", "sh", "-c", "echo done > f; exit 5", code=5)
    assert "could not be recorded" in result.err
    assert cli.read("f") == "done\n"


def test_if_takeback_is_broken_the_command_runs_all_the_same(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def save(self: Timeline, *arguments: object, **options: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Timeline, "save", save)
    result = cli("run", "--", "sh", "-c", "echo done > f; exit 5", code=5)
    assert "bug" in result.err
    assert cli.read("f") == "done\n"


def test_a_broken_configuration_does_not_keep_the_command_from_running(cli: Cli) -> None:
    make_tree(os.path.dirname(user_file()), {"config.toml": "not toml"})
    assert "could not be recorded" in cli("run", "--", "true").err


def test_it_runs_in_the_directory_that_was_named(cli: Cli) -> None:
    (cli.root / "sub").mkdir()
    cli("-C", "sub", "run", "--", "sh", "-c", "echo x > here")
    assert (cli.root / "sub" / "here").exists()


def test_the_json_of_a_run(cli: Cli) -> None:
    result = cli("run", "-m", "work", "--json", "--", "sh", "-c", "echo x > f; exit 4", code=4)
    shown = json.loads(result.out)
    assert shown["exit_code"] == 4
    assert shown["move"]["title"] == "work"
    assert shown["opening"] == shown["move"]["opening"]
    assert shown["closing"] == shown["move"]["closing"]
    assert shown["problems"] == []
