"""undo, redo and restore as the command line does them."""

from __future__ import annotations

import os
import shlex

import pytest

from support.cli import Cli
from support.trees import read_tree

TEXT = "".join(f"line {number}\n" for number in range(1, 10))
KEYS = {
    "move", "snapshot", "safety", "changed", "merged", "conflicts", "shared", "effects", "not_captured", "verified",
    "moves", "kept", "reasons", "notes",
}  # fmt: skip


@pytest.fixture
def worked(cli: Cli) -> Cli:
    """A snapshot, and a run that changed, deleted and made files."""
    cli.write("a.txt", TEXT)
    cli.write("b.txt", "b\n")
    cli("save", "-m", "good")
    cli("run", "--session", "s1", "-m", "work", "--", "sh", "-c", "sed -i s/.*1/ONE/ a.txt; rm b.txt; echo c > c.txt")
    return cli


def test_undo_and_redo_say_what_they_did(worked: Cli) -> None:
    (work,) = (move for move in worked.json("log")["moves"] if move["title"] == "work")
    ruined = read_tree(worked.root)
    done = worked.json("undo", "--yes")
    assert done.keys() >= KEYS
    assert sorted(done["changed"]) == ["a.txt", "b.txt", "c.txt"]
    assert done["moves"] == [work["id"]]
    assert done["verified"] is True
    assert (done["merged"], done["conflicts"], done["kept"], done["shared"]) == ([], [], [], [])
    assert worked.read("b.txt") == "b\n"
    assert worked.json("show", done["safety"])["id"] == work["closing"]
    assert worked.json("show", "@")["id"] == done["snapshot"]
    (undone,) = (move for move in worked.json("log")["moves"] if move["title"] == "work" and move["level"] == "run")
    assert undone["undone_by"] == done["move"]
    redone = worked.json("redo", "--yes")
    assert redone.keys() >= KEYS
    assert redone["moves"] == [done["move"]]
    assert read_tree(worked.root) == ruined


def test_people_are_told_that_it_was_checked_and_the_way_back(worked: Cli) -> None:
    out = worked("undo", "--yes").out
    assert "3 paths: 1 created, 1 changed, 1 deleted" in out
    assert "read back and verified" in out
    assert "takeback redo" in out
    assert worked.json("log", "-n", "1")["snapshots"][0]["parent"][:8] in out
    assert "takeback undo" in worked("redo", "--yes").out
    assert "takeback undo" in worked("restore", "good", "--yes").out


@pytest.mark.parametrize("command", [["undo"], ["redo"], ["restore", "good"]])
def test_a_dry_run_writes_nothing(worked: Cli, command: list[str]) -> None:
    if command == ["redo"]:
        worked("undo", "--yes")
    tree, log = read_tree(worked.root), worked.json("log")
    shown = worked.json(*command, "--dry-run")
    assert shown.keys() >= KEYS
    assert shown["dry_run"] is True
    assert (shown["move"], shown["snapshot"], shown["safety"], shown["verified"]) == (None, None, None, False)
    assert {each["path"] for each in shown["plan"]} == set(shown["changed"]) == {"a.txt", "b.txt", "c.txt"}
    wanted = {"b.txt": "delete", "c.txt": "create"} if command == ["redo"] else {"b.txt": "create", "c.txt": "delete"}
    assert {each["path"]: each["action"] for each in shown["plan"]} == {"a.txt": "change", **wanted}
    assert "would" in worked(*command, "--dry-run").out
    assert (read_tree(worked.root), worked.json("log")) == (tree, log)


@pytest.mark.parametrize("command", [["undo"], ["redo"], ["restore", "good"], ["drop", "good"]])
def test_without_a_terminal_they_need_yes(worked: Cli, command: list[str]) -> None:
    if command == ["redo"]:
        worked("undo", "--yes")
    tree, log = read_tree(worked.root), worked.json("log")
    error = worked.error(*command, code=2)
    assert "--json asks nothing" in error["message"]
    assert "--yes" in error["hints"][0]
    assert "no terminal to ask on" in worked(*command, code=2).err
    assert (read_tree(worked.root), worked.json("log")) == (tree, log)


