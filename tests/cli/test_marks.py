"""label, pin, unpin, drop and fork."""

from __future__ import annotations

import shlex

import pytest

from support.cli import Cli


def test_labels_come_and_go(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    id = cli.json("save")["id"]
    assert cli.json("label", "@", "good") == {"id": id, "labels": ["good"]}
    assert cli.json("show", "good")["id"] == id
    assert cli.json("label", "good", "good", "--remove")["labels"] == []
    assert cli.error("show", "good", code=10)
    assert cli.error("label", "@", "good", "--remove", code=10)["hints"] == ["its labels: it has none"]
    assert "is now called" in cli("label", "@", "again").out


@pytest.mark.parametrize(
    ("label", "cause"),
    [
        ("", "empty"),
        (" ", "empty"),
        ("a\nb", "cannot be printed"),
        ("root", "as a reference"),
        ("@x", "as a reference"),
    ],
)
def test_a_label_that_cannot_be_one_says_why(cli: Cli, label: str, cause: str) -> None:
    cli("save")
    assert cause in cli.error("label", "@", label, code=2)["message"]


def test_a_pinned_snapshot_is_not_dropped(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    id = cli.json("save")["id"]
    assert cli.json("pin", "@") == {"id": id, "pinned": True}
    assert cli.json("log")["snapshots"][0]["pinned"] is True
    assert "unpin" in cli.error("drop", "@", "--yes", code=2)["hints"][0]
    assert cli.json("unpin", "@") == {"id": id, "pinned": False}
    assert cli.json("drop", "@", "--yes") == {"id": id, "dropped": True, "moves": []}
    assert cli.json("log")["snapshots"] == []
    assert cli.read("a.txt") == "one\n"


def test_people_hear_of_a_move_that_went_with_the_snapshot_that_they_dropped(cli: Cli) -> None:
    cli.write("a.txt", "1\n")
    cli("save")
    cli("run", "-m", "work", "--", "sh", "-c", "echo 2 > a.txt")
    before = cli.json("log")["snapshots"][1]["id"][:8]
    lines = cli("drop", "@", "--yes").out.splitlines()
    assert lines[0].startswith("undo cannot take back ") and lines[0].endswith(" “work” any more")
    assert lines[1] == f"hint: `takeback restore {before}` goes back to what was there before it"
    cli("restore", before, "--yes")
    assert cli.read("a.txt") == "1\n"


def test_people_hear_of_pins_and_drops(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    id = cli.json("save")["id"][:8]
    assert cli("pin", "@").out == f"{id} is pinned\n"
    assert cli("unpin", "@").out == f"{id} is no longer pinned\n"
    assert cli("unpin", "@").out == f"{id} was not pinned\n"
    assert cli("drop", "@", "--yes").out.splitlines() == [
        f"dropped {id}",
        f"`takeback drop {id} --undo` brings it back",
    ]


def test_a_fork_is_a_timeline_of_its_own(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    id = cli.json("save", "-m", "good")["id"]
    cli.write("a.txt", "two\n")
    made = cli.json("fork", "good", "attempt", "--to", "../attempt")
    there = cli.root.parent / "attempt"
    assert made["fork_of"] == id
    assert made["root"] == str(there)
    assert (there / "a.txt").read_text() == "one\n"
    assert cli.read("a.txt") == "two\n"
    shown = cli.json("-C", str(there), "--timeline", "attempt", "log")
    assert [row["id"] for row in shown["snapshots"]] == [made["id"]]
    assert cli.error("fork", "good", "again", "--to", "../attempt", code=2)
    assert [row["id"] for row in cli.json("-C", str(there), "log")["snapshots"]] == [made["id"]]


def test_where_a_fork_is_works_when_it_is_pasted(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    cli("save")
    typed = shlex.split(cli("fork", "@", "second try", "--to", "../the fork").out.partition("with: takeback ")[2])
    assert cli.json(*typed)["snapshot"]["trigger"] == "fork"
    assert cli.json("status", "-C", "../the fork")["timeline"] == "second try"
