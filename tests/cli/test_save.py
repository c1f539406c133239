from __future__ import annotations

import os
from datetime import UTC, datetime

from support.cli import Cli


def test_save_says_what_it_made(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    made = cli.json("save", "-m", "first")
    assert made["timeline"] == "main"
    assert made["trigger"] == "manual"
    assert made["label"] == "first"
    assert made["labels"] == ["first"]
    assert made["parent"] is None
    assert made["changed"] == 1
    assert made["new"] is True
    assert made["parts"]["workspace"]["kind"] == "workspace"
    assert made["not_captured"] == []
    assert made["time"] == made["created"], "what a log calls it"
    created = datetime.fromisoformat(made["created"])
    assert created.tzinfo == UTC
    assert abs((datetime.now(UTC) - created).total_seconds()) < 60


def test_saving_again_without_a_change_is_the_same_snapshot(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    first = cli.json("save")
    again = cli.json("save", "-m", "named")
    assert again["id"] == first["id"]
    assert again["new"] is False
    assert again["labels"] == ["named"]
    cli.write("a.txt", "two\n")
    later = cli.json("save")
    assert later["parent"] == first["id"]
    assert later["new"] is True


def test_save_tells_people_what_is_new_and_what_is_not(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    assert "1 file changed" in cli("save", "-m", "good").out
    assert "nothing changed" in cli("save").out


def test_what_is_not_captured_is_listed(cli: Cli) -> None:
    os.mkfifo(cli.root / "pipe")
    made = cli.json("save")
    assert made["not_captured"] == [{"path": "pipe", "reason": "fifo", "detail": ""}]
    assert "pipe: fifo" in cli("save").out
    assert "pipe: fifo" in cli("show", "@").out


def test_a_label_that_reads_as_a_reference_is_refused(cli: Cli) -> None:
    assert cli.error("save", "-m", "@", code=2)["kind"] == "InvalidInput"


def test_names_that_are_not_utf8_are_escaped(cli: Cli) -> None:
    (cli.root / os.fsdecode(b"caf\xe9")).mkdir()
    os.mkfifo(cli.root / os.fsdecode(b"caf\xe9/pipe"))
    result = cli("save", "--json")
    assert b"caf\\udce9/pipe" in result.raw
    assert os.fsencode(result.json["not_captured"][0]["path"]) == b"caf\xe9/pipe"
    assert "caf\\xe9/pipe" in cli("save").out
