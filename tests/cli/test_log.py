from __future__ import annotations

import takeback as tb
from support.cli import Cli
from takeback.views.text import WIDTH, columns


def test_log_without_a_store_is_empty_and_makes_none(cli: Cli) -> None:
    shown = cli.json("log")
    assert (shown["snapshots"], shown["moves"]) == ([], [])
    assert (shown["root"], shown["timeline"], shown["more"]) == (str(cli.root), "main", False)
    assert "nothing was recorded" in cli("log").out
    assert not cli.store.exists()


def test_log_lists_snapshots_and_moves_newest_first(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    first = cli.json("save", "-m", "good")
    cli("run", "--session", "s1", "-m", "work", "--", "sh", "-c", "echo two > a.txt; echo new > b.txt")
    shown = cli.json("log")
    newest, oldest = shown["snapshots"]
    assert oldest["id"] == first["id"]
    assert oldest["labels"] == ["good"]
    assert oldest["pinned"] is False
    assert newest["parent"] == first["id"]
    assert newest["trigger"] == "run_end"
    assert newest["changed"] == 2
    assert newest["session"] == "s1"
    assert newest["time"].endswith("+00:00")
    (move,) = shown["moves"]
    assert move["session"] == "s1"
    assert move["level"] == "run"
    assert move["title"] == "work"
    assert move["opening"] == first["id"]
    assert move["closing"] == newest["id"]
    assert move["undone_by"] is None
    assert move["verb"] == ""
    assert move["opened"] <= move["closed"]


def test_the_picture_shows_ids_labels_pins_and_what_was_taken_back(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    first = cli.json("save", "-m", "good")["id"]
    cli("pin", "good")
    cli("run", "-m", "work", "--", "sh", "-c", "echo two > a.txt")
    undo = cli.json("undo", "--yes")["move"]
    lines = cli("log").out.splitlines()
    (line,) = (each for each in lines if first[:8] in each)
    assert "[good]" in line
    assert "pinned" in line
    assert "1 file" in line
    (taken,) = (each for each in lines if "run " in each)
    assert "work" in taken
    assert f"(taken back by {undo[:8]})" in taken
    assert lines[2].startswith("●")


def test_the_graph_brackets_what_an_undo_took_back_and_names_forks(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    cli("save", "-m", "good")
    cli("run", "-m", "work", "--", "sh", "-c", "echo two > a.txt")
    cli("undo", "--yes")
    cli("fork", "good", "attempt-2", "--to", str(cli.root.parent / "attempt"))
    out = cli("log", "--graph").out
    gutter = [line[:3] for line in out.splitlines()[2:]]
    assert gutter == ["●─╮", "│ │", "○ │", "│ │", "○─╯", "│  "]
    assert "fork attempt-2 in " in out


def test_a_bracket_that_begins_where_another_ends_is_joined_to_the_line(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    cli("save")
    cli("run", "-m", "one", "--", "sh", "-c", "echo 2 > a.txt")
    cli("undo", "--yes")
    cli("run", "-m", "two", "--", "sh", "-c", "echo 3 > a.txt")
    cli("undo", "--yes")
    gutter = [line[:5] for line in cli("log", "--graph").out.splitlines()[2:]]
    assert gutter == ["●─╮  ", "│ │  ", "○ │  ", "│ │  ", "○─┴─╮", "│   │", "○   │", "│   │", "○───╯"]


def test_what_a_person_changes_after_a_save_is_a_move_that_says_so(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    cli("save", "-m", "good")
    assert "changes since “good”  (open)" in cli("log").out
    cli.write("a.txt", "two\n")
    second = cli.json("save")["id"][:8]
    assert f"changes since {second}  (open)" in cli("log").out
    cli.write("a.txt", "three\n")
    assert f"undo of changes since {second} (" in cli("undo", "--yes").out.replace("“", "").replace("”", "")
    assert "undo of changes since “good” (" in cli("undo", "--yes").out
    assert cli.read("a.txt") == "one\n"


def test_log_of_a_path_shows_only_what_changed_it(cli: Cli) -> None:
    cli.write("src/a.txt", "one\n")
    cli.write("b.txt", "one\n")
    first = cli.json("save")["id"]
    cli("run", "-m", "touches b", "--", "sh", "-c", "echo two > b.txt")
    cli("run", "-m", "touches a", "--", "sh", "-c", "echo two > src/a.txt")
    shown = cli.json("log", "src/a.txt")
    assert len(shown["snapshots"]) == 2
    assert shown["snapshots"][1]["id"] == first
    assert [move["title"] for move in shown["moves"]] == ["touches a"]
    assert [move["title"] for move in cli.json("log", "b.txt")["moves"]] == ["touches b"]


def test_log_limits_and_filters_by_session(cli: Cli) -> None:
    for number in range(4):
        cli("run", "--session", f"s{number}", "-m", f"turn {number}", "--", "sh", "-c", f"echo {number} > a.txt")
    limited = cli.json("log", "-n", "2")
    assert len(limited["snapshots"]) == 2
    assert limited["more"] is True
    assert [move["title"] for move in limited["moves"]] == ["turn 3", "turn 2"]
    assert [move["title"] for move in cli.json("log", "--session", "s1")["moves"]] == ["turn 1"]
    assert cli.json("log")["more"] is False
    assert "older ones" in cli("log", "-n", "2").out


def test_a_session_is_named_by_what_the_log_shows_of_it(cli: Cli) -> None:
    for session in ("0f8fad5b-d9cb-469f", "7c9e6679-7425-40de", "s1", "s10"):
        cli(
            "run", "--session", session, "-m", f"turn of {session}", "--", "sh", "-c", f"echo {session} > {session[:3]}"
        )
    shown = next(line for line in cli("log").out.splitlines() if "turn of 0f8" in line).split()[-1]
    assert shown != "0f8fad5b-d9cb-469f"
    for name, session in ((shown, "0f8fad5b-d9cb-469f"), ("7c", "7c9e6679-7425-40de"), ("s1", "s1")):
        assert [move["session"] for move in cli.json("log", "--session", name)["moves"]] == [session]
    assert "s1, s10" in cli.error("log", "--session", "s", code=2)["message"]
    assert "nothing of a session x" in cli("log", "--session", "x").out
    cli("undo", "--session", shown, "--yes")
    assert not (cli.root / "0f8").exists()


def test_hostile_titles_labels_and_names_never_reach_the_terminal(cli: Cli) -> None:
    evil = "evil\x1b]0;title\x07\x9b31m\u202egnp"
    cli.write("a.txt", "one\n")
    (cli.root / "\x1b[31mred\n").write_text("x")
    cli("save")
    cli.error("save", "-m", "label\x1b[2J", code=2)
    cli("run", "-m", evil, "--", "sh", "-c", "echo two > a.txt; rm *red*")
    for arguments in (["log"], ["log", "--graph"], ["show", "@"], ["show", "@-:"], ["undo", "--dry-run"], []):
        out = cli(*arguments).out
        assert not set(out) & {"\x1b", "\x07", "\x9b", "\u202e", "\r"}, arguments
    assert "evil\\x1b]0;title" in cli("log").out
    assert "\\x1b[31mred\\n" in cli("show", "@").out
    assert cli("diff", "@-", "@").raw.count(b"\x1b") == 0


def test_lines_for_people_fit_eighty_columns(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    cli("save", "-m", "a label that goes on and on and on and on and on and on and on and on and on")
    cli("run", "-m", "a title " * 30, "--", "sh", "-c", "echo two > a.txt")
    cli("undo", "--yes")
    cli("run", "-m", "漢字" * 60, "--", "sh", "-c", "echo two > a.txt")
    for arguments in (["log"], ["log", "--graph"], []):
        for line in cli(*arguments).out.splitlines():
            if str(cli.root) not in line and str(cli.store) not in line:
                assert columns(line) <= WIDTH, line


def test_the_log_of_a_store_without_any_directory_shows_what_there_is(cli: Cli) -> None:
    """As one has that an agent's container, or its memory alone, is kept in."""
    with tb.open(cli.store) as store:
        first = store.timeline("sandbox-1", [tb.State("memory", {"a": 1})]).save("calm")
        one, shown = cli("log").out, cli.json("log")
        assert first.id[:8] in one
        assert "timeline sandbox-1" in one
        assert [each["id"] for each in shown["snapshots"]] == [first.id]
        assert (shown["timeline"], shown["root"]) == ("sandbox-1", "")
        second = store.timeline("sandbox-2", [tb.State("memory", {"b": 1})]).save("wild")
    both = cli("log").out
    assert first.id[:8] in both
    assert second.id[:8] in both
    assert second.id[:8] not in cli("log", "--timeline", "sandbox-1").out
    cli.write("a.txt", "one\n")
    saved = cli.json("save")["id"]
    assert [each["id"] for each in cli.json("log")["snapshots"]] == [saved]