@pytest.mark.parametrize(
    ("typed", "hinted"),
    [(["undo", "--keep", "a b"], "takeback undo --keep 'a b' --yes"), (["undo", "--"], "takeback undo --yes --")],
)
def test_without_a_terminal_the_hint_is_the_command_that_works(worked: Cli, typed: list[str], hinted: str) -> None:
    assert f"`{hinted}`" in worked(*typed, code=2).err


@pytest.mark.parametrize("command", [["undo", "nope"], ["redo"], ["restore", "yesterday"], ["drop", "nope"]])
def test_what_is_not_there_is_said_before_a_terminal_is_missed(worked: Cli, command: list[str]) -> None:
    assert worked.error(*command, code=10)["kind"] == "NotFound"


def test_a_merge_keeps_both_and_says_so(worked: Cli) -> None:
    worked.write("a.txt", worked.read("a.txt").replace("line 9", "nine"))
    done = worked.json("undo", "--yes")
    assert done["merged"] == ["a.txt"]
    assert worked.read("a.txt") == TEXT.replace("line 9", "nine")


def test_a_conflict_is_left_alone_and_exits_14(worked: Cli) -> None:
    worked.write("a.txt", worked.read("a.txt").replace("ONE", "uno"))
    plan = worked.json("undo", "--dry-run")
    assert plan["conflicts"] == ["a.txt"]
    done = worked.json("undo", "--yes", code=14)
    assert done["conflicts"] == ["a.txt"]
    assert done["reasons"]["a.txt"]
    assert sorted(done["changed"]) == ["b.txt", "c.txt"]
    assert worked.read("a.txt").startswith("uno\n")


def test_people_see_the_conflict_and_how_to_go_on(worked: Cli) -> None:
    worked.write("a.txt", worked.read("a.txt").replace("ONE", "uno"))
    before = worked.json("show", "good")["id"][:8]
    assert f"`takeback restore {before} a.txt`" in worked("undo", "--dry-run").out
    out = worked("undo", "--yes", code=14).out
    assert "conflict" in out
    assert f"`takeback diff {before} -- a.txt`" in out
    assert b"+uno" in worked("diff", before, "--", "a.txt").raw
    worked("restore", before, "a.txt", "--yes")
    assert worked.read("a.txt") == TEXT


