"""fork and promote, as they are typed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.cli import Cli


@pytest.fixture
def tries(cli: Cli) -> Path:
    """Two forks of a project."""
    cli.write("a.txt", "one\n")
    cli("save", "-m", "good")
    cli("fork", "good", "try", "-n", "2", "--to", "../tries")
    return cli.root.parent / "tries"


def test_several_forks_are_listed_as_json(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    id = cli.json("save")["id"]
    made = cli.json("fork", "@", "try", "-n", "2", "--to", "../tries")
    assert made["fork_of"] == id
    assert [each["timeline"] for each in made["forks"]] == ["try-1", "try-2"]
    assert [each["root"] for each in made["forks"]] == [
        str(cli.root.parent / "tries" / name) for name in ("try-1", "try-2")
    ]
    assert made["forks"][0]["parts"] == {"workspace": made["forks"][0]["root"]}


def test_a_fork_is_its_own_root_also_inside_of_a_repository(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    cli("save")
    (cli.root.parent / "other" / ".git").mkdir(parents=True)
    cli("fork", "@", "attempt", "--to", "../other/attempt")
    (cli.root.parent / "other" / "attempt" / "sub").mkdir()
    shown = cli.json("status", "-C", "../other/attempt/sub")
    assert (shown["timeline"], shown["root"]) == ("attempt", str(cli.root.parent / "other" / "attempt"))


def test_forks_that_do_not_differ_are_said_to_be_compared_as_they_were_saved(cli: Cli, tries: Path) -> None:
    (tries / "try-1" / "a.txt").write_text("two\n")
    said = cli("diff", "try-1@", "try-2@").err
    assert f"try-1 is compared as it was saved last; `takeback -C {tries / 'try-1'} save`" in said
    cli("save", "-C", str(tries / "try-1"))
    shown = cli("diff", "try-1@", "try-2@")
    assert "-two" in shown.out and shown.err == ""


def test_promote_asks_shows_and_does(cli: Cli, tries: Path) -> None:
    (tries / "try-1" / "a.txt").write_text("two\n")
    assert "add --yes" in cli("promote", "try-1", code=2).err and cli.read("a.txt") == "one\n"
    planned = cli.json("promote", "try-1", "--dry-run")
    assert planned["changed"] == ["a.txt"] and cli.read("a.txt") == "one\n"
    done = cli.json("promote", "try-1", "--yes")
    assert done["verified"] and cli.read("a.txt") == "two\n"
    assert "promote try-1" in cli("log").out
    cli("undo", "--yes")
    assert cli.read("a.txt") == "one\n"


def test_a_conflict_is_exit_14_and_both_sides_can_be_looked_at(cli: Cli, tries: Path) -> None:
    (tries / "try-1" / "a.txt").write_text("theirs\n")
    cli.write("a.txt", "ours\n")
    out = cli("promote", "try-1", "--yes", code=14).out
    assert "the same lines were changed here" in out and cli.read("a.txt") == "ours\n"
    hint = next(line for line in out.splitlines() if "diff @" in line).split("`")[1]
    cli("save")
    shown = cli(*hint.split()[1:]).out
    assert "-ours\n+theirs\n" in shown
    assert "try-1 would change nothing: what differs is left alone" in cli("promote", "try-1", "--dry-run").out


def test_nothing_to_promote_is_no_error(cli: Cli, tries: Path) -> None:
    assert cli("promote", "try-2", "--yes").out == "nothing to promote: everything is already so\n"


def test_who_is_not_there_is_not_found(cli: Cli, tries: Path) -> None:
    error = cli.error("promote", "nobody", "--yes", code=10)
    assert "try-1, try-2" in error["hints"][0]
    assert cli.error("promote", "try-1@nothing", "--yes", code=10)
    assert cli.error("promote", "try-1", "--only", "sandbox", "--yes", code=10)


def test_from_within_a_fork_the_origin_is_promoted(cli: Cli, tries: Path) -> None:
    cli.write("a.txt", "two\n")
    cli("save")
    cli("-C", str(tries / "try-1"), "promote", "origin", "--yes")
    assert (tries / "try-1" / "a.txt").read_text() == "two\n" and (tries / "try-2" / "a.txt").read_text() == "one\n"


def test_what_cannot_be_is_refused_before_anything_is_made(cli: Cli, tries: Path) -> None:
    before = sorted(os.listdir(cli.root.parent))
    for words, code in (
        (["../out", "-n", "2", "--to", "../new"], 2),
        (["x", "-n", "0", "--to", "../new"], 2),
        (["x", "-n", "two", "--to", "../new"], 2),
        (["x", "-n", "999", "--to", "../new"], 2),
        (["x", "-n", "2", "--as", "box", "--to", "../new"], 2),
        (["x", "--without", "sandbox", "--to", "../new"], 10),
        (["origin", "--to", "../new"], 2),
        (["try", "-n", "2", "--to", "../tries"], 2),
    ):
        assert cli.error("fork", "good", *words, code=code), words
    assert sorted(os.listdir(cli.root.parent)) == before


def test_forks_and_their_snapshots_are_completed(cli: Cli, tries: Path) -> None:
    from click.shell_completion import ShellComplete

    from takeback.cli.app import app

    offered = {}
    for words in (["promote"], ["show"]):
        found = ShellComplete(app, {}, "takeback", "_TAKEBACK_COMPLETE").get_completions(words, "try")
        offered[words[0]] = {item.value for item in found}
    assert offered["promote"] == {"try-1", "try-2"}
    assert {"try-1@", "try-2@"} <= offered["show"]
