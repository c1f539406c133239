"""The options that every command takes, before and after its name, and what is said when a call is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.cli import Cli
from takeback.cli.app import COMMANDS


def test_global_options_stand_before_or_after_the_command(cli: Cli, tmp_path: Path) -> None:
    cli.write("a.txt", "one\n")
    other = str(tmp_path / "other")
    before = cli("--json", "--store", other, "--timeline", "x", "-C", str(cli.root), "save").json
    after = cli("save", "--json", "--store", other, "--timeline", "x", "-C", str(cli.root)).json
    assert before["id"] == after["id"]
    assert after["timeline"] == "x"
    assert not cli.store.exists()


def test_the_later_option_wins(cli: Cli) -> None:
    assert cli("--timeline", "one", "config", "show", "--timeline", "two", "--json").json["settings"]["timeline"] == {
        "value": "two", "origin": "flag", "help": "the timeline's name",
    }  # fmt: skip


def test_a_relative_store_starts_at_the_directory(cli: Cli) -> None:
    cli.write("sub/a.txt", "one\n")
    cli("-C", "sub", "--store", "../../beside", "save")
    assert (cli.root.parent / "beside" / "store.json").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["log", "--nonsense"],
        ["show"],
        ["restore"],
        ["log", "-n", "0"],
        ["log", "-n", "many"],
        ["log", "-n", "99999999999999999999"],
        ["--store", "", "save"],
        ["--store", "caf\udce9", "save"],
        ["--timeline", "", "save"],
        ["save", "--store"],
        ["help", "nonsense"],
        ["help", "undo", "nonsense"],
        ["run", "--every", "99999999999d", "--", "true"],
        ["completion", "powershell"],
        ["run"],
        ["fork", "@", "name"],
        ["-C", "nowhere", "log"],
        ["-C", "nowhere"],
        ["--store", "a-file", "log"],
        ["--store", "a-file", "save"],
        ["--store", "not-a-store", "log"],
        ["--store", "not-a-store", "save"],
        ["-C", "a-file", "save"],
        ["--timeline", "\udcff", "save"],
        ["fork", "@", "a\nb", "--to", "there"],
        ["undo", "--session", "\udcff", "--yes"],
        ["save", "-m", "\udcff"],
        ["run", "--every", "soon", "--", "true"],
        ["run", "--every", "0", "--", "true"],
    ],
)
def test_a_wrong_call_exits_2_in_words_and_in_json(cli: Cli, arguments: list[str]) -> None:
    cli.write("a-file", "text\n")
    cli.write("not-a-store/file", "text\n")
    said = cli(*arguments, code=2)
    assert said.raw == b""
    assert said.err.startswith("takeback: ")
    assert "Traceback" not in said.err
    error = cli("--json", *arguments, code=2).error
    assert error["kind"] == "InvalidInput"
    assert error["exit_code"] == 2
    assert error["message"] in said.err
    assert error["hints"] or arguments[0] == "-C"
    assert not (cli.root / "caf\udce9").exists()


def test_json_as_the_value_of_another_option_is_no_wish_for_it(cli: Cli) -> None:
    assert "saved" in cli("save", "-m", "--json").out


def test_a_command_that_is_misspelt_is_suggested(cli: Cli) -> None:
    assert "did you mean 'undo'?" in cli("udno", code=2).err


def test_an_ambiguous_reference_exits_2(cli: Cli) -> None:
    for number in range(17):
        cli.write("a.txt", f"{number}\n")
        cli("save")
    first = [row["id"][0] for row in cli.json("log")["snapshots"]]
    twice = next(letter for letter in first if first.count(letter) > 1)
    assert "ambiguous" in cli.error("show", twice, code=2)["message"]


def test_a_store_of_a_newer_format_exits_15(cli: Cli) -> None:
    cli("save")
    header = cli.store / "store.json"
    header.chmod(0o600)
    header.write_text(json.dumps({**json.loads(header.read_text()), "format": 99}))
    for arguments in (["log"], ["save"], []):
        error = cli.error(*arguments, code=15)
        assert error["kind"] == "Unavailable"
        assert "upgrade" in error["hints"][0]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(cli: Cli, command: str) -> None:
    for flag in ("-h", "--help"):
        assert "Usage: takeback" in cli(command, flag).out


@pytest.mark.parametrize("words", [[], ["undo"], ["config", "show"]])
def test_help_as_a_command(cli: Cli, words: list[str]) -> None:
    assert cli("help", *words).out == cli(*words, "--help").out
    assert cli.json("help", *words)["help"] + "\n" == cli(*words, "--help").out


def test_a_place_that_takes_no_store_is_said_to_be_one(cli: Cli) -> None:
    error = cli.error("--store", "/proc/nowhere", "save", code=2)
    assert "takes no new directories" in error["message"]
    assert "verify" not in error["hints"][0]


def test_help_lists_every_command(cli: Cli) -> None:
    out = cli("--help").out
    for command in COMMANDS:
        assert f"  {command}  " in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_version(cli: Cli) -> None:
    import takeback

    assert cli("--version").out == f"takeback {takeback.__version__}\n"
    assert cli("--json", "--version").json == {"version": takeback.__version__}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(cli: Cli, shell: str) -> None:
    script = cli("completion", shell).out
    assert "_TAKEBACK_COMPLETE" in script
    assert cli.json("completion", shell) == {"shell": shell, "script": script.removesuffix("\n")}