def test_a_conflict_in_everything_changes_nothing(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    cli("run", "--", "sh", "-c", "echo two > a.txt")
    cli.write("a.txt", "three\n")
    before = cli.json("log")
    error = cli.error("undo", "--yes", code=14)
    assert error["kind"] == "Conflict"
    assert "a.txt" in error["message"]
    opening = before["moves"][0]["opening"][:8]
    assert [hint.split("`")[1] for hint in error["hints"]] == [
        f"takeback diff {opening} -- a.txt",
        f"takeback restore {opening} a.txt",
    ]
    assert cli.read("a.txt") == "three\n"
    assert cli.json("log") == before


def test_a_dry_run_of_what_cannot_be_taken_back_says_so_and_exits_0(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    cli("run", "--", "sh", "-c", "echo two > a.txt")
    cli.write("a.txt", "three\n")
    out = cli("undo", "--dry-run").out
    assert "nothing can be taken back" in out
    assert "already so" not in out


def test_hints_name_a_path_as_it_can_be_typed_from_elsewhere(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.write("takeback.toml", "")
    cli.write("sub/a b.txt", "one\n")
    cli("run", "--", "sh", "-c", "echo two > 'sub/a b.txt'")
    cli.write("sub/a b.txt", "three\n")
    monkeypatch.chdir(cli.root / "sub")
    command = cli.error("undo", "--yes", code=14)["hints"][1].split("`")[1]
    cli(*shlex.split(command)[1:], "--yes")
    assert cli.read("sub/a b.txt") == "one\n"


def test_nothing_to_undo_writes_nothing(cli: Cli) -> None:
    assert cli.error("undo", "--yes", code=10)["kind"] == "NotFound"
    assert not cli.store.exists()
    cli.write("a.txt", "one\n")
    cli("save")
    before = cli.json("log")
    assert "nothing to undo" in cli.error("undo", "--yes", code=10)["message"]
    assert "nothing to redo" in cli.error("redo", "--yes", code=10)["message"]
    assert cli.json("log") == before


def test_who_finds_no_turn_to_undo_is_told_of_what_was_saved_beside_them(cli: Cli) -> None:
    cli("run", "--", "sh", "-c", "echo x > by-agent.txt")
    cli("undo", "--yes")
    assert not any("--level" in hint for hint in cli.error("undo", "--yes", code=10)["hints"])
    for number in ("one", "two"):
        cli.write("a.txt", f"{number}\n")
        cli("save")
    (command,) = (hint.split("`")[1] for hint in cli.error("undo", "--yes", code=10)["hints"] if "--level" in hint)
    cli(*shlex.split(command)[1:], "--yes")
    assert cli.read("a.txt") == "one\n"


def test_undo_of_one_move_by_its_id_keeps_the_later_one(cli: Cli) -> None:
    for name in ("a", "b"):
        cli("run", "-m", name, "--", "sh", "-c", f"echo x > {name}.txt")
    (move,) = (each["id"] for each in cli.json("log")["moves"] if each["title"] == "a")
    cli("undo", move[:10], "--yes")
    assert not (cli.root / "a.txt").exists()
    assert (cli.root / "b.txt").exists()


def test_undo_since_a_snapshot_takes_back_all_of_them(cli: Cli) -> None:
    cli.write("z.txt", "z\n")
    cli("save", "-m", "good")
    for name in ("a", "b"):
        cli("run", "-m", name, "--", "sh", "-c", f"echo x > {name}.txt")
    done = cli.json("undo", "--since", "good", "--yes")
    assert len(done["moves"]) == 2
    assert sorted(path.name for path in cli.root.iterdir()) == ["z.txt"]


def test_undo_of_a_level_and_of_a_session(cli: Cli) -> None:
    for name in ("a", "b"):
        cli("run", "--session", name, "--", "sh", "-c", f"echo x > {name}.txt")
    assert cli.json("undo", "--session", "a", "--yes")["changed"] == ["a.txt"]
    assert cli.error("undo", "--level", "turn", "--yes", code=10)
    assert cli.error("undo", "--level", "nonsense", "--yes", code=2)
    assert cli.json("undo", "--level", "run", "--yes")["changed"] == ["b.txt"]


def test_restore_of_a_path_leaves_the_others(worked: Cli) -> None:
    done = worked.json("restore", "good", "b.txt", "--yes")
    assert done["changed"] == ["b.txt"]
    assert (worked.root / "c.txt").exists()
    assert worked.json("undo", "--yes")["changed"] == ["b.txt"]


def test_paths_of_a_restore_are_relative_to_the_current_directory(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.write("takeback.toml", "")
    cli.write("src/a.txt", "one\n")
    cli.write("a.txt", "one\n")
    cli("save")
    cli.write("src/a.txt", "two\n")
    cli.write("a.txt", "two\n")
    monkeypatch.chdir(cli.root / "src")
    assert cli.json("restore", "@", "a.txt", "--yes")["changed"] == ["src/a.txt"]
    assert cli.json("restore", "@-", str(cli.root / "a.txt"), "--yes", code=0)["changed"] == []
    assert cli.json("restore", "root", "..", "--yes")["changed"] == ["a.txt"]
    assert "outside" in cli.error("restore", "@", "../../elsewhere", "--yes", code=2)["message"]


def test_a_restore_that_has_nothing_to_do_says_so(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    cli("save")
    assert cli.json("restore", "@", "--yes")["changed"] == []
    assert "already so" in cli("restore", "@", "--yes").out


def test_restore_to_another_directory(worked: Cli) -> None:
    there = worked.root.parent / "there"
    plan = worked.json("restore", "good", "--to", str(there), "--dry-run")
    assert {each["path"]: each["action"] for each in plan["plan"]} == {"a.txt": "create", "b.txt": "create"}
    assert not there.exists()
    done = worked.json("restore", "good", "--to", str(there))
    assert (done["move"], done["safety"], done["verified"]) == (None, None, True)
    assert sorted(os.listdir(there)) == ["a.txt", "b.txt"]
    worked("restore", "good", "--to", str(there))
    (there / "mine").write_text("what nobody saved")
    assert worked.error("restore", "good", "--to", str(there), code=2)
    worked("restore", "good", "b.txt", "--to", "../other")
    assert os.listdir(worked.root.parent / "other") == ["b.txt"]


def test_restore_of_an_unknown_part_or_path_is_not_found(worked: Cli) -> None:
    assert worked.json("restore", "good", "--only", "workspace", "--dry-run")["plan"]
    assert worked.error("restore", "good", "--only", "memory", "--yes", code=10)
    assert worked.error("restore", "good", "nope.txt", "--yes", code=10)


def test_what_a_restore_leaves_alone_is_said(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    cli.write("secret", "s\n")
    cli.write(".gitignore", "secret\n")
    cli("save", "-m", "good")
    cli.write(".gitignore", "")
    cli("save")
    done = cli.json("restore", "good", "--yes")
    assert [item["path"] for item in done["kept"]] == ["secret"]
    assert done["reasons"]["secret"] == done["kept"][0]["reason"]
    assert "what differs is left alone" in cli("restore", "good", "--dry-run").out
    assert cli.read("secret") == "s\n"


def test_a_dry_run_into_another_directory_knows_the_parts(worked: Cli) -> None:
    there = str(worked.root.parent / "there")
    assert worked.error("restore", "good", "--only", "memory", "--to", there, "--dry-run", code=10)


def test_who_restores_elsewhere_hears_what_is_missing_there(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    os.mkfifo(cli.root / "pipe")
    cli("save")
    out = cli("restore", "@", "--to", "../there").out
    assert "1 path of snapshot" in out and " is in " in out
    assert "missing there\n  pipe: fifo\n" in out


def test_a_report_and_a_plan_say_which_of_both_they_are(worked: Cli) -> None:
    assert worked.json("undo", "--dry-run")["dry_run"] is True
    assert worked.json("undo", "--yes")["dry_run"] is False


def test_undo_of_one_path_leaves_the_rest_and_says_how_to_have_it(worked: Cli) -> None:
    done = worked.json("undo", "--path", "b.txt", "--yes")
    assert done["changed"] == ["b.txt"]
    assert any("2 other paths left as asked" in note for note in done["notes"])
    assert worked.read("b.txt") == "b\n" and worked.read("c.txt") == "c\n"
    worked.json("undo", done["moves"][0], "--yes")
    assert worked.read("a.txt") == TEXT and not (worked.root / "c.txt").exists()


def test_undo_of_a_path_outside_the_root_is_refused(worked: Cli) -> None:
    assert "outside" in worked("undo", "--path", "../x", "--yes", code=2).err


def test_what_is_only_a_part_is_said_first_and_is_no_success(cli: Cli) -> None:
    import takeback

    cli.write("a.txt", "0\n")
    with takeback.open(str(cli.store)) as store:
        line = store.timeline(sources=[takeback.Workspace(cli.root)])
        with line.turn("work", session="s"):
            with line.action("one", session="s"):
                cli.write("a.txt", "1\n")
            inner = line.show("@").id
            cli.write("mine.txt", "mine\n")
            with line.action("two", session="s"):
                cli.write("b.txt", "1\n")
    cli("drop", inner, "--yes")
    shown = cli("undo", "--dry-run").out
    assert shown.index("this is only a part") < shown.index("would")
    done = cli("undo", "--yes", code=3).out
    assert done.index("a.txt: what the move did to it is not known") < done.index("1 path: 1 deleted")
    assert "\nread back and verified" not in done
    assert (cli.read("a.txt"), cli.read("mine.txt")) == ("1\n", "mine\n")
    assert not (cli.root / "b.txt").exists()
    cli("redo", "--yes")
    report = cli.json("undo", "--yes", code=3)
    assert [each["path"] for each in report["partial"]] == ["a.txt", "mine.txt"]
