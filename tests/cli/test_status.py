"""`takeback` alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cli import Cli
from support.git import init_repository
from takeback.store.catalogue import journals
from takeback.store.catalogue.journals import Journal


def test_before_the_first_save_it_says_how_to_begin_and_writes_nothing(cli: Cli) -> None:
    found = cli("--json").json
    assert found["root"] == str(cli.root)
    assert found["found_by"] == "directory"
    assert found["store"] == str(cli.store)
    assert found["store_exists"] is False
    assert found["snapshot"] is None
    assert "takeback save" in found["hint"]
    assert not cli.store.exists()
    out = cli().out
    assert "not made yet" in out
    assert out.count("next: ") == 1


def test_a_newcomer_with_a_compose_file_is_told_of_init_until_there_is_a_file(cli: Cli) -> None:
    assert "takeback init" not in cli("--json").json["hint"]
    cli.write("compose.yaml", "services: {}\n")
    assert "`takeback init`" in cli("--json").json["hint"]
    cli.write("takeback.toml", "")
    assert "takeback init" not in cli("--json").json["hint"]


def test_a_newcomer_is_led_to_the_agent_that_works_here(cli: Cli, home: Path) -> None:
    assert "`takeback install AGENT`" in cli("--json").json["hint"]
    (home / ".codex").mkdir()
    assert "`takeback install codex`" in cli("--json").json["hint"]
    cli.write("CLAUDE.md", "# This project\n")
    assert "`takeback install claude-code`" in cli("--json").json["hint"]
    cli("install", "claude-code", "--yes")
    hint = cli("--json").json["hint"]
    assert hint.startswith("let Claude Code work here")
    assert "install" not in hint
    assert not cli.store.exists()


def test_it_shows_the_last_snapshot_and_moves(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    cli("save", "-m", "good")
    cli("run", "-m", "work", "--", "sh", "-c", "echo two > a.txt")
    found = cli("--json").json
    assert found["snapshot"]["trigger"] == "run_end"
    assert [move["title"] for move in found["moves"]] == ["work"]
    assert "takeback undo" in found["hint"]
    assert "work" in cli("status").out
    cli("undo", "--yes")
    assert "takeback redo" in cli("--json").json["hint"]


def test_undo_is_suggested_only_while_something_can_be_undone(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    cli("save", "-m", "good")
    assert "`takeback undo`" in cli("--json").json["hint"]
    cli.write("a.txt", "two\n")
    cli("undo", "--yes")
    hint = cli("--json").json["hint"]
    assert "`takeback redo`" in hint
    assert "undo" not in hint
    cli("run", "--", "true")
    assert "undo" not in cli("--json").json["hint"]


def test_what_lies_inside_a_turn_that_was_undone_is_nothing_to_undo(cli: Cli) -> None:
    import takeback

    with takeback.open(str(cli.store)) as store:
        line = store.timeline(sources=[takeback.Workspace(cli.root)])
        line.save()
        with line.turn("work", session="s"), line.action("write", session="s"):
            cli.write("a.txt", "one\n")
    assert "`takeback undo`" in cli("--json").json["hint"]
    cli("undo", "--yes")
    assert cli("--json").json["hint"] == "`takeback redo` brings it back"


def test_it_names_the_move_that_undo_takes_next(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    cli("save", "-m", "good")
    assert cli("--json").json["next_undo"] is None
    for number in (2, 3):
        cli("run", "-m", f"work {number}", "--", "sh", "-c", f"echo {number} > a.txt")
    for expected in ("work 3", "work 2"):
        found = cli("--json").json
        assert found["next_undo"]["title"] == expected
        assert f"undo      run {found['next_undo']['move'][:8]} “{expected}”" in cli("status").out
        assert cli("undo", "--yes", "--json").json["moves"][0] == found["next_undo"]["move"]
    assert cli("--json").json["next_undo"] is None


def test_it_passes_a_move_whose_effect_is_gone(cli: Cli) -> None:
    cli.write("a.txt", "1\n")
    for number in (2, 3):
        cli("run", "-m", f"work {number}", "--", "sh", "-c", f"echo {number} > {number}.txt")
    (cli.root / "3.txt").unlink()
    assert cli("--json").json["next_undo"]["title"] == "work 2"
    cli("undo", "--yes")
    assert not (cli.root / "2.txt").exists()


def test_it_names_both_moves_where_the_person_has_one_of_her_own(cli: Cli) -> None:
    cli.write("a.txt", "1\n")
    cli("run", "-m", "work", "--", "sh", "-c", "echo 2 > a.txt")
    cli("save", "-m", "mine")
    cli.write("mine.txt", "mine\n")
    found = cli("--json").json
    assert [each["title"] for each in found["undo_choices"]] == ["work", "changes since “mine”"]
    assert found["next_undo"]["title"] == "work"
    assert "your own changes since “mine”  with --level manual" in cli("status").out
    out = cli("undo", "--yes").out
    assert "your own changes since “mine” stay; `takeback undo --level manual` takes them back" in out
    assert (cli.read("a.txt"), cli.read("mine.txt")) == ("1\n", "mine\n")
    found = cli("--json").json
    assert found["next_undo"] is None and len(found["undo_choices"]) == 1
    error = cli("undo", "--yes", code=10).err
    assert "changes since “mine” are your own: `takeback undo --level manual` takes them back" in error
    cli("undo", "--level", "manual", "--yes")
    assert not (cli.root / "mine.txt").exists()


def test_after_a_save_it_says_what_undo_is_for_from_there_on(cli: Cli) -> None:
    cli.write("a.txt", "1\n")
    cli("save", "-m", "good")
    assert cli("--json").json["hint"] == "from here on, `takeback undo` takes back what changes"
    cli.write("a.txt", "2\n")
    assert "takes back the newest move" in cli("--json").json["hint"]


def test_an_empty_timeline_points_at_the_one_that_may_be_meant(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    cli("save", "--timeline", "other")
    assert "--timeline other" in cli("--json").json["hint"]
    assert "--timeline other" in cli("log").out
    assert cli.json("log")["snapshots"] == []


def test_moves_are_listed_by_time(cli: Cli) -> None:
    import takeback

    with takeback.open(str(cli.store)) as store:
        line = store.timeline(sources=[takeback.Workspace(cli.root)])
        with line.run("outer", session="s"):
            with line.turn("inner", session="s"):
                cli.write("a.txt", "one\n")
    found = [move["title"] for move in cli("--json").json["moves"]]
    assert found == ["outer", "inner"]


def test_looking_does_not_change_the_store(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    cli("save")
    before = cli.json("log")
    cli.write("a.txt", "two\n")
    cli()
    assert cli.json("log") == before


@pytest.mark.service("git")
def test_it_says_how_the_root_was_found(cli: Cli) -> None:
    init_repository(cli.root)
    (cli.root / "deep").mkdir()
    found = cli("-C", "deep", "--json").json
    assert (found["root"], found["found_by"]) == (str(cli.root), "git")


def test_the_home_directory_is_warned_of(cli: Cli, home: Path) -> None:
    assert cli("-C", str(home), "--json").json["is_home"] is True
    assert "home directory" in cli("-C", str(home)).out
    assert "home directory" not in cli().out


def test_an_interrupted_restore_is_told(cli: Cli) -> None:
    import takeback

    cli.write("a.txt", "one\n")
    id = cli.json("save")["id"]
    with takeback.open(str(cli.store)) as store:
        number = store.timelines()[0].number
        with store.blobs.database.write() as tx:
            journals.begin(tx, Journal(str(cli.root), number, b"\0" * 32, id, 1))
    found = cli("--json").json
    assert found["interrupted"] is True
    assert "finishes the interrupted restore" in found["hint"]
    assert "interrupted" in cli().out
    checks = {each["check"]: each["state"] for each in cli.json("doctor")["checks"]}
    assert checks["restore"] == "warn"
