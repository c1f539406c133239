"""`show` and `verify` of agents' snapshot files."""

from __future__ import annotations

import gzip

import takeback.adapters.persist as persist
from support import persist_files
from support.cli import Cli, modules_of


def test_show_a_file_without_any_store(cli: Cli) -> None:
    for name in ("agent.json.gz", "agent.json.zst"):
        path = cli.root / name
        persist.snapshot({"step": 1}, path, "coder", "today", 3, "after the greeting")
        out = cli("show", name).out
        assert "agent coder" in out
        assert "after the greeting" in out
        assert "today, snapshot 3" in out
        assert cli.json("show", name) == {"file": str(path), "metadata": persist.get_metadata(path)}
    assert not cli.store.exists()


def test_verify_a_file_without_any_store(cli: Cli) -> None:
    path = cli.root / "agent.json.gz"
    persist.snapshot({"step": 1}, path, "coder")
    assert cli("verify", "agent.json.gz").out.startswith("ok  agent coder, ")
    assert cli.json("verify", str(path)) == {"ok": True, "file": str(path), "metadata": persist.get_metadata(path)}
    assert cli("-C", "..", "verify", "project/agent.json.gz").code == 0
    assert not cli.store.exists()


def test_a_file_by_persist_is_shown_and_verified(cli: Cli) -> None:
    persist_files.write(cli.root / "theirs.json.gz", {"a": 1})
    assert cli.json("show", "theirs.json.gz")["metadata"]["description"] == "After greeting interaction"
    assert cli.json("verify", "theirs.json.gz")["ok"]


def test_a_damaged_file_is_named_with_exit_13(cli: Cli) -> None:
    path = cli.root / "agent.json.gz"
    persist.snapshot({"step": 1}, path)
    whole = path.read_bytes()
    for damaged in (whole[:-9], whole[:40], b"", b"nothing of the kind", gzip.compress(b"{}")):
        path.write_bytes(damaged)
        error = cli.error("verify", "agent.json.gz", code=13)
        assert str(path) in error["message"]
        if damaged != whole[:-9]:  # whose metadata can still be read
            assert cli.error("show", "agent.json.gz", code=13)["hints"]


def test_a_file_that_is_not_there_is_not_found(cli: Cli) -> None:
    assert cli.error("verify", "nope.json.gz", code=10)["kind"] == "PersistNotFoundError"
    assert "there is no file" in cli.error("show", "nope.json.gz", code=10)["message"], "also where nothing was saved"
    cli.write("a.txt", "a\n")
    cli("save")
    assert "there is no file" in cli.error("show", "nope.json.gz", code=10)["message"]
    assert cli.error("verify", "a.txt", code=13)["hints"]
    assert cli.error("verify", "a.txt", "--read-data", code=2)["hints"]


def test_a_word_that_is_a_file_and_a_label_is_never_guessed(cli: Cli) -> None:
    persist.snapshot({"step": 1}, cli.root / "agent.json.gz", "coder")
    id = cli.json("save", "-m", "agent.json.gz")["id"]
    error = cli.error("show", "agent.json.gz", code=2)
    assert "both a file" in error["message"]
    assert cli.json("show", "./agent.json.gz")["metadata"]["agent_id"] == "coder"
    assert cli.json("show", id[:8])["id"] == id


def test_other_files_never_hide_a_snapshot(cli: Cli) -> None:
    cli.write("good", "text\n")
    cli.write("packed", gzip.compress(b"text"))
    id = cli.json("save", "-m", "good")["id"]
    cli("label", "@", "packed")
    assert cli.json("show", "good")["id"] == id
    assert cli.json("show", "packed")["id"] == id


def test_what_a_file_says_cannot_play_with_the_terminal(cli: Cli) -> None:
    persist.snapshot({}, cli.root / "a.json.gz", "\x1b[2Jcoder", "s\ned", 0, "\x1b]0;title\x07")
    for command in ("show", "verify"):
        assert "\x1b" not in cli(command, "a.json.gz").out


def test_no_framework_is_loaded(cli: Cli) -> None:
    persist.snapshot({"step": 1}, cli.root / "agent.json.gz")
    for command in ("show", "verify"):
        assert not modules_of([command, "agent.json.gz"], cli.root) & {
            "langchain_core",
            "langchain_classic",
            "pydantic",
        }
